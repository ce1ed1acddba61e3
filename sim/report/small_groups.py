"""Small groups of people, which a report leaves out."""

from __future__ import annotations

FEWEST = 10
"""People of the smallest group of which a report states a share.

This is a threshold rule of statistical disclosure limitation. Some agencies require 3 people,
others 5 (FCSM, Statistical Policy Working Paper 22, 2005, chapter II); of fewer than 10, a 95%
interval says little either.
"""

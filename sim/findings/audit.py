"""What an audit found."""

from __future__ import annotations

from sim.findings.finding import Kind

KINDS: tuple[Kind, ...] = ()

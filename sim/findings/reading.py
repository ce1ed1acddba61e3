"""What reading the data found: what was recognised, left out, or may be read otherwise."""

from __future__ import annotations

from sim.findings.finding import Kind

KINDS: tuple[Kind, ...] = ()

"""What a measurement of a release found."""

from __future__ import annotations

from sim.findings.finding import Kind

KINDS: tuple[Kind, ...] = ()

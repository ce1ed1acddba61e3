"""What a plan or a frontier found: chains of defences, their risks and what they lose."""

from __future__ import annotations

from sim.findings.finding import Kind

KINDS: tuple[Kind, ...] = ()

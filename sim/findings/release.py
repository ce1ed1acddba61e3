"""How the publisher changed a release, and what it shows that no attacker knows."""

from __future__ import annotations

from sim.findings.finding import Kind

KINDS: tuple[Kind, ...] = ()

"""What an attack found, cell by cell of its grid, and beside the strongest attacker."""

from __future__ import annotations

from sim.findings.finding import Kind

KINDS: tuple[Kind, ...] = ()

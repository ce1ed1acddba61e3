"""How the publisher changed a release, and what it shows that no attacker knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.findings.finding import Finding, Kind

KINDS: tuple[Kind, ...] = ()


def release_findings(record: Mapping[str, Any]) -> Iterator[Finding]:
    """Stub."""
    yield from ()

"""What reading the data found: what was recognised, left out, or may be read otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.findings.finding import Finding, Kind

KINDS: tuple[Kind, ...] = ()


def unread_findings(release: Mapping[str, Any]) -> Iterator[Finding]:
    """Stub."""
    yield from ()


def reading_findings(record: Mapping[str, Any]) -> Iterator[Finding]:
    """Stub."""
    yield from ()

"""What was read, as text: what ``standout describe`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import fill
from typing import Any

from sim.findings.finding import most_serious
from sim.findings.reading import reading_findings
from sim.numeric.text import format_number
from sim.report.screens.data import data_lines
from sim.report.screens.reading_details import reading_details, sample_chapters
from sim.report.sentences import sentences
from sim.report.terminal import details_text
from sim.report.text_table import WIDTH, aligned

_MIND = "Mind: "
_NOTHING = (
    "No check found anything wrong. Whether these are the columns that you mean, and what they "
    "tell of people, no check knows."
)


def description_text(
    record: Mapping[str, Any], quantiles: Mapping[str, Mapping[str, float]], fingerprint: str
) -> str:
    """Return what was read and what looks wrong about it."""
    return "\n\n".join(_blocks(record, quantiles, fingerprint))


def lines_of_reading(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield what was read, and all warnings about it, a line each."""
    yield from data_lines(record)
    yield from (f"{_MIND}{one}" for one in sentences(most_serious(reading_findings(record))))


def _blocks(
    record: Mapping[str, Any], quantiles: Mapping[str, Mapping[str, float]], fingerprint: str
) -> Iterator[str]:
    lines = [*lines_of_reading(record)]
    minds = [line.removeprefix(_MIND) for line in lines if line.startswith(_MIND)]
    yield "\n".join(fill(line, WIDTH, subsequent_indent="  ") for line in lines)
    if not minds:
        yield fill(_NOTHING, WIDTH)
    yield details_text([*reading_details(record, minds), *sample_chapters(record)])
    names = [*next(iter(quantiles.values()))]
    rows = [
        [title, *(format_number(found[name]) for name in names)]
        for title, found in quantiles.items()
    ]
    yield "\n".join(aligned([["", *names], *rows], left=1))
    yield f"fingerprint of the entries (SHA-256): {fingerprint}"

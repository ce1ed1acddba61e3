"""Paragraphs for a data protection impact assessment: they stand alone, away from the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sim.config.schema import BOTH, ORIGINAL, RELEASED
from sim.report.words.plain.data import data_line, rows_read
from sim.report.words.reading_losses import as_read, losses


def impact(
    record: Mapping[str, Any],
    attackers: str,
    results: Sequence[str],
    untested: Sequence[str],
    of_reading: Sequence[str] | None = None,
) -> list[str]:
    """Return the paragraphs: the data, the changes and the results, assumptions, the open rest.

    Parameters
    ----------
    record : dict
        As ``run.json``, of a run that attacked the release.
    attackers : str
        A sentence.
    results : sequence of str
        Sentences, with their denominators.
    untested : sequence of str
        What was not tested, each to stand in a list.
    of_reading : sequence of str, optional
        What is said of reading in place of its losses, where a file was written from what was read.
    """
    version = str((record.get("versions") or {}).get("standout", ""))
    fingerprint = str(record.get("release_fingerprint") or "")[:16]
    lost = losses(as_read(record)) if of_reading is None else of_reading
    changes = "; ".join(str(each["in_words"]) for each in record.get("defences") or ())
    paragraphs = (
        (
            "How many people can be identified in this release was measured by simulated attacks "
            f"with Standout {version} (seed {record.get('seed')}, release fingerprint "
            f"{fingerprint}…).",
            data_line(record),
        ),
        (*rows_read(record), *lost),
        (f"Before the attacks the data were changed: {changes}." if changes else "", attackers),
        results,
        (_assumptions(record),),
        (f"Not tested: {_in_a_row(untested)}.",),
        (
            "The result holds for this release and these assumptions. It does not prove that "
            "nobody else can be found.",
        ),
    )
    said = (" ".join(filter(None, sentences)) for sentences in paragraphs)
    return [paragraph for paragraph in said if paragraph]


def _assumptions(record: Mapping[str, Any]) -> str:
    of = ""
    if record.get("defences"):
        of = f" as they were before the changes{_OF[record['config']['audit']['known_facts']]}"
    return (
        "Assumptions: unless said otherwise, the facts are drawn at random from the person's own "
        f"data{of}; an attacker has the whole release, knows how it was made, and looks for one "
        "person at a time. Intervals are 95% confidence intervals."
    )


_OF = {
    ORIGINAL: "",
    RELEASED: ", of entries that are still there",
    BOTH: ", of all entries or of those still there, whichever finds more",
}


def _in_a_row(sentences: Sequence[str]) -> str:
    return "; ".join(f"{one[:1].lower()}{one[1:]}".rstrip(".") for one in sentences)

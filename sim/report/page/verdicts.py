"""Tables that compare our results with the papers' statements, and counts of the verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from sim.numeric.rows import row_dicts
from sim.numeric.text import format_difference
from sim.papers.comparison import RELATIONS, comparison_of, format_value
from sim.papers.experiments import PAPERS, title_of
from sim.record.run_folder import RunFolder
from sim.report.table import NONE, Chapter, Table

_VERDICTS = ("reproduced", "not reproduced")


def comparison_table(found: pd.DataFrame, name: str) -> Table:
    """Return a comparison, as of `sim.papers.comparison.comparison_of`, with every statement."""
    parts = ["part"] if found["part"].ne("").any() else []
    rows = [
        [
            f"{row['paper']} {row['figure']}".strip() + f": {row['what']}. {row['note']}".rstrip(),
            *(row[name] or NONE for name in ("where", *parts)),
            _ours(row),
            _stated(row),
            _difference(row),
            row["verdict"],
        ]
        for row in row_dicts(found)
    ]
    cited = [f"{paper}: {title}." for paper, title in PAPERS.items() if paper in {*found["paper"]}]
    heads = ["statement", "conditions", *parts, "here", "stated", "difference", "verdict"]
    return Table(heads, rows, _caption(name), " ".join([_NOTE, *cited]))


_NOTE = (
    "Reproduced: the stated number lies in our 95% interval; intervals of shares are widened by "
    "3 points on either side because the papers' samples were small. A verdict is given only for "
    "the same release, attack and knowledge as in the paper."
)


def count_verdicts(found: pd.DataFrame | None) -> dict[str, int]:
    """Count the statements by verdict; one with several rows counts once, by the best of them.

    Examples
    --------
    >>> count_verdicts(None)
    {'reproduced': 0, 'not reproduced': 0, 'not comparable': 0}
    >>> rows = {"id": ["a", "a"], "verdict": ["reproduced", "not comparable: different data"]}
    >>> count_verdicts(pd.DataFrame(rows))["reproduced"]
    1
    """
    counts = dict.fromkeys((*_VERDICTS, "not comparable"), 0)
    if found is None:
        return counts
    for _, rows in found.groupby("id"):
        verdicts = set(rows["verdict"])
        known = [verdict for verdict in _VERDICTS if verdict in verdicts]
        counts[known[0] if known else "not comparable"] += 1
    return counts


def verdict_sentence(counts: Mapping[str, int]) -> str:
    """Return the number of statements by verdict as a sentence.

    Examples
    --------
    >>> verdict_sentence({"reproduced": 2, "not reproduced": 0, "not comparable": 1})
    "The papers' statements: 2 reproduced, 1 not comparable."
    """
    words = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    return f"The papers' statements: {words}."


def _stated(row: Mapping[Any, Any]) -> str:
    if pd.isna(row["theirs"]):
        return "in words"
    return RELATIONS[row["relation"]] + format_value(row["theirs"], row["unit"])


def _ours(row: Mapping[Any, Any]) -> str:
    if pd.isna(row["ours"]):
        return NONE
    low, high = row["low"], row["high"]
    text = format_value(row["ours"], row["unit"])
    if low != high and pd.notna(low) and pd.notna(high):
        text += f" [{format_value(low, row['unit'])}–{format_value(high, row['unit'])}]"
    return text


def _caption(name: str) -> str:
    title = title_of(name)
    return f"The papers' statements: {title[:1].lower()}{title[1:]}"


def _difference(row: Mapping[Any, Any]) -> str:
    unit = "" if row["unit"] == "share" else str(row["unit"])
    return NONE if pd.isna(row["difference"]) else format_difference(row["difference"], unit)


def stated_lines(run: RunFolder) -> Iterator[str]:
    """Yield how many of the papers' statements about a run agree; nothing where there are none."""
    stated = comparison_of(run)
    if stated is not None and len(stated):
        yield verdict_sentence(count_verdicts(stated))


def comparison_chapters(run: RunFolder) -> Iterator[Chapter]:
    """Yield the papers' statements about a run, each beside its number; nothing without any."""
    stated = comparison_of(run)
    if stated is not None and len(stated):
        table = comparison_table(stated, run.config["name"])
        yield Chapter("Compared with the papers", table=table)

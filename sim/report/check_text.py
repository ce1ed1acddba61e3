"""A check as text: the verdicts last, where a log is read first."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from textwrap import fill

from sim.findings.finding import Finding
from sim.findings.risk_rows import RiskRow
from sim.findings.verdicts import WITHIN, WORST_FIRST
from sim.numeric.text import format_percent, percent_beside, quantity
from sim.report.knowledge import known_words
from sim.report.screen import Screen, minds_of
from sim.report.sentences import MEASURED, bound_text, sentence, sentences
from sim.report.table import NONE, Table
from sim.report.terminal import screen_text
from sim.report.text_table import WIDTH


def check_text(rows: Sequence[RiskRow], findings: Sequence[Finding], source: str) -> str:
    """Return the verdicts of a check on one run as text, the worst last."""
    about = sentences(one for one in findings if one.kind in _ABOUT)
    given = [(row.reason.kind, row.reason.numbers) for row in rows if row.reason]
    minds, others = minds_of(one for one in findings if (one.kind, one.numbers) not in given)
    reasons = [f"{name_of(row)}: {sentence(row.reason)}" for row in rows if row.reason]
    table = _table(rows) if rows else None
    screen = Screen("", [source, *about], table, more=reasons, lines=_ALL)
    said = [fill(f"Mind: {one}", WIDTH, subsequent_indent="      ") for one in minds]
    more = [f"({others} more: format=json)"] if others else []
    verdict = counts_text(rows) if rows else sentences(findings[-1:])[0]
    return "\n\n".join(filter(None, [screen_text(screen), "\n".join([*said, *more]), verdict]))


_ALL = sys.maxsize
"""A check has a row for everything that must pass."""

_ABOUT = ("fingerprint", "plan_wrote", "folder_unchanged", "file_not_compared")


def counts_text(rows: Sequence[RiskRow]) -> str:
    """Count the verdicts of rows in one line, the worst first."""
    counts = Counter(row.verdict for row in rows)
    pieces = [f"{verdict}: {counts[verdict]}" for verdict in WORST_FIRST if counts[verdict]]
    pieces[0] += f" of {len(rows)}"
    names = dict.fromkeys(name_of(row) for row in rows if row.verdict != WITHIN)
    which = f" ({', '.join(names)})" if names else ""
    bound = f"bound {bound_text(rows[0].bound or 0.0)} on {MEASURED[rows[0].measure]}"
    return f"{'; '.join(pieces)}{which}; {bound}"


def reason_text(row: RiskRow) -> str:
    """Say in one line why a row does not pass."""
    why = "" if row.reason is None else sentence(row.reason).rstrip(".")
    if not why and row.counted is not None and row.bound is not None:
        counted = percent_beside(row.counted, row.bound)
        attacked = quantity(row.n or 0, "person", "people")
        why = f"counted as {counted}, the bound is {bound_text(row.bound)}; {attacked} attacked"
    return f"{row.criterion}: {name_of(row)}: {row.verdict}{f' ({why})' if why else ''}"


def name_of(row: RiskRow) -> str:
    """Return the attacker of a row in words, or its criterion."""
    return (row.attacker or row.criterion).replace("_", " ")


def _table(rows: Sequence[RiskRow]) -> Table:
    return Table(
        heads=["attacker", "knows", "found", "counts as", "attacked", "verdict"],
        rows=[
            [
                name_of(row),
                known_words(row.known, has_values=True, has_dates=True) if row.known else "",
                format_percent(row.rate),
                _counted(row),
                NONE if row.n is None else f"{row.n:,}",
                row.verdict,
            ]
            for row in rows
        ],
    )


def _counted(row: RiskRow) -> str:
    if row.counted is None or row.bound is None:
        return NONE
    return percent_beside(row.counted, row.bound)

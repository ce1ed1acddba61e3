"""The results of a run as plain text, for a terminal."""

from __future__ import annotations

from textwrap import fill, wrap
from typing import Any

import pandas as pd

from sim.assessment.assessment import assess, is_audit, is_plan
from sim.assessment.frontier import TABLE as FRONTIER
from sim.measurements.registry import MEASUREMENTS
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_percent, percents, quantity
from sim.papers.comparison import comparison_of, comparison_text
from sim.record.run_folder import RunFolder, runs_of, study_of
from sim.record.run_record import plan_of
from sim.report.html_table import HtmlTable, frame_table
from sim.report.page.table import curve_table
from sim.report.page.verdicts import count_verdicts, verdict_sentence
from sim.report.text_table import aligned
from sim.report.words.about import roles_line, subject_of
from sim.report.words.assessment import (
    FACTS,
    LEFT_OUT,
    UNTESTED_TITLE,
    Chapter,
    chapters,
    lead_sentences,
    narrow,
    utility_sentences,
)
from sim.report.words.bayes_comparison import compare_bayes
from sim.report.words.defences import changed_first
from sim.report.words.frontier import frontier_sentences, is_frontier
from sim.report.words.headline import conclusions, headline_of
from sim.report.words.left_out import adapted
from sim.report.words.plain.data import remarks_of
from sim.report.words.plain.first import first_page
from sim.report.words.plain.page import PASTE
from sim.report.words.plan import plan_sentences
from sim.report.words.reading_losses import span
from sim.report.words.utility import utility_kept

WIDTH = 100

_MOST_LINES = 20
_FEW = 6
_BRIEF = 4
"""Sentences of an answer: the verdict, who is found, the risks, and from how few facts."""


def text_of(run: RunFolder) -> str:
    """Return the results of a run as text.

    Returns
    -------
    str
        The release; the first page in everyday words, but for the paragraph to paste, which the
        files of the run hold; the losses in reading the data; the main table, or the parts of a
        suite; the papers' statements. Of a frontier its answer and its chains; of a plan, what to
        publish. No newline at the end.
    """
    first = first_page(run)
    body = {"attack": _attack, "measurement": _measurement, "suite": _suite}[run.kind](run)
    known = (
        *remarks_of(run.record),
        *changed_first(run.record),
        *(utility_sentences(run) if is_audit(run) else utility_kept(run.tables, run.record)),
        *adapted(run.record),
    )
    words = "\n".join(fill(sentences, WIDTH) for sentences in known)
    roles = fill(roles_line(run.record), WIDTH)
    if first is None:
        parts = [_title(run), words, *body, comparison_text(run)]
    else:
        answer = "\n".join(fill(sentences, WIDTH) for sentences in (*first.answer, first.data))
        pages = map(_chapter, first.without(PASTE))
        parts = [answer, words, *pages, "In detail", _title(run), *body, comparison_text(run)]
    return "\n\n".join(part for part in (roles, *parts) if part)


def brief_of(run: RunFolder) -> str:
    """Return the answer alone, in a few lines: the verdict, or who is found; of a suite, its lead.

    No newline at the end.
    """
    first = first_page(run)
    said = [headline_of(run).lead] if first is None else first.answer[:_BRIEF]
    return "\n".join(fill(sentence, WIDTH) for sentence in said)


def _chapter(given: Chapter) -> str:
    lines = [f"{given.title}:", *(fill(sentence, WIDTH) for sentence in given.sentences)]
    lines += [fill(f"- {item}", WIDTH, subsequent_indent="  ") for item in given.items]
    lines += [table_text(given.table)] if given.table is not None else []
    return "\n".join([*lines, *(f"  {command}" for command in given.commands)])


def table_text(given: HtmlTable, width: int = WIDTH) -> str:
    """Format a table in aligned columns.

    Parameters
    ----------
    width : int
        Columns of the terminal.

    Returns
    -------
    str
        Transposed where it is too wide and has few rows; otherwise without the columns that do not
        fit. The last line names what is left out.

    Examples
    --------
    >>> import pandas as pd
    >>> given = frame_table(pd.DataFrame({"of": ["values", "dates"], "n": [5, 12]}), "Any")
    >>> print(table_text(given))
        of   n
    values   5
     dates  12
    >>> table = frame_table(pd.DataFrame({"records": [1], "items": [2]}), "Any")
    >>> print(table_text(table, width=12))
    records  1
      items  2

    Rows that do not fit then are named by their first cells:

    >>> frame = pd.DataFrame({"facts": ["2 of 2", "4 of 4"], "right": [5, 6], "wrong": [1, 0]})
    >>> print(table_text(frame_table(frame, "Any"), width=19))
    facts  2 of 2
    right       5
    wrong       1
    not shown: facts 4
    of 4
    """
    heads = [column.head for column in given.columns]
    rows = [[cell.text for cell in row] for row in given.rows[:_MOST_LINES]]
    table = [heads, *rows]
    what = "the columns"
    if len(aligned(table)[0]) > width and len(rows) <= _FEW:
        what = heads[0]  # a row is a column now, under the level in its first cell
        table = [list(column) for column in zip(*table, strict=True)]
    kept = len(table[0])
    while kept > 1 and len(aligned([row[:kept] for row in table])[0]) > width:
        kept -= 1
    left_out = [
        *([f"the last {len(given.rows) - len(rows):,} rows"] * (len(given.rows) > len(rows))),
        *([f"{what} {', '.join(table[0][kept:])}"] if kept < len(table[0]) else []),
    ]
    lines = aligned([row[:kept] for row in table])
    more = fill(f"not shown: {'; and '.join(left_out)}", width).split("\n") if left_out else []
    return "\n".join([*lines, *more])


def _title(run: RunFolder) -> str:
    config, release = run.config, run.record["release"]
    what = {
        "attack": lambda: f" with {config['attack']['name']}",
        "measurement": lambda: f": {config['study']['kind']}",
        "suite": lambda: f": {quantity(len(run.parts), 'part')}",
    }[run.kind]()
    subject = subject_of(run)
    dates = f"\ndates from {days}" if (days := span(release)) else ""
    return (
        f"{f'{subject}{what}' if subject == config['name'] else subject} on {release['source']}: "
        f"{release['n_records']:,} records × {release['n_items']:,} items, "
        f"{release['n_cells']:,} cells{dates}"
    )


def _attack(run: RunFolder) -> list[str]:
    table = curve_table(run.tables["curves"], config=run.config)
    found = compare_bayes(run)
    if found is None:
        return [table]
    words = "\n".join(fill(sentence, WIDTH) for sentence in found.sentences)
    if found.narrow is not None:
        words += f"\n\n{found.narrow.caption}\n{table_text(found.narrow)}"
    if found.command:
        words += f"\n  {found.command}"
    return [table, words]


def _measurement(run: RunFolder) -> list[str]:
    headline = headline_of(run)
    words = [fill(sentence, WIDTH) for sentence in (headline.lead, *headline.more)]
    measurement = MEASUREMENTS.get(study_of(run.config))
    heads = measurement.heads if measurement else None
    table = frame_table(run.tables["facts"], "Facts", heads=heads)
    return ["\n".join(words), table_text(table)]


def _audit(run: RunFolder) -> list[str]:
    found = assess(run)
    words = "\n".join(fill(sentence, WIDTH) for sentence in lead_sentences(found))
    blocks = [words, table_text(narrow(found))]
    shown = (FACTS, UNTESTED_TITLE, LEFT_OUT)
    return [*blocks, *(_chapter(one) for one in chapters(found) if one.title in shown)]


def _plan(run: RunFolder) -> list[str]:
    said = [*plan_sentences(run)]
    if not plan_of(run.record).get("offered"):
        said.append("The plan offers nothing to publish, and no file was written.")
    return ["\n".join(["What to publish:", *(fill(sentence, WIDTH) for sentence in said)])]


def chains_text(given: pd.DataFrame) -> str:
    """Return a line for each chain of a frontier, the least lossy first; long names are broken."""
    rows = row_dicts(given.sort_values(["kept", "risk"], ascending=[False, True]))
    heads = ["risk", "95% interval", "utility kept", "found"]
    bounded = bool(given["bound"].notna().any())
    cells = [heads + ["verdict"] * bounded]
    for row in rows:
        risk = interval = "–"
        if pd.notna(row["risk"]):
            risk, low, high = percents(row["risk"], row["risk_low"], row["risk_high"])
            risk, interval = f"{risk}%", f"{low}%–{high}%"
        verdict = [str(row["verdict"])] * bounded
        found = f"{'≥ ' * pd.isna(row['risk'])}{_share(row['found'])}"
        cells.append([risk, interval, _share(row["kept"]), found, *verdict])
    left = WIDTH - max(map(len, aligned(cells))) - 2
    table = [["chain of defences", *cells[0]]]
    for row, its in zip(rows, cells[1:], strict=True):
        name = wrap(row["chain"], left, subsequent_indent="  ", break_long_words=False)
        table += [[name[0], *its], *([line, *[""] * len(its)] for line in name[1:])]
    return "\n".join(aligned(table, left=1))


def _share(value: Any) -> str:
    return "–" if pd.isna(value) else format_percent(value)


def _suite(run: RunFolder) -> list[str]:
    if is_audit(run):
        return _audit(run)
    if is_plan(run):
        return _plan(run)
    if is_frontier(run):
        words = "\n".join(fill(sentence, WIDTH) for sentence in frontier_sentences(run))
        return [chains_text(run.tables[FRONTIER]), words]
    lines = [f"{words}\n" for words in conclusions(run)]
    for part in run.parts:
        if part.run is None:
            lines.append(f"{part.name}: not possible on this release: {part.reason}")
            continue
        lines.append(f"{part.name}: {headline_of(part.run).lead}")
        said = [words for one in runs_of(part.run) for words in adapted(one.record)]
        lines += [f"    {sentence}" for sentence in dict.fromkeys(said)]
        found = compare_bayes(part.run, runs_of(run))
        if found is not None:
            lines.append(f"    {found.brief}")
        if part.run.config["name"] != run.config["name"]:
            stated = comparison_of(part.run)
            if stated is not None and len(stated):
                lines.append(f"    {verdict_sentence(count_verdicts(stated))}")
    return ["\n".join(fill(line, WIDTH, subsequent_indent="    ") for line in lines)]

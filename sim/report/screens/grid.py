"""The first screen of an attack, and the chapters below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from sim.attack.algorithms.registry import attack_class, attack_title
from sim.axes.aux import AuxAxis
from sim.axes.registry import words_of
from sim.findings.attack import attack_findings, people_of
from sim.findings.cells import is_mentioned, is_read, varying_axes
from sim.findings.finding import Finding
from sim.findings.of_run import findings_of
from sim.findings.strongest import strongest_rows
from sim.metrics.curves import axis_columns
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_setting
from sim.papers.comparison import RELATIONS, comparison_of, format_value
from sim.papers.statements import NUMBERS
from sim.record.run_folder import RunFolder
from sim.report.chapter import Chapter
from sim.report.html_table import (
    HtmlCell,
    HtmlColumn,
    HtmlTable,
    curve_tables,
    estimate_cell,
    number_cell,
    percent_cell,
    places_of,
)
from sim.report.page.verdicts import comparison_chapters, stated_lines
from sim.report.screen import RUN, Screen, ScreenTable, minds_of
from sim.report.screens.data import data_lines
from sim.report.sentences import sentence, sentences
from sim.report.terminal import screen_text
from sim.report.whole_percent import whole_percent, with_ends
from sim.study.labels import level_words, mentioned_first, tick_words

Row = Mapping[Any, Any]

LINES = 20
"""Of a screen as text."""

MOST_ROWS = 8
_LEAST_ROWS = 3
_LONG_PATH = "outputs/2026-01-01/00-00-00-of-an-experiment"
"""A folder as long as one usually is, to count lines."""

_SHOWN = ("most_people_found", "absent_matched", "equal_error")
"""Kinds that stand below the verdict, if there is room; the main result is the verdict."""


def grid_screen(run: RunFolder) -> Screen:
    """Return the first screen of an attack: at most `LINES` lines of text."""
    findings = findings_of(run)
    minds, others = minds_of(findings)
    n_cells = len(run.tables["curves"])
    screen = Screen("")
    for most in range(min(n_cells, MOST_ROWS), 0, -1):
        left_out = n_cells - most
        screen = Screen(
            verdict=sentence(findings[0]),
            data=data_lines(run.record),
            heading=_heading(run, left_out),
            table=grid_table(run, most),
            more=[*stated_lines(run)],
            minds=minds,
            n_others=others,
            commands=[*_commands(run)],
        )
        text = screen_text(screen, folder=_LONG_PATH)
        if most <= _LEAST_ROWS or len(text.splitlines()) <= LINES:
            break
    return screen


def _heading(run: RunFolder, left_out: int) -> str:
    """Name the attack, what is known in every row, and how many people were attacked."""
    curves, attack = run.tables["curves"], str(run.config["attack"]["name"])
    rows, varying = row_dicts(curves), varying_axes(curves)
    said, unread = [], set[str]()
    for axis in sorted(axis_columns(curves), key=mentioned_first):
        if axis in varying:
            unread |= set() if is_read(axis, attack) else {words_of(axis).part}
        elif is_mentioned(axis, rows[0]) and (is_read(axis, attack) or run.bayes is not None):
            only = "" if is_read(axis, attack) else ", for the strongest"
            said.append(f"{level_words(axis, rows[0][axis])}{only}")
    if unread:
        said.append(f"it reads no {' and no '.join(_PARTS[part] for part in sorted(unread))}")
    targets = sorted({int(n) for n in curves["n_targets"]})
    few = " to ".join(f"{n:,}" for n in dict.fromkeys((targets[0], targets[-1])))
    said.append(f"{few} of {max(map(people_of, rows)):,} people attacked")
    said += [f"{left_out:,} more rows: --details"] if left_out else []
    return f"Who is found by {attack_title(attack)}? ({'; '.join(said)})"


_PARTS = {"values": "values", "days": "dates"}
"""Parts of a fact, as `Algorithm.reads` has them, in words."""


def _commands(run: RunFolder) -> Iterator[tuple[str, str]]:
    yield "report", f"{RUN}/report.html"
    pictures = sorted(path.relative_to(run.path) for path in run.path.rglob("best_guess.png"))
    if pictures:
        yield "picture", f"{RUN}/{pictures[0].as_posix()}"
    yield "repeat", f"standout repeat {RUN}"


def grid_table(run: RunFolder, most: int = MOST_ROWS) -> ScreenTable:
    """Return a row for each cell of the grid, or for the most telling ones.

    Parameters
    ----------
    most : int
        Rows at most: the cells in which most and fewest are found, those that a paper states a
        number about, those in which the strongest attacker finds most more, or most are named
        wrongly; then the others in the order of the grid.
    """
    curves = run.tables["curves"]
    strongest = {int(row["cell"]): row for row in strongest_rows(run)}
    stated = stated_cells(run)
    kept = _telling(curves, strongest, stated, most)
    rows = [row for row in row_dicts(curves) if int(row["cell"]) in kept]
    columns = [
        ("found", [with_ends(row, "rank1") for row in rows]),
        ("declared", [whole_percent(row["matched_right"]) for row in rows]),
        ("wrongly", [whole_percent(row["matched_wrong"]) for row in rows]),
    ]
    if curves["rank1"].isna().all():
        columns.append(("no match", [whole_percent(row["no_match"]) for row in rows]))
    if strongest:
        best = (strongest.get(int(row["cell"])) for row in rows)
        columns.append(
            ("strongest", ["–" if b is None else whole_percent(b["best_rank1"]) for b in best])
        )
    if stated:
        head = {one[0] for one in stated.values()}
        head_text = head.pop() if len(head) == 1 else "paper"
        columns.append((head_text, [stated.get(int(row["cell"]), ("", ""))[1] for row in rows]))
    columns = [(name, texts) for name, texts in columns if set(texts) - {"–"}]
    names = _names(run, rows)
    return ScreenTable(
        heads=["facts known", *(head for head, _ in columns)],
        rows=[
            [name, *row] for name, *row in zip(names, *(texts for _, texts in columns), strict=True)
        ],
        shares=[None if pd.isna(row["rank1"]) else float(row["rank1"]) for row in rows],
    )


def _names(run: RunFolder, rows: Sequence[Row]) -> list[str]:
    """Return what is known in each row on the axes that vary, and of how many people that holds."""
    curves = run.tables["curves"]
    varying = sorted(varying_axes(curves) or axis_columns(curves)[:1], key=mentioned_first)

    def words(row: Row, *, all_levels: bool) -> str:
        said = [
            f"{tick_words(axis, row[axis])} right"
            if axis == AuxAxis.name
            else level_words(axis, row[axis])
            for axis in varying
            if all_levels or is_mentioned(axis, row)
        ]
        part = float(row["eligible"])
        of = f" (of {whole_percent(part)})" if part < 0.995 else ""
        return f"{', '.join(said) or 'the facts in the list'}{of}"

    names = [words(row, all_levels=False) for row in rows]
    if len(set(names)) < len(names):
        names = [words(row, all_levels=True) for row in rows]
    return names


def _telling(
    curves: pd.DataFrame, strongest: Mapping[int, Row], stated: Iterable[int], most: int
) -> set[int]:
    rows = row_dicts(curves)
    found = [row for row in rows if pd.notna(row["rank1"])]
    by_found = sorted(found, key=lambda row: -float(row["rank1"]))
    gaps = sorted(strongest.values(), key=lambda row: float(row["rank1"] - row["best_rank1"]))
    wrong = sorted(
        (row for row in rows if pd.notna(row["matched_wrong"])),
        key=lambda row: -float(row["matched_wrong"]),
    )
    order = [*by_found[:1], *by_found[-1:]]
    cells = [int(row["cell"]) for row in order]
    cells += [*stated, *(int(row["cell"]) for row in (*gaps[:1], *wrong[:1], *rows))]
    return set(list(dict.fromkeys(cells))[:most])


def stated_cells(run: RunFolder) -> dict[int, tuple[str, str]]:
    """Return by cell which paper states how often the best guess is right, and what it states.

    With the verdict, unless no number of the run can be compared.
    """
    stated = comparison_of(run)
    if stated is None:
        return {}
    rates = {number.id for number in NUMBERS if number.measure == "rank1"}
    ours = stated[stated["id"].isin(rates) & stated["cell"].notna() & stated["theirs"].notna()]
    ours = ours[ours["paper"] != "reproduction"]
    judged = not ours["verdict"].str.startswith(_NOT_COMPARABLE).all()
    found: dict[int, tuple[str, str]] = {}
    for row in row_dicts(ours):
        value = f"{RELATIONS[row['relation']]}{format_value(row['theirs'], row['unit'])}"
        verdict = f", {str(row['verdict']).partition(':')[0]}" if judged else ""
        where = f"{row['paper']} {row['figure']}".strip()
        found.setdefault(int(row["cell"]), (where, f"{value}{verdict}"))
    return found


_NOT_COMPARABLE = "not comparable"


def grid_details(run: RunFolder, others: Iterable[RunFolder] = ()) -> Iterator[Chapter]:
    """Yield what stands below the first screen of an attack.

    Parameters
    ----------
    others : iterable of RunFolder
        Runs of the same suite.
    """
    others = tuple(others)
    findings = [*attack_findings(run, others)]
    yield Chapter("What was found", items=sentences(_below(findings)), sentences=[_method(run)])
    for table in curve_tables(run.tables["curves"]):
        yield Chapter(table.caption, table=table)
    both = strongest_rows(run, others)
    if both:
        yield Chapter("The strongest attacker, on the same people", table=_both_table(run, both))
    yield from comparison_chapters(run)


def _below(findings: Sequence[Finding]) -> list[Finding]:
    """Return all but the main result, the most serious first."""
    return sorted(findings[1:], key=lambda one: -one.severity)


def _method(run: RunFolder) -> str:
    """Return the definitions that the numbers of this run need."""
    attack = run.config["attack"]
    cls = attack_class(attack["name"])
    rule = f"at φ = {format_setting(attack['phi'])}" if cls.matches_by_phi else f"({cls.rule})"
    sigma = (
        f" σ is over {attack['sigma']} candidates."
        if cls.uses_sigma and attack.get("sigma")
        else ""
    )
    return (
        f"Found: the best guess is right, sure or not. Declared: the attack names a record {rule}, "
        f"and it is the person's; wrongly: it is not.{sigma}"
    )


def _both_table(run: RunFolder, both: Sequence[Row]) -> HtmlTable:
    """Return both attacks side by side, on the people whom both attacked."""
    curves = run.tables["curves"]
    places = dict(zip(curves["cell"].tolist(), places_of(curves), strict=True))
    name = attack_title(run.config["attack"]["name"])
    heads = ("people", name, "strongest attacker", "claimed by it")
    columns = [
        *(HtmlColumn(head, numeric=False) for head in next(iter(places.values()))),
        *map(HtmlColumn, heads),
    ]
    rows: list[list[HtmlCell]] = [
        [
            *places[row["cell"]].values(),
            number_cell(row["n_shared"]),
            estimate_cell(row, "rank1", share=True),
            estimate_cell(row, "best_rank1", share=True),
            percent_cell(row["best_claimed"]),
        ]
        for row in both
    ]
    return HtmlTable("Best guess right", columns, rows)

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
from sim.findings.strongest import strongest_rows
from sim.metrics.curves import axis_columns
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_estimate, format_number, format_percent, format_setting
from sim.papers.comparison import RELATIONS, comparison_of, format_value
from sim.papers.statements import NUMBERS
from sim.record.run_folder import RunFolder
from sim.report.frame_tables import curve_tables, places_of
from sim.report.page.verdicts import comparison_chapters
from sim.report.screen import RUN, Screen
from sim.report.screens.first_screen import single_screen
from sim.report.sentences import sentences
from sim.report.table import NONE, Chapter, Table, whole_percent, with_ends
from sim.study.labels import level_words, mentioned_first, tick_words

Row = Mapping[Any, Any]

MOST_ROWS = 8


def grid_screen(run: RunFolder) -> Screen:
    """Return the first screen of an attack."""
    pictures = sorted(path.relative_to(run.path) for path in run.path.rglob("best_guess.png"))
    shown = [("picture", f"{RUN}/{one.as_posix()}") for one in pictures[:1]]
    return single_screen(run, grid_table(run), shown)


def _caption(run: RunFolder) -> str:
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
    return f"Who is found by {attack_title(attack)}? ({'; '.join(said)})"


_PARTS = {"values": "values", "days": "dates"}
"""Parts of a fact, as `Algorithm.reads` has them, in words."""


def grid_table(run: RunFolder) -> Table:
    """Return a row for each cell of the grid, or for the most telling ones.

    These are the cells in which most and fewest are found, those that a paper states a number
    about, those in which the strongest attacker finds most more, or most are named wrongly; then
    the others in the order of the grid.
    """
    curves = run.tables["curves"]
    strongest = {int(row["cell"]): row for row in strongest_rows(run)}
    stated = stated_cells(run)
    telling = _telling(curves, strongest, stated)[:MOST_ROWS]
    rows = [row for row in row_dicts(curves) if int(row["cell"]) in telling]
    cells = [int(row["cell"]) for row in rows]
    columns = {
        "found": [with_ends(row, "rank1") for row in rows],
        "declared": [whole_percent(row["matched_right"]) for row in rows],
        "wrongly": [whole_percent(row["matched_wrong"]) for row in rows],
    }
    if curves["rank1"].isna().all():
        columns["no match"] = [whole_percent(row["no_match"]) for row in rows]
    if strongest:
        best = map(strongest.get, cells)
        columns["strongest"] = [NONE if b is None else whole_percent(b["best_rank1"]) for b in best]
    if stated:
        heads = {head for head, _ in stated.values()}
        head = heads.pop() if len(heads) == 1 else "paper"
        columns[head] = [stated.get(cell, ("", ""))[1] for cell in cells]
    columns = {head: texts for head, texts in columns.items() if {*texts} - {NONE}}
    return Table(
        ["facts known", *columns],
        [*map(list, zip(_names(run, rows), *columns.values(), strict=True))],
        _caption(run),
        shares=[None if pd.isna(row["rank1"]) else float(row["rank1"]) for row in rows],
        rank=[cells.index(cell) for cell in telling],
        n_others=len(curves) - len(rows),
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
    curves: pd.DataFrame, strongest: Mapping[int, Row], stated: Iterable[int]
) -> list[int]:
    """Return all cells, the most telling first."""
    rows = row_dicts(curves)
    found = sorted(
        (row for row in rows if pd.notna(row["rank1"])), key=lambda row: -float(row["rank1"])
    )
    gaps = sorted(strongest.values(), key=lambda row: float(row["rank1"] - row["best_rank1"]))
    wrong = sorted(
        (row for row in rows if pd.notna(row["matched_wrong"])),
        key=lambda row: -float(row["matched_wrong"]),
    )
    ends = (int(row["cell"]) for row in (*found[:1], *found[-1:]))
    others = (int(row["cell"]) for row in (*gaps[:1], *wrong[:1], *rows))
    return [*dict.fromkeys((*ends, *stated, *others))]


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
    """Yield what stands below the first screen of an attack."""
    others = tuple(others)
    below = sorted([*attack_findings(run, others)][1:], key=lambda one: -one.severity)
    yield Chapter("What was found", [_method(run)], sentences(below))
    for table in curve_tables(run.tables["curves"]):
        yield Chapter(table.caption, table=table)
    both = strongest_rows(run, others)
    if both:
        yield Chapter("The strongest attacker, on the same people", table=_both_table(run, both))
    yield from comparison_chapters(run)


def _method(run: RunFolder) -> str:
    """Return the definitions that the numbers of this run need."""
    attack = run.config["attack"]
    cls = attack_class(attack["name"])
    rule = f"at φ = {format_setting(attack['phi'])}" if cls.matches_by_phi else f"({cls.rule})"
    has_sigma = cls.uses_sigma and attack.get("sigma")
    sigma = f" σ is over {attack['sigma']} candidates." if has_sigma else ""
    return (
        f"Found: the best guess is right, sure or not. Declared: the attack names a record {rule}, "
        f"and it is the person's; wrongly: it is not.{sigma}"
    )


def _both_table(run: RunFolder, both: Sequence[Row]) -> Table:
    """Return both attacks side by side, on the people whom both attacked."""
    curves = run.tables["curves"]
    places = dict(zip(curves["cell"].tolist(), places_of(curves), strict=True))
    name = attack_title(run.config["attack"]["name"])
    rows = [
        [
            *places[row["cell"]].values(),
            format_number(row["n_shared"]),
            format_estimate(row, "rank1", share=True),
            format_estimate(row, "best_rank1", share=True),
            format_percent(row["best_claimed"]),
        ]
        for row in both
    ]
    heads = [*places[both[0]["cell"]], "people", name, "strongest attacker", "claimed by it"]
    return Table(heads, rows, "Best guess right")

"""Screens and tables as text: what fits stands on a screen, and the rest is counted."""

from __future__ import annotations

import re

import pytest

from sim.findings.risk_rows import RiskRow
from sim.report.check_text import check_text
from sim.report.screen import LINES_OF_ONE, LINES_OF_SEVERAL, Screen
from sim.report.table import Table
from sim.report.terminal import screen_text
from sim.report.text_table import WIDTH, aligned, table_lines

pytestmark = pytest.mark.fast

ROWS = [[f"row {n}", str(n)] for n in range(30)]


def lines_of(screen: Screen) -> list[str]:
    return screen_text(screen).splitlines()


@pytest.mark.parametrize("most", [LINES_OF_ONE, LINES_OF_SEVERAL])
@pytest.mark.parametrize("n_minds", [0, 1, 3])
@pytest.mark.parametrize("caption", ["", "What is found?"])
def test_a_screen_has_the_most_important_rows_for_which_there_is_room(
    most: int, n_minds: int, caption: str
) -> None:
    rank = [29, 0, 15, *(n for n in range(30) if n not in (0, 15, 29))]
    screen = Screen(
        "A verdict.",
        data=["a.csv", "person = who"],
        table=Table(["name", "n"], ROWS, caption, rank=rank, n_others=4),
        minds=[f"warning {n}" for n in range(n_minds)],
        n_others=2,
        commands=[("repeat", "standout repeat RUN_FOLDER")],
        lines=most,
    )
    lines = lines_of(screen)
    shown = [int(found[1]) for line in lines if (found := re.match(r"row (\d+)", line))]
    assert len(lines) in (most, most - 1)
    assert shown == sorted(rank[: len(shown)])
    assert any(line.endswith(f"(+ {34 - len(shown)} rows)") for line in lines)
    minds = [line for line in lines if line.startswith("Mind: ")]
    assert bool(minds) == bool(n_minds)
    if minds:
        assert minds[-1].endswith(f" (+ {2 + n_minds - len(minds)} more)")


def test_a_screen_keeps_a_few_rows_and_one_warning_however_long_the_rest_is() -> None:
    screen = Screen("word " * 400, table=Table(["name", "n"], ROWS), minds=["a", "b"])
    lines = lines_of(screen)
    assert sum(line.startswith("row ") for line in lines) == 3
    assert [line for line in lines if line.startswith("Mind")] == ["Mind: a (+ 1 more)"]


def test_a_check_shows_every_row() -> None:
    rows = [
        RiskRow(criterion="singling_out", attacker=f"attacker_{n}", known={}, verdict="within",
                measure="highest", bound=0.5)
        for n in range(40)
    ]  # fmt: skip
    text = check_text(rows, [], "a.csv")
    assert all(f"attacker {n} " in text for n in range(40))


def test_a_caption_stands_where_the_head_leaves_room() -> None:
    table = Table(
        ["attacker", "found\n[95%]"], [["an insider who knows of it", "3%"]], "Who is found?"
    )
    first, second, *_ = lines_of(Screen("", table=table))
    assert first.split() == ["Who", "is", "found?", "found"]
    assert second.split() == ["attacker", "[95%]"]


def test_numbers_are_aligned_to_the_right_and_bars_stand_before_them() -> None:
    table = Table(
        ["who", "found", "verdict"],
        [["a", "≥ 5% [1,9]", "open"], ["bb", "–", "within"], ["c", "12.5%", ""]],
        shares=[0.5, None, 1.0],
    )
    assert table.numeric == [False, True, False]
    _, rows = table_lines(table, bars=True)
    assert [row for (row,) in rows] == [
        "a    ███░░░  ≥ 5% [1,9]  open",
        "bb                    –  within",
        "c    ██████       12.5%",
    ]


@pytest.mark.parametrize("n_rows", [2, 40])
def test_a_table_that_is_too_wide_names_what_it_leaves_out(n_rows: int) -> None:
    """Few rows become columns; of many, the last columns are left out."""
    heads = ["name", *(f"measure {n}" for n in range(30))]
    rows = [[f"row {r}", *(str(n) for n in range(30))] for r in range(n_rows)]
    top, lines = table_lines(Table(heads, rows))
    every = [*top, *(line for row in lines for line in row)]
    assert max(map(len, every)) <= WIDTH
    assert all(head in " ".join(every) for head in heads)
    assert ("not shown:" in " ".join(every)) == (n_rows == 40)


def test_long_texts_take_several_lines() -> None:
    rows = [["a", "word " * 30, "1"], ["b", "short", "2"]]
    _, ((*first,), (second,)) = table_lines(Table(["name", "text", "n"], rows))
    assert len(first) > 1
    assert max(map(len, first)) <= WIDTH
    assert second.split() == ["b", "short", "2"]
    assert aligned([["a", "1"]], left=1) == ["a  1"]

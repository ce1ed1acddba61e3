"""The first screens of plans and frontiers: their rows, their numbers, and how long they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from planning import BOUND, A, B, C, D, E, offer, part_of, point, run_of

from sim.findings.chains import ALL, DROPPED, RESERVE
from sim.findings.verdicts import EXCEEDS, NOT_TESTED
from sim.record.run_folder import RunFolder
from sim.report.screen import MOST_MINDS, Screen
from sim.report.screens.chains import MOST_CHAINS, short_chain
from sim.report.screens.frontier import frontier_details, frontier_screen
from sim.report.screens.plan import plan_details, plan_screen
from sim.report.terminal import screen_text
from sim.report.text_table import WIDTH
from sim.session.chain_points import untested
from sim.session.chain_search import Trial

MOST_LINES = 24
LONG = "drop_items.min_support=100 jitter_time.date_noise=14 drop_records.min_length=8"
UNCHANGED = Trial(ALL, None, point("unchanged", 0.9), DROPPED, EXCEEDS)
WRITTEN = {"path": "out.csv", "sha256": "ab" * 32, "records": 900, "items": 9, "cells": 4000}


def fits(screen: Screen) -> bool:
    """Whether a screen keeps to its lines and columns; commands are as long as they are."""
    lines = screen_text(screen).splitlines()
    commands = len(screen.commands)
    return (
        len(lines) <= MOST_LINES
        and len(screen.minds) <= MOST_MINDS
        and max(map(len, lines[:-commands])) <= WIDTH
    )


def offering(folder: Path) -> RunFolder:
    """A plan that offers a chain, of more than a screen shows, and that warns of all it can."""
    chosen = point(LONG, 0.1, 0.2, kept=1.4, people=900, highest=0.7)
    reserve = [Trial("round 1", 250, point(one, 0.1, 1.0, kept=0.4), RESERVE) for one in (A, B, C)]
    lost = Trial("round 1", 250, untested(part_of(D), D, "no dates"), DROPPED, "not_applied")
    lossy = Trial("round 1", 250, point(E, 0.1, 1.0, kept=0.3), RESERVE)
    trials = offer(chosen, UNCHANGED, *reserve, lost, lossy)
    plan = {"offered": None, "written": WRITTEN}
    run = run_of(folder, trials, plan=plan, same_releases={"f": A})
    run.record["release"]["n_repeats"] = 70
    return run


def test_a_plan_shows_its_offer_and_the_data_as_they_are(tmp_path: Path) -> None:
    run = offering(tmp_path)
    screen = plan_screen(run)
    assert fits(screen)
    assert screen.table is not None
    assert len(screen.table.rows) == MOST_CHAINS
    first, second, *_ = screen.table.rows
    cells = [short_chain(LONG), "10.0% [10.0, 10.0]", "20.0%", "140.0%", "900", "offered"]
    assert list(first) == cells
    assert [second[0], second[-1]] == ["unchanged", EXCEEDS]
    assert LONG in screen.verdict
    assert any("ab" * 32 in one for one in screen.more)
    assert len(screen.minds) == MOST_MINDS  # repetitions, single people, a measure that rose
    assert [label for label, _ in screen.commands] == ["report", "repeat", "next"]
    (tried, repeated) = plan_details(run)
    assert tried.table is not None
    assert len(tried.table.rows) == len(run.tables["trials"])
    assert any("out=FILE.csv" in one for one in repeated.commands)


def test_what_is_not_written_has_the_command_that_writes_it(tmp_path: Path) -> None:
    screen = plan_screen(run_of(tmp_path, offer(point(A, 0.1), UNCHANGED)))
    label, command = screen.commands[-1]
    assert label == "next"
    assert "drop_items.min_support=2" in command


def test_a_plan_without_an_offer_shows_the_nearest(tmp_path: Path) -> None:
    far = [
        Trial(ALL, None, point(one, 0.1, counted, people=40), DROPPED, EXCEEDS)
        for one, counted in ((A, 0.9), (B, 0.4), (C, 0.6), (D, 0.7), (E, 0.8))
    ]
    lost = untested("long", LONG, "no model of it")
    more = Trial(ALL, None, lost, DROPPED, NOT_TESTED)
    screen = plan_screen(run_of(tmp_path, [UNCHANGED, *far, more]))
    assert fits(screen)
    assert screen.table is not None
    assert [row[0] for row in screen.table.rows] == [B, C, D, E, "unchanged"]
    assert {row[-1] for row in screen.table.rows} == {EXCEEDS}
    assert [label for label, _ in screen.commands] == ["report", "repeat", "next"]


@pytest.mark.parametrize("bound", [BOUND, None])
def test_a_frontier_shows_the_chains_that_no_other_betters(
    tmp_path: Path, bound: float | None
) -> None:
    points = [
        point("unchanged", 0.9, dominated_by=B), point(A, 0.2, kept=0.7),
        point(B, 0.05, kept=0.8), point(C, 0.3, kept=0.3, dominated_by=A),
        untested(part_of(D), D, "no dates"),
    ]  # fmt: skip
    run = run_of(tmp_path, points=points, bound=bound)
    screen = frontier_screen(run)
    assert fits(screen)
    assert screen.table is not None
    assert [row[0] for row in screen.table.rows] == [B, A, "unchanged", C, D]
    assert "250" in screen.table.caption
    command = screen.commands[-1][1]
    assert ("--max-risk" in command) == (bound is None)
    table = next(frontier_details(run)).table
    assert table is not None
    assert len(table.rows) == len(points)

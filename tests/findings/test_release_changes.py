"""How a release was changed, what it shows, and what its grid lacks, as findings."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from sim.attack.algorithms.registry import attack_class
from sim.findings.finding import Finding, Severity
from sim.findings.release import (
    change_findings,
    counts_known,
    grid_findings,
    own_facts,
    replaced_levels,
    untested_facts,
    utility_findings,
)
from sim.report.screens.change_details import change_details
from sim.report.sentences import sentence

NO_VALUES = {
    "axes": {"value_noise": 0},
    "reason": "value_noise_lacking",
    "numbers": {},
    "instead": {"value_noise": None},
}
NO_DATES = [
    {"axes": {"date_noise": days}, "reason": "date_noise_lacking", "numbers": {}, "instead": {}}
    for days in (3, 14)
]
FEW: dict[str, Any] = {
    "axes": {"aux": "6/8", "popularity": 100},
    "reason": "no_target",
    "numbers": {},
    "instead": {},
}
AUTO = {"adversary": {"kind": "aux", "wrong": "auto"}}

LEFT = {"people": 2, "records": 4, "unlinked": 1, "items": 2, "cells": 5, "theirs": 9}
CHANGED: dict[str, Any] = {
    "read": {"n_records": 3, "n_items": 2, "n_cells": 9},
    "release": {"n_records": 4, "n_items": 2, "n_cells": 5},
    "defences": [
        {"name": "cut", "options": {"window": "year"}, "known_to_attackers": True, "left": LEFT},
        {"name": "mix", "options": {}, "known_to_attackers": False},
    ],
    "config": {"audit": {"known_facts": "original"}, "adversary": {"kind": "aux"}},
}


def kinds(found: Any) -> list[str]:
    """The kinds of findings, each of which has a template that formats."""
    listed = list[Finding](found)
    assert all(len(sentence(one)) < 200 for one in listed)
    return [one.kind for one in listed]


def test_each_defence_and_what_it_left() -> None:
    found = [*change_findings(CHANGED)]
    assert kinds(found) == ["defence_applied", "defence_unknown", "defence_left"]
    assert [one.is_shown for one in found] == [False, True, False]
    last = found[-1]
    assert (last.name, last.numbers["count"], last.denominator) == ("cut", 5, 9)
    assert (last.numbers["people"], last.numbers["people_before"]) == (2, 3)
    assert (last.numbers["records"], last.numbers["unlinked"]) == (4, 1)
    (chapter,) = change_details(CHANGED, {})
    assert chapter.table is not None
    assert chapter.table.rows == [
        ["as read", "3", "3", "2", "9"], ["cut", "2", "4", "2", "5"],
    ]  # fmt: skip
    assert [*change_details({"release": {"n_cells": 9}}, {})] == []


@pytest.mark.parametrize(
    ("known", "untested"),
    [
        ("original", ["facts:released", "people"]),
        ("released", ["facts:original"]),
        ("both", ["people"]),
    ],
)
def test_facts_that_nobody_knows(known: str, untested: list[str]) -> None:
    config = CHANGED["config"] | {"audit": {"known_facts": known}}
    given = CHANGED | {"config": config, "defences": CHANGED["defences"][:1]}
    assert [one.subject for one in untested_facts(given)] == untested
    assert kinds(untested_facts(given))
    from_a_table = given | {"config": config | {"adversary": {"kind": "external"}}}
    assert [*untested_facts(from_a_table)] == []
    whole = [{"left": LEFT | {"theirs": 5}}]
    assert [*untested_facts(given | {"defences": whole})] == []


def test_repetitions_that_anyone_can_count() -> None:
    (found,) = change_findings({"release": {"n_repeats": 4, "n_cells": 9}})
    assert (found.numbers["count"], found.denominator, found.severity) == (4, 9, Severity.SERIOUS)
    assert found.remedy == "data.repeats=count"
    (known,) = counts_known({"release": {"repeats": "count"}}, 3)
    assert known.numbers["most"] == 3
    assert [*counts_known({"release": {"repeats": "count", "scale": []}}, 3)] == []
    assert [*counts_known({"release": {"repeats": "latest"}}, 3)] == []


def test_settings_of_what_attackers_know() -> None:
    given = {"overrides": ["grid.aux=[1/1]", "seed=3", "+adversary.wrong=item"]}
    assert [one.name for one in own_facts(given)] == ["grid.aux=[1/1]", "+adversary.wrong=item"]
    assert all(one.is_shown for one in own_facts(given))


def test_a_record_of_another_kind_lacks_nothing() -> None:
    assert kinds(grid_findings({})) == []
    of_mentions = {"left_out": [], "config": {"adversary": {"kind": "mentions"}}}
    assert kinds(grid_findings(of_mentions)) == []


def test_levels_are_left_out_once_for_each_reason() -> None:
    found = [*grid_findings({"left_out": [*NO_DATES, FEW, NO_VALUES]})]
    assert kinds(found) == ["levels_left_out"] * 3
    assert [one.numbers["count"] for one in found] == [2, 1, 1]
    assert [one.name for one in found] == ["date_noise", "aux+popularity", "value_noise"]
    assert [one.numbers["reason"] for one in found] == [
        *("date_noise_lacking", "no_target", "value_noise_lacking"),
    ]
    assert found[0].numbers["levels"] == "dates ±3 days, dates ±14 days"


def test_a_level_that_stands_for_another() -> None:
    few: dict[str, Any] = {"reason": "few", "numbers": {}}
    lists = {"axes": {"max_length": 511}, "instead": {"max_length": 1}, **few}
    fewer = {"axes": {"aux": "8/8"}, "instead": {"aux": "4/4"}, **few}
    (found,) = replaced_levels({"left_out": [lists, fewer, NO_VALUES]})
    assert (found.name, found.numbers["reason"]) == ("max_length", "few")
    assert kinds([found]) == ["level_replaced"]


@pytest.mark.parametrize(
    ("values", "dates", "alone"), [([None], [None], True), ([None], [3, None], True),
                                   ([None], [3], False)],
)  # fmt: skip
def test_items_alone(values: list[Any], dates: list[Any], alone: bool) -> None:
    grid = {"value_noise": values, "date_noise": dates}
    found = kinds(grid_findings({"left_out": [NO_VALUES], "config": {"grid": grid}}))
    assert ("items_alone" in found) == alone
    assert kinds(grid_findings({"left_out": [], "config": {"grid": grid}})) == []


@pytest.mark.parametrize(
    ("given", "kind", "count"),
    [
        ([None, "value"], "wrong_facts_of_values", 1),
        ([None, "item"], "wrong_facts_of_items", 1),
        (["value", "item", "item"], "wrong_facts_of_items", 2),
    ],
)
def test_what_wrong_facts_are_wrong_about(given: list[Any], kind: str, count: int) -> None:
    (found,) = grid_findings({"config": AUTO, "wrong_facts": given})
    whole = sum(one is not None for one in given)
    assert (found.kind, found.numbers["count"], found.denominator) == (kind, count, whole)
    chosen = {"adversary": {"kind": "aux", "wrong": "value"}}
    assert [*grid_findings({"config": chosen, "wrong_facts": given})] == []
    assert [*grid_findings({"config": AUTO, "wrong_facts": [None]})] == []


def test_errors_in_percent() -> None:
    grid = {"value_noise": ["10%", 1, None]}
    near = {"scale": [100.0, 105.0], "notes": {"bins of values": "log2"}}
    far = {"scale": [1.0, 2.0, 4.0]}
    for release, kind in ((near, "noise_of_bins"), (far, "noise_without_effect")):
        (found,) = grid_findings({"config": {"grid": grid}, "release": release})
        assert found.kind == kind
        assert "10%" in found.numbers.values()


def test_a_threshold_without_effect() -> None:
    typed = {"overrides": ["attack=bayes", "attack.phi=3"], "config": {"attack": {"name": "bayes"}}}
    (found,) = grid_findings(typed)
    assert (found.kind, found.name, found.numbers["rule"]) == (
        *("phi_unused", "bayes", attack_class("bayes").rule),
    )
    assert kinds(grid_findings(typed | {"overrides": ["attack=bayes"]})) == []
    assert kinds(grid_findings(typed | {"config": {"attack": {"name": "scoreboard_rh"}}})) == []


@pytest.mark.parametrize(
    ("attack", "grid", "widest"),
    [
        ({"name": "scoreboard", "eps_day": 3.0}, {"date_noise": [3, 14, None]}, "14"),
        ({"name": "scoreboard", "eps_day": 14.0}, {"date_noise": [3, 14, None]}, ""),
        ({"name": "scoreboard", "eps_day": 3.0}, {"date_noise": ["2h", None]}, ""),
        ({"name": "neighbourhood", "eps_day": None}, {"date_noise": [14]}, ""),
        ({"name": "scoreboard_rh", "eps_day": 3.0}, {"date_noise": [14]}, ""),
        ({"name": "scoreboard", "eps_value": 0.4}, {"value_noise": ["5%", "10%"]}, "10%"),
        ({"name": "scoreboard", "eps_value": 0.5}, {"value_noise": ["10%"]}, ""),
    ],
)
def test_an_attack_that_allows_for_smaller_errors_than_facts_have(
    attack: dict[str, Any], grid: dict[str, Any], widest: str
) -> None:
    record = {"config": {"attack": attack, "grid": grid}, "release": {"scale": [1.0, 1.05, 5.0]}}
    found = [*grid_findings(record)]
    assert kinds(found) == ["errors_beyond_limit"] * bool(widest)
    assert all(one.numbers["widest"] == widest for one in found)


def test_utility_before_and_after() -> None:
    columns = ["label", "higher_is_better", "before", "after", "kept", "note"]
    rows = [("nDCG@10", True, 0.2, 0.15, 0.75, ""), ("RMSE", False, None, None, None, "no values"),
            ("error", False, 0.5, 0.75, None, "")]  # fmt: skip
    tables = {"utility": pd.DataFrame(rows, columns=columns)}
    found = [*utility_findings(tables, CHANGED)]
    assert kinds(found) == ["utility_measured", "utility_unmeasured", "utility_measured"]
    assert [one.name for one in found] == ["nDCG@10", "RMSE", "error"]
    assert found[0].numbers == {"before": 0.2, "after": 0.15, "better": None}
    assert found[2].numbers["better"] == "lower"
    alone = [*utility_findings(tables, {})]
    assert alone[0].numbers["after"] is None
    assert [*utility_findings({}, CHANGED)] == []
    assert [one.title for one in change_details({"release": {}}, tables)] == [
        "What the data are good for"
    ]

"""What was left out of a grid, and what wrong facts are about, in words: as in the record."""

from __future__ import annotations

from typing import Any

import pytest

from sim.report.words.left_out import adapted

NO_VALUES = {
    "axes": {"value_noise": 0},
    "reason": "the release has no values",
    "instead": {"value_noise": None},
}
NO_DATES = [
    {"axes": {"date_noise": days}, "reason": "the release has no dates", "instead": {}}
    for days in (3, 14)
]
FEW = {"axes": {"aux": "6/8", "popularity": 100}, "reason": "no record has any", "instead": {}}
AUTO = {"adversary": {"kind": "aux", "wrong": "auto"}}


def test_a_record_of_another_kind_says_nothing() -> None:
    assert adapted({}) == ()
    assert adapted({"left_out": [], "config": {"adversary": {"kind": "mentions"}}}) == ()


def test_a_reason_is_given_once() -> None:
    (sentence,) = adapted({"left_out": [*NO_DATES, FEW, NO_VALUES]})
    assert sentence.count("no dates") == 1
    for words in (
        "±3 days",
        "±14 days",
        "6 of 8",
        "top 100",
        "exact values",
        "the attacker knows none",
    ):
        assert words in sentence


def test_lists_of_mentions_are_no_axis() -> None:
    one = {"axes": {"max_length": 511}, "reason": "few", "instead": {"max_length": 1}}
    (sentence,) = adapted({"left_out": [one]})
    assert "511 mentions" in sentence
    assert "1 mention)" in sentence


@pytest.mark.parametrize(
    ("values", "dates", "said"), [([None], [None], 1), ([None], [3, None], 1), ([None], [3], 0)]
)
def test_items_alone_are_said(values: list[Any], dates: list[Any], said: int) -> None:
    grid = {"value_noise": values, "date_noise": dates}
    found = adapted({"left_out": [NO_VALUES], "config": {"grid": grid}})
    assert sum("items that they hold" in sentence for sentence in found) == said
    assert adapted({"left_out": [], "config": {"grid": grid}}) == ()


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ([None, "value"], "auto: value"),
        ([None, "item"], "auto: item"),
        (["value", "item", "item"], "2 of the 3 conditions"),
    ],
)
def test_what_is_wrong_about_wrong_facts_is_said(kinds: list[Any], words: str) -> None:
    (sentence,) = adapted({"config": AUTO, "wrong_facts": kinds})
    assert words in sentence
    chosen = {"adversary": {"kind": "aux", "wrong": "value"}}
    assert adapted({"config": chosen, "wrong_facts": kinds}) == ()
    assert adapted({"config": AUTO, "wrong_facts": [None]}) == ()


def test_a_threshold_without_effect() -> None:
    typed = {"overrides": ["attack=bayes", "attack.phi=3"], "config": {"attack": {"name": "bayes"}}}
    (sentence,) = adapted(typed)
    assert "attack.phi" in sentence
    assert adapted(typed | {"overrides": ["attack=bayes"]}) == ()
    assert adapted(typed | {"config": {"attack": {"name": "scoreboard_rh"}}}) == ()


@pytest.mark.parametrize(
    ("attack", "noise", "limit"),
    [
        ({"name": "scoreboard", "eps_day": 3.0}, [3, 14, None], "3 (attack.eps_day)"),
        ({"name": "scoreboard", "eps_day": 14.0}, [3, 14, None], ""),
        ({"name": "scoreboard", "eps_day": 3.0}, ["2h", None], ""),
        ({"name": "neighbourhood", "eps_day": None}, [14], ""),
        ({"name": "scoreboard_rh", "eps_day": 3.0}, [14], ""),
    ],
)
def test_an_attack_that_allows_for_smaller_errors_than_facts_have(
    attack: dict[str, Any], noise: list[Any], limit: str
) -> None:
    found = adapted({"config": {"attack": attack, "grid": {"date_noise": noise}}})
    assert len(found) == bool(limit)
    assert all(limit in sentence and "is up to 14" in sentence for sentence in found)

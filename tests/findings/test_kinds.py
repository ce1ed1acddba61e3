"""Every kind of finding has a template, and every remedy can be typed."""

from __future__ import annotations

import re

from sim.config.key_table import key_table
from sim.findings.finding import Kind, Severity, most_serious
from sim.findings.kinds import ALL, KINDS
from sim.report.screen import MOST_MINDS, minds_of
from sim.report.sentences import PLUGIN, filled, sentence
from sim.report.templates.every import TEMPLATES
from sim.report.templates.verdicts import FACTS as WORDS
from sim.study.worst_case import FACTS

LONGEST = 230


def test_names_are_unique() -> None:
    assert all(KINDS[one.name] is one for one in ALL)
    assert all(re.fullmatch("[a-z0-9_]+", name) for name in KINDS)


def test_each_kind_has_one_template() -> None:
    assert set(KINDS) == set(TEMPLATES)


def test_a_template_is_short() -> None:
    assert {kind for kind, text in TEMPLATES.items() if len(text) > LONGEST} == set()
    assert all(one.meaning for one in ALL)


def test_every_code_of_facts_has_words() -> None:
    assert {*WORDS} > {*FACTS}


def test_the_keys_of_remedies_exist() -> None:
    keys = {key for each in key_table().keys.values() for key in each}
    for kind in KINDS.values():
        for override in kind.remedy.split():
            assert override.partition("=")[0] in keys, kind


def test_a_plug_in_has_the_generic_template() -> None:
    mine = Kind(f"{PLUGIN}mine", "my own")
    assert sentence(mine.found("a", label="mine", value=2000, unit="bits")).startswith("mine: 2")


def test_what_is_missing_leaves_its_piece_out() -> None:
    assert filled("a[[ {b}]][[ {c:n}]]", {"b": 0, "c": 1500}) == "a 1,500"


def test_rows_that_are_few_are_not_shown_and_the_serious_come_first() -> None:
    rare = Kind("rare", "", Severity.SERIOUS, threshold=0.01)
    some = Kind("some", "", Severity.MIND)
    found = [some.found(), rare.found(count=1, of=1000), rare.found(count=11, of=1000)]
    assert [one.kind for one in most_serious(found)] == ["rare", "some"]


def test_a_screen_has_three_warnings_at_most() -> None:
    found = [KINDS["own_facts"].found(f"setting:seed={n}") for n in range(5)]
    minds, others = minds_of(found)
    assert (len(minds), others) == (MOST_MINDS, 2)

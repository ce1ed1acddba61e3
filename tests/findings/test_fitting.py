"""What an audit adapts to its release: numbers of facts, wrong facts, targets, attackers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import MakeStore
from studying import configured

from sim.axes.aux import AuxAxis
from sim.config.schema import Config
from sim.defence.apply import defended
from sim.errors import ConfigError
from sim.metrics.risk import active_days
from sim.session.bayes_companion import companion_of
from sim.session.checks import defences_of
from sim.session.fit import fitted, sized
from sim.session.jobs import plan_job
from sim.study.fit_grid import fit_facts

FACTS = st.lists(
    st.tuples(st.integers(1, 9), st.integers(0, 9)).map(lambda p: f"{p[0]}/{p[0] + p[1]}"),
    min_size=1, max_size=4, unique=True,
)  # fmt: skip


@given(FACTS, st.lists(st.integers(1, 12), min_size=1, max_size=30), st.floats(0, 1))
def test_enough_records_have_the_facts_that_are_kept(
    values: list[str], lengths: list[int], least: float
) -> None:
    length = np.array(lengths, np.int32)
    kept, left_out = fit_facts(values, length, least)

    def enough(value: str) -> bool:
        return bool(np.mean(length >= AuxAxis().parsed(value)[1]) >= least)

    have = [value for value in values if enough(value)]
    assert [one.axes["aux"] for one in left_out] == [v for v in values if v not in have]
    if have:
        assert kept == have
    else:
        (value,) = kept
        assert enough(value)
        assert left_out[0].instead == {"aux": value}


def store_of(make_store: MakeStore, *records: tuple[int, ...], day: int | None = None):
    return make_store(
        [(who, item, None, day) for who, items in enumerate(records) for item in items]
    )


def test_an_attacker_with_too_many_facts_gets_fewer(make_store: MakeStore) -> None:
    store = store_of(make_store, (1, 2, 3), (2, 3), (4,), (5, 6, 7, 8))
    config = configured("attacker=well_informed", "min_eligible=0.5")
    found = fitted(config, store, store, [])
    assert found.config.grid.aux == ["2/2"]
    assert {"least": 0.5, "facts": 8} in [
        one.numbers for one in found.left_out if one.reason == "few_have_facts"
    ]
    typed = ["grid.aux=[3/3]"]
    asked = fitted(configured("min_eligible=0.5", *typed), store, store, typed)
    assert asked.config.grid.aux == ["3/3"]  # what the user asks for stays


def test_facts_that_most_who_are_released_have_are_not_too_many(make_store: MakeStore) -> None:
    """Also where most people have fewer, of whom the publisher leaves most out."""
    short, long = [(who,) for who in range(9)], [tuple(range(5 + who)) for who in range(3)]
    whole = store_of(make_store, *short, (1, 2), (2, 3), *long)
    for least, expected in ((4, ["4/4"]), (2, ["4/4"]), (1, ["1/1"])):
        defence = ["defence=[drop_records]", f"defence.drop_records.min_length={least}"]
        config = configured("attacker=insider", "min_eligible=0.5", *defence)
        release = defended(whole, defences_of(config)).open(whole.folder.parent / "cache")
        found = fitted(config, release, whole, [])
        assert found.config.grid.aux == expected
    # What is said of it counts those who are released.
    defence[1:] = ["defence.drop_records.min_length=1", "defence.drop_records.max_length=5"]
    config = configured("attacker=insider", "min_eligible=0.5", *defence)
    release = defended(whole, defences_of(config)).open(whole.folder.parent / "cache")
    (left,) = [one for one in fitted(config, release, whole, []).left_out if "aux" in one.axes]
    assert left.numbers["released"] == 12
    assert (left.most, left.able, left.test) == (5, 1, "4/4")


def test_the_most_facts_that_anybody_has_can_be_asked_for(make_store: MakeStore) -> None:
    """Some are wrong only where an item is left that they could be about; none, if nobody has."""
    for items, test in ((6, "6/6"), (7, "5/6")):
        whole = tuple(range(6))
        store = store_of(make_store, whole, whole, *[(who,) for who in range(items)])
        found = fitted(configured("attacker=well_informed", "min_eligible=0.5"), store, store, [])
        left = next(one for one in found.left_out if one.most is not None)
        assert (left.most, left.able, left.test) == (6, 2, test)
        typed = [f"grid.aux=[{left.test}]"]
        asked = fitted(configured("attacker=well_informed", *typed), store, store, typed)
        assert asked.config.grid.aux == [test]
    store = store_of(make_store, *[(1, 2)] * 4)
    found = fitted(configured("attacker=insider", "min_eligible=0.5"), store, store, [])
    (left,) = (one for one in found.left_out if one.most is not None)
    assert (left.most, left.test) == (2, None)


def test_facts_are_right_where_none_can_be_wrong(make_store: MakeStore) -> None:
    store = store_of(make_store, *[tuple(range(8))] * 4)
    found = fitted(configured("attacker=well_informed", "min_eligible=0.5"), store, store, [])
    assert found.config.grid.aux == ["8/8"]
    assert "few_lack_items" in {one.reason for one in found.left_out}


def test_auto_is_all_unless_that_takes_long(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_of(make_store, *[(1, 2)] * 30)
    config = configured("targets=auto")
    assert sized(config, store).targets == "all"
    monkeypatch.setattr("sim.session.fit._PAIRS", 300)
    monkeypatch.setattr("sim.session.fit._FEWEST_TARGETS", 5)
    assert sized(config, store).targets == 10
    monkeypatch.setattr("sim.session.fit._FEWEST_TARGETS", 20)
    assert sized(config, store).targets == 20
    assert sized(configured("targets=7"), store).targets == 7


def test_the_bayes_attacker_attacks_all_targets_if_asked() -> None:
    def companion(*overrides: str) -> Config:
        found = companion_of(configured(*overrides))
        assert found is not None
        return found

    assert companion("targets=all", "bayes_targets=all").targets == "all"
    assert companion("targets=50", "bayes_targets=all").targets == 50
    assert companion("targets=all", "bayes_targets=20").targets == 20
    audit = companion("experiment=audit", "attacker=insider", "parts=null", "audit.confidence=0.9")
    assert vars(audit.attack)["confidence"] == 0.9


def test_attackers_are_parts() -> None:
    overrides = ["experiment=audit", "audit.attackers=[insider,acquaintance]", "targets=9"]
    job = plan_job(configured(*overrides), overrides)
    names = [part.name for part in job.parts]
    assert names == ["insider", "acquaintance", "facts_until_found", "unicity"]
    assert {part.config.targets for part in job.parts} == {9}
    assert vars(job.parts[1].config.grid)["aux"] == ["2/2", "4/4"]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["audit.max_risk=0.1"], "audit.max_risk: only an audit has it; add experiment=audit"),
        (
            ["experiment=audit", "audit.attackers=[insider]", "aggregate=null"],
            "aggregate: null: makes no audit of the run, and only an audit has audit.attackers; "
            "leave aggregate out",
        ),
        (
            ["experiment=audit", "plan.defences=[drop_time]"],
            "plan.defences: only a plan and a frontier have it; add experiment=plan, or leave it o",
        ),
        (
            ["experiment=audit", "parts={insider: ['targets=10']}"],
            "parts: 'insider': not a part of this experiment, whose parts are facts_until_found, ",
        ),
        (
            ["experiment=audit", "audit={measre: mean}"],
            r"audit\.measre: not a key of audit; did you mean audit\.measure\?",
        ),
        (["experiment=audit", "audit.attackers=[]"], "audit.attackers: none"),
        (["experiment=audit", "audit.attackers=[insider,insider]"], "each once"),
        (["experiment=audit", "audit.attackers=[unicity]"], "another part of the audit"),
        (["experiment=audit", "audit.context=friends"], "audit.context: 'friends'"),
        (["experiment=audit", "audit.measure=median"], "audit.measure: 'median'"),
        (["experiment=audit", "audit.max_risk=2"], "audit.max_risk"),
        (["experiment=audit", "attacker=insider"], "set 'audit.attackers"),
        (["bayes_targets=some"], "bayes_targets: 'some'"),
        (["min_eligible=2"], "min_eligible"),
    ],
)
def test_what_is_refused(overrides: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        plan_job(configured(*overrides), overrides)


def test_the_active_period_by_hand(make_store: MakeStore) -> None:
    rows = [(1, 1, None, 10), (1, 2, None, 12), (2, 1, None, 30), (3, 1, None, None)]
    assert active_days(make_store(rows), np.array([2, 0, 1])).tolist() == [0, 3, 1]
    assert active_days(make_store([(1, 1, None, None)]), np.array([0])).tolist() == [0]

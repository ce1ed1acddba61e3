"""The search for the least lossy chain that keeps a bound, with risks that are known."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.config.chains import UNCHANGED
from sim.findings.chains import (
    ALL,
    DROPPED,
    FRESH,
    GOES_ON,
    NOT_APPLIED,
    OFFERED,
    RESERVE,
    TOO_SHORT,
    TriedChains,
    last_trials,
)
from sim.findings.strongest import NOT_RUN
from sim.findings.verdicts import AS_FOUND, EXCEEDS, NOT_TESTED, WITHIN, Verdict
from sim.metrics.risk_estimates import Estimate
from sim.session.chain_points import Point, untested
from sim.session.chain_search import Plan, Trial, sample_sizes, search, trials_tables

pytestmark = pytest.mark.fast

BOUND = 0.3
RECORDS = 20_000


def point(chain: str, kept: float | None, risk: float, width: float) -> Point:
    """A chain with a risk that is known to within `width`."""
    low, high = max(risk - width, 0.0), min(risk + width, 1.0)
    verdict = Verdict(WITHIN if high <= BOUND else EXCEEDS)
    return Point(
        part=chain, chain=chain, attacker="insider", facts="4/4",
        risk=Estimate(risk, low, high, high), found=Estimate(0.0, 0.0, 0.0, 0.0),
        bound=BOUND, verdict=verdict, kept=kept,
    )  # fmt: skip


class World:
    """Chains with their true risks: the larger the sample, the narrower the interval."""

    def __init__(self, chains: dict[str, tuple[float | None, float]], fresh_error: float = 0.0):
        self.chains, self.fresh_error = chains, fresh_error
        self.asked: list[tuple[str, str, int | None]] = []

    def attack(self, step: str, chain: str, targets: int | None) -> Point:
        self.asked.append((step, chain, targets))
        kept, risk = self.chains[chain]
        if targets is None:
            return point(chain, kept, risk + self.fresh_error * (step == FRESH), 0.01)
        return point(chain, kept, risk, targets**-0.5)

    def plan(self) -> Plan:
        first = [self.attack("round 1", chain, sample_sizes(RECORDS)[0]) for chain in self.chains]
        self.asked.clear()
        return search(first, RECORDS, self.attack)


shares = st.floats(0, 1)
worlds = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=3), st.tuples(st.none() | shares, shares),
    min_size=1, max_size=30,
)  # fmt: skip


@given(worlds)
def test_the_least_lossy_chain_that_keeps_the_bound_is_offered(
    chains: dict[str, tuple[float | None, float]],
) -> None:
    world = World(chains)
    plan = world.plan()
    able = {chain: kept for chain, (kept, risk) in chains.items() if risk + 0.01 <= BOUND}
    if not able:
        assert plan.offered is None
        return
    assert plan.offered is not None
    least = min(2.0 if kept is None else max(1.0 - kept, 0.0) for kept in able.values())
    assert (2.0 if plan.offered.loss is None else plan.offered.loss) == least
    assert plan.offered.chain in able


@given(worlds, st.floats(-0.2, 0.2))
def test_what_is_offered_kept_the_bound_twice_on_all_records(
    chains: dict[str, tuple[float | None, float]], fresh_error: float
) -> None:
    plan = World(chains, fresh_error).plan()
    if plan.offered is None:
        last = {trial.point.chain: trial for trial in plan.trials}
        assert set(last) == set(chains)
        assert all(trial.decision == DROPPED and trial.because for trial in last.values())
        return
    whole = [t for t in plan.trials if t.point.chain == plan.offered.chain and t.targets is None]
    assert [trial.step for trial in whole] == [ALL, FRESH]
    assert all(trial.point.verdict.verdict == WITHIN for trial in whole)
    assert whole[-1].decision == OFFERED


@given(worlds)
def test_no_attack_is_made_twice_and_hopeless_chains_are_attacked_no_more(
    chains: dict[str, tuple[float | None, float]],
) -> None:
    world = World(chains)
    plan = world.plan()
    assert len(set(world.asked)) == len(world.asked)
    dropped: set[str] = set()
    for trial in plan.trials:
        assert trial.point.chain not in dropped
        if trial.decision == DROPPED:
            dropped.add(trial.point.chain)


def test_few_chains_are_attacked_in_whole() -> None:
    """Of forty chains, the first rounds leave a handful: halving saves most of the work."""
    chains = {f"c{n}": (1 - n / 40, 1 - n / 40) for n in range(40)}
    world = World(chains)
    plan = world.plan()
    assert plan.offered is not None
    whole = [chain for _, chain, targets in world.asked if targets is None]
    assert len(set(whole)) <= 3


def test_of_chains_that_lose_as_much_the_one_with_less_risk_is_offered() -> None:
    """But the release as it is comes first, since it loses nothing of any other use either."""

    def found(chain: str, risk: float, kept: float = 1.0) -> Point:
        return replace(point(chain, kept, risk, 0.01), counted=risk + 0.01)

    def offered(*points: Point) -> str:
        known = {each.chain: each for each in points}
        plan = search(points, RECORDS, lambda step, chain, targets: known[chain])
        assert plan.offered is not None
        return plan.offered.chain

    some = found("a", 0.2), found("b", 0.05), found("c", 0.1), found("d", 0.01, kept=0.9)
    assert offered(*some) == offered(*some[::-1]) == "b"
    assert offered(*some, found(UNCHANGED, 0.25)) == UNCHANGED
    assert offered(*some, found(UNCHANGED, 0.5)) == "b"
    assert offered(found("e", 0.05, kept=1.2), *some[:1]) == "e"  # more than before is no loss


def test_where_no_loss_is_known_the_lowest_upper_end_on_all_records_is_offered() -> None:
    """Whatever a sample found, and in whatever order the chains are given."""

    def found(chain: str, risk: float, counted: float) -> Point:
        return replace(point(chain, None, risk, 0.01), counted=counted)

    sample = {"a": found("a", 0.1, 1.0), "b": found("b", 0.2, 1.0), "c": found("c", 0.2, 0.9)}
    whole = {"a": found("a", 0.2, 0.21), "b": found("b", 0.1, 0.11), "c": found("c", 0.2, 0.22)}
    fresh = dict(whole)

    def planned(*first: Point) -> Plan:
        of = {ALL: whole, FRESH: fresh}
        return search(first, RECORDS, lambda step, chain, targets: of.get(step, sample)[chain])

    def offered(*first: Point) -> str:
        plan = planned(*first)
        assert plan.offered is not None
        assert plan.trials[-1].decision == OFFERED
        return plan.offered.chain

    some = [*sample.values()]
    assert offered(*some) == offered(*some[::-1]) == "b"
    fresh["b"] = replace(whole["b"], verdict=Verdict(EXCEEDS))
    assert offered(*some) == offered(*some[::-1]) == "a"
    # No change at all loses nothing, by any measure, and a loss that is known is less than any.
    for each in (found(UNCHANGED, 0.2, 0.29), replace(found("d", 0.2, 0.29), kept=0.1)):
        for known in (sample, whole, fresh):
            known[each.chain] = each
        plan = planned(each, *some)
        assert plan.offered is not None
        assert plan.offered.chain == each.chain
        assert sum(trial.targets is None for trial in plan.trials) == 2


@pytest.mark.parametrize("step", [1, -1])
def test_where_all_samples_have_the_same_upper_end_the_lower_risk_comes_first(step: int) -> None:
    """As where the highest risk is compared, of which a sample has no upper end."""
    known = {"a": replace(point("a", 0.5, 0.08, 0.01), counted=1.0)}
    known["b"] = replace(known["a"], chain="b", risk=Estimate(0.01, 0.01, 0.02, 0.02))
    plan = search([*known.values()][::step], 300, lambda _, chain, targets: known[chain])
    assert plan.offered is not None
    assert plan.offered.chain == "b"


def test_the_last_row_of_a_chain_is_taken_as_it_is() -> None:
    """A sample's risk is not taken for that of all records, which could not be tested."""
    of_sample = replace(point("a", 0.9, 0.1, 0.05), people=40)
    failed = untested("all_records_a", "a", "no model of it")
    trials = [
        *(Trial("round 1", 250, of_sample, GOES_ON), Trial("round 1", 250, OTHER, RESERVE)),
        Trial(ALL, None, failed, DROPPED, NOT_TESTED),
    ]
    table = trials_tables(Plan(trials, None))["trials"]
    last = last_trials(table)
    assert last["chain"].tolist() == ["a", "b"]  # as they first appear
    assert last["part"].tolist() == ["all_records_a", "b"]
    assert last[["risk", "counted", "kept", "people", "targets"]].iloc[0].isna().all()
    assert last["verdict"].tolist() == [NOT_TESTED, WITHIN]
    # A release was made, of which nothing is known.
    counted = TriedChains.of(table)
    assert counted == TriedChains(chains=2, tried=2, tested=1)
    assert (counted.untested, counted.not_applied) == (1, 0)
    gone = untested("c", "c", "nobody is left", TOO_SHORT.name)
    more = trials_tables(
        Plan([*trials, Trial("round 1", 250, gone, DROPPED, TOO_SHORT.name)], None)
    )
    assert TriedChains.of(more["trials"]).not_applied == 1


OTHER = point("b", 0.8, 0.2, 0.05)


def test_a_chain_that_was_not_tested_is_never_offered() -> None:
    lost = untested("a", "a", "no model of it")
    other = replace(lost, chain="b", kept=1.0, problem=NOT_RUN.found())
    plan = search([lost, other], RECORDS, World({}).attack)
    assert plan.offered is None
    assert [trial.because for trial in plan.trials] == [NOT_APPLIED.name, NOT_TESTED]


def test_a_sample_that_finds_people_drops_a_chain_whatever_the_model_says() -> None:
    found = Estimate(0.9, 0.8, 0.95, 0.95)
    one = replace(point("a", 1.0, 0.1, 0.05), found=found)
    plan = search([one], RECORDS, World({}).attack)
    assert [(trial.decision, trial.because) for trial in plan.trials] == [(DROPPED, EXCEEDS)]


def test_without_a_verdict_on_all_records_nothing_is_offered() -> None:
    """Records too short to be attacked are not within the bound, whatever the others are."""
    one = point("a", 1.0, 0.1, 0.05)
    verdict = Verdict(NOT_TESTED, AS_FOUND.found(short=5, of=9), "counted")
    short = replace(one, verdict=verdict)
    plan = search([one], 100, lambda step, chain, targets: short)
    assert plan.offered is None
    assert plan.trials[-1].because == AS_FOUND.name
    plan = search([replace(one, short=0.4)], 100, lambda step, chain, targets: one)
    assert [trial.because for trial in plan.trials] == [AS_FOUND.name]


def test_the_table_has_a_row_for_each_attack() -> None:
    plan = World({"a": (1.0, 0.2), "b": (0.5, 0.9)}).plan()
    table = trials_tables(plan)["trials"]
    assert table[["step", "chain", "decision"]].to_numpy().tolist() == [
        ["round 1", "a", "goes on"],
        ["round 1", "b", "dropped"],
        ["round 2", "a", "goes on"],
        ["round 3", "a", "goes on"],
        [ALL, "a", "goes on"],
        [FRESH, "a", "offered"],
    ]
    assert table["targets"].isna().tolist() == [False] * 4 + [True] * 2

"""Repeated draws of facts: the same people, other facts, and the first draw as it always was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from making import MakeStore, random_rows

from sim.adversary.aux import Drawn
from sim.adversary.draw import Sampling, draw_aux
from sim.adversary.elsewhere import Elsewhere
from sim.adversary.fact_draws import seed_of_facts
from sim.adversary.knowledge import Knowledge, unaware
from sim.adversary.mentions import Mentions
from sim.axes.fact_draw import FactDrawAxis
from sim.errors import ConfigError
from sim.study.grid import expand

pytestmark = pytest.mark.fast


def facts(drawn: Drawn) -> tuple[bytes, ...]:
    return drawn.aux.item.tobytes(), drawn.aux.value.tobytes(), drawn.aux.day.tobytes()


@pytest.mark.parametrize(
    "knowledge",
    [Knowledge(2, 2, 1, 3), Knowledge(2, 3, 1, 3, wrong="item", record_length=0.5, missing=0.3)],
    ids=str,
)
def test_a_draw_of_facts_is_that_of_another_seed(
    make_store: MakeStore, knowledge: Knowledge
) -> None:
    store = make_store(random_rows(3, 40, 30, 400))
    adversary = Sampling(knowledge)
    able = adversary.eligible(store, 5)
    targets = np.flatnonzero(able)
    seen = set()
    for draw in range(4):
        again = FactDrawAxis().apply(adversary, draw)
        assert (again.eligible(store, 5) == able).all()
        drawn = again.draw(store, 0, targets, 5)
        seen.add(facts(drawn))
        other = draw_aux(store, knowledge, 0, targets, seed_of_facts(5, draw))
        assert facts(drawn) == facts(other)
        assert (drawn.truth.target == targets).all()
    assert len(seen) == 4
    assert FactDrawAxis().apply(adversary, 0) == adversary


def test_seeds_of_draws_differ() -> None:
    seeds = [seed_of_facts(seed, draw) for seed in range(50) for draw in range(20)]
    assert len(set(seeds)) == len(seeds)
    assert [seed_of_facts(seed, 0) for seed in range(50)] == [*range(50)]
    assert 0 <= seed_of_facts(2**64 - 1, 3) < 2**64


def test_lists_of_mentions_are_as_long_and_say_something_else(make_store: MakeStore) -> None:
    store = make_store(random_rows(4, 300, 120, 6_000))
    adversary = Mentions(max_length=7)
    people = np.flatnonzero(adversary.eligible(store, 2))
    one, other = (replace(adversary, fact_draw=draw).draw(store, 0, people, 2) for draw in range(2))
    assert (one.aux.start == other.aux.start).all()
    assert facts(one) != facts(other)


def test_the_same_people_are_on_the_other_service(make_store: MakeStore) -> None:
    store = make_store(random_rows(4, 300, 120, 6_000))
    adversary = Elsewhere(member_fraction=0.5)
    people = np.flatnonzero(adversary.eligible(store, 2))
    one, other = (replace(adversary, fact_draw=draw).draw(store, 0, people, 2) for draw in range(2))
    assert (one.truth.absent == other.truth.absent).all()
    assert facts(one) != facts(other)


def test_the_axis_is_in_the_results_only_if_it_is_used() -> None:
    axes = {"aux": ["2/2"], "date_noise": [3], "value_noise": [0], "popularity": [0]}
    base = Sampling(Knowledge(1, 1))
    assert "fact_draw" not in expand("sweep", axes, base)[0].axes
    assert "fact_draw" not in expand("sweep", {**axes, "fact_draw": [0]}, base)[0].axes
    cells = expand("sweep", {**axes, "fact_draw": [0, 1]}, base)
    assert [cell.axes["fact_draw"] for cell in cells] == [0, 1]
    known = [cell.adversary.knowledge for cell in cells]
    assert known[0] != known[1]
    assert len(set(unaware(known))) == 1  # type: ignore[arg-type]


def test_facts_of_a_file_are_not_drawn() -> None:
    axis = FactDrawAxis()
    assert axis.apply("people of a file", 0) == "people of a file"
    with pytest.raises(ConfigError, match=r"grid\.fact_draw: 1: the facts .* are read from a file"):
        axis.apply("people of a file", 1)
    assert axis.expected(-1)
    assert axis.expected(1.5)

"""Every algorithm, block by block, against its reference implementation on the dense release."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
import reference
from attacking import random_aux
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, examples, random_rows
from references import check

from sim.attack.algorithms.baselines import LongestRecord, RandomGuess
from sim.attack.algorithms.correlation import Correlation
from sim.attack.algorithms.mentions import Scoring, ScoringRated, TfIdf
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.algorithms.sets import Neighbourhood, Scoreboard, SetIntersection
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.similarity import Base2, Exponential, Presence, Similarity, Steps, Threshold
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store

pytestmark = pytest.mark.fast

SIMILARITIES: list[tuple[Similarity, reference.Similarity]] = [
    (Exponential(1.5, 30), reference.Exponential(1.5, 30)),
    (Exponential(0.5, 3), reference.Exponential(0.5, 3)),
    (Threshold(0, 3), reference.Threshold(0, 3)),
    (Threshold(1, 14), reference.Threshold(1, 14)),
    (Steps(0, 3), reference.Steps(0, 3)),
    (Steps(1, 14), reference.Steps(1, 14)),
    (Presence(), reference.Presence()),
    (Base2(), reference.Base2()),
    (Base2(0.5, 1, 2, 0.5, 7), reference.Base2(0.5, 1, 2, 0.5, 7)),
]

Case = tuple[Algorithm, Callable[..., Any], dict[str, Any]]
"""An attack, its reference implementation, and how to hold the one to the other."""


def scoreboard(pair: tuple[Similarity, reference.Similarity], alpha: float) -> Case:
    return (
        Scoreboard(similarity=pair[0], alpha=alpha),
        lambda release, aux: reference.scoreboard(release, aux, pair[1]),
        {},
    )


def scoreboard_rh(pair: tuple[Similarity, reference.Similarity], weight: Any) -> Case:
    return (
        ScoreboardRH(similarity=pair[0], weight=weight),
        lambda release, aux: reference.scoreboard_rh(release, aux, pair[1], weight),
        {},
    )


def neighbourhood(*options: float) -> Case:
    names = ("eps_value", "eps_day", "delta_value", "delta_day")
    return (
        Neighbourhood(**dict(zip(names, options, strict=True))),
        lambda release, aux: reference.neighbourhood(release, aux, *options),
        {},
    )


def correlation(lam: float, *options: float) -> Case:
    oracle = reference.Base2(*options)
    return (
        Correlation(similarity=Base2(*options), lam=lam),
        lambda release, aux: reference.correlation(release, aux, oracle),
        {},
    )


def scoring(share: float | None, delta: float | None) -> Case:
    fast = (
        Scoring(max_length_share=share)
        if delta is None
        else ScoringRated(max_length_share=share, delta=delta)
    )
    held = {} if share is None else {"keep": lambda r: reference.not_overlong(r, share)}
    return (
        fast,
        lambda release, aux: reference.scoring(release, aux, delta, log=True),
        {"exact": False, **held},
    )


DELTAS = st.sampled_from([0.0, 0.25, 0.5, 1.0])
CASES: dict[str, st.SearchStrategy[Case]] = {
    "scoreboard": st.builds(
        scoreboard, st.sampled_from(SIMILARITIES), st.sampled_from([0.0, 0.5, 1.0])
    ),
    "scoreboard_rh": st.builds(
        scoreboard_rh, st.sampled_from(SIMILARITIES), st.sampled_from(["log", "log1p", "none"])
    ),
    "neighbourhood": st.builds(
        neighbourhood, st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 3.0]), DELTAS, DELTAS
    ),
    "correlation": st.sampled_from(
        [correlation(1.5), correlation(0), correlation(0.3, 0.5, 1, 2, 0.5, 7)]
    ),
    "set_intersection": st.just(
        (SetIntersection(), lambda r, a: reference.set_intersection(r, a), {})
    ),
    "tf_idf": st.just((TfIdf(), lambda r, a: reference.tf_idf(r, a), {"exact": False})),
    "scoring": st.builds(scoring, st.sampled_from([None, 1 / 3, 0.8]), st.none()),
    "scoring_rated": st.builds(scoring, st.sampled_from([None, 0.8]), st.sampled_from([0.0, 1.0])),
    "random": st.just((RandomGuess(), lambda r, a: reference.random_guess(r), {})),
    "longest": st.just((LongestRecord(), lambda r, a: reference.longest_record(r), {})),
}

RELEASES = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 10_000),
        "records": st.sampled_from([1, 2, 3, 8, 20]),
        "items": st.sampled_from([1, 2, 5, 10]),
        "values": st.booleans(),
        "days": st.booleans(),
        "missing": st.sampled_from([0.0, 0.3]),
        "repeats": st.booleans(),
        "scale": st.sampled_from([(1.0, 2.0, 3.0, 4.0, 5.0), (4.1, 4.2, 4.3), (0.5, 1.0)]),
    }
)
"""All four kinds: items alone, with values, with days, with both; parts of them missing.

With and without records that hold an item in several cells.
"""


def released(make_store: MakeStore, release: dict[str, Any], block: int) -> Store:
    cells = release["records"] * 3
    rule = Repeats.ALL if release["repeats"] else Repeats.LATEST
    return make_store(random_rows(cells=cells, **release), block_records=block, repeats=rule)


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=examples(40))
@given(data=st.data(), release=RELEASES, block=st.sampled_from([1, 3, 7, 100]))
def test_matches_the_reference(
    make_store: MakeStore, name: str, data: st.DataObject, release: dict[str, Any], block: int
) -> None:
    store = released(make_store, release, block)
    attack, oracle, how = data.draw(CASES[name])
    attack = dataclasses.replace(
        attack,
        phi=data.draw(st.sampled_from([0.0, 1.5])),
        sigma=data.draw(st.sampled_from(["all", "nonzero"])),
        missing=data.draw(st.sampled_from(["drop", "mean"])),
        entropy=data.draw(st.booleans()),
    )
    absent, bounded = data.draw(st.sampled_from([(0, 0), (0.4, 0), (0, 0.6), (0.4, 0.4)]))
    aux = random_aux(store, release["seed"], 5, absent=absent, bounded=bounded)
    check(store, aux, attack, oracle, **how)

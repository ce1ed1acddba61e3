"""Candidates first: what is found without looking at most records is what looking finds."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from attacking import aux_of, decide, random_aux
from both_scans import RELEASES, compare, store_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from knowing import ADVERSARIES, in_cells_of_their_size, of_every_size
from making import MakeStore, examples, random_rows
from reporting import run_at
from worked import FILMS, A, B, stored

from sim.adversary.aux import Drawn
from sim.adversary.knowledge import Knowledge
from sim.adversary.publisher import Publisher
from sim.adversary.target_cells import items_of
from sim.attack.algorithms.bayes import Bayes
from sim.attack.algorithms.sets import Neighbourhood, Scoreboard, SetIntersection
from sim.attack.engine.similarity import Exponential, Presence, Threshold
from sim.attack.kernels.drivers import score_block
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store

PUBLISHERS = st.sampled_from(
    [Publisher(), Publisher(), Publisher(1.0), Publisher(0.0, 5), Publisher(1.0, 2, 3),
     Publisher(min_support=2), Publisher(blanks=True)]
)  # fmt: skip


def facts_of(store: Store, known: Knowledge, seed: int) -> Drawn:
    """Any facts at all, of present, absent and unknown people, some of known length."""
    aux = random_aux(store, seed, 12, absent=0.3, bounded=0.3)
    return in_cells_of_their_size(aux, known)


@settings(max_examples=examples(300))
@given(
    release=RELEASES,
    known=ADVERSARIES,
    publisher=PUBLISHERS,
    block=st.sampled_from([3, 7, 100]),
    count=st.sampled_from(["independent", "exact"]),
)
def test_the_posterior_is_that_of_the_scan_of_all_records(
    make_store: MakeStore, release: dict[str, Any], known: Knowledge, publisher: Publisher,
    block: int, count: Any,
) -> None:  # fmt: skip
    store = store_of(make_store, release, block)
    if release["repeats"]:
        publisher = Publisher(min_support=publisher.min_support)
    attack = Bayes(knowledge=of_every_size(known), count=count, publisher=publisher)
    compare(store, facts_of(store, known, release["seed"]), attack)


@settings(max_examples=examples(300))
@given(
    release=RELEASES,
    known=ADVERSARIES,
    block=st.sampled_from([3, 7, 100]),
    attack=st.sampled_from(
        [
            SetIntersection(),
            Scoreboard(similarity=Threshold(0, 3)),
            Scoreboard(similarity=Threshold(1, 14), alpha=0.5),
            Scoreboard(similarity=Exponential(), alpha=1.2),
            Scoreboard(similarity=Presence()),
            Neighbourhood(),
            Neighbourhood(delta_value=0.5, delta_day=1.0),
            Neighbourhood(delta_value=1.0, delta_day=0.0),
            Neighbourhood(delta_value=1.0, delta_day=1.0),
        ]
    ),
)
def test_sets_are_those_of_the_scan_of_all_records(
    make_store: MakeStore, release: dict[str, Any], known: Knowledge, block: int, attack: Any
) -> None:
    store = store_of(make_store, release, block)
    if isinstance(attack, Neighbourhood):
        attack = dataclasses.replace(attack, knowledge=of_every_size(known))
    compare(store, facts_of(store, known, release["seed"]), attack)


def test_many_records_in_several_blocks(make_store: MakeStore) -> None:
    """Long lists, sorted by their marks and by comparison, and lanes that meet."""
    rows = random_rows(7, records=3000, items=6, cells=12_000, values=True, days=True)
    store = make_store(rows, block_records=1024)
    for known in (
        Knowledge(2, 3, 0, 3), Knowledge(2, 3, 1, None), Knowledge(3, 3, None, None),
        Knowledge(1, 3, 0, 0, wrong="item"),
    ):  # fmt: skip
        drawn = facts_of(store, known, 1)
        for attack in (Bayes(knowledge=of_every_size(known)), SetIntersection()):
            assert compare(store, drawn, attack) > 0


@settings(max_examples=examples(25))
@given(
    seed=st.integers(0, 1000),
    missing=st.sampled_from([0.0, 0.1]),
    repeats=st.booleans(),
    block=st.sampled_from([2500, 8000]),
    known=st.sampled_from(
        [
            Knowledge(2, 4, 0, 14, first=1), Knowledge(2, 4, 0, 14, first=2),
            Knowledge(2, 4, 1, 3, first=2), Knowledge(2, 4, 0, 14, wrong="item", first=2),
            Knowledge(1, 3, 0, 14), Knowledge(2, 2, 1, 14),
        ]
    ),
)  # fmt: skip
def test_records_by_the_thousand(
    make_store: MakeStore, seed: int, missing: float, repeats: bool, block: int, known: Knowledge
) -> None:
    """Long lists are compared with boxes, and one or two facts leave all who hold their items."""
    rows = random_rows(
        seed, records=6000, items=8, cells=20_000, values=True, days=True, missing=missing,
        repeats=repeats,
    )  # fmt: skip
    rule = Repeats.ALL if repeats else Repeats.LATEST
    store = make_store(rows, block_records=block, repeats=rule)
    size = known.n_facts
    drawn = random_aux(store, seed, 4, absent=0.3, bounded=0.2)
    drawn = drawn.take(np.flatnonzero(drawn.aux.size >= size)).first_facts(size)
    assume(len(drawn))
    assert compare(store, drawn, Bayes(knowledge=(known,))) >= 0


@pytest.mark.parametrize("missing", [0.0, 0.05])
@pytest.mark.parametrize("publisher", [Publisher(), Publisher(date_noise=2)])
@pytest.mark.parametrize("first", [1, 2])
def test_facts_that_leave_all_who_hold_their_items(
    make_store: MakeStore, first: int, publisher: Publisher, missing: float
) -> None:
    """True facts of present people among everybody; few classes of days, and many."""
    rows = random_rows(
        3, records=5000, items=6, cells=20_000, values=True, days=True, missing=missing
    )
    store, rng = make_store(rows, block_records=4096), np.random.default_rng(first)
    able = np.flatnonzero(store.length >= first)
    drawn = []
    for target in rng.choice(able, 40, replace=False).tolist():
        items = rng.permutation(items_of(store, target))[:first].tolist()
        own = aux_of(store, target, *[(item, None, None) for item in items]).truth
        drawn.append(
            aux_of(
                store,
                target,
                *[
                    (item, float(np.append(store.scale, 2.0)[level]), int(day % 60))
                    for item, level, day in zip(items, own.own_level, own.own_day, strict=True)
                ],
            )
        )
    attack = Bayes(knowledge=(Knowledge(2, 4, 0, 3, first=first),), publisher=publisher)
    together = Drawn.concatenate(drawn)
    assert compare(store, together, attack) == 40
    assert (decide(store, together, attack).matching > 100).all()


@pytest.mark.parametrize(
    ("known", "count", "publisher", "ruled_out"),
    [
        (Knowledge(2, 2, 0, 3), "exact", Publisher(), True),
        (Knowledge(1, 2, 0, 3), "exact", Publisher(), True),
        (Knowledge(1, 2, 0, 3, wrong="item"), "exact", Publisher(), True),
        (Knowledge(0, 2, 0, 3), "exact", Publisher(), True),  # all items are held
        (Knowledge(0, 2, 0, 3, wrong="item"), "exact", Publisher(), False),
        (Knowledge(1, 2, 0, 3), "independent", Publisher(), True),
        (Knowledge(1, 2, 0, 3, wrong="item"), "independent", Publisher(), False),
        (Knowledge(1, 2, 0, 3), "exact", Publisher(1.0, 5), True),
    ],
)
def test_which_facts_rule_records_out(
    make_store: MakeStore, known: Knowledge, count: Any, publisher: Publisher, ruled_out: bool
) -> None:
    """With wrong items by chance everything may be wrong: every record is possible."""
    store, drawn = stored(make_store, FILMS, 0, (A, 5, 10), (B, 3, 12))
    attack = Bayes(knowledge=(known,), count=count, publisher=publisher)
    assert compare(store, drawn, attack) == ruled_out


def test_a_dropped_item_rules_nobody_out(make_store: MakeStore) -> None:
    """A fact about an item that the publisher may have dropped is no fact to start from."""
    store, drawn = stored(make_store, FILMS, 0, (A, 5, 10), (-1, 3, 12))
    dropping = Publisher(min_support=2)
    for known, ruled_out in (
        (Knowledge(2, 2, 0, 3), True),
        (Knowledge(1, 2, 0, 3, wrong="item"), False),
    ):
        assert compare(store, drawn, Bayes(knowledge=(known,), publisher=dropping)) == ruled_out
    alone = aux_of(store, 0, (-1, 3, 12))
    assert compare(store, alone, Bayes(knowledge=(Knowledge(1, 1),), publisher=dropping)) == 0


def test_a_sigma_over_the_overlapping_takes_them_all(make_store: MakeStore) -> None:
    store, drawn = stored(make_store, FILMS, 0, (A, 5, 10), (B, 3, 12))
    known = (Knowledge(2, 2, 0, 3),)
    assert decide(store, drawn, Bayes(knowledge=known)).overlapping[0] == -1
    assert decide(store, drawn, Bayes(knowledge=known, sigma="nonzero")).overlapping[0] > 0
    assert decide(store, drawn, Bayes(knowledge=known, full=True)).overlapping[0] > 0


@settings(max_examples=examples(100))
@given(
    release=RELEASES,
    known=ADVERSARIES,
    block=st.sampled_from([3, 7, 100]),
    count=st.sampled_from(["independent", "exact"]),
    keep=st.integers(1, 5),
)
def test_the_likeliest_records_are_those_of_the_posterior(
    make_store: MakeStore, release: dict[str, Any], known: Knowledge, block: int, count: Any,
    keep: int,
) -> None:  # fmt: skip
    """Every record's score, normalised and sorted, whichever scan found them."""
    store = store_of(make_store, release, block)
    attack = Bayes(knowledge=of_every_size(known), count=count, keep=keep)
    drawn = attack.annotated(store, facts_of(store, known, release["seed"]))
    found = decide(store, drawn, attack)
    whole = decide(store, drawn, dataclasses.replace(attack, full=True))
    assert found.top.tolist() == whole.top.tolist()
    assert found.top_posterior.tobytes() == whole.top_posterior.tobytes()
    prepared = attack.prepared(store, drawn)
    spec = attack.scanned(store, prepared)
    blocks = [store.block(index) for index in range(store.manifest.n_blocks)]
    for unit in range(len(drawn)):
        scores = np.concatenate([score_block(store, b, prepared, spec, unit) for b in blocks])
        possible = np.flatnonzero(scores > -np.inf)
        order = possible[np.argsort(-scores[possible], kind="stable")][:keep]
        posterior = np.exp(scores[order] - scores[possible].max(initial=-np.inf))
        posterior /= np.exp(scores[possible] - scores[possible].max(initial=-np.inf)).sum()
        assert found.top[unit].tolist() == [*order.tolist(), *[-1] * (keep - order.size)]
        assert found.top_posterior[unit, : order.size] == pytest.approx(posterior, rel=1e-9)
        if order.size:
            assert found.top_posterior[unit, 0] == pytest.approx(found.posterior[unit], rel=1e-12)


def test_the_likeliest_records_stand_in_a_table_of_their_own(tmp_path: Path) -> None:
    """And change no other."""
    given_ = ["data=synthetic", "data.preset=tiny", "cluster=inline", "targets=6", "attack=bayes",
              "grid.aux=[1/1,2/3]", "grid.date_noise=[14]", "grid.value_noise=[1]",
              f"data.cache={tmp_path / 'cache'}"]  # fmt: skip
    plain, kept = (run_at(tmp_path / str(n), *given_, f"attack.keep={n}").folder for n in (0, 3))
    assert not (plain / "top_candidates.parquet").exists()
    for name in ("curves", "decisions", "aux", "phi"):
        file = f"{name}.parquet"
        assert (plain / file).read_bytes() == (kept / file).read_bytes()
    top = pd.read_parquet(kept / "top_candidates.parquet")
    decided = pd.read_parquet(kept / "decisions.parquet")
    assert top.groupby(["cell", "target"]).size().max() == 3
    first = top[top["place"] == 1].merge(decided, on=["cell", "target"])
    assert len(first) == len(decided)
    assert first["posterior_x"].tolist() == pytest.approx(first["posterior_y"].tolist())
    named = first["best"].notna()
    assert (first["candidate"] == first["best"])[named].all()

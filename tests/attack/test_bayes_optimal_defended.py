"""The Bayes-optimal attacker under chains of defences: its probabilities hold; none does better."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from attacking import decide
from calibrating import check_calibration, lifelike, success
from making import DEEP, Row, RowSource, deep

from sim.adversary.aux import Drawn
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge, Window
from sim.adversary.on_release import on_release
from sim.adversary.targets import items_in_window
from sim.attack.algorithms.bayes import Bayes
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.engine.similarity import Exponential
from sim.defence.apply import defended
from sim.defence.cap_length import CapLength
from sim.defence.coarsen_time import CoarsenTime
from sim.defence.coarsen_values import CoarsenValues
from sim.defence.defence import Defence
from sim.defence.drop_items import DropItems
from sim.defence.drop_long import DropLong
from sim.defence.drop_popular import DropPopular
from sim.defence.drop_records import DropRecords
from sim.defence.drop_time import DropTime
from sim.defence.group_items import GroupItems
from sim.defence.hide_items import HideItems
from sim.defence.jitter_time import JitterTime
from sim.defence.perturb_values import PerturbValues
from sim.defence.sample_cells import SampleCells
from sim.defence.sample_records import SampleRecords
from sim.defence.swap_values import SwapValues
from sim.numeric.intervals import wilson
from sim.release.store.build import build_store
from sim.release.store.store import Store

DRAWS = 3

Case = tuple[tuple[Defence, ...], Knowledge]

CASES: list[Case] = [
    ((CoarsenTime(bin="week"),), Knowledge(3, 3, None, 3)),
    ((CoarsenTime(bin="month"), PerturbValues()), Knowledge(3, 4, 1, 14)),
    ((CoarsenTime(bin="week"), JitterTime(date_noise=10)), Knowledge(3, 3, None, 0)),
    ((JitterTime(date_noise=10), CoarsenTime(bin="week")), Knowledge(3, 3, 0, 3)),
    ((CoarsenValues(levels=2), DropItems(min_support=8)), Knowledge(4, 4, 0, None)),
    ((CoarsenValues(levels=2), DropItems(min_support=8)), Knowledge(3, 4, 1, None)),
    ((PerturbValues(), CoarsenValues(levels=3)), Knowledge(4, 4, 0, None)),
    ((SwapValues(share=1),), Knowledge(4, 4, 0, None)),
    ((SwapValues(share=0.5), CoarsenTime(bin="week")), Knowledge(2, 2, 0, 3)),
    ((DropPopular(top=3),), Knowledge(3, 4, 0, 14)),
    ((DropPopular(top=20),), Knowledge(4, 4, 0, None, Window(10))),
    ((DropItems(min_support=60),), Knowledge(3, 4, 1, None)),
    ((DropItems(min_support=30), SampleRecords(share=0.5)), Knowledge(2, 2, 1, None)),
    ((DropTime(),), Knowledge(4, 4, 0, None)),
    ((DropLong(max_length=60), DropRecords(min_length=15)), Knowledge(3, 4, 0, None)),
    ((SampleRecords(share=0.5),), Knowledge(3, 3, 0, None, Window(20))),
    ((SampleRecords(share=0.5),), Knowledge(3, 4, 0, None, wrong="item")),
    ((CapLength(n=15),), Knowledge(3, 4, 0, None, wrong="item")),
    ((CapLength(n=10),), Knowledge(3, 4, 0, 3)),
    ((SampleCells(share=0.7), CapLength(n=10)), Knowledge(4, 4, 0, None)),
    ((SampleCells(share=0.9),), Knowledge(4, 4, 1, None)),
    ((SampleCells(share=0.5),), Knowledge(4, 4, None, 14, Window(20))),
    ((SampleCells(share=0.5),), Knowledge(3, 4, 0, 3, wrong="item")),
]
"""Each defence, alone or in a chain."""

MORE: list[Case] = [
    ((CoarsenTime(bin="month"),), Knowledge(2, 2, 0, 3)),
    ((CoarsenTime(bin="month"),), Knowledge(3, 4, 0, 3)),
    ((CoarsenTime(bin="week"), PerturbValues()), Knowledge(3, 3, 0, 3)),
    ((CoarsenValues(levels=2),), Knowledge(4, 4, 0, None)),
    ((SwapValues(share=0.3),), Knowledge(4, 4, 0, None)),
    ((SwapValues(share=0.5),), Knowledge(3, 4, 0, None)),
    ((DropPopular(top=20),), Knowledge(4, 4, 0, None)),
    ((DropItems(min_support=60),), Knowledge(2, 2, 0, None)),
    ((DropItems(min_support=60),), Knowledge(3, 3, None, None)),
    ((DropRecords(min_length=15, max_length=60),), Knowledge(4, 4, 0, None)),
    ((SampleRecords(share=0.5),), Knowledge(3, 4, 0, 3)),
    ((SampleRecords(share=0.3), SwapValues()), Knowledge(6, 8, 0, 14)),
    ((DropRecords(min_length=15), CoarsenTime(bin="week")), Knowledge(3, 4, 0, 3)),
    ((SampleCells(share=0.5),), Knowledge(3, 4, 0, None)),
    ((CapLength(n=10),), Knowledge(4, 4, 0, None)),
    ((CapLength(n=15),), Knowledge(3, 3, 1, None)),
    ((SampleCells(share=0.5),), Knowledge(2, 2, 0, 3)),
    ((SampleCells(share=0.5),), Knowledge(4, 4, 0, None)),
    ((SampleCells(share=0.2),), Knowledge(8, 8, 0, 3)),
    ((SampleCells(share=0.5), PerturbValues()), Knowledge(4, 4, 0, 14)),
    ((SampleCells(share=0.5), DropItems(min_support=4)), Knowledge(4, 4, 0, 3)),
    ((CoarsenTime(bin="week"), SampleCells(share=0.5)), Knowledge(3, 3, 0, 3)),
]
"""The same defences at other strengths, against other knowledge."""


@dataclass(frozen=True)
class Releases:
    """One truth, and what publishers make of it."""

    truth: Store
    folder: Path

    @functools.cache  # noqa: B019
    def published(self, chain: tuple[Defence, ...]) -> Store:
        place = self.folder / str(len(list(self.folder.iterdir())))
        return defended(self.truth, chain).build(place)


@pytest.fixture(scope="module")
def releases(tmp_path_factory: pytest.TempPathFactory) -> Releases:
    folder = tmp_path_factory.mktemp("published")
    build_store(RowSource(lifelike(3, 300, 200)), folder / "truth", block_records=100)
    return Releases(Store(folder / "truth"), folder)


def thinned(aux: Drawn) -> Drawn:
    """Every second set, where hidden cells make each slow, unless every example is tried."""
    return aux if DEEP else aux.take(np.arange(0, len(aux), 2))


def drawn(releases: Releases, chain: tuple[Defence, ...], knowledge: Knowledge) -> Drawn:
    """Three aux sets of every eligible person, whose record may be published or not."""
    truth, store = releases.truth, releases.published(chain)
    able = np.flatnonzero(items_in_window(truth, knowledge.popularity) >= knowledge.size)
    sets = [
        on_release(draw_aux(truth, knowledge, 0, able, seed), truth, store) for seed in range(DRAWS)
    ]
    return Drawn.concatenate(sets)


@pytest.mark.parametrize(("chain", "knowledge"), [*CASES, *deep(*MORE)], ids=str)
def test_of_guesses_made_with_probability_p_a_share_p_is_right(
    releases: Releases, chain: tuple[Defence, ...], knowledge: Knowledge
) -> None:
    """And the true record is never ruled out, and no published attack finds more people."""
    store, aux = releases.published(chain), drawn(releases, chain, knowledge)
    change = defended(releases.truth, chain)
    assert change.undisclosed == ()
    publisher = change.with_totals(store, [knowledge])
    hides_cells = publisher.originals is not None and publisher.originals.hides_cells
    if hides_cells:
        aux = thinned(aux)
    found = decide(store, aux, Bayes(knowledge=(knowledge,), publisher=publisher))
    # What hidden cells are like is known of all together, and approximately of each person.
    if hides_cells:
        assert abs(success(found).mean() - found.posterior.mean()) < 0.08
    else:
        check_calibration(found)
    there = aux.truth.target >= 0
    assert np.isfinite(found.target_score[there]).mean() > 0.999
    other = success(decide(store, aux, ScoreboardRH(similarity=Exponential())))
    difference = success(found) - other
    won, lost = int((difference > 0).sum()), int((difference < 0).sum())
    # Who names everybody alike is now and then a little right about people of whom little is known.
    more = difference.mean() > 0 if found.posterior.mean() < 0.3 else lost == 0
    assert wilson(won, won + lost).low > 0.5 or more


def scattered(seed: int, records: int, items: int, days: int) -> list[Row]:
    """Dates that are anybody's, and values alike for all items."""
    rng = np.random.default_rng(seed)
    popularity = 1 / np.arange(1, items + 1) ** 0.8
    rows: list[Row] = []
    for record in range(records):
        n = min(items, 8 + int(rng.gamma(2, 6)))
        held = rng.choice(items, n, replace=False, p=popularity / popularity.sum())
        rows += [
            (record, int(i), float(rng.integers(1, 6)), int(rng.integers(days)))
            for i in np.sort(held)
        ]
    return rows


@pytest.mark.parametrize("days", [150, *deep(30, 700)])
@pytest.mark.parametrize(
    ("defence", "knowledge"),
    [
        (SampleCells(share=0.5), Knowledge(2, 2, 0, 0)),
        (CapLength(n=8), Knowledge(2, 2, 0, 0)),
        *deep(
            (SampleCells(share=0.5), Knowledge(4, 4, 0, 3)),
            (SampleCells(share=0.8), Knowledge(3, 3, None, 0)),
        ),
    ],
    ids=str,
)
def test_a_cell_on_a_day_says_little_of_others_where_days_are_scattered(
    tmp_path: Path, defence: Defence, knowledge: Knowledge, days: int
) -> None:
    """Or a record that has a cell that fits would be less likely the right one than it is."""
    build_store(RowSource(scattered(4, 600, 60, days)), tmp_path / "truth")
    (tmp_path / "published").mkdir()
    releases = Releases(Store(tmp_path / "truth"), tmp_path / "published")
    store, aux = releases.published((defence,)), drawn(releases, (defence,), knowledge)
    publisher = defended(releases.truth, (defence,)).with_totals(store, [knowledge])
    found = decide(store, thinned(aux), Bayes(knowledge=(knowledge,), publisher=publisher))
    # How many cells a record had that was cut down is known roughly.
    most = 0.05 if isinstance(defence, CapLength) else 0.03
    assert abs(success(found).mean() - found.posterior.mean()) < most


def of_length(seed: int, lengths: str, items: int, days: int = 60) -> list[Row]:
    """Records that are short, all of one length, or of two; days and values are anybody's."""
    rng = np.random.default_rng(seed)
    popularity = 1 / np.arange(1, items + 1)
    number = {
        "about 5": np.maximum(rng.poisson(5, 900), 1), "10": np.full(900, 10),
        "4 or 40": rng.choice([4, 40], 900),
    }[lengths]  # fmt: skip
    return [
        (record, int(i), float(rng.integers(1, 6)), int(rng.integers(days)))
        for record, n in enumerate(number.tolist())
        for i in rng.choice(items, n, replace=False, p=popularity / popularity.sum())
    ]


@pytest.mark.parametrize(
    ("lengths", "items", "share", "knowledge"),
    [
        ("about 5", 30, 0.5, Knowledge(2, 2, 1, 14)),
        ("4 or 40", 100, 0.5, Knowledge(1, 2, 0, None, wrong="item")),
        *deep(
            ("10", 60, 0.8, Knowledge(3, 3, 1, 14)), ("4 or 40", 100, 0.3, Knowledge(2, 2, 1, 14)),
        ),
    ],
    ids=str,
)  # fmt: skip
def test_how_long_records_were_is_learnt(
    tmp_path: Path, lengths: str, items: int, share: float, knowledge: Knowledge
) -> None:
    """Were all lengths as likely, .18 would be claimed of the first, and .25 right."""
    build_store(RowSource(of_length(5, lengths, items)), tmp_path / "truth")
    (tmp_path / "published").mkdir()
    releases = Releases(Store(tmp_path / "truth"), tmp_path / "published")
    chain = (SampleCells(share=share),)
    store, aux = releases.published(chain), drawn(releases, chain, knowledge)
    publisher = defended(releases.truth, chain).with_totals(store, [knowledge])
    attack = Bayes(knowledge=(knowledge,), publisher=publisher)
    check_calibration(decide(store, thinned(aux), attack))


@pytest.mark.parametrize("facts", [2, 4])
def test_a_few_records_that_are_shorter_than_any_was_lost_something(
    tmp_path: Path, facts: int
) -> None:
    """Taken together with the others, .03 was claimed of two facts with one about it, .55 right."""
    build_store(RowSource(of_length(5, "10", 200)), tmp_path / "truth")
    (tmp_path / "published").mkdir()
    releases = Releases(Store(tmp_path / "truth"), tmp_path / "published")
    chain, knowledge = (DropItems(min_support=6),), Knowledge(facts, facts, None, None)
    truth, store = releases.truth, releases.published(chain)
    shorter = np.flatnonzero(truth.length > store.length)
    assert 0 < shorter.size < 32
    sets = [
        on_release(draw_aux(truth, knowledge, 0, shorter, seed), truth, store) for seed in range(40)
    ]
    aux = Drawn.concatenate(sets)
    publisher = defended(truth, chain).with_totals(store)
    found = decide(store, aux, Bayes(knowledge=(knowledge,), publisher=publisher))
    asked = np.logical_or.reduceat(aux.aux.item < 0, aux.aux.start[:-1])
    assert abs(success(found)[asked].mean() - found.posterior[asked].mean()) < 0.05
    assert np.isfinite(found.target_score).all()


@pytest.mark.parametrize(
    ("defence", "knowledge", "most"),
    [
        (SampleCells(share=0.7), Knowledge(1, 2, 1, 3, wrong="item"), 0.03),
        (CapLength(n=4), Knowledge(1, 2, 1, 3, wrong="item"), 0.05),
        *deep((SampleCells(share=0.7), Knowledge(2, 3, 1, 3), 0.03)),
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_fact_is_known_by_a_cell_that_it_has_to_the_day(
    tmp_path: Path, defence: Defence, knowledge: Knowledge, most: float
) -> None:
    """A right one is only near the cell that it is about; .65 would be claimed, and .44 right."""
    build_store(RowSource(of_length(6, "10", 60, days=1500)), tmp_path / "truth")
    (tmp_path / "published").mkdir()
    releases = Releases(Store(tmp_path / "truth"), tmp_path / "published")
    store, aux = releases.published((defence,)), drawn(releases, (defence,), knowledge)
    publisher = defended(releases.truth, (defence,)).with_totals(store, [knowledge])
    found = decide(store, thinned(aux), Bayes(knowledge=(knowledge,), publisher=publisher))
    assert abs(success(found).mean() - found.posterior.mean()) < most


OF_GROUPS = (
    Knowledge(3, 3, 0, 3), Knowledge(6, 8, 0, 3), Knowledge(3, 4, 0, None),
    Knowledge(6, 8, None, 14), Knowledge(6, 8, 1, None),
)  # fmt: skip
OFTEN = [
    (8, OF_GROUPS[0]), (8, OF_GROUPS[4]), (50, OF_GROUPS[1]),
    ("exact", OF_GROUPS[1]), ("log2", OF_GROUPS[2]),
]  # fmt: skip
"""Those that are tried in `make test`."""


@pytest.mark.parametrize(
    ("groups", "knowledge"),
    [
        case if case in OFTEN else deep(case)[0]
        for case in itertools.product((8, 50, "exact", "log2"), OF_GROUPS)
    ],
    ids=str,
)
def test_it_is_so_where_items_are_in_groups(
    releases: Releases, tmp_path: Path, groups: int | str, knowledge: Knowledge
) -> None:
    """Also where values may be wrong, which are those of an item that the release does not tell."""
    if isinstance(groups, str):
        defence: Defence = HideItems(support=groups)
    else:
        table = tmp_path / "groups.csv"
        rows = "".join(f"{item},g{item * groups // 200}\n" for item in range(200))
        table.write_text(f"item,group\n{rows}")
        defence = GroupItems(mapping=str(table))
    store, aux = releases.published((defence,)), drawn(releases, (defence,), knowledge)
    publisher = defended(releases.truth, (defence,)).with_totals(store, [knowledge])
    found = decide(store, aux, Bayes().for_study([knowledge], publisher))
    assert abs(success(found).mean() - found.posterior.mean()) < 0.03
    assert np.isfinite(found.target_score).all()
    other = success(decide(store, aux, ScoreboardRH(similarity=Exponential())))
    assert success(found).mean() >= other.mean() - 0.005

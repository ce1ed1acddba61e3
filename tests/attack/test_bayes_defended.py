"""The Bayes-optimal attacker under chains of defences: held to the reference, and by hand."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import reference
from attacking import decide, random_aux
from hypothesis import given, settings
from hypothesis import strategies as st
from knowing import ADVERSARIES, drawn_from, in_cells_of_their_size, of_every_size, told
from making import MakeStore, Row, examples, plain, random_rows
from reference.coarse_days import Step, start_of, true_days
from reference.published import noise_kernel
from references import check

from sim.adversary.day_law import day_law
from sim.adversary.knowledge import Knowledge
from sim.adversary.publisher import AS_IS, TimeStep
from sim.attack.algorithms.bayes import Bayes
from sim.defence.apply import Defended, defended
from sim.defence.cap_length import CapLength
from sim.defence.cells import NO_DAY, Cells, ReleaseStats
from sim.defence.coarsen_time import CoarsenTime
from sim.defence.coarsen_values import CoarsenValues
from sim.defence.defence import Defence
from sim.defence.drop_items import DropItems
from sim.defence.drop_long import DropLong
from sim.defence.drop_popular import DropPopular
from sim.defence.drop_records import DropRecords
from sim.defence.drop_time import DropTime
from sim.defence.drop_values import DropValues
from sim.defence.jitter_time import JitterTime
from sim.defence.perturb_values import PerturbValues
from sim.defence.sample_cells import SampleCells
from sim.defence.sample_records import SampleRecords
from sim.defence.swap_values import SwapValues
from sim.errors import GridError
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.release.store.time_bins import DAY

STEPS: list[list[Step]] = [
    [("coarsen", "week")], [("coarsen", "month")], [("jitter", 2), ("coarsen", "week")],
    [("coarsen", "week"), ("jitter", 2)], [("coarsen", 3), ("jitter", 2)],
    [("jitter", 1), ("coarsen", 5), ("jitter", 3), ("coarsen", "month")],
    [("jitter", 2), ("jitter", 5)], [("coarsen", "week"), ("coarsen", "month")],
]  # fmt: skip


def stated(steps: list[Step]) -> tuple[TimeStep, ...]:
    """The steps as a publisher states them."""
    return tuple(
        TimeStep(kind, str(1440 * width) if kind == "coarsen" and isinstance(width, int) else width)  # type: ignore[arg-type]
        for kind, width in steps
    )


@pytest.mark.parametrize("steps", STEPS, ids=str)
def test_true_days_behind_released_ones(steps: list[Step]) -> None:
    """February has 28 days in 1997: bins of unequal length; the first day is no start."""
    law = day_law(stated(steps), DAY, 9_880, 70)
    for code in range(70):
        expected = true_days(steps, 9_880 + code, 9_780, 10_060)
        found = {
            9_880 + code - law.reach + at: p
            for at, p in enumerate(law.true[code].tolist())
            if p > 0
        }
        assert found.keys() == expected.keys()
        assert list(found.values()) == pytest.approx(list(expected.values()), abs=1e-12)
    # A fact within ±3 of a true day.
    day = np.arange(-5, 75)
    code, chance = law.fact(day, 3)
    for row, f in enumerate(day.tolist()):
        for at, b in enumerate(code[row].tolist()):
            near = range(f - 3, f + 4)
            behind = (
                {b - law.reach + i: p for i, p in enumerate(law.true[b].tolist())}
                if 0 <= b < 70
                else {}
            )
            assert chance[row, at] == pytest.approx(sum(behind.get(t, 0) for t in near) / 7)


def test_noise_on_the_starts_of_weeks_is_seen_through() -> None:
    """A week's start that was moved by up to 3 days is that of the one week around it."""
    law = day_law(stated([("coarsen", "week"), ("jitter", 3)]), DAY, 9_997, 7)
    monday = start_of(10_000, "week")
    for code in range(7):
        days = [9_997 + code - law.reach + at for at in np.flatnonzero(law.true[code])]
        assert days == list(range(monday, monday + 7))


CHAINS: list[list[Defence]] = [
    [CoarsenValues(levels=2)], [PerturbValues(), CoarsenValues(levels=3)],
    [CoarsenValues(levels=3), PerturbValues(value_noise=2)], [SwapValues(share=0.4)],
    [SwapValues(share=1)], [SwapValues(share=0.4), CoarsenValues(levels=2)],
    [PerturbValues(), SwapValues(share=0.4)], [CoarsenTime(bin="week")],
    [CoarsenTime(bin="month"), PerturbValues()], [JitterTime(date_noise=2), CoarsenTime(bin=3)],
    [CoarsenTime(bin="week"), JitterTime(date_noise=2), SwapValues(share=0.4)],
    [CoarsenValues(levels=2), DropItems(min_support=2)], [DropPopular(top=1)],
    [DropPopular(top=2), DropItems(min_support=2), CoarsenTime(bin="week")],
    [DropTime(), CoarsenValues(levels=2)], [PerturbValues(), DropValues(), CoarsenTime(bin=2)],
    [JitterTime(date_noise=3), DropTime()],
]  # fmt: skip


def expected_of(chain: list[Defence], truth: Store) -> reference.Published:
    """What the reference is told of a chain, worked out from its options alone."""
    levels = truth.scale
    channel, released, swapped, steps = np.eye(levels.size), levels, 0.0, list[Step]()
    for each in chain:
        match each:
            case PerturbValues():
                channel = channel @ noise_kernel(released, each.value_noise)
            case CoarsenValues():
                groups = np.array_split(released, each.levels)
                middle = [group[(group.size - 1) // 2] for group in groups]
                step = [[float(v in group) for group in groups] for v in released]
                channel, released = channel @ np.array(step), np.array(middle)
            case SwapValues():
                swapped = each.share
            case JitterTime():
                steps.append(("jitter", int(each.date_noise)))
            case CoarsenTime():
                steps.append(("coarsen", each.bin))
            case DropValues():
                channel, swapped = np.eye(levels.size), 0.0
            case DropTime():
                steps = []
    blurred = not np.array_equal(channel, np.eye(levels.size))
    far = 100
    return reference.Published(
        drops_items=True,  # said by the window, in `check_chain`
        channel=channel if blurred else None,
        released=released,
        swapped=swapped,
        true_days=functools.cache(lambda day: true_days(steps, day, day - far, day + far))
        if steps
        else None,
    )


def check_chain(
    truth: Store, store: Store, change: Defended, known: Knowledge, count: str, seed: int,
    expected: reference.Published, drawn: bool,
) -> None:  # fmt: skip
    """Compare every score with the reference."""
    if drawn:
        try:
            aux = drawn_from(truth, known, seed, store)
        except GridError:  # nothing can be wrong in this release
            return
    else:
        aux = random_aux(store, seed, 4, absent=0.3)
    if count == "exact" and known.wrong == "value" and known.date_noise is not None:
        # Which of the item's dates lie within the noise is only known on average.
        known = dataclasses.replace(known, correct=known.size)
    names = {stage.defence.name: stage.defence for stage in change.stages}
    top = getattr(names.get("drop_popular"), "top", 0)
    rare = "drop_items" in names
    window = known.popularity
    low = max(window.low - top, 0)
    high = None if window.high is None else max(window.high - top, 0)
    n_items = store.manifest.n_items
    drops = window.low < top or (rare and (high is None or high > n_items))
    eligible = reference.rank_window(plain(store), low, high)
    first = store.manifest.first_day
    days = expected.true_days
    expected = dataclasses.replace(
        expected,
        drops_items=drops,
        true_days=None
        if days is None
        else lambda day: {t - first: p for t, p in days(day + first).items()},
    )
    # What was published of values as they are is taken to have the scale of the release.
    changed = expected.blurs or expected.swapped > 0
    levels = truth.scale if store.scale.size and changed else store.scale

    def scores(release: reference.PlainRelease, facts: reference.PlainAux) -> Any:
        adversary = told(store, known, min(known.correct, len(facts)), levels)
        return reference.bayes_published(
            release, facts, adversary, expected, eligible, exact=count == "exact"
        )

    attack = Bayes(knowledge=of_every_size(known), publisher=change.publisher, count=count)  # type: ignore[arg-type]
    check(store, in_cells_of_their_size(aux, known), attack, scores, exact=False)


@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: "+".join(d.name for d in chain))
@settings(max_examples=examples(6))
@given(
    seed=st.integers(0, 10_000),
    records=st.sampled_from([4, 12]),
    missing=st.sampled_from([0.0, 0.3]),
    known=ADVERSARIES,
    drawn=st.booleans(),
    count=st.sampled_from(["independent", "exact"]),
)
def test_is_the_reference(
    make_store: MakeStore, tmp_path_factory: pytest.TempPathFactory, chain: list[Defence],
    seed: int, records: int, missing: float, known: Knowledge, drawn: bool, count: str,
) -> None:  # fmt: skip
    rows = random_rows(seed, records=records, items=8, cells=records * 4, missing=missing)
    truth = make_store(rows, block_records=5)
    try:
        change = defended(truth, chain)
        store = change.build(tmp_path_factory.mktemp("released") / "store")
    except GridError:  # too little is left
        return
    if not store.manifest.n_days:
        known = dataclasses.replace(known, date_noise=None)
    if not store.scale.size:
        known = dataclasses.replace(known, value_noise=None, value_share=0.0)
    assert change.undisclosed == ()
    check_chain(truth, store, change, known, count, seed, expected_of(chain, truth), drawn)


def test_people_who_were_left_out_change_no_likelihood(make_store: MakeStore) -> None:
    store = make_store(random_rows(1))
    for defence in (DropRecords(), DropLong(max_length=5), SampleRecords()):
        found = defended(store, [defence])
        assert found.undisclosed == ()
        assert not found.publisher.changes_cells


@dataclasses.dataclass(frozen=True, kw_only=True)
class Blank(Defence):
    """Takes the value or the date of every third cell."""

    name: ClassVar[str] = "blank"

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:
        third = cells.place % 3
        values = np.where(third == 0, np.nan, cells.value)
        return cells.with_values(values).with_days(np.where(third == 1, NO_DAY, cells.day))


@pytest.mark.parametrize("count", ["independent", "exact"])
def test_who_lost_parts_by_a_defence_without_a_model_is_not_ruled_out(
    make_store: MakeStore, tmp_path: Path, count: Any
) -> None:
    truth = make_store(random_rows(3, records=20, items=8, cells=90))
    change = defended(truth, [Blank()])
    assert change.undisclosed == ("blank",)
    store = change.build(tmp_path / "store")
    known = Knowledge(2, 2, 0, 3)
    aux = drawn_from(truth, known, 1, store)
    attack = Bayes(knowledge=(known,), publisher=change.publisher, count=count)
    here = ~aux.truth.absent
    assert np.isfinite(decide(store, aux, attack).target_score[here]).all()
    strict = dataclasses.replace(attack, publisher=AS_IS)
    assert np.isinf(decide(store, aux, strict).target_score[here]).any()


@pytest.mark.parametrize(
    "chain",
    [
        [CapLength(n=3, keep="latest")], [DropItems(min_support=2), CapLength(n=3)],
        [CapLength(n=3), DropItems(min_support=2)], [CapLength(n=3), SampleCells()],
        [CapLength(n=3), DropPopular(top=1)],
    ],
)  # fmt: skip
@pytest.mark.parametrize("repeats", [False, True])
def test_every_chain_states_its_channel(
    make_store: MakeStore, tmp_path: Path, chain: list[Defence], repeats: bool
) -> None:
    keep = Repeats.ALL if repeats else Repeats.LATEST
    change = defended(make_store(random_rows(1, repeats=repeats), repeats=keep), chain)
    assert change.undisclosed == ()
    known = change.with_totals(change.build(tmp_path / "released"))
    assert known.originals is not None
    assert known.unmodelled == ""


@pytest.mark.parametrize(
    "chain",
    [
        [CoarsenTime(bin="month"), CoarsenValues(levels=2)], [SwapValues(share=0.4)],
        [CoarsenTime(bin="week"), SampleCells(share=0.6)], [SampleRecords(share=0.7)],
        [SampleCells(share=0.8), CapLength(n=4)],
    ],
    ids=lambda chain: "+".join(d.name for d in chain),
)  # fmt: skip
def test_neither_batches_nor_blocks_nor_shortcuts_have_a_say(
    make_store: MakeStore, tmp_path: Path, chain: list[Defence]
) -> None:
    """The same bytes for every aux set by itself and if all are scored; scores, in any blocks."""
    known = Knowledge(2, 3, 0, 3)
    scores = []
    for blocks in (3, 100):
        truth = make_store(random_rows(4), block_records=blocks)
        change = defended(truth, chain)
        store = change.build(tmp_path / str(blocks))
        aux = drawn_from(truth, known, 1, store)
        attack = Bayes(knowledge=(known,), publisher=change.with_totals(store))
        whole = decide(store, aux, attack)
        full = decide(store, aux, dataclasses.replace(attack, full=True))
        apart = [decide(store, aux.part(u, u + 1), attack) for u in range(len(aux))]
        for name in ("posterior", "target_score", "best", "matching"):
            one = np.concatenate([getattr(each, name) for each in apart])
            np.testing.assert_array_equal(one, getattr(whole, name))
            np.testing.assert_array_equal(one, getattr(full, name))
        scores.append(whole.target_score)
    np.testing.assert_array_equal(*scores)


def test_a_level_that_is_gone_with_its_cells(make_store: MakeStore) -> None:
    """Of a scale of three the middle one is dropped, and then the two others are made one."""
    rows: list[Row] = [(n, n % 3, float(n % 3), None) for n in range(9)]
    rows += [(10, 0, 0.0, None), (10, 2, 2.0, None), (11, 0, 0.0, None), (11, 2, 2.0, None)]
    truth = make_store(rows)
    chain = [PerturbValues(value_noise=0.5), DropRecords(min_length=2), CoarsenValues(levels=1)]
    found = defended(truth, chain).publisher
    assert found.value_channel == ((1.0,), (0.0,), (1.0,))
    assert (found.scale, found.released) == ((0.0, 1.0, 2.0), (0.0,))

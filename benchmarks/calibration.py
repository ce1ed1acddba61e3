"""What the Bayes-optimal attacker claims of random chains of defences, against what comes true.

Claims are probabilities, so that of guesses made with probability p a share p is right, of people
who are not in the release too; where defences hide entries they may be three points too high.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.registry import Scale
from benchmarks.result import Result
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge, Window
from sim.adversary.on_release import on_release
from sim.adversary.targets import items_in_window
from sim.attack.algorithms.bayes import Bayes
from sim.attack.engine.decisions import Decisions
from sim.defence.apply import defended
from sim.defence.cap_length import CapLength
from sim.defence.coarsen_time import CoarsenTime
from sim.defence.coarsen_values import CoarsenValues
from sim.defence.defence import Defence
from sim.defence.drop_items import DropItems
from sim.defence.drop_popular import DropPopular
from sim.defence.drop_records import DropRecords
from sim.defence.drop_values import DropValues
from sim.defence.jitter_time import JitterTime
from sim.defence.perturb_values import PerturbValues
from sim.defence.sample_cells import SampleCells
from sim.defence.sample_records import SampleRecords
from sim.defence.swap_values import SwapValues
from sim.errors import GridError
from sim.release.store.build import build_store
from sim.release.store.cells import CellChunk
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.release.store.time_bins import TimeBin
from sim.release.store.value_bins import UNBINNED, ValueBins
from sim.study.inline import decided

KINDS = ("ratings", "purchases", "visits", "one_day")

BINS = (0.0, 0.1, 0.3, 0.6, 0.9)
"""Where the bins of claims begin."""

_SIZES: dict[Scale, tuple[int, int, int]] = {
    "full": (600, 10, 500), "quick": (300, 2, 200), "tiny": (60, 1, 20),
}  # fmt: skip
"""People of a world, chains of each kind of data, targets of a chain."""


@dataclass(frozen=True, slots=True)
class World:
    """People who do as people do; the same rows for the same kind, size and seed.

    Parameters
    ----------
    kind : str
        Of `KINDS`.
    """

    kind: str
    people: int = 600
    seed: int = 1
    value_bins: ClassVar[ValueBins] = UNBINNED

    @property
    def name(self) -> str:
        """Short description of the release."""
        return f"{self.kind} of {self.people} people"

    @property
    def repeats(self) -> Repeats:
        """Whether people do the same again."""
        return Repeats.ALL if self.kind in ("purchases", "visits") else Repeats.LATEST

    @property
    def time_bin(self) -> TimeBin:
        """Hours of visits, days of all else."""
        return TimeBin.parse("hour" if self.kind == "visits" else "day")

    @property
    def size(self) -> int:
        """Records that will be made."""
        return self.people

    def position(self) -> int:
        """Not followed."""
        return 0

    def notes(self) -> Mapping[str, str | int]:
        """None."""
        return {}

    def fingerprint(self) -> str:
        """SHA-256 (hex) of what it is made from."""
        return hashlib.sha256(repr(self).encode()).hexdigest()

    def chunks(self) -> Iterator[CellChunk]:
        """Yield all rows."""
        rng = np.random.default_rng([self.seed, KINDS.index(self.kind)])
        columns = [_rows(rng, self.kind, person) for person in range(self.people)]
        record, item, value, time = (
            np.concatenate(column) for column in zip(*columns, strict=True)
        )
        valued = self.kind in ("ratings", "one_day")
        yield CellChunk(
            record.astype(np.int64), item.astype(np.int64),
            value.astype(np.float64) if valued else None, time.astype(np.int64) * 3600,
        )  # fmt: skip


def _rows(rng: np.random.Generator, kind: str, person: int) -> tuple[NDArray[Any], ...]:
    """Return who, what, its value and the hour of each entry of a person."""
    n_items = {"ratings": 200, "purchases": 120, "visits": 60, "one_day": 150}[kind]
    popularity = 1 / np.arange(1, n_items + 1) ** 0.8
    popularity /= popularity.sum()
    n = int(np.clip(rng.lognormal(2.7, 0.6), 5, 0.6 * n_items))
    if kind in ("ratings", "one_day"):
        item = rng.choice(n_items, n, replace=False, p=popularity)
    else:  # some things again and again
        own = rng.choice(n_items, max(n // 3, 2), replace=False, p=popularity)
        again = rng.random(n) < 0.7
        item = np.where(again, rng.choice(own, n), rng.choice(n_items, n, p=popularity))
    value = np.clip(np.rint(3.2 + (item % 5 - 2) * 0.4 + rng.normal(0, 1.1, n)), 1, 5)
    days = {"ratings": 4, "purchases": 8, "visits": 15, "one_day": 1}[kind]
    span = 30 if kind == "visits" else 200
    day = rng.choice(rng.integers(0, span, days), n)
    hour = rng.choice(rng.integers(7, 23, 3), n) if kind == "visits" else 12
    return np.full(n, float(person)), item, value, (20 + day) * 24 + hour


def random_case(kind: str, seed: int, people: int) -> tuple[tuple[Defence, ...], Knowledge]:
    """Return a chain of two to four defences, and what an attacker knows."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    hours = kind == "visits"
    hiding: list[Defence] = [
        DropItems(min_support=int(rng.choice([max(people // 50, 2), people // 10]))),
        DropPopular(top=int(rng.choice([5, 20]))),
        CapLength(n=int(rng.choice([6, 10])), keep=str(rng.choice(["random", "latest"]))),  # type: ignore[arg-type]
        SampleCells(share=float(rng.choice([0.5, 0.8]))),
        SampleRecords(share=float(rng.choice([0.6, 0.9]))),
        DropRecords(min_length=int(rng.choice([5, 9]))),
    ]
    moving: list[Defence] = [
        JitterTime(date_noise=str(rng.choice(["2h", "1d"])) if hours else int(rng.choice([3, 30]))),
        CoarsenTime(bin="day" if hours else str(rng.choice(["week", "month"]))),
    ]
    changing: list[Defence] = [
        PerturbValues(value_noise=1), SwapValues(share=0.5), CoarsenValues(levels=3), DropValues(),
    ]  # fmt: skip
    every = [*hiding, *hiding, moving[int(rng.integers(2))]]  # of what it is to model most
    if kind in ("ratings", "one_day"):
        every.append(changing[int(rng.integers(4))])
    chosen = rng.permutation(len(every))[: rng.integers(2, 5)].tolist()
    chain = list({type(every[k]): every[k] for k in chosen}.values())
    if len(chain) == 1:
        chain.append(moving[0])
    size = int(rng.integers(1, 4))
    correct = size - int(size > 1 and rng.random() < 0.4)
    valued = kind in ("ratings", "one_day") and not any(isinstance(d, DropValues) for d in chain)
    noise = {False: [0, 3, 14, None], True: [0, 2, None]}[hours][int(rng.integers(3 + (not hours)))]
    popular = [Window(), Window(), Window(3)][int(rng.integers(3))]
    value = [0, 1, None][int(rng.integers(3))] if valued else None
    wrong = "value" if (value, noise) != (None, None) and rng.random() < 0.7 else "item"
    known = Knowledge(correct, size, value, noise, popular, wrong)  # type: ignore[arg-type]
    return tuple(chain), known


def _cases(world: Store, kind: str, people: int) -> Iterator[tuple[tuple[Defence, ...], Knowledge]]:
    """Yield random cases, without chains that leave nothing of the data."""
    for seed in itertools.count():
        chain, known = random_case(kind, seed, people)
        try:
            defended(world, chain)
        except GridError:
            continue
        yield chain, known


def claims(
    world: Store, chain: tuple[Defence, ...], known: Knowledge, targets: int, seed: int = 5
) -> Decisions:
    """Return the decisions about people drawn from an original; some may not be in the release."""
    change = defended(world, chain)
    with TemporaryDirectory() as folder:
        store = change.build(Path(folder) / "released")
        able = np.flatnonzero(
            items_in_window(world, known.popularity, draw=known.draw) >= known.size
        )
        some = np.sort(np.random.default_rng(seed).permutation(able)[:targets])
        drawn = on_release(draw_aux(world, known, 0, some, seed), world, store)
        attack = Bayes(knowledge=(known,), publisher=change.with_totals(store, [known]))
        return decided(store, attack, attack.annotated(store, drawn))


def chances_right(found: Decisions) -> NDArray[np.float64]:
    """Chance that each best guess is right: one of the tied at the top is taken."""
    top = (found.above == 0) & (found.rank > 0) & (found.matching > 0)
    return np.where(top, 1 / np.maximum(found.rank, 1), 0.0)


def run(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    people, chains, targets = _SIZES[scale]
    found = []
    for kind in KINDS:
        folder = cache / f"calibration_{kind}_{people}"
        if not folder.exists():
            build_store(World(kind, people), folder)
        claimed, right, worst = [], [], (-1.0, "")
        world = Store(folder)
        for chain, known in itertools.islice(_cases(world, kind, people), chains):
            one = claims(world, chain, known, targets)
            claimed.append(one.posterior)
            right.append(chances_right(one))
            excess = float(claimed[-1].mean() - right[-1].mean())
            worst = max(worst, (excess, f"{'+'.join(each.name for each in chain)}; {known}"))
        found += _by_bin(kind, np.concatenate(claimed), np.concatenate(right), worst)
    return found


def _by_bin(
    kind: str, claimed: NDArray[np.float64], right: NDArray[np.float64], worst: tuple[float, str]
) -> list[Result]:
    bin_ = np.searchsorted(BINS, claimed, side="right") - 1
    none = [low for k, low in enumerate(BINS) if (bin_ == k).any() and not right[bin_ == k].any()]
    what = (
        f"claimed against right, {claimed.size} targets; most too much: {worst[0]:.3f} ({worst[1]})"
    )
    what += f"; nobody is right among claims from {none}" if none else ""
    every = Result(f"calibration/{kind}", what, "of guesses", (claimed.mean(),), (right.mean(),))
    found = [every]
    for k, low in enumerate(BINS):
        here = bin_ == k
        if here.any() and low not in none:
            name, of = f"calibration/{kind}/{low}", f"claims from {low}, {int(here.sum())} targets"
            means = (float(claimed[here].mean()),), (float(right[here].mean()),)
            found.append(Result(name, of, "of guesses", *means))
    return found

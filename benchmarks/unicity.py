"""The worst case of unicity, compared with the privacy attacks of scikit-mobility.

Both find, for each of some people, how many others share the points that fewest do, out of all sets
of up to three of their visits, among all people. The peer is asked about three points alone, and
about few people; ours about one, two and three points of everyone. Processor time of all threads.

The library itself cannot be installed beside pandas 2. Asked about the same visits (scikit-mobility
1.3.1, pandas 1.5.3), it took 33 and 133 s for the first two people by place, and found what the
peer here finds: more than a thousand times as long as the peer.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.peers.mobility_attacks import Attack
from benchmarks.registry import Scale
from benchmarks.result import Result
from benchmarks.timing import turns_of
from sim.measurements.points import Coding
from sim.measurements.time_bins import NO_TIMES, binned
from sim.measurements.unicity import points_of, worst_case
from sim.release.store.store import Store
from sim.session.release import table

_GOAL, _POINTS, _DAYS, _SEED = 1 / 20, 3, 28, 1


@dataclass(frozen=True, slots=True)
class _Size:
    people: int
    places: int
    visits: int
    compared: int
    rounds: int


_SIZES: dict[Scale, _Size] = {
    "full": _Size(people=10_000, places=2_000, visits=30, compared=8, rounds=5),
    "quick": _Size(people=10_000, places=2_000, visits=30, compared=2, rounds=3),
    "tiny": _Size(people=60, places=20, visits=5, compared=3, rounds=1),
}


def run(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    size = _SIZES[scale]
    visits = made_visits(size.people, size.places, size.visits)
    store = table(
        visits.assign(day=pd.Timestamp("2026-01-05") + pd.to_timedelta(visits["day"], unit="D")),
        user="uid",
        item="place",
        date="day",
        repeats="all",
        cache=str(cache),
    ).store
    kinds = {
        "location": (NO_TIMES, True),
        "unique_location": (NO_TIMES, False),
        "location_time": ("day", False),
    }
    return [_compared(name, store, visits, *kind, size) for name, kind in kinds.items()]


def made_visits(people: int, places: int, visits: int) -> pd.DataFrame:
    """Make up visits: two places of one's own, and others by their popularity, as days go by."""
    rng = np.random.default_rng(_SEED)
    n = 1 + rng.poisson(visits - 1, people)
    uid = np.repeat(np.arange(people), n)
    popular = 1 / np.arange(1, places + 1)
    own = rng.choice(places, (people, 2), p=popular / popular.sum())
    anywhere = rng.choice(places, uid.size, p=popular / popular.sum())
    kind = rng.choice(3, uid.size, p=[0.3, 0.2, 0.5])
    place = np.where(kind == 2, anywhere, own[uid, np.minimum(kind, 1)])
    frame = pd.DataFrame({"uid": uid, "place": place, "day": rng.integers(0, _DAYS, uid.size)})
    return frame.drop_duplicates(ignore_index=True)  # as the release does


def _compared(
    name: str, store: Store, visits: pd.DataFrame, times: str, counted: bool, size: _Size
) -> Result:
    attack = Attack(visits if times != NO_TIMES else visits[["uid", "place"]], counted=counted)
    uids = np.asarray(store.records.to_pandas(), np.int64)
    rows = np.arange(store.manifest.n_records)
    some = np.random.default_rng(_SEED).choice(rows, size.compared, replace=False)

    def ours() -> NDArray[np.int64]:
        bins = binned(store, times)
        coding = Coding(bins, int(bins.max()) + 1, _POINTS if counted else 1)
        return worst_case(store, coding, points_of(store, coding), rows, _POINTS)

    def peer() -> list[float]:
        return [attack.risk(uid, _POINTS) for uid in uids[some].tolist()]

    if not np.array_equal(1 / ours()[some, _POINTS - 1], peer()):
        raise RuntimeError(f"unicity: the peer does not find what we find ({name})")
    seconds = turns_of({"ours": ours, "peer": peer}, size.rounds, time.process_time)
    return Result(
        f"unicity/{name}",
        f"worst case of {_POINTS} points, {size.people:,} people, {len(visits):,} visits; the "
        f"definitions of scikit-mobility in pandas, of {size.compared} people",
        "ms a person",
        tuple(s * 1e3 / size.people for s in seconds["ours"]),
        tuple(s * 1e3 / size.compared for s in seconds["peer"]),
        _GOAL,
    )

"""Each record's nearest other record: by the command line, and against brute force.

The command looks for the neighbours of 10,000 records of a release of the size of Netflix's, by
the items alone (NS08, Fig. 1). Against scikit-learn the nearest by Hamming distance is looked for
(NS07, Fig. 1), which it can express: the squared distance of vectors of 0 and 1. Both are exact.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.command import against_limits, call, ready
from benchmarks.registry import Scale
from benchmarks.result import Result
from benchmarks.timing import turns_of
from sim.adversary.targets import draw_targets
from sim.measurements.neighbours import Hamming, nearest
from sim.release.store.cache import open_or_build
from sim.release.store.store import Store
from sim.release.synthetic import PRESETS, SyntheticSource

_SECONDS, _GIGABYTES, _GOAL = 180.0, 6.0, 1 / 20


@dataclass(frozen=True, slots=True)
class _Size:
    preset: str
    records: int
    sample: int
    compared: int
    rounds: int


_SIZES: dict[Scale, _Size] = {
    "full": _Size("netflix", records=10_000, sample=64, compared=512, rounds=3),
    "quick": _Size("default", records=2_000, sample=64, compared=512, rounds=3),
    "tiny": _Size("tiny", records=20, sample=8, compared=16, rounds=1),
}


def run(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    size = _SIZES[scale]
    common = ["experiment=ns08_fig1", "study.attributes=[presence]", *ready(size.preset, cache)]
    call([*common, "study.records=2"])  # compiles
    cost = call([*common, f"study.records={size.records}"])
    what = f"nearest other record by items of {size.records:,} records of {size.preset}"
    return [
        *against_limits("neighbours", what, [cost], _SECONDS, _GIGABYTES, scale),
        _brute_force(size, cache),
    ]


def _brute_force(size: _Size, cache: Path) -> Result:
    name, unit = "neighbours/sklearn", "ms a record"
    store = open_or_build(SyntheticSource(PRESETS[size.preset], seed=1), cache)
    everyone = np.ones(store.manifest.n_records, np.bool_)
    few, all_ = (draw_targets(everyone, n, seed=1) for n in (size.sample, size.compared))
    what = f"nearest by Hamming distance of {all_.size} records of {size.preset}; scikit-learn"

    if find_spec("sklearn") is None:
        missing = f"{what} is not installed: pip install 'standout[bench]'"
        return Result(name, missing, unit, (np.nan,), None, _GOAL)
    from benchmarks.peers.sklearn_nearest import by_hamming

    ways = by_hamming(store)
    for way, ask in ways.items():
        if (ask(few) != _ours(store, few)).any():
            raise RuntimeError(f"neighbours: sklearn ({way}) does not find what we find")
    tried = turns_of({way: partial(ask, few) for way, ask in ways.items()}, 1)
    fastest = min(ways, key=lambda way: min(tried[way]))
    work = {"ours": partial(_ours, store, all_), "peer": partial(ways[fastest], all_)}
    seconds = turns_of(work, size.rounds)
    costs = {who: tuple(s * 1e3 / all_.size for s in took) for who, took in seconds.items()}
    return Result(
        name,
        f"{what}, brute force on {os.cpu_count()} cores, {fastest}, the fastest of {len(ways)} "
        f"ways for {few.size} of them; ours on one core",
        unit,
        costs["ours"],
        costs["peer"],
        _GOAL,
    )


def _ours(store: Store, records: NDArray[np.int64]) -> NDArray[np.float64]:
    """Least Hamming distances, in items."""
    found = nearest(store, records, Hamming())
    return np.rint(found.distance * found.length)

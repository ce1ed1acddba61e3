"""Attackers that look only at the records that the facts leave possible.

The Bayes-optimal attacker against Scoreboard-RH, and Set Intersection against its own scan of every
record and against DuckDB: a target with all phases and the decision, one core, the same targets in
the same run. Then whole censuses under the Bayes-optimal attacker, and the unicity of every record,
as the command line runs them on two workers.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import memory
from benchmarks.attacks import attacked
from benchmarks.command import against_limits, call, ready
from benchmarks.registry import Scale
from benchmarks.result import Result
from benchmarks.timing import turns_of
from sim.adversary.aux import Drawn
from sim.adversary.draw import Sampling
from sim.adversary.knowledge import Knowledge
from sim.adversary.targets import draw_targets, items_in_window
from sim.attack.algorithms.bayes import Bayes
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.algorithms.sets import SetIntersection
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.similarity import Exponential
from sim.release.store.cache import open_or_build
from sim.release.store.store import Store
from sim.release.synthetic import PRESETS, SyntheticSource

_GIGABYTES, _BEYOND = 6.0, 2.0  # in all, and beyond the store, which is mapped


@dataclass(frozen=True, slots=True)
class _Size:
    """Size of the work; a census attacks every record of the release `whole`."""

    preset: str
    targets: int
    asked_of_duckdb: int
    rounds: int
    whole: str
    cluster: tuple[str, ...] = ("cluster=inline",)


_TWO = ("cluster=local", "cluster.workers=2")
_SIZES: dict[Scale, _Size] = {
    "full": _Size("netflix", 1024, 16, rounds=5, whole="netflix", cluster=_TWO),
    "quick": _Size("default", 512, 16, rounds=3, whole="tiny"),
    "tiny": _Size("tiny", 8, 2, rounds=2, whole="tiny"),
}

_BAYES = {
    "bayes_6_of_8": (Knowledge(6, 8, 0, 14), 0.5),
    "bayes_2_of_2": (Knowledge(2, 2, 0, 14), 1.5),
    "bayes_wrong_items": (Knowledge(6, 8, 0, 14, wrong="item"), 1.5),
}
"""What is known, and the most that it may cost against Scoreboard-RH at full size."""

_HELD = Knowledge(8, 8, None, None)

_WHOLE = {
    "first_1_to_8": (["grid.first=[1,2,3,4,5,6,7,8]"], 300.0),
    "6_of_8": (["grid.first=[null]"], 120.0),
}
"""A census under the Bayes-optimal attacker, and its seconds at full size."""

_UNICITY_SECONDS = 180.0


def run(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    size = _SIZES[scale]
    store = open_or_build(SyntheticSource(PRESETS[size.preset], seed=1), cache)
    found = [_bayes(store, name, size, scale) for name in _BAYES]
    return found + _sets(store, size, scale) + _whole(scale, size, cache)


def _drawn(store: Store, known: Knowledge, targets: int) -> Drawn:
    able = items_in_window(store, known.popularity) >= known.size
    return Sampling(known).draw(store, 0, draw_targets(able, targets, seed=1), seed=1)


def _costs(
    work: dict[str, Callable[[], object]], size: _Size, targets: int
) -> dict[str, tuple[float, ...]]:
    seconds = turns_of(work, size.rounds, time.thread_time)
    return {name: tuple(s * 1e3 / targets for s in took) for name, took in seconds.items()}


def _on(store: Store, targets: int) -> str:
    m = store.manifest
    return f"{targets} targets, {m.n_records:,} records × {m.n_items:,} items, {m.n_cells:,} cells"


def _bayes(store: Store, name: str, size: _Size, scale: Scale) -> Result:
    known, goal = _BAYES[name]
    drawn = _drawn(store, known, size.targets)
    attacks: dict[str, Algorithm] = {
        "ours": Bayes(knowledge=(known,)),
        "peer": ScoreboardRH(similarity=Exponential()),
    }
    work = {which: attacked(attack, store, drawn) for which, attack in attacks.items()}
    costs = _costs(work, size, len(drawn))
    what = f"bayes against scoreboard_rh; {known}, wrong={known.wrong}, {_on(store, len(drawn))}"
    return Result(
        f"candidates/{name}", what, "ms a target", costs["ours"], costs["peer"],
        goal if scale == "full" else None,
    )  # fmt: skip


def _sets(store: Store, size: _Size, scale: Scale) -> list[Result]:
    drawn = _drawn(store, _HELD, size.targets)
    ours = SetIntersection()
    work = {
        "ours": attacked(ours, store, drawn),
        "full": attacked(replace(ours, full=True), store, drawn),
    }
    costs = _costs(work, size, len(drawn))
    what = f"set_intersection, {_HELD.size} items, {_on(store, len(drawn))}"
    goals = (0.1, 0.01) if scale == "full" else (None, None)
    peer, said = _asked_of_duckdb(store, drawn, size)
    return [
        Result(
            "candidates/sets", f"{what}; against its scan of every record", "ms a target",
            costs["ours"], costs["full"], goals[0],
        ),
        Result(
            "candidates/duckdb", f"{what}; against DuckDB on one core: {said}", "ms a target",
            costs["ours"], peer, goals[1],
        ),
    ]  # fmt: skip


def _asked_of_duckdb(
    store: Store, drawn: Drawn, size: _Size
) -> tuple[tuple[float, ...] | None, str]:
    """Milliseconds a target of the fastest query, by round, and which that is."""
    if importlib.util.find_spec("duckdb") is None:
        return None, "it is not installed here"
    from benchmarks.peers.duckdb_sets import queries

    blocks = [store.block(index) for index in range(store.manifest.n_blocks)]
    record = np.concatenate([b.item_row.astype(np.int32) + b.first for b in blocks])
    item = np.concatenate(
        [
            np.repeat(np.arange(store.manifest.n_items, dtype=np.int32), np.diff(b.item_start))
            for b in blocks
        ]
    )
    order = np.argsort(item, kind="stable")
    n = min(size.asked_of_duckdb, len(drawn))
    asked = queries(record[order], item[order], drawn.aux.item.reshape(-1, _HELD.size)[:n])
    part: Any = attacked(SetIntersection(), store, drawn.part(0, n))()
    for way, query in asked.items():
        if query() != part.matching.tolist():
            raise RuntimeError(f"candidates: DuckDB ({way}) does not find what we find")
    seconds = turns_of(asked, size.rounds, time.process_time)
    fastest = min(seconds, key=lambda way: min(seconds[way]))
    return tuple(s * 1e3 / n for s in seconds[fastest]), f"{fastest}, for {n} of them"


def _whole(scale: Scale, size: _Size, cache: Path) -> list[Result]:
    common = [*size.cluster, *ready(size.whole, cache)]
    census = ["experiment=census", "attack=bayes", *common]
    call([*census, "targets=2"])  # compiles
    found = []
    for name, (asked, seconds) in _WHOLE.items():
        what = f"every record of {size.whole} under bayes, 6/8 facts ±14 days, {name}"
        took = [call([*census, *asked])]
        found += against_limits(f"candidates/census_{name}", what, took, seconds, _GIGABYTES, scale)
        if memory.can_tell():
            beyond = tuple(cost.beyond_files / 1e9 for cost in took)
            found.append(
                Result(
                    f"candidates/census_{name}/beyond", f"{what}; peak beyond what is mapped from "
                    "files, as the store is; the peer is the goal, at full size", "GB", beyond,
                    (_BEYOND,), 1.0 if scale == "full" else None,
                )
            )  # fmt: skip
    unicity = ["experiment=unicity", *common]
    what = f"unicity of every record of {size.whole}, 1 to 10 points"
    took = [call(unicity)]
    return found + against_limits(
        "candidates/unicity", what, took, _UNICITY_SECONDS, _GIGABYTES, scale
    )

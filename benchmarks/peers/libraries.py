"""The best guess against the libraries that one would otherwise take.

Scoreboard-RH with moments: eight facts, dates within 14 days. DuckDB, Polars and SciPy get the
same facts and the same cells, sorted by item as ours are, in memory; loading them is not timed.
Several ways to put the question are tried and the fastest is kept. They find the two highest
scores, their record and σ; ours finds ties and the target's rank as well. Some targets keep them
busy for a second or more; ours goes through eight times as many, so that it too is measured with
its caches filled. scikit-learn cannot express Scoreboard-RH: with it TF-IDF is compared, a cosine,
on the same targets for both, since it gains by being asked about many at a time.

Time is that on the clock, since all but SciPy use every core. Ours uses one core where the name
says no more, and all of them where it ends with ``all_cores``.
"""

from __future__ import annotations

import importlib
import itertools
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.made import MadeRelease, made_store
from benchmarks.peers.question import Answers, Question
from benchmarks.registry import Scale
from benchmarks.result import Result
from benchmarks.timing import turns_of
from sim.adversary.aux import Drawn
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge
from sim.adversary.targets import draw_targets, items_in_window
from sim.attack.algorithms.mentions import TfIdf
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.decisions import Decisions
from sim.attack.engine.similarity import Exponential
from sim.release.store.store import Store
from sim.study.inline import decided

_KNOWN = Knowledge(correct=8, size=8, value_noise=0, date_noise=14)
_SEED = 1

_TABLES = {"duckdb": "duckdb_query", "polars": "polars_query", "scipy": "scipy_product"}
_GOALS = {"duckdb": 1 / 80, "polars": 1 / 80, "scipy": 1 / 20, "sklearn": 1 / 20}
_SAID = {"duckdb": "DuckDB", "polars": "Polars", "scipy": "SciPy", "sklearn": "scikit-learn"}


@dataclass(frozen=True, slots=True)
class _Size:
    release: MadeRelease
    targets: int
    asked: int  # of these
    rounds: int


_SIZES: dict[Scale, _Size] = {
    "full": _Size(MadeRelease(240_000, 9_000, 50_000_000), targets=1024, asked=128, rounds=5),
    "quick": _Size(MadeRelease(60_000, 5_000, 10_000_000), targets=256, asked=32, rounds=3),
    "tiny": _Size(MadeRelease(900, 120, 15_000), targets=8, asked=4, rounds=2),
}

_UNIT = "ns a posting"

Work = Callable[[], Any]


def compare(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    size = _SIZES[scale]
    store = made_store(size.release, cache)
    able = items_in_window(store, _KNOWN.popularity) >= _KNOWN.size
    drawn = draw_aux(store, _KNOWN, 0, draw_targets(able, size.targets, _SEED), _SEED)
    asked = drawn.part(0, size.asked)
    m = store.manifest
    on = (
        f"{_KNOWN.size} facts, {m.n_records:,} records × {m.n_items:,} items, {m.n_cells:,} cells; "
        f"{len(asked)} targets"
    )
    return [
        *_tables(store, drawn, asked, size.rounds, f"Scoreboard-RH, {on}, ours {len(drawn)}"),
        *_neighbours(store, asked, size.rounds, f"TF-IDF, {on}"),
    ]


def _tables(store: Store, drawn: Drawn, asked: Drawn, rounds: int, on: str) -> list[Result]:
    attack = ScoreboardRH(similarity=Exponential())
    question, results = Question.of(store, asked.aux), []
    wanted = _answers(decided(store, attack, asked))
    for name, module in _TABLES.items():
        if find_spec(name) is None:
            results += _missing(name, on)
            continue
        ways = importlib.import_module(f"benchmarks.peers.{module}").formulations(question)
        for way, ask in ways.items():
            if not wanted.agrees(ask()):
                raise RuntimeError(f"peers: {name} ({way}) does not find what we find")
        results += _measured(name, store, attack, drawn, asked, ways, rounds, on)
    return results


def _neighbours(store: Store, drawn: Drawn, rounds: int, on: str) -> list[Result]:
    if find_spec("sklearn") is None:
        return _missing("sklearn", on)
    from benchmarks.peers.sklearn_nearest import by_cosine

    attack, ways = TfIdf(), by_cosine(store, drawn.aux)
    ours = decided(store, attack, drawn)
    for way, ask in ways.items():
        found = ask()
        alone = ours.best >= 0
        alike = (
            np.allclose(ours.best_score, found.best, atol=1e-7)
            and np.allclose(ours.second_score, found.second, atol=1e-7)
            and (ours.best == found.best_record)[alone].all()
        )
        if not alike:
            raise RuntimeError(f"peers: sklearn ({way}) does not find what we find")
    return _measured("sklearn", store, attack, drawn, drawn, ways, rounds, on)


def _measured(
    name: str,
    store: Store,
    attack: Algorithm,
    drawn: Drawn,
    asked: Drawn,
    ways: Mapping[str, Work],
    rounds: int,
    on: str,
) -> list[Result]:
    """Against the fastest way to ask this peer, in turns."""
    tried = turns_of(ways, 2)
    fastest = min(ways, key=lambda way: min(tried[way]))
    seconds = turns_of(
        {
            "one": lambda: decided(store, attack, drawn),
            "all": lambda: _decide_on_all_cores(store, attack, drawn),
            "peer": ways[fastest],
        },
        rounds,
    )
    ours, theirs = _postings(store, drawn), _postings(store, asked)
    postings = {"one": ours, "all": ours, "peer": theirs}
    costs = {who: tuple(s * 1e9 / postings[who] for s in took) for who, took in seconds.items()}
    cores = "one core" if name == "scipy" else f"{os.cpu_count()} cores"
    peer = f"{_SAID[name]} on {cores}, {fastest}, the fastest of {len(ways)} ways; {on}"
    label = f"peers/{name}"
    return [
        Result(label, f"one core against {peer}", _UNIT, costs["one"], costs["peer"], _GOALS[name]),
        Result(
            f"{label}_all_cores",
            f"{os.cpu_count()} cores against {peer}",
            _UNIT,
            costs["all"],
            costs["peer"],
            _GOALS[name],
        ),
    ]


def _postings(store: Store, drawn: Drawn) -> int:
    return int(store.support[drawn.aux.item].sum())


def _missing(name: str, on: str) -> list[Result]:
    what = f"{_SAID[name]} is not installed: pip install 'standout[bench]'; {on}"
    return [Result(f"peers/{name}", what, _UNIT, (np.nan,), None, _GOALS[name])]


def _decide_on_all_cores(store: Store, attack: Algorithm, drawn: Drawn) -> list[Decisions]:
    cores = os.cpu_count() or 1
    # As many postings for each: targets differ in what they cost.
    postings = np.add.reduceat(store.support[drawn.aux.item], drawn.aux.start[:-1]).cumsum()
    bounds = np.searchsorted(postings, postings[-1] * np.arange(1, cores) / cores).tolist()
    parts = [drawn.part(a, b) for a, b in itertools.pairwise([0, *bounds, len(drawn)]) if b > a]
    with ThreadPoolExecutor(cores) as pool:
        return list(pool.map(lambda part: decided(store, attack, part), parts))


def _answers(decisions: Decisions) -> Answers:
    return Answers(decisions.best_score, decisions.second_score, decisions.sigma, decisions.best)

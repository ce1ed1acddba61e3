"""Every attack against Scoreboard-RH: what a target costs, with all phases and the decision.

Ours is the attack, the peer is Scoreboard-RH in its plainest form, on the same aux sets of the same
release, one core.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.registry import Scale
from benchmarks.result import Result
from benchmarks.timing import turns_of
from sim.adversary.aux import Drawn
from sim.adversary.draw import Sampling
from sim.adversary.knowledge import Knowledge
from sim.adversary.targets import draw_targets, items_in_window
from sim.attack.algorithms.baselines import LongestRecord, RandomGuess
from sim.attack.algorithms.bayes import Bayes
from sim.attack.algorithms.correlation import Correlation
from sim.attack.algorithms.mentions import Scoring, ScoringRated, TfIdf
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.algorithms.sets import Neighbourhood, Scoreboard, SetIntersection
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.similarity import Base2, Exponential, Threshold
from sim.release.store.cache import open_or_build
from sim.release.store.store import Store
from sim.release.synthetic import PRESETS, SyntheticSource
from sim.study.inline import decided

_KNOWN = Knowledge(correct=6, size=8, value_noise=0, date_noise=14)
_PEER = "scoreboard_rh"
_PRESETS: dict[Scale, str] = {"full": "default", "quick": "default", "tiny": "tiny"}
_TARGETS: dict[Scale, int] = {"full": 64, "quick": 32, "tiny": 4}
_ROUNDS: dict[Scale, int] = {"full": 9, "quick": 3, "tiny": 2}


def attacks() -> dict[str, Algorithm]:
    """Every attack, and Scoreboard-RH with the entropy, which takes a second scan."""
    similar = Exponential()
    return {
        _PEER: ScoreboardRH(similarity=similar),
        "scoreboard_rh with entropy": ScoreboardRH(similarity=similar, entropy=True),
        "scoreboard": Scoreboard(similarity=Threshold(0, 14)),
        "neighbourhood": Neighbourhood(eps_value=0, eps_day=14, delta_value=0.25, delta_day=0.25),
        "correlation": Correlation(similarity=Base2()),
        "set_intersection": SetIntersection(),
        "tf_idf": TfIdf(),
        "scoring": Scoring(),
        "scoring_rated": ScoringRated(),
        "bayes": Bayes(knowledge=(_KNOWN,), count="exact"),
        "random": RandomGuess(),
        "longest": LongestRecord(),
    }


def run(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    store = open_or_build(SyntheticSource(PRESETS[_PRESETS[scale]], seed=1), cache)
    able = items_in_window(store, _KNOWN.popularity) >= _KNOWN.size
    targets = draw_targets(able, _TARGETS[scale], seed=1)
    drawn = Sampling(_KNOWN).draw(store, 0, targets, seed=1)
    work = {name: attacked(attack, store, drawn) for name, attack in attacks().items()}
    seconds = turns_of(work, _ROUNDS[scale], time.thread_time)
    costs = {name: tuple(s * 1e3 / len(drawn) for s in took) for name, took in seconds.items()}
    m = store.manifest
    on = f"{_KNOWN}, {m.n_records:,} records × {m.n_items:,} items, {m.n_cells:,} cells"
    return [
        Result(
            f"attacks/{name}", f"{name} against {_PEER}; {on}", "ms a target", took, costs[_PEER]
        )
        for name, took in costs.items()
    ]


def attacked(attack: Algorithm, store: Store, drawn: Drawn) -> Callable[[], object]:
    """Return the attack on some targets, with all phases and the decisions."""

    def once() -> object:
        return decided(store, attack, attack.annotated(store, drawn))

    return once

"""Every attack there is, and aux sets that try all of it; for tests that hold for each of them."""

from __future__ import annotations

import numpy as np
from attacking import random_aux
from drawing import changed

from sim.adversary.aux import Drawn
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge, Window
from sim.attack.algorithms.baselines import LongestRecord, RandomGuess
from sim.attack.algorithms.bayes import Bayes
from sim.attack.algorithms.correlation import Correlation
from sim.attack.algorithms.mentions import Scoring, ScoringRated, TfIdf
from sim.attack.algorithms.registry import ATTACKS
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.algorithms.sets import Neighbourhood, Scoreboard, SetIntersection
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.similarity import Base2, Exponential, Threshold
from sim.release.store.store import Store

CELLS = (
    Knowledge(2, 2, 0, 3),
    Knowledge(2, 3, 1, 14),
    Knowledge(1, 3, None, 3, Window(1)),
    Knowledge(3, 4, 1, None, wrong="item"),
    Knowledge(4, 4, 0, 14, wrong="item"),
)
EVERY: list[Algorithm] = [
    Scoreboard(similarity=Threshold(1, 14)),
    ScoreboardRH(similarity=Exponential(), entropy=True, both_sigmas=True),
    ScoreboardRH(similarity=Threshold(1, 14), sigma="nonzero", missing="mean"),
    Neighbourhood(eps_value=1, eps_day=14, delta_value=0.5, delta_day=0.5),
    Correlation(similarity=Base2(), entropy=True),
    SetIntersection(),
    TfIdf(entropy=True),
    Scoring(max_length_share=0.9, entropy=True, both_sigmas=True),
    ScoringRated(max_length_share=None, entropy=True),
    Bayes(knowledge=CELLS, count="independent"),
    Bayes(knowledge=CELLS, count="exact", sigma="nonzero"),
    RandomGuess(entropy=True),
    LongestRecord(entropy=True, both_sigmas=True, sigma="nonzero"),
]
EVERY += [  # an attack that nobody listed here is tried as it is by default
    attack().for_study(CELLS)
    for name, attack in ATTACKS.all().items()
    if name not in {listed.name for listed in EVERY}
]


def mixed(store: Store, attack: Algorithm) -> Drawn:
    """Aux of several adversaries, present and absent targets, with and without a known length."""
    wild = [] if attack.name == "bayes" else [random_aux(store, 1, 12, absent=0.3, bounded=0.3)]
    drawn = [
        draw_aux(store, knowledge, cell, np.flatnonzero(store.length >= 8)[:4], 7)
        for cell, knowledge in enumerate(CELLS)
    ]
    aux = Drawn.concatenate(drawn)
    absent, lengths = np.arange(len(aux)) % 3 == 1, store.length[aux.truth.target]
    bounded = np.arange(len(aux)) % 4 == 2
    aux = changed(aux, absent=absent, shortest=np.where(bounded, lengths - 2, 0).astype(np.int32))
    return attack.annotated(store, Drawn.concatenate([aux, *wild]))

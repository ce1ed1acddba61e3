"""Every attack by its name. A new one is a new file and a line here."""

from __future__ import annotations

from sim.attack.algorithms.baselines import LongestRecord, RandomGuess
from sim.attack.algorithms.bayes import Bayes
from sim.attack.algorithms.correlation import Correlation
from sim.attack.algorithms.mentions import Scoring, ScoringRated, TfIdf
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.algorithms.sets import Neighbourhood, Scoreboard, SetIntersection
from sim.attack.engine.algorithm import Algorithm

ALGORITHMS: dict[str, type[Algorithm]] = {
    algorithm.name: algorithm
    for algorithm in (
        Scoreboard,
        ScoreboardRH,
        Neighbourhood,
        Correlation,
        SetIntersection,
        TfIdf,
        Scoring,
        ScoringRated,
        Bayes,
        RandomGuess,
        LongestRecord,
    )
}

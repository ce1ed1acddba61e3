"""Every attack by its name. A new one is a new file and a line here."""

from __future__ import annotations

from sim.attack.algorithm import Algorithm
from sim.attack.baselines import LongestRecord, RandomGuess
from sim.attack.bayes import Bayes
from sim.attack.correlation import Correlation
from sim.attack.mentions import Scoring, ScoringRated, TfIdf
from sim.attack.scoreboard_rh import ScoreboardRH
from sim.attack.sets import Neighbourhood, Scoreboard, SetIntersection

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

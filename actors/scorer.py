"""The actor that scores: it maps its blocks of the store and keeps nothing else."""

from __future__ import annotations

from pathlib import Path

from sim.adversary.aux import AuxBatch
from sim.attack.partials import Partials
from sim.attack.scoreboard_rh import ScoreboardRH
from sim.release.store import Store


class Scorer:
    """Scores some blocks of a store.

    Its methods are pure, so Ray may run them again wherever it likes.

    Parameters
    ----------
    folder : Path
        The store; opened here, since a memory map that travels is a copy.
    blocks : list of int
    attack : ScoreboardRH
    """

    def __init__(self, folder: Path, blocks: list[int], attack: ScoreboardRH) -> None:
        self.store, self.blocks, self.attack = Store(folder), blocks, attack

    def score(self, aux: AuxBatch) -> dict[int, Partials]:
        """Partials of each block of this scorer."""
        return self.attack.score(self.store, self.blocks, aux)

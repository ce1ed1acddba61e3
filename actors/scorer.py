"""The actor that scores: it maps its blocks of the store and keeps nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sim.adversary.aux import AuxBatch
from sim.attack.algorithm import Algorithm
from sim.record.provenance import check_program
from sim.release.store import Store


class Scorer:
    """Scores some blocks of a store.

    Its methods are pure, so Ray may run them again wherever it likes.

    Parameters
    ----------
    folder : Path
        The store; opened here, since a memory map that travels is a copy.
    blocks : list of int
    attack : Algorithm
    program : str
        What the coordinator runs; see `sim.record.provenance.program`.
    """

    def __init__(self, folder: Path, blocks: list[int], attack: Algorithm, program: str) -> None:
        check_program(program)
        self.store, self.blocks, self.attack = Store(folder), blocks, attack

    def score(self, aux: AuxBatch, phase: int, carry: Any) -> dict[int, Any]:
        """One phase of the attack on this scorer's blocks; see `Algorithm.score`."""
        return self.attack.score(self.store, self.blocks, aux, phase, carry)

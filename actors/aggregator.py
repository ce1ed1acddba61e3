"""The actor that merges: partial scores in, eccentricity decisions out."""

from __future__ import annotations

from pathlib import Path

from sim.adversary.aux import AuxBatch
from sim.attack.decisions import Decisions
from sim.attack.partials import Partials, total
from sim.attack.scoreboard_rh import ScoreboardRH
from sim.release.store import Store


class Aggregator:
    """Merges the scorers' partials of a batch and decides.

    A call brings all of a batch's partials, keyed by block, so a block that was scored twice counts
    once and a restart loses nothing.

    Parameters
    ----------
    folder : Path
        The store.
    attack : ScoreboardRH
    """

    def __init__(self, folder: Path, attack: ScoreboardRH) -> None:
        self.store, self.attack = Store(folder), attack

    def decide(self, aux: AuxBatch, *scored: dict[int, Partials]) -> Decisions:
        """Decide on one batch, given every shard's partials."""
        blocks = {index: part for shard in scored for index, part in shard.items()}
        missing = set(range(self.store.manifest.n_blocks)) - blocks.keys()
        if missing:
            raise RuntimeError(f"no partials of blocks {sorted(missing)}")
        return self.attack.decide(self.store, total(blocks), aux)

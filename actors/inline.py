"""The runner without Ray: everything in this process, block after block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from actors.runner import Draw
from sim.adversary.aux import AuxBatch
from sim.attack.decisions import Decisions
from sim.attack.partials import total
from sim.attack.scoreboard_rh import ScoreboardRH
from sim.release.store import Store


@dataclass(frozen=True, slots=True)
class InlineRunner:
    """See `actors.runner.Runner`."""

    store: Store
    attack: ScoreboardRH

    def run(self, batches: list[int], draw: Draw) -> Iterator[tuple[int, AuxBatch, Decisions]]:
        """See `Runner.run`."""
        blocks = list(range(self.store.manifest.n_blocks))
        for batch in batches:
            aux = draw(batch)
            whole = total(self.attack.score(self.store, blocks, aux))
            yield batch, aux, self.attack.decide(self.store, whole, aux)

    def shape(self) -> Mapping[str, Any]:
        """See `Runner.shape`."""
        return {"kind": "inline", "workers": 1, "shards": 1, "replicas": 1}

    def close(self) -> None:
        """See `Runner.close`."""

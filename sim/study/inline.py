"""The runner without Ray: everything in this process, block after block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sim.adversary.aux import Drawn
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.decisions import Decisions
from sim.release.store.store import Store
from sim.study.runner import Draw


@dataclass(frozen=True, slots=True)
class InlineRunner:
    """See `sim.study.runner.Runner`."""

    store: Store
    attack: Algorithm

    def run(self, batches: list[int], draw: Draw) -> Iterator[tuple[int, Drawn, Decisions]]:
        """See `Runner.run`."""
        blocks = list(range(self.store.manifest.n_blocks))
        for batch in batches:
            drawn = draw(batch)
            carry: Any = None
            for phase in range(self.attack.n_phases):
                found = self.attack.score(self.store, blocks, drawn, phase, carry)
                carry = self.attack.fold(self.store, drawn, phase, carry, found)
            yield batch, drawn, carry

    def shape(self) -> Mapping[str, Any]:
        """See `Runner.shape`."""
        return {"kind": "inline", "workers": 1, "shards": 1, "replicas": 1}

    def close(self) -> None:
        """See `Runner.close`."""

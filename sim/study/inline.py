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


def decided(store: Store, attack: Algorithm, drawn: Drawn) -> Decisions:
    """Scan every block in every phase, and decide on annotated aux sets."""
    blocks = list(range(store.manifest.n_blocks))
    carry: Any = None
    for phase in range(attack.n_phases):
        found = attack.partials(store, blocks, drawn, phase, carry)
        carry = attack.fold(store, drawn, phase, carry, found)
    assert isinstance(carry, Decisions)
    return carry


@dataclass(frozen=True, slots=True)
class InlineRunner:
    """See `sim.study.runner.Runner`."""

    store: Store
    attack: Algorithm

    def run(self, batches: list[int], draw: Draw) -> Iterator[tuple[int, Drawn, Decisions]]:
        """See `Runner.run`."""
        for batch in batches:
            drawn = draw(batch)
            yield batch, drawn, decided(self.store, self.attack, drawn)

    def shape(self) -> Mapping[str, Any]:
        """See `Runner.shape`."""
        return {"kind": "inline", "workers": 1, "shards": 1, "replicas": 1}

    def close(self) -> None:
        """See `Runner.close`."""

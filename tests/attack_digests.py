"""Digests of what attacks that scan decide on small releases, both named as arguments.

Run twice, in two settings of the environment, it tells whether they decide alike. Attacks that look
for candidates first (sets, Bayes) are left out: their kernels call no loop of which there are two
kinds, and take longer to compile than all others.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from attacking import decide, random_aux
from drawing import changed
from making import RowSource, random_rows

from sim.adversary.aux import Drawn
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge
from sim.attack.algorithms.baselines import LongestRecord, RandomGuess
from sim.attack.algorithms.correlation import Correlation
from sim.attack.algorithms.mentions import Scoring, ScoringRated, TfIdf
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.decisions import Decisions
from sim.attack.engine.similarity import Base2, Exponential, Presence, Steps, Threshold
from sim.release.store.build import build_store
from sim.release.store.store import Store
from sim.release.synthetic import PRESETS, SyntheticSource

_SEED = 5
_CELLS = tuple(
    Knowledge(correct, size, value_noise=0, date_noise=noise, wrong="item")
    for correct, size, noise in ((2, 2, 3), (4, 5, 14), (8, 8, None))
)


def attacks() -> dict[str, Algorithm]:
    """Every attack that scans, and every shape of its tables."""
    found: list[Algorithm] = [
        *(
            ScoreboardRH(similarity=similarity, entropy=entropy)
            for similarity in (Exponential(), Threshold(1, 14), Steps(1, 14), Presence(), Base2())
            for entropy in (False, True)
        ),
        ScoreboardRH(similarity=Exponential(), sigma="nonzero", missing="mean", entropy=True),
        Correlation(similarity=Base2(), entropy=True),
        TfIdf(entropy=True),
        Scoring(entropy=True),
        ScoringRated(delta=1.0),
        RandomGuess(),
        LongestRecord(entropy=True),
    ]
    return {f"{number} {attack.name}": attack for number, attack in enumerate(found)}


def stores(folder: Path, names: Sequence[str]) -> dict[str, Store]:
    """A release in one block and in several, one of many levels, one that lacks values and days."""
    tiny = SyntheticSource(PRESETS["tiny"], _SEED)
    n = PRESETS["tiny"].records
    scale = np.arange(1.0, 41.0).tolist()
    sources = {
        "tiny": (tiny, n),
        "blocks": (tiny, n // 3),
        "levels": (RowSource(random_rows(3, 300, 30, 4000, scale=scale)), 300),
        "missing": (RowSource(random_rows(4, 300, 30, 4000, missing=0.3)), 120),
    }
    for name in names:
        source, records = sources[name]
        build_store(source, folder / name, block_records=records)
    return {name: Store(folder / name) for name in names}


def known(store: Store) -> Drawn:
    """Aux sets as a study draws them, and others: absent, bounded, of items unknown."""
    targets = np.flatnonzero(store.length >= 8)[:12]
    drawn = [draw_aux(store, cell, c, targets, _SEED) for c, cell in enumerate(_CELLS)]
    odd = random_aux(store, _SEED, 24, absent=0.3, bounded=0.3)
    return Drawn.concatenate([*drawn, changed(odd, cell=np.full(len(odd), 1, np.int32))])


def digests(releases: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """By release and attack."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, store in stores(Path(folder), releases).items():
            aux = known(store)
            for number, attack in attacks().items():
                if attack.name not in names or attack.lacks(store.manifest) is not None:
                    continue
                made = decide(store, attack.annotated(store, aux), attack)
                both = b"".join(getattr(made, part).tobytes() for part in Decisions.__slots__)
                found[f"{name} {number}"] = hashlib.sha256(both).hexdigest()
    return found


if __name__ == "__main__":
    found = digests(*(argument.split(",") for argument in sys.argv[1:]))
    sys.stdout.write(json.dumps(found, indent=1) + "\n")

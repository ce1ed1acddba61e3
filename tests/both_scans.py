"""The scan of all records and that of candidates, held to each other, on releases of every kind."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from attacking import decide
from hypothesis import strategies as st
from making import MakeStore, random_rows

from sim.adversary.aux import Drawn
from sim.attack.engine.candidates_first import CandidatesFirst
from sim.attack.engine.decisions import Decisions
from sim.attack.kernels.drivers import scan_block, target_scores
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store

UNKNOWN = {
    "overlapping", "overlapping_best", "overlapping_least", "overlapping_sum",
    "overlapping_squares", "overlapping_exp", "overlapping_exp_squares",
}  # fmt: skip
"""Fields of a partial that take every record, and are compared nowhere below."""

RELEASES = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 10_000),
        "records": st.sampled_from([1, 2, 8, 25, 60]),
        "items": st.sampled_from([1, 3, 8]),
        "values": st.booleans(),
        "days": st.booleans(),
        "missing": st.sampled_from([0.0, 0.3]),
        "repeats": st.booleans(),
    }
)


def store_of(make_store: MakeStore, release: dict[str, Any], block: int) -> Store:
    rows = random_rows(cells=release["records"] * 4, **release)
    rule = Repeats.ALL if release["repeats"] else Repeats.LATEST
    return make_store(rows, block_records=block, repeats=rule)


def compare(store: Store, drawn: Drawn, attack: CandidatesFirst) -> int:
    """Hold both scans and their decisions to each other; return the aux sets with candidates."""
    whole = dataclasses.replace(attack, full=True)
    drawn = attack.annotated(store, drawn)
    prepared = attack.prepared(store, drawn)
    spec = attack.scanned(store, prepared)
    own = target_scores(store, prepared, spec)
    done = np.zeros(len(drawn), np.int64)
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        wanted = scan_block(store, block, prepared, spec, own)
        found = scan_block(store, block, prepared, spec, own, full=False)
        for name in wanted.dtype.names or ():
            if name not in UNKNOWN:
                assert found[name].tobytes() == wanted[name].tobytes(), name
        left = found["overlapping"] >= 0
        assert found[left].tobytes() == wanted[left].tobytes()
        done += ~left
    # Whether an aux set has candidates is the same in every block.
    assert np.isin(done, [0, store.manifest.n_blocks]).all()
    one, other = decide(store, drawn, attack), decide(store, drawn, whole)
    for field in dataclasses.fields(Decisions):
        if field.name != "overlapping":
            assert getattr(one, field.name).tobytes() == getattr(other, field.name).tobytes()
    assert (one.overlapping == np.where(done > 0, -1, other.overlapping)).all()
    return int((done > 0).sum())

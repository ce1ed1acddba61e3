"""Wrong facts have a wrong value or date wherever one can be told from any truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, examples, plain, random_rows
from studying import cells, knowledge_of

from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge
from sim.study.wrong_facts import can_differ, choose_wrong, kinds_of_wrong

pytestmark = pytest.mark.fast


@settings(max_examples=examples(60))
@given(
    seed=st.integers(0, 10_000),
    records=st.integers(1, 8),
    values=st.booleans(),
    days=st.booleans(),
    missing=st.sampled_from([0.0, 0.1]),
    scale=st.sampled_from([(1.0, 2.0, 3.0, 4.0, 5.0), (2.0,), (0.5, 4.0, 4.5)]),
    k=st.sampled_from([0, 1, 2, 4, None]),
    d=st.sampled_from([0, 14, 25, 60, None]),
)
def test_it_is_decided_by_every_cell_of_the_release(
    make_store: MakeStore, seed: int, records: int, values: bool, days: bool, missing: float,
    scale: tuple[float, ...], k: float | None, d: int | None,
) -> None:  # fmt: skip
    store = make_store(random_rows(seed, records, 6, 20, values, days, missing, scale))
    release = plain(store)
    held = list(zip(release.value[release.held], release.day[release.held], strict=True))
    # A comparison with a missing part is false.
    expected = all(
        any(
            (k is not None and abs(v - value) > k) or (d is not None and abs(t - day) > d)
            for v, t in held
        )
        for value, day in held
    )
    known = Knowledge(0, 1, k, d)
    assert can_differ(store, known) == expected
    if expected:  # then any fact of any record can be wrong
        drawn = draw_aux(store, known, 0, np.arange(store.manifest.n_records), seed)
        assert len(drawn) == store.manifest.n_records


def test_each_grid_cell_by_what_is_known_in_it(make_store: MakeStore) -> None:
    store = make_store(random_rows(3))
    grid = cells(aux=["2/2", "1/2"], date_noise=[3, None, 900], value_noise=[0, None, 9])
    chosen = choose_wrong(grid, store)
    for cell, kind in zip(chosen, kinds_of_wrong(chosen), strict=True):
        known = knowledge_of(cell)
        told = known.value_noise == 0 or known.date_noise == 3
        assert known.wrong == ("value" if told or known.correct == known.size else "item")
        assert kind == (None if cell.axes["aux"] == "2/2" else known.wrong)
    assert [cell.index for cell in chosen] == [cell.index for cell in grid]


def test_one_level_and_no_dates_leave_nothing_to_tell(make_store: MakeStore) -> None:
    store = make_store(random_rows(3, days=False, scale=(1.0,)))
    chosen = choose_wrong(cells(aux=["1/2"], date_noise=[None], value_noise=[0]), store)
    assert kinds_of_wrong(chosen) == ["item"]

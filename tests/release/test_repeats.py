"""Rows of one record and item: what becomes of them, against plain Python."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import MakeStore, Row

from sim.errors import ConfigError, InputError
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.release.store.value_bins import ValueBins

VISITS: list[Row] = [
    ("ann", "bar", 2.0, 12), ("ann", "bar", 1.0, 10), ("ann", "bar", 1.0, 10),
    ("ann", "gym", None, 11), ("bob", "bar", 3.0, None), ("bob", "bar", 4.0, 13),
]  # fmt: skip

Cell = tuple[object, object, float | None, int | None]


def cells_of(store: Store) -> list[Cell]:
    """All cells in the order of the records, by the user's own identifiers."""
    m, found = store.manifest, []
    for index in range(m.n_blocks):
        block = store.block(index)
        record = block.first + np.repeat(np.arange(block.n_records), np.diff(block.record_start))
        columns = record, block.record_item, block.record_level, block.record_day
        for r, i, level, day in zip(*(c.tolist() for c in columns), strict=True):
            value = None if level == len(m.scale) else m.scale[level]
            found.append(
                (store.records[r].as_py(), store.items[i].as_py(), value,
                 None if day == m.n_days else m.first_day + day)
            )  # fmt: skip
    return found


def merged(rows: list[Row], rule: Repeats) -> list[Cell]:
    """What the rule makes of rows, sorted; whole days."""
    if rule is Repeats.ALL:
        return sorted(set(rows), key=repr)
    groups: dict[tuple[object, object], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row[:2]].append(row)
    found: list[Cell] = []
    repeats = any(len(same) > 1 for same in groups.values())
    for pair, same in groups.items():
        days = [row[3] for row in same if row[3] is not None]
        values = [row[2] for row in same if row[2] is not None]
        latest = max(days, default=None)
        if rule is Repeats.COUNT:
            # Where nothing repeats, a count says nothing.
            found.append((*pair, float(len(same)) if repeats else None, latest))
        elif rule is Repeats.SUM:
            found.append((*pair, sum(sorted(values)) if values else None, latest))
        elif rule is Repeats.LATEST:
            tied = [row[2] for row in same if row[3] == latest and row[2] is not None]
            found.append((*pair, max(tied, default=None), latest))
        else:
            first = min(days, default=None)
            tied = [row[2] for row in same if row[3] == first and row[2] is not None]
            found.append((*pair, min(tied, default=None), first))
    return sorted(found, key=repr)


@pytest.mark.parametrize(
    ("rule", "cells"),
    [
        ("all", [("ann", "bar", 1.0, 10), ("ann", "bar", 2.0, 12), ("ann", "gym", None, 11),
                 ("bob", "bar", 4.0, 13), ("bob", "bar", 3.0, None)]),
        ("count", [("ann", "bar", 3.0, 12), ("ann", "gym", 1.0, 11), ("bob", "bar", 2.0, 13)]),
        ("sum", [("ann", "bar", 4.0, 12), ("ann", "gym", None, 11), ("bob", "bar", 7.0, 13)]),
        ("latest", [("ann", "bar", 2.0, 12), ("ann", "gym", None, 11), ("bob", "bar", 4.0, 13)]),
        ("first", [("ann", "bar", 1.0, 10), ("ann", "gym", None, 11), ("bob", "bar", 4.0, 13)]),
    ],
)  # fmt: skip
def test_each_rule_on_six_visits(make_store: MakeStore, rule: str, cells: list[Cell]) -> None:
    store = make_store(VISITS, repeats=Repeats(rule))
    m = store.manifest
    assert cells_of(store) == cells
    assert (m.repeats, m.n_cells, m.n_duplicates) == (rule, len(cells), 6 - len(cells))
    assert m.n_repeats == (2 if rule == "all" else 0)
    assert store.length.sum() == len(cells)
    assert store.support.tolist() == [2, 1]
    assert store.cells.tolist() == ([4, 1] if rule == "all" else [2, 1])


ROWS = st.lists(
    st.tuples(
        st.integers(1, 4), st.integers(1, 3),
        st.one_of(st.none(), st.integers(-3, 3).map(lambda n: n / 10)),
        st.one_of(st.none(), st.integers(100, 103)),
    ),
    min_size=1, max_size=40,
)  # fmt: skip


@given(rows=ROWS, rule=st.sampled_from(list(Repeats)), block=st.integers(1, 4))
def test_every_rule_against_plain_python(
    make_store: MakeStore, rows: list[Row], rule: Repeats, block: int
) -> None:
    store = make_store(rows, repeats=rule, block_records=block, chunk=7)
    cells = cells_of(store)
    expected = sorted(rows, key=repr) if rule is Repeats.CELLS else merged(rows, rule)
    assert sorted(cells, key=repr) == expected
    m = store.manifest
    assert m.n_duplicates == len(rows) - len(expected)
    assert m.n_repeats == len(cells) - len({cell[:2] for cell in cells})
    holders = Counter(item for _, item in {cell[:2] for cell in cells})
    assert dict(zip(store.items.to_pylist(), store.support.tolist(), strict=True)) == holders
    held = Counter(cell[1] for cell in cells)
    assert dict(zip(store.items.to_pylist(), store.cells.tolist(), strict=True)) == held


def bytes_of(store: Store) -> dict[str, bytes | str]:
    """The files of a store; of its manifest all that does not say what it was read from."""
    files = {
        str(path.relative_to(store.folder)): path.read_bytes()
        for path in sorted(store.folder.rglob("*.*"))
        if path.name != "manifest.json"
    }
    nameless = replace(store.manifest, source="", input_fingerprint="")
    return {**files, "manifest.json": repr(nameless)}


@given(
    rows=ROWS,
    shuffle=st.randoms(use_true_random=False),
    rule=st.sampled_from(list(Repeats)),
    kept=st.sampled_from([(True, True), (True, False), (False, True), (False, False)]),
    text=st.booleans(),
)
def test_the_order_of_rows_makes_no_difference(
    make_store: MakeStore,
    rows: list[Row],
    shuffle: random.Random,
    rule: Repeats,
    kept: tuple[bool, bool],
    text: bool,
) -> None:
    values, dates = kept
    given: list[Row] = [
        (str(r) if text else r, i, v if values else None, d if dates else None)
        for r, i, v, d in [*rows, (1, 1, 0.0, 100), (1, 1, -0.0, 100)]
    ]
    mixed = list(given)
    shuffle.shuffle(mixed)
    stores = [make_store(some, repeats=rule, block_records=2, chunk=7) for some in (given, mixed)]
    assert bytes_of(stores[0]) == bytes_of(stores[1])


def test_two_visits_on_one_day_are_two_cells_unless_their_times_agree(
    make_store: MakeStore,
) -> None:
    noon = 10 + 0.5  # days
    rows: list[Row] = [("ann", "bar", None, 10), ("ann", "bar", None, noon),
                       ("ann", "bar", None, noon)]  # type: ignore[list-item]  # fmt: skip
    store = make_store(rows, repeats=Repeats.ALL)
    assert cells_of(store) == [("ann", "bar", None, 10)] * 2


def test_counts_and_sums_with_many_levels_are_binned_and_said(make_store: MakeStore) -> None:
    rows: list[Row] = [(r, 1, float(r), 10) for r in range(1, 301)]
    store = make_store(rows, repeats=Repeats.SUM, block_records=100)
    assert store.manifest.scale == [2.0**k for k in range(9)]
    assert store.manifest.notes["bins of values"] == "log2"
    assert [cell[2] for cell in cells_of(store)][4:9] == [4.0, 4.0, 4.0, 8.0, 8.0]
    few = make_store(rows[:255], repeats=Repeats.SUM)
    assert len(few.manifest.scale) == 255
    assert "bins of values" not in few.manifest.notes


@pytest.mark.parametrize("rule", [Repeats.LATEST, Repeats.SUM])
def test_bins_by_quantiles_hold_as_many_rows_each(make_store: MakeStore, rule: Repeats) -> None:
    rows: list[Row] = [(r, 1, float(r % 40), 10) for r in range(400)]
    bins = ValueBins.parse("quantiles:4")
    store = make_store(rows, repeats=rule, value_bins=bins, block_records=90)
    assert store.manifest.scale == [0.0, 10.0, 20.0, 30.0]
    assert Counter(cell[2] for cell in cells_of(store)) == dict.fromkeys(store.manifest.scale, 100)


def test_bins_by_edges(make_store: MakeStore) -> None:
    rows: list[Row] = [(1, 1, 5.0, 1), (2, 1, 10.0, 1), (3, 1, 99.0, 1), (4, 1, None, 1)]
    bins = ValueBins.parse([0, 10, 50, 60])
    store = make_store(rows, value_bins=bins)
    assert [cell[2] for cell in cells_of(store)] == [0.0, 10.0, 60.0, None]
    with pytest.raises(InputError, match=r"5.*first edge 10"):
        make_store(rows, value_bins=ValueBins.parse([10, 20]))


def test_log2_bins_begin_at_powers_of_two_on_both_sides_of_zero(make_store: MakeStore) -> None:
    """−24 lies in [−32, −16), −16 in [−16, −8), −0.3 in [−0.5, −0.25); 0 is a bin of its own."""
    low = {-24.0: -32, -32: -32, -17: -32, -16: -16, -1: -1, -0.3: -0.5, 0: 0, 0.3: 0.25, 24: 16}
    rows: list[Row] = [(n, 1, float(value), 1) for n, value in enumerate(low)]
    for rule in (Repeats.LATEST, Repeats.SUM):
        store = make_store(rows, repeats=rule, value_bins=ValueBins("log2"), block_records=4)
        assert [cell[2] for cell in cells_of(store)] == list(low.values())
        assert store.manifest.scale == sorted(set(low.values()))


@pytest.mark.parametrize("rule", [Repeats.LATEST, Repeats.ALL, Repeats.SUM])
@pytest.mark.parametrize("n", [255, 256, 1000, 70_000])
def test_more_than_255_values_are_binned_by_quantiles_and_said(
    make_store: MakeStore, rule: Repeats, n: int
) -> None:
    """Bin b of 255 begins at the first value with b/255 of the rows before it, or more."""
    values = [k / 4 for k in range(-5, n - 5)]
    rows: list[Row] = [((r * 11) % n % 300, (r * 11) % n, values[r * 11 % n], 1) for r in range(n)]
    store = make_store(rows, repeats=rule, block_records=100)
    notes, scale = store.manifest.notes, store.manifest.scale
    if n == 255:
        assert scale == values
        assert "bins of values" not in notes
        return
    assert scale == [values[-(-b * n // 255)] for b in range(255)]
    assert notes["bins of values"] == "quantiles:255"
    assert notes["distinct values before they were put into bins"] == n
    released = {item: value for _, item, value, _ in cells_of(store)}
    assert all(
        released[k] == max(level for level in scale if level <= values[k])
        for k in range(0, n, max(n // 500, 1))
    )


def test_all_values_are_kept_if_asked(make_store: MakeStore) -> None:
    rows: list[Row] = [(k, 1, k / 4, 1) for k in range(1000)]
    for rule in (Repeats.LATEST, Repeats.SUM):
        store = make_store(rows, repeats=rule, value_bins=ValueBins.parse("none"))
        assert store.manifest.scale == [k / 4 for k in range(1000)]
        assert "bins of values" not in store.manifest.notes


@pytest.mark.parametrize(
    "given", [None, "log3", "quantiles:1", "quantiles:x", [], [3, 1], ["a"], [1, 1]]
)
def test_bins_that_cannot_be_are_refused(given: object) -> None:
    with pytest.raises(ConfigError, match=r"data\.value_bins"):
        ValueBins.parse(given)  # type: ignore[arg-type]

"""Filters of what may be known: they take cells out, and change no draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from making import random_rows

from sim.adversary.draw import Sampling
from sim.adversary.filters import RecordCells, kept
from sim.adversary.knowledge import Knowledge, Window
from sim.adversary.sample_items import sample_items
from sim.attack.algorithms.bayes import Bayes
from sim.errors import ConfigError, GridError

pytestmark = pytest.mark.fast


@dataclass(frozen=True)
class EvenItems:
    """Keeps the items of even number."""

    def keep(self, store: Any, cells: RecordCells) -> Any:
        return cells.item % 2 == 0


@dataclass(frozen=True)
class FirstOfRecord:
    """Keeps the first cells of each record: it needs to know where records begin."""

    most: int

    def keep(self, store: Any, cells: RecordCells) -> Any:
        begin = np.repeat(cells.start[:-1], np.diff(cells.start))
        return np.arange(cells.item.size) - begin < self.most


FILTERS = [(EvenItems(),), (FirstOfRecord(4),), (EvenItems(), FirstOfRecord(5))]


@pytest.mark.parametrize("filters", FILTERS)
@pytest.mark.parametrize("window", [Window(), Window(2, 12)])
def test_a_filter_only_takes_facts_out(make_store, filters, window):
    store = make_store(random_rows(5), block_records=16)
    assert store.manifest.n_blocks > 1
    all_targets = np.arange(store.manifest.n_records)
    most = int(store.length.max())
    every = sample_items(store, all_targets, window, most, 1)
    some = sample_items(store, all_targets, window, most, 1, filters)
    passes = {}
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        cells = RecordCells.of(block)
        good = kept(store, filters, cells)
        for row in range(block.n_records):
            at = slice(int(cells.start[row]), int(cells.start[row + 1]))
            passes[block.first + row] = set(cells.item[at][good[at]].tolist())
    counts = []
    for record in all_targets.tolist():
        before = every.item[record][every.place[record] >= 0].tolist()
        after = some.item[record][some.place[record] >= 0].tolist()
        assert after == [item for item in before if item in passes[record]]
        counts.append(len(after))
    assert sum(counts) < (every.place >= 0).sum()
    least = max(counts) - 1
    known = Knowledge(least, least, 0, 3, window, filters=filters)
    able = Sampling(known).eligible(store, 1)
    assert able.tolist() == [count >= least for count in counts]
    targets = np.flatnonzero(able)
    drawn = Sampling(known).draw(store, 0, targets, 1)
    assert drawn.aux.item.tolist() == some.item[targets, :least].ravel().tolist()
    with pytest.raises(GridError, match="fewer than"):
        Sampling(known).draw(store, 0, np.flatnonzero(~able)[:1], 1)


def test_filters_add_up_and_are_named() -> None:
    adversary = Sampling(Knowledge(2, 2)).knowing_only(EvenItems()).knowing_only(FirstOfRecord(4))
    assert adversary.knowledge.filters == (EvenItems(), FirstOfRecord(4))
    assert str(adversary.knowledge).endswith("popularity=0 EvenItems() FirstOfRecord(most=4)")
    with pytest.raises(ConfigError, match=r"^attack=bayes: has no model .*FirstOfRecord"):
        Bayes().for_study([adversary.knowledge])

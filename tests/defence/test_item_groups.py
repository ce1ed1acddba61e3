"""Items in groups: what stands for each, facts about them, and what Bayes does not model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from attacking import aux_of, decide
from defending import publish
from every_attack import EVERY
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, Row, examples, random_rows

from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge, Window
from sim.adversary.linkage import linkage_of
from sim.adversary.on_release import on_release
from sim.adversary.publisher import Publisher
from sim.attack.algorithms.bayes import Bayes
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.decisions import Decisions
from sim.defence.apply import defended
from sim.defence.drop_items import DropItems
from sim.defence.group_items import GroupItems
from sim.defence.hide_items import HideItems
from sim.errors import ConfigError, GridError, InputError
from sim.findings.release import left_findings
from sim.release.store.store import Store

pytestmark = pytest.mark.fast

ROWS: list[Row] = [
    ("ann", 1, 5.0, 10), ("ann", 2, 4.0, 11), ("ann", 3, 3.0, 12),
    ("bob", 1, 2.0, 10), ("bob", 3, 2.0, 13), ("cid", 3, 1.0, 14), ("cid", 4, 1.0, 15),
]  # fmt: skip


def table(folder: Path, *rows: tuple[object, object]) -> str:
    path = folder / f"groups-{len(list(folder.iterdir()))}.csv"
    path.write_text("item,group\n" + "".join(f"{item},{group}\n" for item, group in rows))
    return str(path)


def cells_of(store: Store) -> list[tuple[object, ...]]:
    block, found = store.block(0), []
    for row in range(block.n_records):
        for k in range(block.record_start[row], block.record_start[row + 1]):
            item = store.items[block.record_item[k]].as_py()
            value = store.scale[block.record_level[k]]
            day = int(block.record_day[k]) + store.manifest.first_day
            found.append((store.records[row].as_py(), item, value, day))
    return sorted(found, key=repr)


def test_a_worked_table(make_store: MakeStore, tmp_path: Path) -> None:
    """Items 1 and 2 are a film; 3 is not in the table; 4 was dropped before, and is nothing."""
    store = make_store(ROWS)
    mapping = table(tmp_path, (1, "film"), (2, "film"), (4, "film"), (9, "book"))
    released = publish(
        store, tmp_path / "grouped", DropItems(min_support=2), GroupItems(mapping=mapping)
    )
    # Only item 1 and 3 are held by two.
    assert released.items.to_pylist() == ["3", "film"]
    assert linkage_of(store, released).item.tolist() == [1, -1, 0, -1]
    released = publish(store, tmp_path / "all", GroupItems(mapping=mapping))
    assert cells_of(released) == sorted(
        [(who, {3: "3"}.get(item, "film"), value, day) for who, item, value, day in ROWS], key=repr
    )
    assert released.manifest.n_repeats == 1
    assert linkage_of(store, released).item.tolist() == [1, 1, 0, 1]
    assert released.manifest.notes["items dropped"] == 0
    (left,) = released.manifest.notes["left by each defence"]
    assert left == {"people": 3, "records": 3, "items": 2, "cells": 7, "theirs": 7, "ungrouped": 1}
    (found,) = left_findings({"defences": [{"name": "g", "left": left}], "read": {"n_items": 4}})
    assert [found.numbers[key] for key in ("items", "items_before", "ungrouped")] == [2, 4, 1]


def test_supports_in_the_place_of_items(make_store: MakeStore, tmp_path: Path) -> None:
    """1 is held by two, 3 by three, 2 and 4 by one; the powers of two are 2, 2, 1."""
    store = make_store(ROWS)
    exact = publish(store, tmp_path / "exact", HideItems())
    assert exact.items.to_pylist() == [1, 2, 3]
    assert linkage_of(store, exact).item.tolist() == [1, 0, 2, 0]
    rough = publish(store, tmp_path / "log2", HideItems(support="log2"))
    assert rough.items.to_pylist() == [1, 2]
    assert linkage_of(store, rough).item.tolist() == [1, 0, 1, 0]


def test_groups_of_groups(make_store: MakeStore, tmp_path: Path) -> None:
    """The second table is about what the first one made; supports are those of groups."""
    store = make_store(ROWS)
    first = GroupItems(mapping=table(tmp_path, (1, "a"), (2, "a"), (3, "b"), (4, "c")))
    released = publish(store, tmp_path / "hidden", first, HideItems())
    # a is held by ann and bob, b by all three, c by cid.
    assert released.items.to_pylist() == [1, 2, 3]
    assert linkage_of(store, released).item.tolist() == [1, 1, 2, 0]


@settings(max_examples=examples(15))
@given(release=st.integers(0, 1000), groups=st.integers(1, 25), least=st.integers(1, 8))
def test_grouping_is_a_release_with_other_items(
    make_store: MakeStore, tmp_path: Path, release: int, groups: int, least: int
) -> None:
    rows = random_rows(release)
    store = make_store(rows)
    of = {item: item % groups for item in range(1, 26)}
    mapping = GroupItems(mapping=table(tmp_path, *of.items()))
    folder = tmp_path / f"grouped-{len(list(tmp_path.iterdir()))}"
    count = {item: sum(row[1] == item for row in rows) for item in of}
    if max(count.values()) < least:
        return
    released = publish(store, folder, DropItems(min_support=least), mapping)
    expected = [(r, of[i], v, d) for r, i, v, d in rows if count[i] >= least]
    assert cells_of(released) == sorted(expected, key=repr)
    items = released.items.to_pylist()
    for item, stands in zip(store.items.to_pylist(), linkage_of(store, released).item, strict=True):
        assert (items[stands] == of[item]) if count[item] >= least else stands < 0


@pytest.mark.parametrize("attack", EVERY, ids=lambda a: a.name)
def test_every_item_its_own_group_changes_nothing(
    make_store: MakeStore, tmp_path: Path, attack: Algorithm
) -> None:
    store = make_store(random_rows(5, 60, 25, 700, missing=0.1), block_records=8)
    same = GroupItems(mapping=table(tmp_path, *((i, i) for i in store.items.to_pylist())))
    released = publish(store, tmp_path / "same", same)
    assert released.manifest.fingerprint == store.manifest.fingerprint
    targets = np.flatnonzero(store.length >= 4)[:9]
    drawn = draw_aux(store, Knowledge(2, 3, 1, 14), 1, targets, 7)
    before, after = decide(store, drawn, attack), decide(
        released, on_release(drawn, store, released), attack
    )  # fmt: skip
    for name in Decisions.__slots__:
        assert getattr(before, name).tobytes() == getattr(after, name).tobytes(), name


def test_two_facts_about_a_group_are_about_two_cells(make_store: MakeStore, tmp_path: Path) -> None:
    """Hand-worked: one exact value each of items 1 and 2; only ann has both cells."""
    rows: list[Row] = [
        ("ann", 1, 5.0, 10), ("ann", 2, 5.0, 10),
        ("bob", 1, 5.0, 10), ("bob", 3, 4.0, 10), ("cid", 2, 4.0, 10), ("cid", 1, 4.0, 10),
    ]  # fmt: skip
    store = make_store(rows)
    mapping = table(tmp_path, (1, "film"), (2, "film"), (3, "book"))
    released = publish(store, tmp_path / "grouped", GroupItems(mapping=mapping))
    known = Knowledge(2, 2, 0, None)
    drawn = on_release(draw_aux(store, known, 0, np.array([0]), 1), store, released)
    assert len(set(drawn.aux.item.tolist())) == 1
    publisher = Publisher(groups_items=True)
    found = decide(released, drawn, Bayes().for_study([known], publisher))
    assert found.correct.tolist() == [True]
    assert found.posterior.tolist() == [1.0]


@pytest.mark.parametrize(
    "known",
    [
        Knowledge(2, 3, wrong="item"), Knowledge(2, 2, popularity=Window(10)),
        Knowledge(2, 2, draw="items"),
    ],
)  # fmt: skip
def test_bayes_is_not_run_without_a_model(known: Knowledge) -> None:
    with pytest.raises(GridError, match="where items are in groups, it has no model"):
        Bayes().for_study([known], Publisher(groups_items=True))


def test_a_wrong_value_of_a_group_by_hand(make_store: MakeStore, tmp_path: Path) -> None:
    """Of two facts about films, a 5 and a 1, one is wrong: the 1, which no film has.

    Ann and Cid have one 5 each, and the wrong fact is about another of their films, of which all
    are 4. So it is about 1 of Ann's 2 ordered pairs of films, and about 2 of Cid's 6.
    """
    rows: list[Row] = [
        ("ann", 1, 5.0, None), ("ann", 2, 4.0, None),
        ("bob", 1, 4.0, None), ("bob", 2, 4.0, None), ("bob", 9, 1.0, None),
        ("cid", 1, 5.0, None), ("cid", 2, 4.0, None), ("cid", 3, 4.0, None),
    ]  # fmt: skip
    store = make_store(rows)
    mapping = table(tmp_path, (1, "film"), (2, "film"), (3, "film"), (9, "book"))
    released = publish(store, tmp_path / "grouped", GroupItems(mapping=mapping))
    film = released.items.to_pylist().index("film")
    known = Knowledge(1, 2, 0, None)
    attack = Bayes().for_study([known], Publisher(groups_items=True))
    found = decide(released, aux_of(released, 0, (film, 5.0, None), (film, 1.0, None)), attack)
    assert found.correct.tolist() == [True]
    assert found.posterior[0] == pytest.approx((1 / 1) / (1 / 1 + 2 / 3))


def test_what_attackers_know(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store(ROWS)
    scale = tuple(store.scale.tolist())
    for defence in (HideItems(), GroupItems(mapping=table(tmp_path, (1, 2)))):
        found = defended(store, [defence])
        assert found.undisclosed == ()
        assert found.publisher == Publisher(scale=scale, groups_items=True)


def test_another_table_is_another_release(make_store: MakeStore, tmp_path: Path) -> None:
    """The same path with other rows is read again, and makes another store."""
    store, cache = make_store(ROWS), tmp_path / "cache"
    path = tmp_path / "one.csv"
    path.write_text("item,group\n1,a\n")
    one = defended(store, [GroupItems(mapping=str(path))]).open(cache)
    path.write_text("item,group\n1,bbb\n")
    other = defended(store, [GroupItems(mapping=str(path))]).open(cache)
    assert one.folder != other.folder
    assert other.items.to_pylist() == ["2", "3", "4", "bbb"]


def test_tables_that_cannot_be(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store(ROWS)
    with pytest.raises(ConfigError, match=r"defence\.group_items\.mapping: not given"):
        defended(store, [GroupItems()])
    with pytest.raises(GridError, match="has none of the release's items"):
        defended(store, [GroupItems(mapping=table(tmp_path, (77, "a")))])
    with pytest.raises(InputError, match="item '1' has two groups, 'a' and 'b'"):
        defended(store, [GroupItems(mapping=table(tmp_path, (1, "a"), (1, "b")))])
    path = tmp_path / "other.csv"
    path.write_text("item,kind\n1,a\n")
    with pytest.raises(InputError, match="no column 'group'"):
        defended(store, [GroupItems(mapping=str(path))])
    with pytest.raises(ConfigError, match=r"defence\.hide_items\.support: 'rank'"):
        HideItems(support="rank")

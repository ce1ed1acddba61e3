"""Another data set, or a file of mentions, against a release: who and what is matched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, examples, plain, random_rows

from sim.adversary.aux import ANY_LENGTH, NO_DAY, Drawn, FactKind
from sim.adversary.external import External
from sim.adversary.linkage_table import read_linkage_table
from sim.adversary.list_lengths import list_bin
from sim.adversary.mentions import open_mentions
from sim.errors import GridError, InputError
from sim.release.readers.table_options import TableOptions
from sim.release.store.store import Store
from sim.release.store.value_bins import ValueBins

RELEASE = [
    (1, 10, 4.0, 1000), (1, 20, 5.0, 1003), (1, 30, 1.0, 1009),
    (2, 10, 2.0, 1001), (2, 40, 3.0, 1002),
]  # fmt: skip
# IMDb-like: other names of people, partly the same items, values to 10, other days.
OTHERS = [
    ("ann", "20", 10.0, 995), ("ann", "30", 1.0, 1010), ("ann", "99", 7.0, 1001),
    ("bob", "10", 4.0, None), ("cyd", "98", 7.0, 1000), ("cyd", "99", 7.0, 1000),
]  # fmt: skip


def drawn_of(store: Store, external: External, seed: int = 1) -> Drawn:
    return external.draw(store, 2, np.flatnonzero(external.eligible(store, seed)), seed)


def facts(drawn: Drawn, unit: int) -> list[tuple[Any, ...]]:
    """Item, value, day, kind of one unit."""
    aux = drawn.aux
    where = slice(int(aux.start[unit]), int(aux.start[unit + 1]))
    return [
        (
            item, None if np.isnan(value) else value, None if day == NO_DAY else day,
            FactKind(kind).name,
        )
        for item, value, day, kind in zip(
            aux.item[where].tolist(), aux.value[where].tolist(), aux.day[where].tolist(),
            drawn.truth.kind[where].tolist(), strict=True,
        )
    ]  # fmt: skip


def test_by_hand(make_store: MakeStore) -> None:
    store, other = make_store(RELEASE), make_store(OTHERS)
    external = External(other, {"ann": "1", "bob": "2", "eve": "2", "cyd": "7"})
    assert external.eligible(store, 1).tolist() == [True, True, False]
    drawn = drawn_of(store, external)
    assert drawn.aux.cell.tolist() == [2, 2]
    assert drawn.truth.target.tolist() == [0, 1]
    assert external.people.take(pa.array(drawn.truth.person)).to_pylist() == ["ann", "bob"]
    # Days count from day 1000, the release's first. Ann is record 1, who lacks item 99.
    assert facts(drawn, 0) == [
        (1, 10.0, -5, "TRUE"), (2, 1.0, 10, "TRUE"), (-1, 7.0, 1, "MENTION"),
    ]  # fmt: skip
    assert facts(drawn, 1) == [(0, 4.0, None, "TRUE")]
    own = [
        np.append(store.scale, np.nan)[drawn.truth.own_level].tolist(),
        drawn.truth.own_day.tolist(),
    ]
    assert drawn.truth.own_held.tolist() == [True, True, False, True]
    assert own == [[5.0, 1.0, 1.0, 2.0], [3, 9, 0, 1]]
    assert not drawn.truth.absent.any()
    assert (drawn.candidates.longest == ANY_LENGTH).all()
    assert external.notes(store) == {
        "people": 3,
        "their items": 5,
        "their items not in the release": 2,
        "their facts": 6,
        "their facts on items not in the release": 3,
        "people with fewer than 1 items of the release": 1,
        "repeated facts dropped": 0,
        "truth entries": 4,
        "truth entries on people not listed": 1,
        "truth entries on records not in the release": 1,
        "people without a truth entry": 0,
    }
    assert external.typical_facts == 2


def test_without_truth_the_records_of_people_are_unknown(make_store: MakeStore) -> None:
    store = make_store(RELEASE)
    external = External(make_store(OTHERS), min_items=0)
    drawn = drawn_of(store, external)
    assert drawn.truth.target.tolist() == [-1, -1, -1]
    assert drawn.truth.person.tolist() == [0, 1, 2]
    assert set(drawn.truth.kind.tolist()) == {FactKind.UNKNOWN}
    assert not drawn.truth.own_held.any()
    assert "truth entries" not in external.notes(store)
    with pytest.raises(GridError, match=r"grid\.present=false: .*; give adversary\.truth"):
        External(external.other, present=False).eligible(store, 1)


def test_targets_can_be_removed(make_store: MakeStore) -> None:
    store, truth = make_store(RELEASE), {"ann": "1"}
    drawn = drawn_of(store, External(make_store(OTHERS), truth, present=False))
    assert drawn.truth.absent.tolist() == [True]
    with pytest.raises(GridError, match="leaves no record"):
        External(make_store(OTHERS), truth, present=False).eligible(make_store(RELEASE[:3]), 1)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("same", [10.0, 1.0, 7.0, 4.0]),
        ("none", [None] * 4),
        ("rescaled", [5.0, 1.0, 1 + 4 * 6 / 9, 1 + 4 * 3 / 9]),  # 1–10 to 1–5
    ],
)
def test_values(make_store: MakeStore, values: Any, expected: list[float | None]) -> None:
    external = External(make_store(OTHERS), values=values)
    drawn = drawn_of(make_store(RELEASE), external)
    np.testing.assert_allclose(
        drawn.aux.value, [np.nan if v is None else v for v in expected], equal_nan=True
    )


def test_values_that_are_all_the_same_are_put_in_the_middle(make_store: MakeStore) -> None:
    other = make_store([("ann", 10, 7.0, 1)])
    drawn = drawn_of(make_store(RELEASE), External(other, values="rescaled"))
    assert drawn.aux.value.tolist() == [3.0]


def test_values_are_put_into_the_bins_of_the_release(make_store: MakeStore) -> None:
    release = make_store([("ann", 1, 5.0, 1), ("bob", 1, 100.0, 1)], value_bins=ValueBins("log2"))
    other = make_store([("a", 1, 6.5, 1), ("b", 1, 70.0, 1), ("c", 1, -3.0, 1)])
    drawn = drawn_of(release, External(other))
    assert (release.manifest.scale, drawn.aux.value.tolist()) == ([4.0, 64.0], [4.0, 64.0, -4.0])


def test_dates_are_left_out_where_not_asked_for_or_of_no_use(make_store: MakeStore) -> None:
    other, store = make_store(OTHERS), make_store(RELEASE)
    assert (drawn_of(store, External(other, dates=False)).aux.day == NO_DAY).all()
    undated = make_store([(r, i, v, None) for r, i, v, _ in RELEASE])
    assert (drawn_of(undated, External(other)).aux.day == NO_DAY).all()


@pytest.mark.parametrize(("least", "able"), [(0, 3), (1, 2), (2, 1), (3, 0)])
def test_least_counts_items_of_the_release(make_store: MakeStore, least: int, able: int) -> None:
    external = External(make_store(OTHERS), min_items=least)
    assert external.eligible(make_store(RELEASE), 1).sum() == able


@settings(max_examples=examples(30))
@given(
    seeds=st.tuples(st.integers(0, 1000), st.integers(0, 1000)),
    blocks=st.tuples(st.integers(1, 40), st.integers(1, 40)),
    missing=st.sampled_from([0.0, 0.3]),
)
def test_all_a_person_holds_is_known(
    make_store: MakeStore, seeds: tuple[int, int], blocks: tuple[int, int], missing: float
) -> None:
    """Against the dense tables; the truth pairs people and records by number."""
    store = make_store(random_rows(seeds[0], cells=150, missing=missing), block_records=blocks[0])
    rows = [(f"p{r}", i + 5, v, d) for r, i, v, d in random_rows(seeds[1], missing=missing)]
    other = make_store(rows, block_records=blocks[1])
    people, items = other.records.to_pylist(), other.items.to_pylist()
    external = External(other, {who: who[1:] for who in people})
    dense, theirs = plain(store), plain(other)
    records, known = store.records.to_pylist(), store.items.to_pylist()
    able = external.eligible(store, 1)
    later = other.manifest.first_day - store.manifest.first_day
    drawn = drawn_of(store, external)
    assert drawn.truth.person.tolist() == np.flatnonzero(able).tolist()
    for p, who in enumerate(people):
        held = [i for i in range(len(items)) if theirs.held[p, i]]
        shared = [i for i in held if items[i] in known]
        assert able[p] == (int(who[1:]) in records and bool(shared))
        if not able[p]:
            continue
        unit = drawn.truth.person.tolist().index(p)
        record = records.index(int(who[1:]))
        assert drawn.truth.target[unit] == record
        expected = []
        for i in held:
            item = known.index(items[i]) if i in shared else -1
            value, day = theirs.value[p, i], theirs.day[p, i]
            is_own = item >= 0 and bool(dense.held[record, item])
            expected.append(
                (
                    item,
                    None if np.isnan(value) else value,
                    None if np.isnan(day) else int(day) + later,
                    "TRUE" if is_own else "MENTION",
                )
            )
        assert facts(drawn, unit) == expected


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_mentions_from_a_file(make_store: MakeStore, tmp_path: Path, kind: str) -> None:
    said = [("ann", 20), ("ann", 30), ("ann", 20), ("bob", 10), ("cyd", 99), ("dan", 40)]
    path, truth = tmp_path / f"said.{kind}", tmp_path / f"truth.{kind}"
    who_is_who = {"ann": 1, "bob": 2, "cyd": 3}
    tables = {
        path: pa.table({"who": [w for w, _ in said], "movie": [m for _, m in said]}),
        truth: pa.table({"who": list(who_is_who), "user": list(who_is_who.values())}),
    }
    for place, table in tables.items():
        if kind == "csv":
            table.to_pandas().to_csv(place, index=False)
        else:
            pq.write_table(table, place)
    pairs = read_linkage_table(truth, "who", "user")
    assert pairs == {"ann": "1", "bob": "2", "cyd": "3"}
    pairs["cyd"] = "1"  # from Python, two people may be one record
    adversary = open_mentions(path, tmp_path / "cache", "who", "movie", truth=pairs)
    store = make_store(RELEASE)
    drawn = drawn_of(store, adversary)
    assert adversary.people.take(pa.array(drawn.truth.person)).to_pylist() == ["ann", "bob", "cyd"]
    assert drawn.truth.target.tolist() == [0, 1, 0]
    assert list_bin(drawn.aux.size).tolist() == [1, 0, 0]
    assert drawn.aux.item.tolist() == [1, 2, 0, -1]
    assert np.isnan(drawn.aux.value).all()
    notes = adversary.notes(store)
    assert notes["repeated facts dropped"] == 1
    assert notes["people without a truth entry"] == 1


def test_mentions_with_values(make_store: MakeStore, tmp_path: Path) -> None:
    path = tmp_path / "said.csv"
    path.write_text("who;movie;stars\nann;20;4.5\nann;30;\n")
    adversary = open_mentions(path, tmp_path / "cache", "who", "movie", "stars")
    assert facts(drawn_of(make_store(RELEASE), adversary), 0) == [
        (1, 4.5, None, "UNKNOWN"), (2, None, None, "UNKNOWN"),
    ]  # fmt: skip


def test_a_truth_that_contradicts_itself(tmp_path: Path) -> None:
    path = tmp_path / "truth.csv"
    path.write_text("who,user\nann,1\nbob,2\nann,1\n")
    assert read_linkage_table(path, "who", "user") == {"ann": "1", "bob": "2"}
    path.write_text("who,user\nann,1\nann,01\n")
    with pytest.raises(InputError) as caught:
        read_linkage_table(path, "who", "user")
    assert str(caught.value) == (
        f"{path}: who 'ann' has two records, '1' and '01'; keep the right one"
    )
    path.write_text("who,user\nann,1\nbob,2\ncyd,1\n")
    with pytest.raises(InputError) as caught:
        read_linkage_table(path, "who", "user")
    assert str(caught.value) == (
        f"{path}: user '1' is said to be that of 'ann' and of 'cyd'; keep the right one"
    )
    with pytest.raises(InputError, match="person"):
        read_linkage_table(path, "person", "user")


def test_people_without_a_name_are_refused_or_left_out(
    make_store: MakeStore, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "said.csv").write_text("who,what\nann,10\nNA,20\nbob,30\n")
    (tmp_path / "truth.csv").write_text("who,record\nann,1\n,2\n")
    said, truth = tmp_path / "said.csv", tmp_path / "truth.csv"
    with pytest.raises(InputError, match=r"said\.csv:3: column who: 'NA' .*adversary\.empty=drop"):
        open_mentions(said, tmp_path, "who", "what")
    with pytest.raises(InputError, match=r"truth\.csv:3: column who: .*adversary\.empty=drop"):
        read_linkage_table(truth, "who", "record")
    dropping = TableOptions(empty="drop", group="adversary")
    assert read_linkage_table(truth, "who", "record", dropping) == {"ann": "1"}
    assert f"{truth}: 1 rows dropped for an empty user or item" in caplog.text
    external = open_mentions(said, tmp_path, "who", "what", options=dropping)
    notes = external.notes(make_store(RELEASE))
    assert (notes["people"], notes["their rows dropped for an empty user or item"]) == (2, 1)
    keeping = TableOptions(empty="keep", group="adversary")
    kept = open_mentions(said, tmp_path, "who", "what", options=keeping)
    assert kept.other.manifest.n_records == 3

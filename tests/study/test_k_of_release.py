"""k of a release: by hand, against pandas on the same cells, and what must hold of any recoding."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, Row, RowSource, examples, plain, random_rows

from sim.errors import ConfigError
from sim.measurements.k_of_release import VALUES, KAnonymity, recoding, recodings_of_days
from sim.measurements.record_classes import RecordCells, cells_of, class_sizes
from sim.papers.papers import compare, numbers_for
from sim.release.store.build import build_store
from sim.release.store.store import Store


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> list[Store]:
    """Releases with few items and days, so that records are often alike, of every kind."""
    made = []
    for seed in range(16):
        rows = random_rows(
            seed, 24, (1, 2, 4)[seed % 3], 60, seed % 5 != 0, seed % 4 != 0, 0.3 * (seed % 2)
        )
        rows = [(r, i, v, None if d is None else 9_990 + (d % 4) * 17) for r, i, v, d in rows]
        folder: Path = tmp_path_factory.mktemp("stores") / "store"
        build_store(RowSource(rows), folder, block_records=(1, 5, 100)[seed % 3])
        made.append(Store(folder))
    return made


def told(store: Store, values: str, days: str, top: int | None) -> pd.Series:  # type: ignore[type-arg]
    """All that is told of each record, as text, from the dense release and the calendar."""
    release, scale = plain(store), store.scale
    first = dt.date(1970, 1, 1) + dt.timedelta(store.manifest.first_day)

    def of_day(code: float) -> str:
        if np.isnan(code):
            return "no day"
        date = first + dt.timedelta(int(code))
        return {
            "day": date.isoformat(), "week": str(date.isocalendar()[:2]),
            "month": f"{date:%Y-%m}", "year": f"{date:%Y}",
        }[days]  # fmt: skip

    def of_value(value: float) -> str:
        if np.isnan(value) or values == "exact":
            return str(value)
        return "high" if value > (scale[0] + scale[-1]) / 2 else "low"

    records = []
    for r in range(release.n_records):
        cells = []
        for i in np.flatnonzero(release.held[r]):
            if top is None or store.rank[i] < top:
                value = "" if values == "none" else of_value(release.value[r, i])
                day = "" if days == "none" else of_day(release.day[r, i])
                cells.append(f"{i} {value} {day}")
        records.append("; ".join(cells))
    return pd.Series(records)


@settings(max_examples=examples(200))
@given(
    which=st.integers(0, 15),
    values=st.sampled_from(VALUES),
    days=st.sampled_from(["none", "year", "month", "week", "day"]),
    top=st.sampled_from([None, 1, 2]),
    digest_size=st.sampled_from([1, 16]),
)
def test_classes_are_those_of_the_recoded_release(
    stores: list[Store], which: int, values: str, days: str, top: int | None, digest_size: int
) -> None:
    """Digests of one byte often collide; records are still told apart."""
    store = stores[which]
    if not store.manifest.has_values:
        values = "none"
    if not store.manifest.has_days:
        days = "none"
    pieces = cells_of(store, None if top is None else store.rank < top)
    everyone = np.ones(store.manifest.n_records, bool)
    found = class_sizes(pieces, recoding(store, values, days), everyone, digest_size)
    texts = told(store, values, days, top)
    assert found.tolist() == texts.map(texts.value_counts()).tolist()


def test_collisions_are_told_apart() -> None:
    """1,000 different records have at most 256 digests of a byte."""
    item = np.arange(1000) // 2 * 2
    cells = RecordCells(0, np.arange(1001), (item, item, item))
    everyone = np.ones(1000, bool)
    assert class_sizes([cells], lambda c: c[:1], everyone, 1).tolist() == [2] * 1000


def test_many_steps_of_comparing(monkeypatch: pytest.MonkeyPatch) -> None:
    from sim.measurements import record_classes

    monkeypatch.setattr(record_classes, "_CELLS_AT_ONCE", 3)
    item = np.tile([1, 2, 1, 3], 25)
    cells = RecordCells(0, np.arange(101), (item, item, item))
    found = class_sizes([cells], lambda c: c[:1], np.ones(100, bool), 1)
    assert found.tolist() == np.tile([50, 25, 50, 25], 25).tolist()


@settings(max_examples=examples(30))
@given(which=st.integers(0, 15))
def test_facts_are_those_of_the_classes(stores: list[Store], which: int) -> None:
    """What is skipped because less already tells it alone is counted all the same."""
    store = stores[which]
    facts = KAnonymity(k=(2, 5), items=(None, 1)).measure(store, 1)["facts"]
    release = facts[facts["data"] == "release"]
    has = store.manifest
    n = (3 if has.has_values else 1) * (5 if has.has_days else 1)
    assert len(release) == 2 * n
    for row in release.to_dict("records"):
        values = "none" if pd.isna(row["values"]) else row["values"]
        days = "none" if pd.isna(row["days"]) else row["days"]
        top = None if pd.isna(row["items"]) else int(row["items"])
        texts = told(store, values, days, top)
        sizes = texts.map(texts.value_counts()).to_numpy()
        assert row["k"] == sizes.min()
        assert row["unique"] == (sizes == 1).mean()
        held = plain(store).held
        kept = held if top is None else held[:, store.rank < top]
        for k in (2, 5):
            assert row[f"suppressed_records_{k}"] == (sizes < k).mean()
            left = kept[sizes >= k].sum()
            assert row[f"suppressed_cells_{k}"] == pytest.approx(1 - left / has.n_cells)


def test_telling_less_never_makes_it_worse(stores: list[Store]) -> None:
    for store in stores:
        facts = KAnonymity().measure(store, 1)["facts"]
        release = facts[facts["data"] == "release"].fillna({"values": "none", "days": "none"})
        for _, rows in release.groupby("items", dropna=False):
            by = rows.set_index(["values", "days"])
            for value, day in by.index:
                less = recodings_of_days(store.manifest)[day]
                if less is not None and (value, less) in by.index:
                    assert by.loc[(value, less), "k"] >= by.loc[(value, day), "k"]
                    assert by.loc[(value, less), "unique"] <= by.loc[(value, day), "unique"]


def test_by_hand(make_store: MakeStore) -> None:
    """Two pairs alike by items; 5 and 4 are both high, 5 and 1 are not."""
    rows: list[Row] = [
        (0, 0, 5.0, 10_000), (1, 0, 4.0, 10_001),
        (2, 0, 5.0, 10_000), (2, 1, 5.0, 10_000), (3, 0, 5.0, 10_000), (3, 1, 1.0, 10_400),
    ]  # fmt: skip
    facts = KAnonymity(k=(2, 3), items=(None, 1)).measure(make_store(rows), 1)["facts"]
    named = facts.set_index("recoding")
    assert named.loc["all items", ["k", "unique"]].tolist() == [2, 0.0]
    assert named.loc["all items", "suppressed_records_3"] == 1
    halves = named.loc["all items, high or low values"]
    assert (halves["k"], halves["unique"], halves["suppressed_records_2"]) == (1, 0.5, 0.5)
    assert halves["suppressed_cells_2"] == pytest.approx(4 / 6)
    assert named.loc["all items, exact values", "unique"] == 1
    # Of the first item alone all are alike, but for the one 4; two cells are not released.
    assert named.loc["top 1 items", "k"] == 4
    assert named.loc["top 1 items", "suppressed_cells_2"] == pytest.approx(2 / 6)
    assert named.loc["top 1 items, exact values", "unique"] == 0.25


def test_the_slides_table_is_found_whatever_the_release(make_store: MakeStore) -> None:
    facts = KAnonymity().measure(make_store(random_rows(1)), 1)["facts"]
    for data in ("movielens", "netflix_prize"):
        found = compare(facts, numbers_for("slides_kanon"), {"data": data})
        assert found["verdict"].tolist() == ["reproduced"]
        assert found["ours"].tolist() == [2]
    worked = facts[facts["data"] == "ten_patients"]
    assert worked["k"].tolist() == [1, 2]
    assert worked["n_records"].tolist() == [10, 10]
    assert facts["data"].tolist() == ["ten_patients"] * 2 + ["release"] * (len(facts) - 2)


@pytest.mark.parametrize("wrong", [{"k": ()}, {"k": (1,)}, {"items": (0,)}, {"items": (3, 3)}])
def test_wrong_numbers_are_refused(wrong: dict[str, tuple[int, ...]]) -> None:
    with pytest.raises(ConfigError, match=f"study.{next(iter(wrong))}"):
        KAnonymity(**wrong)  # type: ignore[arg-type]


def test_real_records_are_all_different(real_data: Path, tmp_path: Path) -> None:
    """The lesson: suppressing values and dates altogether leaves every record unique."""
    import sim

    store = sim.movielens(real_data / "ml-100k", cache=str(tmp_path)).store
    facts = KAnonymity().measure(store, 1)["facts"]
    assert facts.set_index("recoding").loc["all items", "unique"] == 1

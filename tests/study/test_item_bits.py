"""Bits gained from one item, against brute force over all pairs of holders."""

from __future__ import annotations

from math import inf, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, examples, plain, random_rows
from reference import Presence, Threshold
from reference.item_bits import item_bits as plain_bits

from sim.errors import ConfigError
from sim.measurements import item_bits as module
from sim.measurements.item_bits import KNOWN, ItemBits, item_bits
from sim.release.store.store import Store

pytestmark = pytest.mark.fast


def oracle(store: Store, eps_value: float, eps_day: float) -> np.ndarray:
    kinds = (
        Presence(),
        Threshold(eps_value, inf),
        Threshold(inf, eps_day),
        Threshold(eps_value, eps_day),
    )
    return np.stack([plain_bits(plain(store), kind) for kind in kinds], axis=1)


KINDS = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**32),
        "records": st.sampled_from([1, 12, 60]),
        "items": st.sampled_from([1, 3, 25]),
        "cells": st.sampled_from([1, 40, 400]),
        "values": st.booleans(),
        "days": st.booleans(),
        "missing": st.sampled_from([0.0, 0.3, 1.0]),
        "scale": st.sampled_from([(1.0, 2.0, 3.0, 4.0, 5.0), (0.5, 1.0, 4.0), tuple(range(300))]),
    }
)


@given(
    kind=KINDS,
    block=st.sampled_from([1, 7, 1000]),
    eps_value=st.sampled_from([0.0, 1.0, 0.5, 1e9]),
    eps_day=st.sampled_from([0, 2, 14, 1_000_000]),
    at_once=st.sampled_from([1, 50, 1 << 22]),
)
@settings(max_examples=examples(60))
def test_it_matches_the_reference_on_every_kind_of_release(
    make_store: MakeStore,
    kind: dict[str, object],
    block: int,
    eps_value: float,
    eps_day: int,
    at_once: int,
) -> None:
    store = make_store(random_rows(**kind), block_records=block)  # type: ignore[arg-type]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CELLS_AT_ONCE", at_once)
        found = item_bits(store, eps_value, eps_day)
    expected = oracle(store, eps_value, eps_day)
    if not store.manifest.has_values:
        expected[:, [1, 3]] = np.nan
    if not store.manifest.has_days:
        expected[:, [2, 3]] = np.nan
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_many_cells_an_item_sorted_by_counting(make_store: MakeStore) -> None:
    rows = random_rows(3, records=400, items=2, cells=2000, missing=0.1)
    store = make_store(rows, block_records=150)
    assert store.support.max() * 4 > store.manifest.n_days
    np.testing.assert_allclose(item_bits(store, 1, 3), oracle(store, 1, 3), rtol=1e-12)


def test_by_hand(make_store: MakeStore) -> None:
    """Of four records, three hold item 7: rated 5, 4 and 1, on days 0, 10 and 20."""
    rows = [(1, 7, 5.0, 0), (2, 7, 4.0, 10), (3, 7, 1.0, 20), (4, 8, 5.0, 0)]
    tables = ItemBits(eps_value=1, eps_day=10).measure(make_store(rows), 1)
    table = tables["item_bits"]
    assert table["item_rank"].tolist() == [1, 2]
    assert table["item"].tolist() == [7, 8]
    assert table["support"].tolist() == [3, 1]
    seven = table.iloc[0]
    assert seven["presence"] == pytest.approx(log2(4 / 3))
    assert seven["values"] == pytest.approx((1 + 1 + 2) / 3)  # 2, 2 and 1 agree
    assert seven["dates"] == pytest.approx((1 + log2(4 / 3) + 1) / 3)  # 2, 3 and 2 agree
    assert seven["values_and_dates"] == pytest.approx((1 + 1 + 2) / 3)
    assert table.iloc[1][list(KNOWN)].tolist() == [2.0] * 4
    facts = tables["facts"].set_index("known")
    assert facts.index.tolist() == list(KNOWN)
    assert facts.loc["values", "bits"] == pytest.approx((1 + 1 + 2 + 2) / 4)
    assert facts.loc["values", "bits_item_mean"] == pytest.approx((4 / 3 + 2) / 2)
    assert facts.loc["values", "bits_most_supported"] == pytest.approx(4 / 3)
    assert (facts["bits_prior"] == 2.0).all()
    assert (facts["eps_day"] == 10).all()


def test_nothing_depends_on_blocks_or_threads(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = random_rows(8, records=300, items=40, cells=4000, missing=0.2)
    whole = item_bits(make_store(rows), 1, 14).tobytes()
    for block, at_once, cores in ((7, 100, 4), (300, 1, 1), (64, 1000, 2)):
        monkeypatch.setattr(module, "CELLS_AT_ONCE", at_once)
        monkeypatch.setattr(module, "threads_for", lambda rows, cores=cores: cores)
        assert item_bits(make_store(rows, block_records=block), 1, 14).tobytes() == whole


def test_who_knows_more_gains_more(make_store: MakeStore) -> None:
    bits = item_bits(make_store(random_rows(1, cells=600)), 1, 3)
    presence, values, dates, both = bits.T
    assert (presence <= values).all()
    assert (presence <= dates).all()
    assert (np.maximum(values, dates) <= both).all()
    loose = item_bits(make_store(random_rows(1, cells=600)), 2, 30)
    assert (loose <= bits).all()


def test_what_the_release_lacks_is_null(make_store: MakeStore) -> None:
    tables = ItemBits().measure(make_store(random_rows(1, days=False)), 1)
    missing = {name: bool(tables["item_bits"][name].isna().all()) for name in KNOWN}
    assert missing == dict(zip(KNOWN, (False, False, True, True), strict=True))
    assert tables["facts"]["bits"].isna().tolist() == list(missing.values())
    assert ItemBits().lacks(make_store(random_rows(1, days=False, values=False)).manifest) is None


@pytest.mark.parametrize("wrong", [{"eps_value": -1}, {"eps_day": inf}, {"eps_value": np.nan}])
def test_thresholds_that_cannot_be(wrong: dict[str, float]) -> None:
    said = f"study.{next(iter(wrong))}: .* expected a (whole )?number of at least 0"
    with pytest.raises(ConfigError, match=said):
        ItemBits(**wrong)  # type: ignore[arg-type]

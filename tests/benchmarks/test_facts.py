"""The facts that a made-up release is held to: counted right, and missed when they are missed."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from benchmarking import module
from making import MakeStore, random_rows

import sim
from sim.release.synthetic import PRESETS


@pytest.mark.parametrize("missing", [0.0, 0.3, 1.0])
def test_sessions_are_counted_record_by_record(make_store: MakeStore, missing: float) -> None:
    rows = random_rows(3, cells=500, missing=missing)
    seen = module("sessions").sessions(make_store(rows, block_records=7))
    for place, record in enumerate(sorted({row[0] for row in rows})):
        days = Counter(day for r, _, _, day in rows if r == record and day is not None)
        assert seen.dated[place] == sum(days.values())
        assert seen.days[place] == len(days)
        assert seen.first[place] == (days[min(days)] if days else 0)
        assert seen.busiest[place] == max(days.values(), default=0)
    assert seen.day.sum() == seen.dated.sum() == sum(row[3] is not None for row in rows)
    values = Counter(row[2] for row in rows if row[2] is not None)
    assert seen.level.tolist() == [values[value] for value in sorted(values)]


def test_a_preset_that_meets_its_facts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = module("facts")
    given = ["--preset", "tiny", "--cache", str(tmp_path)]
    assert facts.main(given) == 0
    said = capsys.readouterr().out
    store = sim.synthetic("tiny", cache=str(tmp_path)).store
    assert f"| records | 600 | {store.manifest.n_records} | +0.0% | ±1% | met |" in said
    rated = store.block(0).record_level
    share = 100 * np.mean(rated == 4)
    assert f"| % of cells rated 5 | 23 | {share:.3g} |" in said
    assert "missed" not in said
    monkeypatch.setitem(facts.KNOWN, "tiny", {"n_records": 700, "length_max": 280})
    monkeypatch.setitem(facts.RARE, "tiny", {50: (10.0, 10.0, 10.0)})
    assert facts.main(given) == 1
    said = capsys.readouterr().out
    assert "| records | 700 | 600 | -14.3% | ±1% | missed |" in said
    assert "| items of a record, max | 280 | 280 | +0.0% | ±10% | met |" in said
    assert said.count("outside the top 50 | 10 |") == 3


def test_words_are_held_to_what_they_say(tmp_path: Path) -> None:
    facts = module("facts")
    store = sim.synthetic("tiny", cache=str(tmp_path)).store
    seen = module("sessions").sessions(store)
    noted = {t.name: t for t in facts.remarks(PRESETS["netflix"], store, seen)}
    # A fifth of this preset's records are short, and it is too small for a step to show.
    assert noted["records below 20 cells"].met is False
    assert noted["records of 20 and of 19 cells"].met is False
    assert noted["cells by 5 equal parts of the span"].met is True
    assert noted["cells a record has on one of its days"].met is True
    assert noted["days of a record, mean and median"].met is None
    assert all(t.met is None for t in facts.remarks(PRESETS["tiny"], store, seen))


def test_habits_are_counted_record_by_record(tmp_path: Path) -> None:
    facts = module("event_facts")
    store = sim.synthetic("tiny_visits", cache=str(tmp_path)).store
    lags = (12, 24)
    found = facts.Seen(store).habits(lags)
    again, baskets, pairs, same = 0, 0, [0, 0], [0, 0]
    gap, shares = Counter[int](), []
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        for begin, end in pairwise(block.record_start.tolist()):
            item, hour = (x[begin:end].tolist() for x in (block.record_item, block.record_day))
            place = dict(zip(hour, item, strict=True))
            again += len(item) - len(set(item))
            baskets += len(place)
            gap.update(late - early for early, late in pairwise(sorted(place)))
            for k, lag in enumerate(lags):
                both = [(place[at], place[at + lag]) for at in place if at + lag in place]
                pairs[k] += len(both)
                same[k] += sum(one == other for one, other in both)
            if len(item) >= 100:
                most = [count for _, count in Counter(item).most_common(facts.RANKS)]
                shares.append([n / len(item) for n in most] + [0.0] * (facts.RANKS - len(most)))
    assert (found.again, found.baskets) == (again, baskets)
    assert found.pairs.tolist() == pairs
    assert found.same.tolist() == same
    assert {t: n for t, n in enumerate(found.gap.tolist()) if n} == gap
    np.testing.assert_allclose(found.rank, np.mean(shares, axis=0))


def test_events_are_held_to_what_is_published(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = module("facts")
    given = ["--preset", "tiny_purchases", "--cache", str(tmp_path)]
    assert facts.main(given) == 0
    known = module("known").Published
    published = (
        known("records", "nobody", "records", 500, 0.01),
        known("items", "nobody", "items", 9, 0.1),
    )
    monkeypatch.setitem(module("event_facts").EVENTS, "tiny_purchases", published)
    assert facts.main(given) == 1
    said = capsys.readouterr().out
    assert "| records (nobody) | 500 | 500 | +0.0% | ±1% | met |" in said
    assert "| items (nobody) | 9 | " in said

"""``audit.known_facts``: facts of the original and facts of the file, of which the worse counts."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from auditing import audited, in_memory, judged, table_of
from making import random_rows

import sim
from sim.adversary.linkage import linkage_of
from sim.defence.apply import Defended, defended
from sim.defence.cap_length import CapLength
from sim.defence.coarsen_time import CoarsenTime
from sim.defence.cut_pseudonyms import CutPseudonyms
from sim.defence.drop_items import DropItems
from sim.defence.drop_records import DropRecords
from sim.defence.hide_items import HideItems
from sim.defence.jitter_time import JitterTime
from sim.defence.perturb_values import PerturbValues
from sim.defence.sample_cells import SampleCells
from sim.errors import ConfigError, GridError
from sim.findings.assessment import assess, attacking
from sim.findings.attacker_rows import rows_of
from sim.findings.strongest import UNMODELLED
from sim.findings.verdicts import WORST_FIRST, judge
from sim.record.run_folder import open_folder
from sim.record.run_record import FILE_FACTS_FOLDER
from sim.release.store.store import Store

pytestmark = pytest.mark.usefixtures("no_drawings")

BOUND = 0.2
SAMPLED = {"defence": ["sample_cells"], "defence.sample_cells.share": 0.25}


@pytest.fixture(scope="module")
def diverse() -> pd.DataFrame:
    """300 people, 40 entries each, of 200 items: four that are in the file find whose they are."""
    rng = np.random.default_rng(1)
    return table_of([rng.choice(200, 40, replace=False).tolist() for _ in range(300)])


def audit_of(frame: pd.DataFrame, folder: Path, known: str | None = None, **options: Any) -> Any:
    more = {} if known is None else {"audit.known_facts": known}
    return audited(
        frame, folder, attackers=["insider"], max_risk=BOUND, measure="mean",
        options=SAMPLED | options | more,
    )  # fmt: skip


@pytest.fixture(scope="module")
def both(diverse: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An audit by facts of the original and by facts of the file."""
    return audit_of(diverse, tmp_path_factory.mktemp("both") / "run")


def cells_of(store: Store) -> Counter[tuple[Any, ...]]:
    """Record, item, value and day of every cell, by identifier."""
    found: Counter[tuple[Any, ...]] = Counter()
    scale = np.append(store.scale, np.nan)
    records, items = store.records.to_pylist(), store.items.to_pylist()
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        sizes = np.diff(block.record_start)
        record = np.repeat(np.arange(block.first, block.first + sizes.size), sizes)
        days = block.record_day.astype(int) + store.manifest.first_day
        for cell in zip(record, block.record_item, block.record_level, days, strict=True):
            who, what, level, day = map(int, cell)
            found[str(records[who]), str(items[what]), float(scale[level]), day] += 1
    return found


def chain_on(store: Store, folder: Path, *chain: Any) -> tuple[Defended, Store, Defended]:
    change = defended(store, chain)
    released = change.open(folder)
    return change, released, change.with_file_facts(released, folder)


@pytest.mark.parametrize("known", ["original", None])
def test_who_knows_four_entries_of_the_file_finds_everybody(
    diverse: pd.DataFrame, both: Any, tmp_path: Path, known: str | None
) -> None:
    """Of four entries of the original, one in 256 times all are still there."""
    result = audit_of(diverse, tmp_path / "run", known) if known else both
    folder = result.folder
    (row,) = result.tables["assessment"].to_dict("records")
    assert (row["verdict"], row["facts"]) == (
        ("within", "original") if known else ("exceeds", "file")
    )
    assert (row["mean"] > 0.99) == (known is None)
    assert sim.check(folder, max_risk=BOUND).passed == (known == "original")
    (part,) = (one.run for one in open_folder(folder).parts if one.name == "insider")
    assert part is not None
    assert (part.file_facts is not None) == (known is None)
    if known is None:
        (one,) = judged(result)
        assert (one["facts"], one["other"]["facts"]) == ("file", "original")
        assert one["other"]["mean"]["estimate"] < BOUND < one["mean"]["estimate"]
        (checked,) = sim.check(folder, max_risk=BOUND).runs
        assert checked.rows[0].known["facts"] == "file"
        again = audit_of(diverse, folder, known)  # opens what is complete
        pd.testing.assert_frame_equal(again.tables["assessment"], result.tables["assessment"])


def test_no_plan_offers_what_facts_of_the_file_break(diverse: pd.DataFrame, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    result = sim.plan(
        in_memory(diverse, folder), max_risk=BOUND, measure="mean", folder=folder,
        attackers=["insider"], defences=["sample_cells.share=0.25"], utility=["cells"],
        options={"plan.utility": "cells"},
    )  # fmt: skip
    trials = result.tables["trials"]
    of_chain = trials[trials["chain"] != "unchanged"]
    assert set(of_chain["decision"]) == {"dropped"}
    assert set(of_chain["step"]) == {"round 1"}  # both are measured in each round
    assert result.record["plan"]["offered"] is None


def test_one_run_where_nothing_is_lost_of_those_who_are_left(tmp_path: Path) -> None:
    people = [[*range(who % 9, who % 9 + 5)] for who in range(40)] + [[1]]
    frame = table_of(people, date=lambda who, item: 18_000 + 3 * who + item)
    result = audited(
        frame, tmp_path / "run", attackers=["insider"], max_risk=0.99,
        options={"defence": ["drop_records", "jitter_time"], "defence.drop_records.min_length": 2},
    )  # fmt: skip
    assert not [*(tmp_path / "run").rglob(FILE_FACTS_FOLDER)]
    assert set(result.tables["assessment"]["facts"]) == {""}


def test_several_records_of_a_person_are_never_within(tmp_path: Path) -> None:
    people = [[*range(6)] for _ in range(60)]
    frame = table_of(people, date=lambda who, item: 18_000 + item)
    result = audited(
        frame, tmp_path / "run", attackers=["insider"], max_risk=0.9, measure="mean",
        options={"defence": ["cut_pseudonyms"], "defence.cut_pseudonyms.window": "3d"},
    )  # fmt: skip
    (row,) = result.tables["assessment"].to_dict("records")
    assert row["verdict"] == "not tested"
    assert row["reason"] == UNMODELLED.name
    assert not sim.check(tmp_path / "run", max_risk=0.9).passed


def test_the_worse_of_both_is_shown_and_judged(both: Any) -> None:
    run = open_folder(both.folder)
    for measure in ("mean", "highest", "percentile_99", "succeeds"):
        for bound in (0.05, 0.5, 1.0):
            found = assess(run, bound, measure)
            (row,), (verdict,) = found.rows, found.verdicts
            (ours,) = rows_of(attacking(run), "insider", found.confidence)
            assert ours.other is not None
            both = [judge(one, measure, bound).verdict for one in (ours, ours.other)]
            assert verdict.verdict == min(both, key=WORST_FIRST.index)
            counted = [one.counted(measure) for one in (ours, ours.other)]
            assert (ours.facts, ours.other.facts, row.facts) == ("original", "file", "file")
            assert row.counted(measure) == max(counted)


def test_facts_of_the_file_are_cells_of_the_original(make_store: Any, tmp_path: Path) -> None:
    """With their own values and times, whatever the file says of them."""
    original: Store = make_store(random_rows(5, 60, 30, 700))
    chains = [
        (DropItems(min_support=3), SampleCells(share=0.4), JitterTime(date_noise=3)),
        (PerturbValues(value_noise=1), CapLength(n=5)),
        (DropRecords(min_length=9), CoarsenTime(bin="week"), HideItems(), SampleCells(share=0.7)),
    ]
    for number, chain in enumerate(chains):
        change, released, facts = chain_on(original, tmp_path / str(number), *chain)
        surviving = facts.truth
        assert surviving is not None
        assert change.loses_facts(released)
        assert cells_of(surviving) <= cells_of(original)
        assert surviving.manifest.n_cells == released.manifest.n_cells
        np.testing.assert_array_equal(np.sort(surviving.length), np.sort(released.length))
        linkage = linkage_of(surviving, released)
        assert (linkage.record >= 0).all()
        assert (linkage.item >= 0).all()
        np.testing.assert_array_equal(surviving.length[linkage.record], released.length)
        if len(released.items) == len(surviving.items):  # else some became one
            np.testing.assert_array_equal(released.support[linkage.item], surviving.support)


def test_the_attacker_knows_how_values_and_times_were_changed_and_nothing_is_lost(
    make_store: Any, tmp_path: Path
) -> None:
    """As of a release of the surviving cells to which the other defences alone were applied."""
    original: Store = make_store(random_rows(5, 60, 30, 700))
    noise = (PerturbValues(value_noise=1), JitterTime(date_noise=3))
    losing = (DropItems(min_support=3), *noise, SampleCells(share=0.4), CapLength(n=5))
    _, released, facts = chain_on(original, tmp_path / "file", *losing)
    assert facts.truth is not None
    assert facts.publisher == defended(facts.truth, noise).publisher
    assert facts.with_totals(released) == facts.publisher


def test_the_posterior_is_that_of_counting_the_entries_of_the_file(tmp_path: Path) -> None:
    """Each person and each two of their entries in the file is as likely; counted one by one."""
    people = [[*range(who % 7, who % 7 + 3 + who % 4)] for who in range(24)]
    frame = table_of(people)
    result = audited(
        frame, tmp_path / "run", attackers=["insider"], max_risk=0.9, measure="mean",
        options={"defence": ["sample_cells"], "defence.sample_cells.share": 0.8,
                 "grid.aux": ["2/2"], "audit.known_facts": "released", "grid.present": [True]},
    )  # fmt: skip
    release = in_memory(frame, tmp_path / "run")
    out = tmp_path / "file.parquet"
    sim.publish(
        release, out, defence=["sample_cells"], options={"defence.sample_cells.share": 0.8},
        identifiers="kept",
    )  # fmt: skip
    written = pd.read_parquet(out)
    file = {who: set(some["what"]) for who, some in written.groupby("who")}
    inner = sim.load(tmp_path / "run").parts["insider"].bayes
    assert inner is not None
    decisions = inner.decisions
    expected: dict[int, set[float]] = {}
    for who, items in file.items():
        for pair in combinations(sorted(items), 2):
            fit = {one: 1 / math.comb(len(has), 2) for one, has in file.items() if {*pair} <= has}
            expected.setdefault(int(who), set()).add(fit[who] / math.fsum(fit.values()))
    assert len(decisions) == len(expected) > 10
    for row in decisions.to_dict("records"):
        found = 2.0 ** -row["entropy_bits"]
        assert min(abs(found - one) for one in expected[int(row["target"])]) < 1e-9
    assert result.tables["assessment"]["facts"].tolist() == ["file"]


def test_a_wrong_word_is_refused(diverse: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^audit.known_facts: 'all': expected one of original"):
        audit_of(diverse, tmp_path / "run", "all")
    with pytest.raises(ConfigError, match=r"defence\.known_facts"):
        audit_of(diverse, tmp_path / "run", **{"defence.known_facts": "released"})


def test_people_of_several_records_have_no_facts_of_the_file(
    make_store: Any, tmp_path: Path
) -> None:
    original: Store = make_store(random_rows(5, 60, 30, 700))
    change = defended(original, [CutPseudonyms(window="10d")])
    with pytest.raises(GridError, match="several records"):
        change.loses_facts(change.open(tmp_path / "cut"))


def test_whoever_knows_how_many_entries_a_person_had_is_said_not_to_be_tested(
    tmp_path: Path,
) -> None:
    """Where entries are gone that the facts may be about, and only there."""
    people = [
        [*range(who % 9, who % 9 + 5), *([100 + who] if who < 5 else [])] for who in range(40)
    ]
    for name, known, is_said in (
        ("drop_items", "original", True), ("drop_items", "released", False),
        ("drop_items", "both", True), ("jitter_time", "both", False),
    ):  # fmt: skip
        folder = tmp_path / name / known
        result = audited(
            table_of(people, date=lambda who, item: 18_000 + 3 * who + item), folder,
            attackers=["insider"], max_risk=0.99,
            options={"defence": [name], "audit.known_facts": known},
        )  # fmt: skip
        checked = sim.check(result.folder, max_risk=0.99).runs[0]
        for found in (result.findings, checked.findings):
            subjects = {one.subject for one in found if one.kind == "facts_untested"}
            assert any(one.kind == "lengths_untested" for one in found) == is_said
            assert (subjects == {"facts:released"}) == (known == "original" and is_said)

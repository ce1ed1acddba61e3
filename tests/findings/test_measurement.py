"""What measurements state, against their tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from making import RowSource, random_rows
from reporting import folder_of

from sim.findings.finding import Finding
from sim.findings.kinds import KINDS
from sim.findings.measurement import conclusion_findings, measurement_findings
from sim.measurements.item_bits import ItemBits
from sim.measurements.k_of_release import KAnonymity
from sim.measurements.lengths import Lengths
from sim.measurements.measurement import Measurement
from sim.measurements.nearest import Neighbours
from sim.measurements.rare_items import RareItems
from sim.measurements.recommender import Recommender
from sim.measurements.registry import MEASUREMENTS
from sim.measurements.unicity import Unicity
from sim.numeric.rows import row_dicts
from sim.record.run_folder import RunFolder, open_folder
from sim.release.store.build import build_store
from sim.release.store.store import Store
from sim.report.screen import LINES_OF_ONE
from sim.report.screens.measurement import measurement_details, measurement_screen
from sim.report.sentences import PLUGIN, sentence
from sim.report.templates.every import TEMPLATES
from sim.report.terminal import details_text, screen_text
from sim.report.text_table import WIDTH

STUDIES: tuple[Measurement, ...] = (
    ItemBits(),
    KAnonymity(),
    Lengths(),
    Neighbours(records=20),
    Neighbours(attributes=("presence",), metric="hamming", records=None),
    RareItems(outside=(5, 10, 100)),
    Recommender(),
    Unicity(points=5, worst=2, worst_records=10),
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[RunFolder]:
    """A run of every measurement."""
    folder = tmp_path_factory.mktemp("measured")
    build_store(RowSource(random_rows(1)), folder / "store")
    store = Store(folder / "store")
    found = []
    for place, study in enumerate(STUDIES):
        options = {k: list(v) if isinstance(v, tuple) else v for k, v in vars(study).items()}
        config = {"name": "study", "study": {"kind": study.kind, **options}}
        release = {"n_records": 40, "n_items": 25, "n_cells": store.manifest.n_cells}
        tables = study.measure(store, 1)
        found.append(open_folder(folder_of(folder / str(place), config, tables, release=release)))
    return found


def test_every_measurement_is_measured_here() -> None:
    own = {name for name in MEASUREMENTS.all() if MEASUREMENTS.is_installed(name)}
    assert own == {study.kind for study in STUDIES}


def test_findings_are_of_declared_kinds_and_the_main_one_is_first(runs: list[RunFolder]) -> None:
    for study, run in zip(STUDIES, runs, strict=True):
        found = measurement_findings(run)
        assert {one.kind for one in found} <= {kind.name for kind in study.kinds}
        near = isinstance(study, Neighbours) and study.metric == "hamming"
        assert found[0].kind == study.kinds[near].name
        for one in found:
            assert all(type(n) in (int, float, str, type(None)) for n in one.numbers.values())
            assert not any(isinstance(n, float) and np.isnan(n) for n in one.numbers.values())


def test_numbers_are_those_of_one_row_of_the_facts(runs: list[RunFolder]) -> None:
    for run in runs:
        facts = row_dicts(run.tables["facts"])
        for one in measurement_findings(run):
            assert any(_agrees(one, row) for row in facts), one


def _agrees(one: Finding, row: Mapping[Any, Any]) -> bool:
    """Whether a row has the numbers; those of the worst case stand beside fewer points."""
    if one.kind == "times_not_measured":
        return row["times"] not in str(one.numbers["times"]).split(", ")
    numbers = dict(one.numbers)
    if "at_least" in numbers:
        numbers[f"at_least_{numbers.pop('at_least')}"] = numbers.pop("rate")
    shared = {k: v for k, v in numbers.items() if k in row and not k.startswith("worst_")}
    assert len(shared) > 1
    return all(pd.isna(row[k]) if v is None else row[k] == v for k, v in shared.items())


def test_the_worst_case_is_that_of_the_most_points_for_which_it_is_known(
    runs: list[RunFolder],
) -> None:
    run = runs[-1]
    facts = run.tables["facts"]
    for one in measurement_findings(run):
        if one.kind == "unique_by_points":
            row = facts[(facts["times"] == one.numbers["times"]) & (facts["points"] == 2)].iloc[0]
            assert one.numbers["points"] == 4
            assert one.numbers["worst_points"] == 2
            assert one.numbers["worst_n"] == 10
            assert one.numbers["worst_unique"] == row["worst_unique"]


def test_a_screen_fits_and_shows_the_first_finding(runs: list[RunFolder]) -> None:
    for run in runs:
        screen = measurement_screen(run)
        lines = screen_text(screen).splitlines()
        assert len(lines) <= LINES_OF_ONE
        assert max(map(len, lines)) <= WIDTH
        assert screen.verdict == sentence(measurement_findings(run)[0])
        assert screen.table is not None
        assert 1 <= len(screen.table.rows) <= 12
        assert details_text(measurement_details(run))


def test_every_kind_of_a_measurement_has_a_template() -> None:
    for cls in MEASUREMENTS.all().values():
        assert len({kind.name for kind in cls.kinds}) == len(cls.kinds)
        for kind in cls.kinds:
            assert kind.name.startswith(PLUGIN) or (kind.name in TEMPLATES and kind.name in KINDS)


def test_without_findings_the_first_measures_are(tmp_path: Path) -> None:
    facts = pd.DataFrame({"data": ["a"], "x": [0.5], "x_low": [0.4], "none": [np.nan], "n": [7]})
    for place, kind in enumerate(("unheard_of", "lengths")):  # of lengths, but of another version
        config = {"name": "m", "study": {"kind": kind}}
        run = open_folder(folder_of(tmp_path / str(place), config, {"facts": facts}))
        found = measurement_findings(run)
        assert [(one.name, one.numbers["value"]) for one in found] == [("x", 0.5), ("n", 7)]


def test_conclusions_of_a_suite_are_the_rows_of_its_facts(tmp_path: Path) -> None:
    facts = pd.DataFrame(
        {
            "figure": ["Fig. 4", "Fig. 5", "Figs. 4 and 6"],
            "closest_interpretation": ["a", "b", ""],
            "miss": [0.25, 0.75, np.nan],
            "interpretations": [8, 3, 0],
            "agreeing": pd.array([2, None, 0], "Int64"),
        }
    )
    folder = folder_of(tmp_path, {}, {"facts": facts})
    last, first, second = conclusion_findings(RunFolder(folder, {}))
    assert (last.name, last.numbers["agreeing"], last.numbers["miss"]) == ("Figs. 4 and 6", 0, None)
    assert (first.kind, first.numbers["agreeing"]) == ("interpretation_closest", 2)
    assert (second.kind, second.numbers["miss"]) == ("interpretation_surest", 0.75)
    assert all(map(sentence, (last, first, second)))

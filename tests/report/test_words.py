"""Headlines, tables and colours of a report: what is said is what was measured, and can be read."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reporting import folder_of

import sim.report.html
from sim.report.grids import curve_grids, frame_grid, is_about_people
from sim.report.headline import attack_headline
from sim.report.reproduce import command_of
from sim.report.run_folder import open_folder
from sim.report.told import told_of

AUX = {"attack": {"name": "scoreboard_rh", "phi": 1.5}, "adversary": {"kind": "aux"}}


def all_of(headline):
    return " ".join((headline.lead, *headline.more))


def test_an_attack_that_gives_probabilities_says_how_sure_it_was(make_curves):
    config = {**AUX, "attack": {"name": "bayes", "phi": 1.5}}
    said = all_of(attack_headline(make_curves(kinds=("claimed", "entropy")), config))
    assert "posterior probability of" in said
    assert "φ" not in said
    assert "bits are left to be learnt on average, of 9.90 bits at first" in said


def test_absent_people_and_the_equal_error_are_told(make_curves):
    axes = {"aux": ["2/2", "6/8"], "present": [True, False]}
    curves = make_curves(axes).assign(phi_star=1.25, equal_error=0.125)
    said = all_of(attack_headline(curves, AUX))
    assert "Of people whose record is not there, up to 1.0%" in said
    assert "sets φ to 1.25 errs for 12.5%" in said


def test_where_nobody_knows_no_one_is_said_to_be_identified(make_curves):
    curves = make_curves({"present": [True]})
    unknown = [c for c in curves if c.startswith(("rank1", "matched"))]
    curves[unknown] = np.nan
    said = all_of(attack_headline(curves, {**AUX, "adversary": {"kind": "external"}}))
    assert said.startswith("A match is declared for")
    assert "Nobody knows whose records these are" in said
    gone = make_curves({"aux": ["2/2"], "present": [False]})
    assert attack_headline(gone, AUX).lead.startswith("Of people whose record is not there, up to")


@pytest.mark.parametrize("kinds", [(), ("set",), ("entropy", "claimed")])
def test_all_cells_and_measures_are_in_the_tables(make_curves, kinds):
    curves = make_curves({"aux": ["2/2", "6/8"], "date_noise": [3, None]}, kinds=kinds)
    grids = curve_grids(curves)
    captions = " ".join(grid.caption for grid in grids)
    assert ("at most so many records fit" in captions) == ("set" in kinds)
    assert ("Bits left" in captions) == ("entropy" in kinds)
    for grid in grids:
        assert len(grid.rows) == len(curves)
        assert all(len(row) == len(grid.columns) for row in grid.rows)
        assert not any("nan" in cell.text for row in grid.rows for cell in row)
    rates = [row[4].sort for row in grids[0].rows]
    assert [float(rate) for rate in rates] == curves["rank1"].tolist()
    assert [row[1].text for row in grids[0].rows] == ["±3\N{NO-BREAK SPACE}d", "none"] * 2


@given(
    st.lists(
        st.tuples(
            st.text(max_size=5), st.none() | st.floats(allow_nan=False), st.integers(0, 10**12)
        ),
        min_size=1,
        max_size=5,
    )
)
def test_any_table_can_be_set(rows):
    frame = pd.DataFrame(rows, columns=["name", "x", "n"])
    grid = frame_grid(frame, "Any")
    assert len(grid.rows) == len(rows)
    assert all(len(row) == len(grid.columns) for row in grid.rows)
    for row, (_, _, n) in zip(grid.rows, rows, strict=True):
        assert row[-1].text == f"{n:,}"
        assert float(row[-1].sort) == n


def test_tables_of_people_are_known_by_their_columns():
    for name in ("target", "record", "person", "best", "place"):
        assert is_about_people(pd.DataFrame({name: [1], "share": [0.5]}))
    assert not is_about_people(pd.DataFrame({"rank": [1], "item": ["a"]}))


@pytest.mark.parametrize(
    ("kind", "facts", "said"),
    [
        ("rare_items", {"popularity": [5], "at_least_1": [0.97]}, "at least 1"),
        ("item_bits", {"known": ["dates"], "bits": [3.5], "bits_prior": [9.0]}, "3.50 of the 9"),
        (
            "neighbours",
            {"by": ["values"], "no_neighbour_above_half": [0.9]},
            "90.0% of the records have no other record more than half",
        ),
        (
            "kanonymity",
            {"data": [None], "recoding": ["all items"], "k": [1], "unique": [0.4]},
            "With all items, k is 1, and 40.0% of the records are like no other",
        ),
        (
            "recommender",
            {"rmse": [0.89], "records_for_1_percent": [0.011236], "law": ["linear"]},
            "gains 1% by knowing the truth about 1.12% of the records",
        ),
        ("lengths", {"other": [0.5]}, "other 0.50."),
        ("unheard_of", {"other": [0.5]}, "other 0.50."),
    ],
)
def test_measurements_are_told_in_words(tmp_path, kind, facts, said):
    config = {"name": "m", "study": {"kind": kind, "at_least": [1]}, "data": {"kind": "table"}}
    run = open_folder(folder_of(tmp_path, config, {"facts": pd.DataFrame(facts)}))
    lead, more = told_of(run)
    assert said in " ".join((lead, *more))


def test_an_override_takes_the_place_of_a_whole_group():
    record = {"overrides": ["attack=scoring_rated", "attack.delta=1", "+attack.x=1", "seed=2"]}
    assert command_of(record, ["attack=bayes"]) == "standout seed=2 attack=bayes"


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_text_stands_out_from_its_paper_by_day_by_night_and_in_print():
    style = Path(sim.report.html.__file__).parent / "templates" / "report.css"
    themes = re.findall(r":root \{(.*?)\}", style.read_text(encoding="utf-8"), re.DOTALL)
    assert len(themes) == 3
    for theme in themes:
        colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", theme))
        for ground in ("paper", "panel"):
            for text in ("ink", "faint", "link"):
                dark, light = sorted(luminance(colours[name]) for name in (ground, text))
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (theme, ground, text)

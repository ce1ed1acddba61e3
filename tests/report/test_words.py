"""Headlines, tables and colours of a report: what is said is what was measured, and can be read."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.axes.first import FirstAxis
from sim.axes.registry import AXES
from sim.numeric.text import format_percent
from sim.report.html_table import curve_tables, frame_table, is_about_people
from sim.report.population import population_of
from sim.report.words.caveats import attack_caveats
from sim.report.words.headline import attack_headline
from sim.report.words.reproduce import command_of

pytestmark = pytest.mark.fast

AUX = {"attack": {"name": "scoreboard_rh", "phi": 1.5}, "adversary": {"kind": "aux"}}


def all_of(headline):
    return " ".join((headline.lead, *headline.more))


def test_an_attack_that_gives_probabilities_says_how_sure_it_was(make_curves):
    config = {**AUX, "attack": {"name": "bayes", "phi": 1.5}}
    said = all_of(attack_headline(make_curves(kinds=("claimed", "entropy")), config))
    assert "posterior probability" in said
    assert "φ" not in said
    assert "of 9.90 bits of uncertainty" in said
    assert "assumptions" not in said
    wild = make_curves(kinds=("claimed",)).assign(claimed=0.99, claimed_low=0.98, claimed_high=1.0)
    said = all_of(attack_headline(wild, config))
    assert "In all 6 grid cells" in said
    assert "99.0% claimed, 30.0% right" in said
    assert "do not hold" in said


def test_a_population_names_the_items_that_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two cells of one number of facts have different populations if an axis filters the items."""

    class Rated(FirstAxis):
        """Items of a value."""

        name, restricts = "rated", True

        def which_items(self, level: str) -> str:
            return "" if level == "–" else f"of value {level} or more"

    class Unnamed(Rated):
        """Without words."""

        name = "unnamed"

        def which_items(self, level: str) -> str:
            return ""

    found = AXES.all()
    monkeypatch.setattr(AXES, "_found", {**found, "rated": Rated, "unnamed": Unnamed})
    counts = {"eligible": 0.5, "n_eligible": 300, "n_targets": 300, "n_present": 300}
    for axes, which in (
        ({"rated": 4}, "facts about items of value 4 or more"),
        ({"popularity": 0, "rated": None}, "facts"),
        (
            {"popularity": 500, "rated": 4},
            "facts about items outside the top 500 of value 4 or more",
        ),
        ({"unnamed": 4}, "such facts"),
        ({"unnamed": None}, "facts"),
    ):
        said = population_of({"aux": "3/4", **axes, **counts}, AUX).targets
        assert said == f"the 300 records with 4 or more {which} (50.0% of all 600)"


def test_every_share_names_its_population(make_curves):
    """The highest share is one of 58.5% of the people, the lowest one of all."""
    curves = make_curves({"aux": ["2/2", "8/8"], "popularity": [500]})
    curves.loc[1, ["eligible", "n_eligible"]] = [0.585, 11_700]
    lead, others, *more = (found := attack_headline(curves, AUX)).lead, *found.more
    rate = "37.0% [95% interval 34.1%–40.0%]"
    assert lead == (
        "With 8 of 8 facts right and items not in the top 500, the attacker's best guess "
        f"(Scoreboard-RH) identifies {rate} of the 11,700 records with 8 or more facts about "
        "items outside the top 500 (58.5% of all 20,000; 1,000 sampled)."
    )
    assert "the other 8,300 records (41.5% of all 20,000)" in others
    (fewest,) = (said for said in more if said.startswith("The lowest rate"))
    assert "30.0% [95% interval 27.2%–32.9%] of all 20,000 records (1,000 sampled)" in fewest
    # 30% of all are more people than 37% of 58.5%, whatever the error.
    (wider,) = (said for said in more if said.startswith("A larger number of records"))
    assert "2 of 2 facts right" in wider
    whole = attack_headline(make_curves({"aux": ["2/2", "8/8"]}, n=20_000), AUX)
    assert whole.lead.endswith("of all 20,000 records.")
    assert not any(said.startswith(("Nothing", "A larger")) for said in whole.more)


def test_a_guess_about_a_target_that_the_release_lacks_is_in_no_share(make_curves):
    """Half of the people are not in the release: no share of right guesses is one of them."""
    curves = make_curves({"present": [True]}).assign(n_present=500)
    found = attack_headline(curves, {**AUX, "adversary": {"kind": "elsewhere", "least": 2}})
    assert (
        "of the 500 targets whose record is in the release (1,000 were sampled from all 20,000 "
        "people)" in found.lead
    )
    assert "of all 1,000 targets and a wrong one" in found.more[0]
    dropped = attack_headline(
        make_curves({"aux": ["2/2"]}), {**AUX, "defence": {"drop_items": {"min_support": 9}}}
    )
    assert "of all 20,000 original records" in dropped.lead
    said = " ".join(attack_caveats(curves, {**AUX, "adversary": {"kind": "elsewhere"}}))
    assert "Only 50.0% of the targets have a record in the release" in said
    assert "The Bayes-optimal attacker has no model of such facts" in said


@given(st.integers(1, 10**6), st.data())
def test_a_part_is_never_written_as_all_or_none(whole, data):
    part = data.draw(st.integers(0, whole))
    text = format_percent(part / whole)
    assert (text == "0.0%") == (part == 0)
    assert (text == "100.0%") == (part == whole)
    off = 0.1 if text.startswith(">") else 0.0500001
    assert float(text.strip(">%")) == pytest.approx(100 * part / whole, abs=off)


def test_absent_people_and_the_equal_error_are_stated(make_curves):
    axes = {"aux": ["2/2", "6/8"], "present": [True, False]}
    curves = make_curves(axes).assign(phi_star=1.25, equal_error=0.125)
    said = all_of(attack_headline(curves, AUX))
    assert "Of targets whose record is not in the release, up to 1.0% [95% interval" in said
    assert "φ = 1.25, the error rate is 12.5%" in said


def test_where_the_truth_is_unknown_no_one_is_identified(make_curves):
    curves = make_curves({"present": [True]})
    unknown = [c for c in curves if c.startswith(("rank1", "matched"))]
    curves[unknown] = np.nan
    said = all_of(attack_headline(curves, {**AUX, "adversary": {"kind": "external"}}))
    assert said.startswith("The attack declares a match for 16.0% [95% interval")
    assert "of all 20,000 people in the other table (1,000 sampled)" in said
    assert "unknown" in said
    gone = make_curves({"aux": ["2/2"], "present": [False]})
    assert attack_headline(gone, AUX).lead.startswith("Of targets whose record is not in the rel")


@pytest.mark.parametrize("kinds", [(), ("set",), ("entropy", "claimed")])
def test_all_cells_and_measures_are_in_the_tables(make_curves, kinds):
    curves = make_curves({"aux": ["2/2", "6/8"], "date_noise": [3, None]}, kinds=kinds)
    grids = curve_tables(curves)
    captions = " ".join(grid.caption for grid in grids)
    assert ("at most n" in captions) == ("set" in kinds)
    assert ("Bits of uncertainty" in captions) == ("entropy" in kinds)
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
    grid = frame_table(frame, "Any")
    assert len(grid.rows) == len(rows)
    assert all(len(row) == len(grid.columns) for row in grid.rows)
    for row, (_, _, n) in zip(grid.rows, rows, strict=True):
        assert row[-1].text == f"{n:,}"
        assert float(row[-1].sort) == n


def test_tables_of_people_are_known_by_their_columns():
    for name in ("target", "record", "person", "best", "place"):
        assert is_about_people(pd.DataFrame({name: [1], "share": [0.5]}))
    assert not is_about_people(pd.DataFrame({"rank": [1], "item": ["a"]}))


def test_an_override_takes_the_place_of_a_whole_group():
    record = {"overrides": ["attack=scoring_rated", "attack.delta=1", "+attack.x=1", "seed=2"]}
    assert command_of(record, ["attack=bayes"]) == "standout seed=2 attack=bayes"


def test_a_countermeasure_is_described_only_where_it_is_used(make_curves):
    """The highest share is without decoys; the lead gives the highest one with some, too."""
    curves = make_curves({"decoys": [0, 5], "decoy_support": [1]})
    curves.loc[0, ["rank1", "rank1_low", "rank1_high"]] = [0.6, 0.5, 0.7]
    curves.loc[1, ["rank1", "rank1_low", "rank1_high"]] = [0.2, 0.1, 0.3]
    found = attack_headline(curves, {**AUX, "adversary": {"kind": "mentions"}})
    without, protected = found.lead.split(";")
    assert without.startswith("With no decoys, ")
    assert "support" not in without
    assert "60.0%" in without
    assert "5 decoys" in protected
    assert "decoys of support 1 or more" in protected
    assert "20.0%" in protected

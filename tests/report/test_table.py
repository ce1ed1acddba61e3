"""The terminal's table: aligned, narrow enough, and saying everything."""

import re

import pytest

from sim.report.page.table import curve_table

pytestmark = pytest.mark.fast


def test_a_row_reads_as_it_should(make_curves):
    lines = curve_table(make_curves(n=1000, eligible=1.0)).split("\n")
    assert lines[0] == (
        "exact values, all items; % [95% interval] of all 20,000 records (1,000 sampled)"
    )
    head = ["aux", "dates", "best guess right", "matched, right", "matched, wrong", "no match"]
    assert re.split(r"  +", lines[1]) == head
    assert lines[2].startswith("2/2   ±3 d  30.0 [27.2–32.9]  15.0 [12.9–17.3]")
    assert len(lines) == 2 + 6


def test_what_is_printed_depends_on_what_was_measured(make_curves):
    axes = {"aux": ["2/2", "6/8"], "present": [True, False]}
    lines = curve_table(make_curves(axes, kinds=("set", "entropy"), n=500)).split("\n")
    head = ["aux", "target", "best guess right", "matched, right", "matched, wrong", "no match"]
    assert re.split(r"  +", lines[1]) == [*head, "0 or 1 fit", "bits left"]
    assert re.split(r"  +", lines[2])[:3] == ["2/2", "present", "30.0 [26.1–34.2]"]
    assert re.split(r"  +", lines[2])[-1] == "2.0"
    gone = re.split(r"  +", lines[3].strip())
    assert gone[:3] == ["2/2", "absent", "–"]
    assert gone[-2:] == ["–", "–"]
    assert "nan" not in "".join(lines)
    assert max(map(len, lines)) <= 100
    absent = curve_table(make_curves({"aux": ["2/2", "6/8"], "present": [False]})).split("\n")
    assert absent[0].startswith("target absent; ")
    assert re.split(r"  +", absent[1]) == ["aux", "matched, right", "matched, wrong", "no match"]


def test_what_every_grid_has_by_default_is_not_said(make_curves):
    axes = {"aux": ["2/2", "6/8"], "missing": [0], "record_length": [None], "present": [True]}
    assert curve_table(make_curves(axes)).startswith("% [95% interval] of all 20,000 records ")


@pytest.mark.parametrize("width", [60, 80, 100])
@pytest.mark.parametrize(
    "extra",
    [
        {},
        {"popularity": [0, "100-500"], "value_noise": [None, 1]},
        {"a_long_name_of_an_axis": ["one long level", "another level, longer still"]},
    ],
)
def test_no_line_is_too_wide_and_columns_are_aligned(make_curves, width, extra):
    axes = {"aux": ["2/2", "6/8"], "date_noise": [3, None], "value_noise": [0]} | extra
    curves = make_curves(axes, eligible=0.5, tied_top=3, sigma_zero=1, absent_items=1_000_000)
    lines = curve_table(curves, width=width).split("\n")
    assert max(map(len, lines)) <= width
    # However narrow, every cell keeps its four numbers.
    for measure in ("rank1", "matched_right", "matched_wrong", "no_match"):
        for share in curves[measure]:
            assert any(f"{100 * share:.1f}" in line for line in lines)


def test_intervals_go_one_by_one_as_room_gets_short(make_curves):
    brackets = [
        curve_table(make_curves(), width=w).split("\n")[2].count("[") for w in (100, 80, 60)
    ]
    assert brackets == sorted(brackets, reverse=True)
    assert brackets[0] == 4
    assert brackets[-1] < 4


def test_what_differs_between_cells_gets_a_column(make_curves):
    curves = make_curves(eligible=0.9996)
    curves.loc[2, ["n_targets", "n_present"]] = 12_345
    curves.loc[3, ["eligible", "n_eligible"]] = [0.25, 5_000]
    head, *rows = curve_table(curves).split("\n")[-7:]
    assert head.split()[2:4] == ["targets", "eligible"]
    assert "12,345" in rows[2]
    assert ">99.9" in rows[0]
    assert " 25.0 " in rows[3]


def test_a_percentage_is_of_those_who_can_be_a_target(make_curves):
    """A sample of 58.5% of the records is neither all of them nor all of these."""
    lines = curve_table(make_curves({"aux": ["6/8", "8/8"]}, n=1000, eligible=0.585)).split("\n")
    above = " ".join(lines[: lines.index(next(line for line in lines if line.startswith("aux")))])
    who = "the 11,700 records with 8 or more facts (58.5% of all 20,000; 1,000 sampled)"
    assert above == f"% [95% interval] of {who}"
    both = make_curves({"aux": ["2/2", "8/8"], "popularity": [500]}, n=1000)
    both.loc[1, ["eligible", "n_eligible"]] = [0.585, 11_700]
    said = " ".join(curve_table(both).split("\n")[:3])
    assert (
        "of the records with 2 or more facts about items outside the top 500 (100.0% of 20,000)"
        in said
    )
    assert "or 8 or more facts about items outside the top 500 (58.5%), 1,000 sampled" in said


def test_a_target_that_the_release_lacks_is_in_no_share_of_right_guesses(make_curves):
    curves = make_curves({"aux": ["2/2", "6/8"]}).assign(n_present=[12, 34])
    lines = curve_table(curves).split("\n")
    assert lines[1].split()[1] == "present"
    assert [line.split()[1] for line in lines[2:4]] == ["12", "34"]
    assert lines[-1].startswith("best guess right: ")


def test_a_few_found_are_not_rounded_to_none(make_curves):
    curves = make_curves({"aux": ["2/2", "6/8"]}, n=480_189)
    for name in ("rank1", "rank1_low", "rank1_high"):
        curves[name] = [100 / 480_189, 1 - 1 / 480_189]
    lines = curve_table(curves).split("\n")
    assert lines[2].split()[1:3] == ["0.021", "[0.021–0.021]"]
    assert lines[3].split()[1] == ">99.9"


@pytest.mark.parametrize("width", [60, 70, 80, 100])
def test_a_narrow_table_of_everything_says_what_its_heads_mean(make_curves, width):
    axes = {"aux": ["2/2", "6/8"], "date_noise": [3, None], "present": [True, False]}
    curves = make_curves(axes, n=480_189, kinds=("set", "entropy"))
    curves.loc[0, ["n_targets", "n_eligible", "eligible"]] = [12, 10_000, 0.5]
    lines = curve_table(curves, width=width).split("\n")
    assert max(map(len, lines)) <= width
    heads = next(line for line in lines if line.split()[-1] in ("left", "bits")).split()
    assert ("guess:" in "\n".join(lines)) == ("guess" in heads)


def test_doubts_are_said_below(make_curves):
    curves = make_curves(
        {"aux": ["2/2", "6/8"]}, n=100, tied_top=3, sigma_zero=2, absent_items=1, not_candidate=5
    )
    below = " ".join(curve_table(curves).split("\n")[4:])
    assert re.findall(r"(\d+) of 200 decisions", below) == ["6", "4", "10"]
    assert re.findall(r"(\d+) aux items", below) == ["2"]
    assert "decisions" not in curve_table(make_curves())


def test_a_grid_of_one_cell_is_named_by_its_number(make_curves):
    lines = curve_table(make_curves({"aux": ["2/2"]})).split("\n")
    assert lines[0].startswith("2 of 2 facts right; ")
    assert lines[1].split()[0] == "cell"


def test_no_curve_is_no_table(make_curves):
    with pytest.raises(ValueError, match="no curve"):
        curve_table(make_curves().iloc[:0])

"""From the axes of a grid to its cells, and what is said of axes that cannot be read."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from studying import knowledge_of

from sim.adversary.draw import Sampling
from sim.adversary.knowledge import Knowledge, Window
from sim.adversary.mentions import Mentions
from sim.axes.aux import AuxAxis
from sim.axes.popularity import PopularityAxis
from sim.axes.registry import axes_of, neutral_values
from sim.errors import ConfigError
from sim.study.grid import GridCell, expand

pytestmark = pytest.mark.fast

GOOD: dict[str, list[Any]] = {
    "aux": ["2/2", "6/8"],
    "date_noise": [3, None],
    "value_noise": [0, 0.5],
    "popularity": [0, "100-500"],
}


def shown(grid: str) -> list[str]:
    """Axes of a grid that its cells have even if only their neutral value is asked for."""
    return [axis.name for axis in axes_of(grid) if not axis.only_if_used]


NEUTRAL = neutral_values()
OPTIONAL = {name: NEUTRAL[name] for name in shown("sweep") if name in NEUTRAL}


def sweep(axes: dict[str, list[Any]], wrong: Any = "value") -> list[GridCell]:
    """Cells of a grid of samples."""
    return expand("sweep", axes, Sampling(Knowledge(1, 1, wrong=wrong)))


@given(
    aux=st.lists(st.sampled_from(["1/1", "0/3", "2/2", "6/8"]), min_size=1, unique=True),
    dates=st.lists(st.sampled_from([0, 3, 14, None]), min_size=1, unique=True),
    values=st.lists(st.sampled_from([0, 0.5, 1.0, None]), min_size=1, unique=True),
    popularity=st.lists(st.sampled_from([0, 100, "0-50"]), min_size=1, unique=True),
    wrong=st.sampled_from(["value", "item"]),
)
def test_every_combination_once_the_last_axis_fastest(
    aux: list[str],
    dates: list[int | None],
    values: list[float | None],
    popularity: list[Any],
    wrong: Any,
) -> None:
    axes = {"aux": aux, "date_noise": dates, "value_noise": values, "popularity": popularity}
    cells = sweep(axes, wrong)
    assert [cell.index for cell in cells] == list(range(len(cells)))
    assert [cell.axes for cell in cells] == [
        dict(zip(axes, place, strict=True)) | OPTIONAL
        for place in itertools.product(*axes.values())
    ]
    for cell in cells:
        m, size = (int(part) for part in cell.axes["aux"].split("/"))
        known = knowledge_of(cell)
        assert (known.correct, known.size) == (m, size)
        assert known.date_noise == cell.axes["date_noise"]
        assert known.value_noise == cell.axes["value_noise"]
        assert known.wrong == wrong


def test_a_cell_says_what_it_is() -> None:
    cells = sweep(GOOD)
    assert knowledge_of(cells[-1]) == Knowledge(6, 8, 0.5, None, Window(100, 500))
    assert str(cells[-1]).startswith("grid cell 15 (")
    for said in ("aux=6/8", "value_noise=0.5", "date_noise=null", "popularity=100-500"):
        assert said in str(cells[-1])


def test_whole_numbers_are_shown_as_such() -> None:
    axes = sweep(GOOD | {"value_noise": [1.0, 0.5]})[0].axes
    assert (axes["value_noise"], type(axes["value_noise"])) == (1, int)


@pytest.mark.parametrize("text", ["6/8", " 6/8 ", "06/8"])
def test_aux(text: str) -> None:
    assert AuxAxis().parsed(text) == (6, 8)


@pytest.mark.parametrize(
    "text", ["", "6", "6/", "/8", "8/6", "0/0", "-1/2", "6/8/9", "6 of 8", "2.5/3", "6/8x", "x6/8"]
)
def test_bad_aux_is_quoted(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        AuxAxis().parsed(text)
    assert str(caught.value) == f"grid.aux: {text!r}: expected right facts/facts, like 6/8"


@pytest.mark.parametrize(
    ("given", "window"),
    [
        (0, Window()),
        ("0", Window()),
        (100, Window(100)),
        ("0-1", Window(0, 1)),
        ("7-9", Window(7, 9)),
    ],
)
def test_window(given: Any, window: Window) -> None:
    assert PopularityAxis().parsed(given) == window


@pytest.mark.parametrize(
    "given", [-1, 1.5, "5-5", "9-7", "-5", "5-", "top 100", "", None, True, False, [1], "1-2-3"]
)
def test_bad_window_is_quoted(given: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        PopularityAxis().parsed(given)
    assert str(caught.value).startswith(f"grid.popularity: {given!r}: expected X")


@pytest.mark.parametrize(
    ("axis", "values", "message"),
    [
        ("aux", [], "grid.aux: empty; expected at least one value"),
        ("popularity", [], "grid.popularity: empty; expected at least one value"),
        ("aux", ["2/2", "2/2"], "grid.aux: ['2/2', '2/2'] repeats a value; give each value once"),
        ("date_noise", [None, None], "grid.date_noise: [None, None] repeats a value"),
        ("value_noise", [1, 1.0], "grid.value_noise: [1, 1.0] repeats a value"),
        ("popularity", [100, "100"], "grid.popularity: [100, '100'] repeats a value"),
        ("popularity", [0, "00"], "grid.popularity: [0, '00'] repeats a value"),
        ("aux", ["2/2", "2/02"], "grid.aux: ['2/2', '2/02'] repeats a value"),
        ("date_noise", [2.5], "grid.date_noise: 2.5: expected whole days"),
        (
            "date_noise",
            [True],
            "grid.date_noise: true: expected whole days, or a whole number with",
        ),
        ("date_noise", ["2 fortnights"], "grid.date_noise: 2 fortnights: expected whole days, or"),
        ("date_noise", [2, "48h"], "grid.date_noise: [2, '48h'] repeats a value"),
        ("missing", [], "grid.missing: empty; expected at least one value"),
        ("missing", [0.5, 0.5], "grid.missing: [0.5, 0.5] repeats a value"),
        ("missing", [None], "grid.missing: null: expected a share from 0 to 1"),
        ("missing", [1.1], "grid.missing: 1.1: expected a share from 0 to 1"),
        ("missing", [True], "grid.missing: true: expected a share from 0 to 1"),
        ("record_length", [1], "grid.record_length: 1: expected a share of at least 0 and below 1"),
        ("record_length", [-0.1], "grid.record_length: -0.1: expected a share of at least 0"),
        ("present", [1], "grid.present: 1: expected true or false"),
        ("present", [None], "grid.present: null: expected true or false"),
        ("present", ["no"], "grid.present: no: expected true or false"),
        ("present", [True, True], "grid.present: [True, True] repeats a value"),
        ("date_noise", [-1], "grid.date_noise: -1: expected 0 or more, or null for none"),
        ("value_noise", [-0.5], "grid.value_noise: -0.5: expected 0 or more, or null for none"),
        ("value_noise", [float("nan")], "grid.value_noise: nan: expected 0 or more"),
        ("value_noise", [float("inf")], "grid.value_noise: inf: expected 0 or more"),
    ],
)
def test_bad_axes_are_named(axis: str, values: list[Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        sweep(GOOD | {axis: values})
    assert str(caught.value).startswith(message)


def test_the_axes_that_may_be_left_out_follow_the_others() -> None:
    axes = GOOD | {"present": [True, False], "missing": [0, 0.2], "record_length": [None, 0.5]}
    cells = sweep(axes)
    assert len(cells) == 16 * 8
    assert list(cells[0].axes) == shown("sweep")
    assert list(sweep(axes | {"fact_draw": [0, 1]})[0].axes) == [*shown("sweep"), "fact_draw"]
    assert [cell.axes["present"] for cell in cells[:4]] == [True, False, True, False]
    known = knowledge_of(cells[-1])
    assert (known.missing, known.record_length, known.present) == (0.2, 0.5, False)
    assert str(cells[-1]).endswith("missing=0.2 record_length=0.5 present=false first=null)")
    assert str(known).endswith("missing=0.2 record_length=0.5 present=false")
    known = knowledge_of(cells[0])
    assert (known.missing, known.record_length, known.present) == (0, None, True)


def test_a_grid_of_mentions() -> None:
    base = Mentions(precision=0.5, max_length=63)
    axes = {"hide_rarest": [0, 0.1], "decoys": [0, 5], "decoy_support": ["top", 8]}
    cells = expand("mentions", axes, base)
    assert [cell.index for cell in cells] == list(range(8))
    assert list(cells[0].axes) == shown("mentions")
    assert cells[0].adversary == base
    assert cells[-1].adversary == Mentions(
        precision=0.5, max_length=63, hide_rarest=0.1, decoys=5, decoy_support=8
    )
    assert [cell.adversary for cell in expand("mentions", {}, base)] == [base]


@pytest.mark.parametrize(
    ("axis", "values", "message"),
    [
        ("decoys", [-1], "grid.decoys: -1: expected a whole number of at least 0"),
        ("decoys", [0.5], "grid.decoys: 0.5: expected a whole number"),
        ("decoy_support", [0], "grid.decoy_support: 0: expected a support of 1 or more, or top"),
        ("decoy_support", ["best"], "grid.decoy_support: best: expected a support of 1 or more"),
        ("hide_rarest", [2], "grid.hide_rarest: 2: expected a share from 0 to 1"),
        ("value_known", [float("nan")], "grid.value_known: nan: expected a share from 0 to 1"),
    ],
)
def test_bad_axes_of_mentions_are_named(axis: str, values: list[Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        expand("mentions", {axis: values}, Mentions())
    assert str(caught.value).startswith(message)


def test_no_axis_is_passed_over() -> None:
    with pytest.raises(ConfigError) as caught:
        sweep(GOOD | {"colour": [1]})
    assert str(caught.value).startswith("grid.colour: no such axis; expected aux, date_noise, ")
    with pytest.raises(ConfigError, match=r"^grid\.aux: no such axis; expected value_known, "):
        expand("mentions", {"aux": ["1/1"]}, Mentions())
    with pytest.raises(ConfigError, match=r"^grid\.aux: not given"):
        sweep({axis: values for axis, values in GOOD.items() if axis != "aux"})

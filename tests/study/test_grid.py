"""From the axes of a grid to its cells, and what is said of axes that cannot be read."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.adversary.knowledge import Knowledge, Window
from sim.errors import ConfigError
from sim.study.grid import expand, parse_aux, parse_window

GOOD: dict[str, list[Any]] = {
    "aux": ["2/2", "6/8"],
    "date_noise": [3, None],
    "value_noise": [0, 0.5],
    "popularity": [0, "100-500"],
}


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
    cells = expand(axes, wrong)
    assert [cell.index for cell in cells] == list(range(len(cells)))
    assert [tuple(cell.axes.values()) for cell in cells] == list(itertools.product(*axes.values()))
    for cell in cells:
        m, size = (int(part) for part in cell.axes["aux"].split("/"))
        assert (cell.knowledge.correct, cell.knowledge.size) == (m, size)
        assert cell.knowledge.date_noise == cell.axes["date_noise"]
        assert cell.knowledge.value_noise == cell.axes["value_noise"]
        assert cell.knowledge.wrong == wrong


def test_a_cell_says_what_it_is() -> None:
    cells = expand(GOOD)
    assert cells[-1].knowledge == Knowledge(6, 8, 0.5, None, Window(100, 500))
    assert str(cells[-1]) == (
        "grid cell 15 (aux=6/8 value_noise=0.5 date_noise=null popularity=100-500)"
    )


def test_whole_numbers_are_shown_as_such() -> None:
    axes = expand(GOOD | {"value_noise": [1.0, 0.5]})[0].axes
    assert (axes["value_noise"], type(axes["value_noise"])) == (1, int)


@pytest.mark.parametrize("text", ["6/8", " 6/8 ", "06/8"])
def test_aux(text: str) -> None:
    assert parse_aux(text) == (6, 8)


@pytest.mark.parametrize(
    "text", ["", "6", "6/", "/8", "8/6", "0/0", "-1/2", "6/8/9", "6 of 8", "2.5/3", "6/8x", "x6/8"]
)
def test_bad_aux_is_quoted(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_aux(text)
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
    assert parse_window(given) == window


@pytest.mark.parametrize(
    "given", [-1, 1.5, "5-5", "9-7", "-5", "5-", "top 100", "", None, True, False, [1], "1-2-3"]
)
def test_bad_window_is_quoted(given: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_window(given)
    assert str(caught.value).startswith(f"grid.popularity: {given!r}: expected X")


@pytest.mark.parametrize(
    ("axis", "values", "message"),
    [
        ("aux", [], "grid.aux: empty; expected at least one value"),
        ("popularity", [], "grid.popularity: empty; expected at least one value"),
        ("aux", ["2/2", "2/2"], "grid.aux: ['2/2', '2/2'] repeats a value; each may stand once"),
        ("date_noise", [None, None], "grid.date_noise: [None, None] repeats a value"),
        ("value_noise", [1, 1.0], "grid.value_noise: [1, 1.0] repeats a value"),
        ("popularity", [100, "100"], "grid.popularity: [100, '100'] repeats a value"),
        ("popularity", [0, "00"], "grid.popularity: [0, '00'] repeats a value"),
        ("aux", ["2/2", "2/02"], "grid.aux: ['2/2', '2/02'] repeats a value"),
        ("date_noise", [-1], "grid.date_noise: -1: expected 0 or more, or null for none"),
        ("value_noise", [-0.5], "grid.value_noise: -0.5: expected 0 or more, or null for none"),
        ("value_noise", [float("nan")], "grid.value_noise: nan: expected 0 or more"),
        ("value_noise", [float("inf")], "grid.value_noise: inf: expected 0 or more"),
    ],
)
def test_bad_axes_are_named(axis: str, values: list[Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        expand(GOOD | {axis: values})
    assert str(caught.value).startswith(message)

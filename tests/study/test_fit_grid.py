"""What a release cannot have is left out of a grid, with the reason; what was asked for is not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from making import MakeStore, random_rows
from studying import cells, knowledge_of

from sim.adversary.draw import Sampling, draw_aux
from sim.adversary.knowledge import Knowledge
from sim.axes.date_noise import DateNoiseAxis
from sim.errors import GridError
from sim.release.store.manifest import Manifest
from sim.study.fit_grid import LeftOut, fit_axes, fit_cells

WHOLE: dict[str, list[Any]] = {"date_noise": [3, 14], "value_noise": [0, 1], "present": [True]}


@pytest.fixture
def release(make_store: MakeStore) -> Manifest:
    return make_store(random_rows(1)).manifest


def test_a_release_with_all_keeps_all(release: Manifest) -> None:
    assert fit_axes(WHOLE, release, ()) == (WHOLE, [])


@pytest.mark.parametrize("given", [[0, 1], [None, 0], [0.0]])
def test_values_that_the_release_lacks_are_not_known(release: Manifest, given: list[Any]) -> None:
    without = replace(release, scale=[])
    kept, left_out = fit_axes({"value_noise": given}, without, ())
    assert kept == {"value_noise": [None]}
    instead = {} if None in given else {"value_noise": None}
    assert left_out == [
        LeftOut({"value_noise": value}, "value_noise_lacking", instead)
        for value in given
        if value is not None
    ]
    with pytest.raises(GridError, match=r"^grid.value_noise: 0: the release has no values; leave "):
        fit_axes({"value_noise": given}, without, {"value_noise"})


@pytest.mark.parametrize(
    ("days", "given", "kept"),
    [
        (0, [3, 14], [None]), (0, [None, 3], [None]), (60, [3, 14], [3, 14]), (56, [14], [14]),
        (55, [3, 14], [3]), (28, [3, 14], [3]), (28, [7, 8], [7]), (10, [3, 14], [2]),
        (10, [None, 14], [None]), (3, [3], [0]), (1, [0, 3], [0]),
    ],
)  # fmt: skip
def test_dates_are_known_to_a_quarter_of_the_span(
    release: Manifest, days: int, given: list[Any], kept: list[Any]
) -> None:
    short = replace(release, n_days=days)
    found, left_out = fit_axes({"date_noise": given}, short, ())
    assert found == {"date_noise": kept}
    assert [one.axes["date_noise"] for one in left_out] == [v for v in given if v not in kept]
    assert DateNoiseAxis().too_wide(kept[0], short) == ""
    for one in left_out:
        assert dict(one.instead) == ({} if kept[0] in given else {"date_noise": kept[0]})


@pytest.mark.parametrize(
    ("time_bin", "bins", "given", "kept"),
    [
        ("hour", 9000, [0, 3, 14, "2h", None], ["0h", 3, 14, "2h", None]),
        ("hour", 300, [3, 14], [3]), ("hour", 100, [3, 14], ["25h"]), ("hour", 3, [3], ["0h"]),
        ("15", 9000, ["90min", "36h"], ["90min", "36h"]), ("15", 9000, ["20min", 3], [3]),
        ("week", 60, [3, 14], [14]), ("week", 60, [3], [14]), ("week", 6, [0, 3], ["0w"]),
        ("week", 6, [3], [7]), ("month", 60, [3, 14], ["1mo"]), ("month", 60, [0, 3], ["0mo"]),
        ("month", 3, [3], ["0mo"]), ("month", 60, ["2mo", 14], ["2mo"]), ("day", 60, ["48h"], [2]),
        ("day", 60, ["3d", "2h", "1mo"], [3]), ("2880", 60, [0, 3, 14], [0, 14]),
    ],
)  # fmt: skip
def test_an_error_of_dates_is_a_whole_number_of_bins(
    release: Manifest, time_bin: str, bins: int, given: list[Any], kept: list[Any]
) -> None:
    """What does not fit is left out of the defaults, and an error where it was asked for."""
    binned = replace(release, time_bin=time_bin, n_days=bins)
    found, left_out = fit_axes({"date_noise": given}, binned, ())
    assert found == {"date_noise": kept}
    axis = DateNoiseAxis()
    for one in left_out:
        value = one.axes["date_noise"]
        if axis.lacks(value, binned):
            assert one.reason == "date_noise_lacking"
            with pytest.raises(GridError, match=r"^grid.date_noise: .*no whole number of"):
                fit_axes({"date_noise": [value]}, binned, {"date_noise"})
        else:
            assert one.reason == "date_noise_too_wide"
    sampling = Sampling(Knowledge(1, 1), binned.bins)
    for value in kept:
        if value is not None:
            assert 0 <= sampling.in_bins(value) <= max(bins / 4, 0)
            assert axis.words(str(value)).startswith(("dates", "times", "exact"))


def test_a_wide_noise_that_was_asked_for_stays(release: Manifest) -> None:
    short = replace(release, n_days=10)
    assert fit_axes(WHOLE, short, {"date_noise"}) == (WHOLE, [])
    with pytest.raises(GridError, match=r"^grid.date_noise: 3: the release has no dates"):
        fit_axes(WHOLE, replace(release, n_days=0), {"date_noise"})


def test_a_lone_record_stays(release: Manifest) -> None:
    kept, left_out = fit_axes({"present": [True, False]}, replace(release, n_records=1), ())
    assert kept == {"present": [True]}
    assert [one.axes for one in left_out] == [{"present": False}]


def test_cells_without_a_target_are_left_out(make_store: MakeStore) -> None:
    """Whatever is left out of a whole axis is said once; the other cells are numbered anew."""
    store = make_store(random_rows(1, records=20, items=6, cells=60))
    grid = cells(aux=["1/1", "7/7", "2/2"], popularity=[0, 5, 6], date_noise=[3], value_noise=[0])
    left, left_out = fit_cells(grid, store, 1, ())
    assert [cell.index for cell in left] == list(range(len(left)))
    places = [(cell.axes["aux"], cell.axes["popularity"]) for cell in left]
    assert places == [("1/1", 0), ("1/1", 5), ("2/2", 0)]
    assert [dict(one.axes) for one in left_out] == [
        {"popularity": 6},
        {"aux": "7/7"},
        {"aux": "2/2", "popularity": 5},
    ]
    assert {one.reason for one in left_out} == {"no_target"}


@pytest.mark.parametrize(
    ("aux", "popularity", "asked", "refused"),
    [
        (["1/1", "7/7"], [0], {"aux"}, "aux=7/7"),
        (["1/1", "7/7"], [0], {"popularity"}, None),
        (["1/1", "7/7"], [0, 6], {"popularity"}, "popularity=6"),
        (["1/1", "2/2"], [0, 5], {"aux"}, None),
        (["1/1", "2/2"], [0, 5], {"aux", "popularity"}, "aux=2/2"),
        (["7/7", "9/9"], [0], (), "aux=7/7"),
    ],
)
def test_what_was_asked_for_is_had_or_refused(
    make_store: MakeStore, aux: list[str], popularity: list[int], asked: Any, refused: str | None
) -> None:
    store = make_store(random_rows(1, records=20, items=6, cells=60))
    grid = cells(aux=aux, popularity=popularity, date_noise=[3], value_noise=[0])
    if refused is None:
        left, left_out = fit_cells(grid, store, 1, asked)
        assert len(left) < len(grid)
        assert left_out
        return
    with pytest.raises(GridError, match="no eligible target: no record has") as caught:
        fit_cells(grid, store, 1, asked)
    assert refused in str(caught.value)


def test_who_holds_nearly_everything_is_no_target_where_items_are_wrong(
    make_store: MakeStore,
) -> None:
    rows = [(r, i, 1.0, 0) for r in range(4) for i in range(6 if r else 3)]
    store = make_store(rows)
    (cell,) = cells(wrong="item", aux=["1/3"], date_noise=[None], value_noise=[None])
    able = cell.adversary.eligible(store, 1)
    assert able.tolist() == [True, False, False, False]
    drawn = draw_aux(store, knowledge_of(cell), 0, able.nonzero()[0], 1)
    assert len(drawn) == 1
    (harder,) = cells(wrong="item", aux=["0/3"], date_noise=[None], value_noise=[None])
    assert isinstance(harder.adversary, Sampling)
    few = make_store([row for row in rows if row[0]])
    with pytest.raises(GridError, match="no record lacks 3 items"):
        fit_cells([harder], few, 1, ())

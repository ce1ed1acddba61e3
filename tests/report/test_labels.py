"""Words for levels: right, and never the same for two of them."""

import pandas as pd
import pytest

from sim.axes.axis import Axis
from sim.axes.first import FirstAxis
from sim.axes.words import NONE
from sim.study.labels import level_short, level_words, tick_words

LEVELS = {
    "aux": ["2/2", "3/4", "6/8"],
    "date_noise": [None, 0, 1, 3, 14],
    "value_noise": [None, 0, 0.5, 1, 2],
    "popularity": [0, 100, "100-500", "0-100", "500"],
    "record_length": [None, 0, 0.5, 0.25],
    "missing": [0, 0.1, 0.5],
    "present": [True, False],
    "value_known": [0, 0.5, 1],
    "hide_rarest": [0, 0.1],
    "decoys": [0, 1, 5],
    "decoy_support": ["top", 1, 8],
    "loss": [None, 0.5, 50],
}


@pytest.mark.parametrize("words", [level_words, level_short, tick_words])
@pytest.mark.parametrize("axis", LEVELS)
def test_no_two_levels_share_their_words(words, axis):
    said = [words(axis, value) for value in LEVELS[axis]]
    assert len(set(said)) == len(said)
    assert all(said)


@pytest.mark.parametrize("words", [level_words, level_short, tick_words])
def test_the_type_of_the_column_does_not_show(words):
    assert words("date_noise", 3) == words("date_noise", 3.0)
    assert (
        words("date_noise", None) == words("date_noise", pd.NA) == words("date_noise", float("nan"))
    )
    assert words("popularity", 100) == words("popularity", "100")


def test_ranks_are_counted_from_one_for_people():
    assert level_words("popularity", "100-500") == "items ranked 101–500"
    assert level_words("popularity", "0-100") == "items in the top 100"
    assert level_short("popularity", "0-100") == "top 100"
    assert level_short("popularity", 0) == "all"


def test_a_text_that_is_no_window_is_shown_as_it_is():
    assert level_words("popularity", "a-b") == "popularity a-b"


def test_an_axis_without_words_goes_by_its_name_in_words() -> None:
    class Plain(FirstAxis):
        """An axis of a plug-in that states no words."""

        name, title, head = "last_days", "", ""
        words, short = Axis.words, Axis.short

    made = Plain()
    assert made.headed() == made.headed(report=True) == made.titled() == "last days"
    assert [made.words(level) for level in (NONE, "30")] == ["any last days", "last days 30"]

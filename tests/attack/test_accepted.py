"""What an attack's `scan` returns is refused in one line where the kernels could not take it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest

import sim
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.similarity import by_item
from sim.attack.kernels.score_spec import ScoreForm, ScoreSpec
from sim.errors import GridError


@dataclass(frozen=True, kw_only=True)
class Faulty(Algorithm):
    """An attack that returns whatever the test asks for."""

    name: ClassVar[str] = "faulty"
    wrong: ClassVar[Any] = None

    def scan(self, release, aux, candidates):
        good = ScoreSpec(
            by_item(release, np.ones(aux.item.size)), ScoreForm.SUM, np.zeros(len(aux))
        )
        return type(self).wrong(release, aux, good)


def in_contributions(name, change):
    def wrong(release, aux, good):
        changed = change(getattr(good.contributions, name))
        return replace(good, contributions=replace(good.contributions, **{name: changed}))

    return wrong


def nan_in_last(array):
    array = array.copy()
    array[-1, 0] = np.nan
    return array


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    rows = [(who, what) for who in range(20) for what in range(10) if (who * what) % 3 < 2]
    frame = pd.DataFrame(rows, columns=["who", "what"])
    cache = str(tmp_path_factory.mktemp("cache"))
    return sim.table(frame, user="who", item="what", cache=cache)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda *_: None, r"scan returned None; expected a ScoreSpec$"),
        (lambda *_: 3, r"scan returned an instance of int; expected a ScoreSpec$"),
        (
            lambda release, aux, good: replace(good, contributions=by_item(release, np.ones(3))),
            r"scan returned contributions\.day_offset of shape \(3,\); expected \(20,\)$",
        ),
        (
            in_contributions("add", lambda add: add[:3]),
            r"scan returned contributions\.add of shape \(3, \d\); expected \(20, \d\)$",
        ),
        (
            in_contributions("add", lambda add: add[:, 0]),
            r"scan returned contributions\.add of shape \(20,\); expected \(20, \d\)$",
        ),
        (
            lambda _, aux, good: replace(good, base=np.zeros(len(aux) + 1)),
            r"scan returned base of shape \(11,\); expected \(10,\)$",
        ),
        (
            lambda _, aux, good: replace(good, required=np.ones(3, np.bool_)),
            r"scan returned required of shape \(3,\); expected \(20,\)$",
        ),
        (
            lambda _, aux, good: replace(
                good, feature=np.zeros((1, 5)), group=np.zeros(len(aux), np.int64)
            ),
            r"scan returned feature of shape \(1, 5\); expected \(any, 20\)$",
        ),
        (
            in_contributions("add", lambda add: add * np.nan),
            r"grid cell 0: scan returned NaN in contributions\.add; expected numbers$",
        ),
        (
            in_contributions("add", nan_in_last),
            r"grid cell 0: scan returned NaN in contributions\.add; expected numbers$",
        ),
        (
            lambda _, aux, good: replace(good, base=np.full(len(aux), np.nan)),
            r"grid cell 0: scan returned NaN in base; expected numbers$",
        ),
    ],
)
def test_it_is_refused_in_one_line(
    release, wrong, said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Faulty, "wrong", staticmethod(wrong))
    with pytest.raises(GridError, match=f"^attack faulty: {said}"):
        sim.run(release, Faulty(), aux=["2/2"], targets=10, bayes_targets=0, folder=tmp_path)


def test_it_is_taken_where_it_is_right(
    release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Faulty, "wrong", staticmethod(lambda _release, _aux, good: good))
    made = sim.run(release, Faulty(), aux=["2/2"], targets=10, bayes_targets=0, folder=tmp_path)
    assert (made.decisions["target_score"] == 2).all()

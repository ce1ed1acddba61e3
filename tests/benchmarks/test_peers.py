"""Libraries are asked the question that we answer, in every way; a wrong answer is refused."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarking import module

LIBRARIES = ("duckdb", "polars", "scipy", "sklearn")


def test_every_library_there_is_compared(tmp_path: Path) -> None:
    results = module("registry").load("peers").run("tiny", tmp_path)
    expected = []
    for name in LIBRARIES:
        there = importlib.util.find_spec(name) is not None
        expected += [f"peers/{name}", *([f"peers/{name}_all_cores"] if there else [])]
    assert [r.name for r in results] == expected
    for result in results:
        if result.peer is not None:
            assert all(cost > 0 for cost in result.ours + result.peer)
            assert "the fastest of" in result.what
            assert result.goal in (1 / 80, 1 / 20)


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    libraries = module("peers.libraries")
    monkeypatch.setattr(libraries, "find_spec", lambda name: None)
    results = libraries.compare("tiny", tmp_path)
    assert [r.name for r in results] == [f"peers/{name}" for name in LIBRARIES]
    assert all((r.peer, r.ratio, r.met) == (None, None, None) for r in results)
    assert all("not installed" in r.what for r in results)
    assert "missing" in module("tables").as_text(results)


@pytest.mark.parametrize("part", ["best", "second", "sigma", "best_record"])
def test_another_answer_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    libraries, scipy = module("peers.libraries"), module("peers.scipy_product")
    honest = scipy.formulations

    def lying(question: Any) -> dict[str, Any]:
        ways = honest(question)
        answers = next(iter(ways.values()))()
        wrong = replace(answers, **{part: getattr(answers, part) + 1})
        return {**ways, "a wrong way": lambda: wrong}

    monkeypatch.setattr(scipy, "formulations", lying)
    monkeypatch.setattr(libraries, "_TABLES", {"scipy": "scipy_product"})
    with pytest.raises(RuntimeError, match="a wrong way"):
        libraries.compare("tiny", tmp_path)


def test_the_question_is_the_release_sorted_by_item(tmp_path: Path) -> None:
    made, libraries = module("made"), module("peers.libraries")
    question = module("peers.question")
    store = made.made_store(made.MadeRelease(300, 50, 3_000), tmp_path)
    from sim.adversary.draw import draw_aux

    drawn = draw_aux(store, libraries._KNOWN, 0, np.flatnonzero(store.length >= 8)[:3], 1)
    asked = question.Question.of(store, drawn.aux)
    block = store.block(0)
    assert (np.diff(asked.cells["item"]) >= 0).all()
    assert asked.cells["record"].tolist() == block.item_row.tolist()
    assert asked.cells["value"].tolist() == store.scale[block.item_level].tolist()
    assert asked.n_units == 3
    assert asked.of_unit(1)["item"].tolist() == drawn.aux.item[8:16].tolist()
    weight = 1 / np.log(np.maximum(store.support[drawn.aux.item], 2))
    assert asked.facts["weight"].tolist() == pytest.approx(weight.tolist(), rel=1e-15)

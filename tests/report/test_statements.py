"""What the papers state: checked when it is read, packaged with the code."""

from __future__ import annotations

import tomllib
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

import pytest

from sim.errors import InputError
from sim.papers.papers import EXPERIMENTS
from sim.papers.statements import NUMBERS, parse_statements

SOURCE = 'source = {paper = "NS08", section = "5", figure = "", what = "x", measure = "rank1"}'


def test_every_statement_is_about_an_experiment_and_has_its_own_name() -> None:
    assert {number.experiment for number in NUMBERS} <= set(EXPERIMENTS)
    assert max(Counter(number.id for number in NUMBERS).values()) == 1


def test_what_is_not_a_field_is_a_condition() -> None:
    text = f'[a]\n{SOURCE}\npopularity = 0\nnumbers = [{{id = "b", value = 1, aux = "none"}}]'
    (number,) = parse_statements(text)
    assert (number.id, number.experiment, number.value) == ("a_b", "a", 1)
    assert number.conditions == {"popularity": 0, "aux": None}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("[a", "Expected"),
        ("a = 1", "[a]: expected a table"),
        (f"[a]\n{SOURCE}", "a list `numbers`"),
        (f"[a]\n{SOURCE}\nnumbers = []", "a list `numbers`"),
        ("[a]\nsource = {}\nnumbers = [{}]", "a: paper: is missing"),
        (f'[a]\n{SOURCE}\nnumbers = [{{value = "0.5"}}]', "a: value: '0.5': expected a number"),
        (f"[a]\n{SOURCE}\nnumbers = [{{value = true}}]", "a: value: True: expected a number"),
        (f"[a]\n{SOURCE}\nnumbers = [{{note = 1}}]", "a: note: 1: expected text"),
        (f'[a]\n{SOURCE}\nnumbers = [{{relation = ">="}}]', "expected one of ="),
        (f"[a]\n{SOURCE}\nnumbers = [{{}}, {{}}]", "a is used twice"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(text: str, wrong: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_statements(text, "some.toml")
    assert str(caught.value).startswith("some.toml: ")
    assert wrong in str(caught.value)


def test_the_file_is_packaged() -> None:
    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["sim"]
    assert any(fnmatch("papers/statements.toml", pattern) for pattern in patterns)

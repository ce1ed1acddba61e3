"""Numbers of the report's words are rounded in one place, `sim.numeric.text`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sim.report
from sim.numeric.text import format_difference, format_percent

pytestmark = pytest.mark.fast

REPORT = Path(sim.report.__file__).parent
FILES = sorted([*(REPORT / "words").rglob("*.py"), *(REPORT / "page").rglob("*.py")])

ROUNDING = re.compile(r"\.\d|[%efgEFGn]")
"""In a format specification, or after % in a text; "," alone sets off thousands."""


def roundings(tree: ast.AST) -> Iterator[int]:
    """Lines on which a number is rounded."""
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            spec = ast.unparse(node.format_spec)
            if ROUNDING.search(spec.removeprefix("f")):
                yield node.lineno
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) in documents:
                continue
            if re.search(r"%[-+ #0]*\d*\.\d|\{[^{}]*:[^{}]*\.\d[^{}]*\}", node.value):
                yield node.lineno
        elif isinstance(node, ast.Call):
            called = node.func
            name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
            if name in ("round", "around", "rint"):
                yield node.lineno


@pytest.mark.parametrize(
    "text", ['f"{x:.1f}"', 'f"{x:.1%}"', 'f"{x:g}"', '"{:.2f}".format(x)', '"%.3f" % x', "round(x)"]
)
def test_a_rounding_is_noticed(text: str) -> None:
    assert list(roundings(ast.parse(f"x = {text}")))


@pytest.mark.parametrize("text", ['f"{n:,}"', 'f"{name}"', '"100%"', 'f"{words:>20}"'])
def test_what_is_no_rounding(text: str) -> None:
    assert not list(roundings(ast.parse(f"x = {text}")))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(REPORT)))
def test_words_round_no_number_themselves(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    # A population is computed from a share of it there: a whole number, whatever its float says.
    allowed = 1 if path.name == "population.py" else 0
    assert len(list(roundings(tree))) == allowed


def test_differences_are_rounded_as_shares_are() -> None:
    assert format_difference(0.1234)[1:-7] == format_percent(0.1234)[:-1]


@given(st.floats(0, 1))
def test_a_share_has_one_decimal_place_unless_it_is_tiny(share: float) -> None:
    """So 99.99939% never stands beside 100.0%; and only zero is 0.0%, only one 100.0%."""
    text = format_percent(share)
    if share > 0.0005:
        assert re.fullmatch(r">?\d+\.\d%", text)
    assert (text == "100.0%") == (share == 1)
    assert (text == "0.0%") == (share == 0)
    if text.startswith(">"):
        assert 0.999 < share < 1

"""No function has more than ten parameters: what belongs together is handed over together."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[1]
_MOST = 10
_OWN = ("self", "cls")


def counts(source: str) -> dict[str, int]:
    """Parameters of every function, by its name and line, without self and cls."""
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            name = getattr(node, "name", "lambda")
            found[f"{name}:{node.lineno}"] = sum(a.arg not in _OWN for a in given)
    return found


def test_counting() -> None:
    source = "class A:\n def f(self, a, /, b, *, c=1): pass\ng = lambda x: x"
    assert counts(source) == {"f:2": 3, "lambda:3": 1}


@pytest.mark.parametrize("folder", ["sim", "actors", "benchmarks"])
def test_at_most_ten(folder: str) -> None:
    files = sorted((_ROOT / folder).rglob("*.py"))
    assert files
    found = {
        f"{path.relative_to(_ROOT)}:{function}": n
        for path in files
        for function, n in counts(path.read_text(encoding="utf-8")).items()
    }
    assert {function: n for function, n in found.items() if n > _MOST} == {}

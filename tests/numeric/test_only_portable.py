"""What reaches a table is worked out by `sim.numeric`, not by functions that differ by machine."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOT_IN_TABLES = ("sim/report",)
"""Pictures and words."""

FILES = [
    path
    for path in sorted((ROOT / "sim").rglob("*.py"))
    if not str(path.relative_to(ROOT)).startswith(NOT_IN_TABLES)
]
BY_MACHINE = {
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logaddexp", "power", "pow"),
    *("float_power", "cbrt", "hypot", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arctan2"),
    *("lgamma", "gamma", "erf", "erfc", "interp", "dot", "vdot", "inner", "matmul", "einsum"),
    *("tensordot", "linalg", "convolve", "correlate", "polyfit", "corrcoef", "cov"),
}


def differing(source: str) -> list[str]:
    """Uses of functions that NumPy, libm, BLAS or SciPy choose by processor, by line."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(args=[ast.Constant()]):
                continue  # of a constant they are the same
            case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "math"), attr=name)):
                if name in BY_MACHINE:
                    found.append(f"{node.lineno}: {name}")
            case ast.Attribute(value=ast.Name(id="np"), attr="linalg"):
                found.append(f"{node.lineno}: linalg")
            case ast.BinOp(op=ast.MatMult()):
                found.append(f"{node.lineno}: @")
            case ast.Import(names=names) if any(n.name.startswith("scipy") for n in names):
                found.append(f"{node.lineno}: scipy")
            case ast.ImportFrom(module=str(module)) if module.startswith("scipy"):
                found.append(f"{node.lineno}: scipy")
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_nothing_differs_by_machine(path: Path) -> None:
    assert differing(path.read_text(encoding="utf-8")) == []


def test_what_differs_is_found() -> None:
    source = "from scipy import stats\nnp.exp(x)\nmath.log(2.0)\na @ b\nnp.linalg.norm(x)"
    assert differing(source) == ["1: scipy", "2: exp", "4: @", "5: linalg"]

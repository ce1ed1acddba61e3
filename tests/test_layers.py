"""Who may know whom: sim knows no Ray, and actors do no mathematics."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SIM = sorted((ROOT / "sim").rglob("*.py"))
ACTORS = sorted((ROOT / "actors").rglob("*.py"))


def imports(path: Path) -> set[str]:
    """Top-level packages a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.parametrize("path", SIM, ids=lambda p: str(p.relative_to(ROOT)))
def test_sim_has_no_ray_in_it(path: Path) -> None:
    assert "ray" not in imports(path)


@pytest.mark.parametrize("path", ACTORS, ids=lambda p: str(p.relative_to(ROOT)))
def test_actors_do_no_mathematics(path: Path) -> None:
    assert not imports(path) & {"math", "numba", "numpy", "pandas", "pyarrow", "scipy"}


def test_all_of_sim_can_be_imported_without_ray() -> None:
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in SIM
        if path.name != "__main__.py"
    ]
    assert len(modules) > 40
    code = (
        "import importlib, sys\n"
        f"for name in {modules!r}: importlib.import_module(name)\n"
        "print(sorted(m for m in sys.modules if m.partition('.')[0] == 'ray'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"

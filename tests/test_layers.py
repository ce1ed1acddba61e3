"""The rules of import: no Ray in sim, no actors in sim, only downward between rooms."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SIM = sorted((ROOT / "sim").rglob("*.py"))
ACTORS = sorted((ROOT / "actors").rglob("*.py"))
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in SIM
}

ROOMS = (
    "sim.errors",
    "sim.private",
    "sim.numeric",
    "sim.release.store",
    "sim.release.readers",
    "sim.release.synthetic",
    "sim.release",
    "sim.theory",
    "sim.adversary",
    "sim.defence",
    "sim.attack.kernels",
    "sim.attack.engine",
    "sim.attack.algorithms",
    "sim.reference",
    "sim.measure",
    "sim.metrics",
    "sim.config",
    "sim.record",
    "sim.study",
    "sim.papers",
    "sim.report",
    "sim.report.words",
    "sim.report.figures",
    "sim.report.page",
    "sim.session",
    "sim.api",
    "sim",
    "sim.cli",
    "sim.__main__",
)
"""Every room, the lowest first: a module imports from its own room and from those before it."""


def room_of(module: str) -> str:
    """The innermost room that holds a module."""
    holds = [room for room in ROOMS if module == room or module.startswith(room + ".")]
    return max(holds, key=len)


def imported(path: Path) -> Iterator[str]:
    """Modules that a file imports, anywhere in it; names taken from a package count as modules."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: import by the full name"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            modules = [name for name in inner if name in MODULES]
            yield from modules
            if len(modules) < len(inner):
                yield node.module or ""


def packages(path: Path) -> set[str]:
    """Top-level packages a file imports."""
    return {name.partition(".")[0] for name in imported(path)}


@pytest.mark.parametrize("path", SIM, ids=lambda p: str(p.relative_to(ROOT)))
def test_sim_imports_neither_ray_nor_actors(path: Path) -> None:
    assert not packages(path) & {"ray", "actors"}


@pytest.mark.parametrize("path", ACTORS, ids=lambda p: str(p.relative_to(ROOT)))
def test_actors_do_no_mathematics(path: Path) -> None:
    assert not packages(path) & {"math", "numba", "numpy", "pandas", "pyarrow", "scipy"}


@pytest.mark.parametrize("module", MODULES)
def test_imports_run_downward_between_rooms(module: str) -> None:
    own = ROOMS.index(room_of(module))
    used = {name for name in imported(MODULES[module]) if name.partition(".")[0] == "sim"}
    upward = {name for name in used if ROOMS.index(room_of(name)) > own}
    assert not upward, f"{module} is in {ROOMS[own]}, below what it imports"


def test_every_room_exists() -> None:
    homes = {room_of(module) for module in MODULES}
    assert homes == set(ROOMS)


def test_all_of_sim_can_be_imported_without_ray() -> None:
    modules = [name for name in MODULES if name != "sim.__main__"]
    assert len(modules) > 40
    code = (
        "import importlib, sys\n"
        f"for name in {modules!r}: importlib.import_module(name)\n"
        "print(sorted(m for m in sys.modules if m.partition('.')[0] in ('ray', 'actors')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"

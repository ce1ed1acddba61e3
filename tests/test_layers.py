"""The rules of import: no Ray in sim, no actors in sim, only downward between rooms."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from sim.guide import page

ROOT = Path(__file__).parents[1]
SIM = sorted((ROOT / "sim").rglob("*.py"))
ACTORS = sorted((ROOT / "actors").rglob("*.py"))
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in SIM
}

DRAWING = re.search(r"```mermaid\ngraph TD\n(.*?)```", page("architecture"), re.DOTALL)
assert DRAWING is not None
ARROWS = {
    (above.replace("_", "."), below.replace("_", "."))
    for above, below in re.findall(r"(\w+) --> (\w+)", DRAWING[1])
}
ROOMS = {room for arrow in ARROWS for room in arrow}


def room_of(module: str) -> str:
    """The innermost room that holds a module; ``sim`` for the package and its ``__main__``."""
    name = module.removeprefix("sim").removeprefix(".")
    holds = [r for r in ROOMS if name == r or name.startswith(r + ".")]
    return max(holds, key=len, default="sim")


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


def test_sim_imports_neither_ray_nor_actors() -> None:
    assert [path for path in SIM if packages(path) & {"ray", "actors"}] == []


def test_actors_do_no_mathematics() -> None:
    mathematics = {"math", "numba", "numpy", "pandas", "pyarrow", "scipy"}
    assert [path for path in ACTORS if packages(path) & mathematics] == []


def test_imports_run_downward_as_the_guide_draws_them() -> None:
    arrows = {
        (room_of(module), room_of(name))
        for module, path in MODULES.items()
        for name in imported(path)
        if name.partition(".")[0] == "sim"
    }
    uses = {room: {b for a, b in arrows if a == room and b != room} for room in ROOMS | {"sim"}}
    order = list(TopologicalSorter(uses).static_order())  # CycleError: two rooms need each other
    below: dict[str, set[str]] = {}
    for room in order:
        below[room] = set().union(*(below.get(used, set()) | {used} for used in uses.get(room, ())))
    drawn = {
        (room, used)
        for room in ROOMS
        for used in uses[room]
        if not any(used in below[other] for other in uses[room] - {used})
    }
    down = sorted(drawn, key=lambda arrow: [-order.index(room) for room in arrow])
    lines = [f"  {a.replace('.', '_')} --> {b.replace('.', '_')}" for a, b in down]
    assert drawn == ARROWS, "the guide's drawing should be:\n" + "\n".join(lines)


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

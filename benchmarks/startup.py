"""Measures start-up time: ``import sim`` and ``standout --help``, against Python doing nothing.

Each is a process of its own, files in the page cache, bytecode compiled.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

from benchmarks.registry import Scale
from benchmarks.result import Result
from benchmarks.timing import turns_of

_ROOT = Path(__file__).resolve().parents[1]
_ROUNDS: dict[Scale, int] = {"full": 25, "quick": 9, "tiny": 1}
_COMMANDS = {
    "pass": ["-c", "pass"],
    "import": ["-c", "import sim"],
    "help": ["-m", "sim", "--help"],
}
"""``-m sim`` is what the script ``standout`` calls."""


def run(scale: Scale, cache: Path) -> list[Result]:  # noqa: ARG001
    """See `benchmarks.registry.Benchmark.run`."""
    work = {name: partial(_call, command) for name, command in _COMMANDS.items()}
    seconds = turns_of(work, _ROUNDS[scale])
    costs = {name: tuple(s * 1e3 for s in took) for name, took in seconds.items()}
    against = "against python -c pass"
    return [
        Result("startup/import", f"import sim, {against}", "ms", costs["import"], costs["pass"], 2),
        Result("startup/help", f"standout --help, {against}", "ms", costs["help"], costs["pass"]),
    ]


def _call(command: list[str]) -> None:
    subprocess.run([sys.executable, *command], cwd=_ROOT, check=True, capture_output=True)

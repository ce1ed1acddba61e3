"""Startup time of imports, help, completion, guide and errors, compared with Python doing nothing.

Each runs in a separate process, with files in the page cache and bytecode compiled.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

from benchmarks.registry import Scale
from benchmarks.result import Result
from benchmarks.timing import turns_of
from sim.errors import EXIT_CODE

_ROOT = Path(__file__).resolve().parents[1]
_ROUNDS: dict[Scale, int] = {"full": 25, "quick": 9, "tiny": 1}
_COMMANDS = {
    "pass": ["-c", "pass"],
    "import": ["-c", "import sim"],
    "help": ["-m", "sim", "--help"],
    "version": ["-m", "sim", "--version"],
    "completion": ["-m", "sim", "-sc", "query=bash"],
    "guide": ["-m", "sim", "guide"],
    "bad_key": ["-m", "sim", "attack.phii=1"],
    "bad_folder": ["-m", "sim", "report", "run=no_such_folder"],
}
"""``-m sim`` is what the script ``standout`` calls."""

_WHAT = {
    "help": "standout --help",
    "version": "standout --version",
    "completion": "completion of experiment= in a shell",
    "guide": "standout guide",
    "bad_key": "a key that does not exist",
    "bad_folder": "standout report of a folder that does not exist",
}
_REFUSED = ("bad_key", "bad_folder")


def run(scale: Scale, cache: Path) -> list[Result]:  # noqa: ARG001
    """See `benchmarks.registry.Benchmark.run`."""
    work = {name: partial(_call, name) for name in _COMMANDS}
    seconds = turns_of(work, _ROUNDS[scale])
    costs = {name: tuple(s * 1e3 for s in took) for name, took in seconds.items()}
    against = "against python -c pass"
    return [
        Result("startup/import", f"import sim, {against}", "ms", costs["import"], costs["pass"], 2),
        *(
            Result(f"startup/{name}", f"{what}, {against}", "ms", costs[name], costs["pass"])
            for name, what in _WHAT.items()
        ),
    ]


def _call(name: str) -> None:
    command = [sys.executable, *_COMMANDS[name]]
    line = {**os.environ, "COMP_LINE": "standout experiment="}
    done = subprocess.run(command, cwd=_ROOT, check=False, capture_output=True, env=line)
    if done.returncode != (EXIT_CODE if name in _REFUSED else 0):
        raise RuntimeError(f"{name}: exit code {done.returncode}")

"""The benchmarks there are: a new one is a module with `run`, and a line here."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Literal, Protocol, cast

from benchmarks.result import Result

Scale = Literal["full", "quick", "tiny"]
"""Full is recorded; quick takes less than a minute; tiny only shows that it works."""

BENCHMARKS = {
    "kernel": "the scan on one core, against NumPy and C",
    "workers": "Ray against one process, and two workers against one",
    "startup": "import and help, against Python alone",
    "ingest": "text to store, against pandas.read_csv",
    "attacks": "every attack, against Scoreboard-RH",
}


class Benchmark(Protocol):
    """What every module of this registry has."""

    def run(self, scale: Scale, cache: Path) -> list[Result]:
        """Compare with every peer.

        Parameters
        ----------
        scale : Scale
        cache : Path
            Folder for made-up data, which the next run may use again.
        """


def load(name: str) -> Benchmark:
    """Import a benchmark by name; none is imported before it is asked for."""
    if name not in BENCHMARKS:
        raise KeyError(name)
    return cast("Benchmark", importlib.import_module(f"benchmarks.{name}"))

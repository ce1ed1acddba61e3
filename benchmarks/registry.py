"""The registry of benchmarks: a new one is a module with `run`, and a line here."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Literal, Protocol, cast

from benchmarks.result import Result

Scale = Literal["full", "quick", "tiny"]
"""Full is recorded; quick takes less than a minute; tiny only checks that it works."""

BENCHMARKS = {
    "kernel": "the scan on one core, compared with NumPy and C",
    "workers": "Ray compared with one process, and two workers with one",
    "startup": "import, help, guide and errors, compared with Python alone",
    "ingest": "text to store, compared with pandas.read_csv",
    "cost": "estimates of dry_run, compared with measurements",
    "events": "a scan where items repeat, against one where they do not",
    "sweep": "1 to 20 facts, compared with 20 alone",
    "measures": "entropies, absent targets and other noise, compared with the best guess",
    "attacks": "every attack, compared with Scoreboard-RH",
    "unicity": "the worst case of unicity, compared with the definitions of scikit-mobility",
    "candidates": "attackers that rule records out, compared with Scoreboard-RH and DuckDB",
    "calibration": "claims of the Bayes-optimal attacker on random chains, and what comes true",
    "plans": "frontiers and plans, with time limits; whether what plans offer keeps its bound",
    "peers": "the best guess, compared with DuckDB, Polars, SciPy and scikit-learn",
    "paper": "all best guesses and entropies of NS08 at full size, with a time limit",
    "census": "every record attacked at full size, with a time limit",
    "sparse": "54 million people and 48 million items, with limits",
    "neighbours": "nearest records at full size, with a time limit, and scikit-learn",
}


class Benchmark(Protocol):
    """The protocol of a module of this registry."""

    def run(self, scale: Scale, cache: Path) -> list[Result]:
        """Compare with every peer.

        Parameters
        ----------
        cache : Path
            Folder for made-up data, which the next run may use again.
        """


def load(name: str) -> Benchmark:
    """Import a benchmark by name; none is imported before it is asked for."""
    if name not in BENCHMARKS:
        raise KeyError(name)
    return cast("Benchmark", importlib.import_module(f"benchmarks.{name}"))

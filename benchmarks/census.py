"""A census as the command line runs it: every record a target, by one fact, two, … eight.

``experiment=census`` on a release of the size of Netflix's, two workers: 3.8 million decisions,
from the command to the last report; the store is built.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.command import against_limits, call, ready
from benchmarks.registry import Scale
from benchmarks.result import Result

_SECONDS, _GIGABYTES = 240.0, 6.0
_PRESETS: dict[Scale, str] = {"full": "netflix", "quick": "default", "tiny": "tiny"}


def run(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    preset = _PRESETS[scale]
    cluster = "inline" if scale == "tiny" else "local"
    common = ["experiment=census", "bayes_targets=0", f"cluster={cluster}", "cluster.workers=2"]
    common += ready(preset, cache)
    call([*common, "targets=2"])  # compiles
    what = f"every record of {preset}, 6/8 facts ±14 days, from the first fact to all eight"
    return against_limits("census", what, [call(common)], _SECONDS, _GIGABYTES, scale)

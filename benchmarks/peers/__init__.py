"""The peers of the benchmarks; as a benchmark, the libraries among them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.registry import Scale
    from benchmarks.result import Result


def run(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    from benchmarks.peers.libraries import compare  # its peers are not needed by other benchmarks

    return compare(scale, cache)

"""The best guess and the entropy of NS08, all of their figures, as the command line runs them.

Figures 4, 5, 6, 8, 9, 10, 11 and 12, 1,000 targets a grid cell, on a release of the size of
Netflix's, two workers, from the command to the last report; the store is built. With the
Bayes-optimal attacker next to every figure (the default, but not the papers'), it is measured too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.command import against_limits, call, parts_in_words, ready
from benchmarks.registry import Scale
from benchmarks.result import Result
from benchmarks.timing import in_turns

_SECONDS, _GIGABYTES = 180.0, 6.0
_MOST_WITH_BAYES = 1.5
_FIGURES = ("4", "5", "6", "8", "9", "10", "11", "12")


@dataclass(frozen=True, slots=True)
class _Size:
    preset: str
    figures: tuple[str, ...]
    targets: int
    bayes_targets: str
    cluster: tuple[str, ...]


_TWO = ("cluster=local", "cluster.workers=2")
_SIZES: dict[Scale, _Size] = {
    "full": _Size("netflix", _FIGURES, targets=1000, bayes_targets="auto", cluster=_TWO),
    "quick": _Size("default", ("4", "6"), targets=50, bayes_targets="10", cluster=_TWO),
    "tiny": _Size("tiny", ("4",), targets=5, bayes_targets="2", cluster=("cluster=inline",)),
}


def suite(figures: tuple[str, ...]) -> str:
    """The override that makes a suite of some figures.

    Examples
    --------
    >>> suite(("4", "5"))
    "parts={ns08_fig4:['experiment=ns08_fig4'],ns08_fig5:['experiment=ns08_fig5']}"
    """
    parts = [f"ns08_fig{figure}:['experiment=ns08_fig{figure}']" for figure in figures]
    return f"parts={{{','.join(parts)}}}"


def run(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    size = _SIZES[scale]
    where = [*size.cluster, *ready(size.preset, cache)]
    common = ["name=paper", suite(size.figures), *where]
    ours = [f"targets={size.targets}", "bayes_targets=0"]
    with_bayes_targets = [f"targets={size.targets}", f"bayes_targets={size.bayes_targets}"]
    few = suite(size.figures[2:3] or size.figures)
    call(["name=paper", few, *where, "targets=2", "bayes_targets=1"])  # compiles
    found = in_turns(
        {
            "plain": partial(call, common + ours),
            "with_bayes": partial(call, common + with_bayes_targets),
        },
        1,
    )
    plain, with_bayes = found["plain"], found["with_bayes"]
    what = (
        f"NS08 figures {', '.join(size.figures)}: {size.targets:,} targets a grid cell, on "
        f"{size.preset}"
    )
    took = tuple(cost.seconds for cost in with_bayes)
    return [
        *against_limits(
            "paper", f"{what}; runs: {parts_in_words(plain)}", plain, _SECONDS, _GIGABYTES, scale
        ),
        Result(
            "paper/bayes",
            f"{what}, with the Bayes-optimal attacker on {_number(size.bayes_targets)} targets a "
            f"grid cell next to each, against without; runs: {parts_in_words(with_bayes)}",
            "s",
            took,
            tuple(cost.seconds for cost in plain),
            _MOST_WITH_BAYES if scale == "full" else None,
        ),
    ]


def _number(targets: str) -> str:
    return "all" if targets == "auto" else targets

"""A release the size of Amazon Reviews 2023: 54.5 million people, 48.2 million items.

Limits are absolute, and judged at full size only; see `benchmarks.command`. The store is built by
the first command that asks for it. It takes 26 GB of disk while it is built, and 9 GB afterwards.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.command import against_limits, call
from benchmarks.registry import Scale
from benchmarks.result import Result
from sim.release.store.cache import open_or_build
from sim.release.synthetic import named_source

PRESETS: dict[Scale, str] = {
    "full": "amazon2023",
    "quick": "amazon2023_100",
    "tiny": "amazon2023_1000",
}
_CENSUS: dict[Scale, int] = {"full": 1_000_000, "quick": 10_000, "tiny": 100}
_FIGURE: dict[Scale, int] = {"full": 1_000, "quick": 1_000, "tiny": 20}
_BYTES_A_CELL = 16.0
_GIGABYTES = 10.0
_MINUTE = 60.0


def run(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    preset = PRESETS[scale]
    data = [
        "data=synthetic", f"data.preset={preset}", "data.seed=1", f"data.cache={cache.resolve()}",
        "cluster=inline",
    ]  # fmt: skip
    build, describe = (call(["describe", *data[:-1]], runs=False) for _ in range(2))
    store = open_or_build(named_source(preset, 1), cache)
    m = store.manifest
    on = f"{m.n_records:,} records × {m.n_items:,} items, {m.n_cells:,} cells"
    size = sum(bytes_ for bytes_, _ in m.files.values()) / m.n_cells
    figure = call(["experiment=ns08_fig4", f"targets={_FIGURE[scale]}", *data])
    known = ["grid.aux=[6/8]", "grid.first=[8]", f"targets={_CENSUS[scale]}"]
    workers = ["cluster=local", "cluster.workers=2"]
    asked = ["experiment=census", "attack=bayes", "bayes_targets=0", *known]
    census = call([*asked, *data[:-1], *workers])
    goal = 1.0 if scale == "full" else None
    gave = "the peer is the goal, at full size"
    return [
        *against_limits(
            "sparse/build", f"made and built, {on}", [build], 20 * _MINUTE, _GIGABYTES, scale,
        ),
        Result(
            "sparse/disk", f"the store, {on}; {gave}", "bytes a cell", (size,), (_BYTES_A_CELL,),
            goal,
        ),
        Result(
            "sparse/describe", f"standout describe, {on}; {gave}", "s", (describe.seconds,),
            (10.0,), goal,
        ),
        *against_limits(
            "sparse/figure_4", f"NS08 Figure 4, {_FIGURE[scale]:,} targets a cell, {on}",
            [figure], 3 * _MINUTE, 24.0, scale,
        ),
        *against_limits(
            "sparse/census",
            f"6 of 8 facts about {_CENSUS[scale]:,} records, bayes, two workers, {on}",
            [census], 15 * _MINUTE, 24.0, scale,
        ),
    ]  # fmt: skip

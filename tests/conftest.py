"""What all tests share: a builder of small stores, real data if there is any, one Ray cluster."""

from __future__ import annotations

import gc
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from making import DEEP, MakeStore, Row, RowSource, examples

from sim.release.store.build import build_store
from sim.release.store.item_index import DENSE_AT_MOST
from sim.release.store.store import Store

os.environ["STANDOUT_PROGRESS"] = "0"  # what a run prints would depend on how long it takes

HERE = Path(__file__).parent
FIRST = (
    "attack/test_bayes_optimal_defended.py",
    "attack/test_simd.py",
    "integration/test_experiments.py",
    "findings/test_plan.py",
    "integration/test_same_bytes.py",
    "integration/test_nodes.py",
)
"""The longest files, so that no worker ends with one."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the longest files come first."""
    first = {HERE / name: place for place, name in enumerate(FIRST)}
    items.sort(key=lambda item: first.get(item.path, len(first)))


def pytest_collection_finish() -> None:
    """Spare the collector of garbage what modules have made, all of which stays."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say which files took longest, so that a slow one is seen."""
    times: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if hasattr(report, "duration"):
                times[report.nodeid.partition("::")[0]] += report.duration
    if len(times) > 1:
        terminalreporter.section(f"the slowest files, of {sum(times.values()):.0f} s in all")
        for path, seconds in times.most_common(25):
            terminalreporter.line(f"{seconds:7.1f} s  {path}")


# The same examples every time, on a slow machine too; or all of them, by the seed that is given.
settings.register_profile(
    "standout",
    deadline=None,
    derandomize=not DEEP,
    database=None,
    print_blob=DEEP,
    max_examples=examples(100),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile("deep", settings.get_profile("standout"))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "standout"))


@pytest.fixture
def make_store(tmp_path: Path) -> MakeStore:
    """Build a store of rows: make_store(rows, block_records=65536, chunk=1000, **of_the_source)."""
    made = 0

    def make(
        rows: Sequence[Row],
        block_records: int = 65_536,
        chunk: int = 1000,
        dense_at_most: int = DENSE_AT_MOST,
        **given: Any,
    ) -> Store:
        nonlocal made
        made += 1
        folder = tmp_path / f"store-{made}"
        limits = {"block_records": block_records, "dense_at_most": dense_at_most}
        build_store(RowSource(rows, chunk, **given), folder, **limits)
        return Store(folder)

    return make


@pytest.fixture(scope="module")
def no_drawings() -> Iterator[None]:
    """Runs of a module, and their reports, without figures, which take most of their time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sim.session.suite.draw_run", lambda folder: [])
        patch.setattr("sim.report.page.html.drawings_of", lambda run: ())
        yield


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Folder with real MovieLens data; tests that need it are skipped where it is missing."""
    place = os.environ.get("STANDOUT_DATA", Path(__file__).parents[2] / "shared" / "data")
    if not Path(place).is_dir():
        pytest.skip("no MovieLens data: set STANDOUT_DATA to the folder that holds ml-100k")
    return Path(place)


@pytest.fixture(scope="session")
def ray_cluster() -> Iterator[None]:
    """A local Ray with four workers."""
    from actors.cluster import connect, disconnect

    connect("local", None, workers=4)
    yield
    disconnect()

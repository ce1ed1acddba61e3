"""Every runner gives the same bytes: in this process, on any number of workers, with accidents."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import ray
from making import MakeStore, deep, random_rows
from studying import an_attack, results, small_plan, study

from actors.coordinator import Coordinator
from sim.adversary.aux import Drawn
from sim.errors import ClusterError, ConfigError
from sim.release.store.store import Store
from sim.study.plan import Plan

BLOCKS = 5


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    made = make_store(random_rows(7, records=300, items=40, cells=4000), block_records=60)
    assert made.manifest.n_blocks == BLOCKS
    return made


@pytest.fixture
def plan(store: Store) -> Plan:
    made = small_plan(store)
    assert made.n_batches >= 16
    return made


@pytest.fixture(scope="module")
def inline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run without Ray, once a test has asked for it."""
    return tmp_path_factory.mktemp("runs") / "inline"


@pytest.fixture
def expected(store: Store, plan: Plan, inline: Path) -> dict[str, bytes]:
    """What comes out without Ray."""
    if not inline.exists():
        study(store, plan, inline)
    return results(inline)


def coordinator(
    store: Store, workers: int, shards: int | None, timeout: float = 120, attack: Any = None
) -> Coordinator:
    return Coordinator(
        store,
        attack or an_attack(),
        kind="local",
        address=None,
        workers=workers,
        shards=shards,
        timeout=timeout,
    )


# Bayes must know the grid; the entropy takes a second round over the blocks.
GRID = (
    "grid.aux=[2/2,3/4]", "grid.date_noise=[3,null]", "grid.value_noise=[0,1]",
    "grid.popularity=[0]",
)  # fmt: skip


@pytest.mark.parametrize(
    ("workers", "shards", "shape", "attack"),
    [
        *deep((1, None, (1, 1), ())),
        (2, None, (2, 1), ("attack=correlation", "attack.entropy=true")),
        (3, 3, (1, 3), ("attack=bayes", "attack.entropy=true")),
        (4, 2, (2, 2), ("attack.entropy=true",)),
    ],
)
def test_workers_and_shards_do_not_matter(
    ray_cluster: None, store: Store, plan: Plan, tmp_path: Path, workers: int,
    shards: int | None, shape: tuple[int, int], attack: tuple[str, ...],
) -> None:  # fmt: skip
    attacking = an_attack(*attack, *GRID)
    study(store, plan, tmp_path / "inline", attack=attacking)
    runner = coordinator(store, workers, shards, attack=attacking)
    described = runner.shape()
    assert (described["replicas"], described["shards"]) == shape
    assert described["workers"] == workers
    study(store, plan, tmp_path / "ray", runner, attack=attacking)
    assert results(tmp_path / "ray") == results(tmp_path / "inline")


def test_blocks_do_not_matter(
    make_store: MakeStore, expected: dict[str, bytes], inline: Path, tmp_path: Path
) -> None:
    """Another size of block: the same aux and the same decisions but for the rounding of σ."""
    import pandas as pd

    whole = make_store(random_rows(7, records=300, items=40, cells=4000))
    assert whole.manifest.n_blocks == 1
    study(whole, small_plan(whole), tmp_path / "whole")
    assert (tmp_path / "whole" / "aux.parquet").read_bytes() == expected["aux.parquet"]
    one, other = (
        pd.read_parquet(run / "decisions.parquet") for run in (inline, tmp_path / "whole")
    )
    pd.testing.assert_frame_equal(one, other, check_exact=False, rtol=1e-9)
    exact = [c for c in one if c not in ("sigma", "eccentricity") and "entropy" not in c]
    pd.testing.assert_frame_equal(one[exact], other[exact], check_exact=True)


class Accident:
    """A runner to which something happens while it draws a batch."""

    def __init__(
        self,
        runner: Coordinator,
        when: set[int],
        what: Callable[[], None],
        look: Callable[[], list[int]] = list,
    ) -> None:
        self.runner, self.when, self.what, self.look = runner, when, what, look
        self.happened = 0
        self.at_the_end: list[int] = []

    def run(self, batches: list[int], draw: Callable[[int], Drawn]) -> Any:
        def drawn(batch: int) -> Drawn:
            if batch in self.when:
                self.what()
                self.happened += 1
            return draw(batch)

        return self.runner.run(batches, drawn)

    def shape(self) -> Any:
        return self.runner.shape()

    def close(self) -> None:
        self.at_the_end = self.look()
        self.runner.close()


def pid(actor: Any) -> int:
    return int(ray.get(actor.__ray_call__.remote(lambda self: os.getpid())))


@pytest.mark.parametrize("how", ["killed by the system", *deep("killed by Ray")])
def test_a_dead_worker_changes_nothing(
    ray_cluster: None,
    store: Store,
    plan: Plan,
    expected: dict[str, bytes],
    tmp_path: Path,
    how: str,
) -> None:
    """Scorers, then the aggregator, die with batches on their way; they are started again."""
    runner = coordinator(store, 2, 2)
    victims = [*runner.pool.scorers[0], runner.pool.aggregator]
    before = [pid(actor) for actor in victims]
    pids = iter(before)

    def kill() -> None:
        if how == "killed by Ray":
            ray.kill(victims[before.index(next(pids))], no_restart=False)
        else:
            os.kill(next(pids), signal.SIGKILL)

    accident = Accident(runner, {2, 6, 9}, kill, lambda: [pid(actor) for actor in victims])
    study(store, plan, tmp_path / "ray", accident)
    assert accident.happened == 3
    assert not set(before) & set(accident.at_the_end)
    assert results(tmp_path / "ray") == expected


def test_a_run_begun_on_one_runner_is_ended_on_another(
    ray_cluster: None, store: Store, plan: Plan, expected: dict[str, bytes], tmp_path: Path
) -> None:
    class BrokenError(Exception):
        pass

    class Broken(Accident):
        def run(self, batches: list[int], draw: Callable[[int], Drawn]) -> Any:
            yield from itertools.islice(self.runner.run(batches, draw), 5)
            raise BrokenError

    with pytest.raises(BrokenError):
        study(store, plan, tmp_path / "run", Broken(coordinator(store, 3, 3), set(), list))
    assert not (tmp_path / "run" / "curves.parquet").exists()
    done = (tmp_path / "run" / "ledger.jsonl").read_text().count('"batch"')
    assert 0 < done < plan.n_batches
    study(store, plan, tmp_path / "run")
    assert results(tmp_path / "run") == expected


def test_a_slow_row_idles_nobody(
    ray_cluster: None, store: Store, plan: Plan, expected: dict[str, bytes], tmp_path: Path
) -> None:
    """The other row does the batches that the slow one has begun as well."""
    runner = coordinator(store, 2, 1)
    asleep = runner.pool.scorers[0][0]
    pid(asleep)
    awake = asleep.__ray_call__.remote(lambda self: __import__("time").sleep(600))

    def look() -> list[int]:
        assert not ray.wait([awake], timeout=0)[0]
        return []

    study(store, plan, tmp_path / "ray", Accident(runner, set(), list, look))
    assert results(tmp_path / "ray") == expected


def test_workers_that_say_nothing_are_not_waited_for_for_ever(
    ray_cluster: None, store: Store, plan: Plan, tmp_path: Path
) -> None:
    runner = coordinator(store, 1, None, timeout=0.3)
    asleep = runner.pool.scorers[0][0]
    pid(asleep)
    asleep.__ray_call__.remote(lambda self: __import__("time").sleep(60))
    with pytest.raises(ClusterError, match=r"no result for 0\.3 seconds.*can be resumed"):
        study(store, plan, tmp_path / "run", runner)


def test_a_store_that_the_workers_do_not_find(
    ray_cluster: None, store: Store, plan: Plan, tmp_path: Path
) -> None:
    """Mapped here, gone there: as on another machine that lacks the folder."""
    for block in range(BLOCKS):
        store.block(block)
    (store.folder / "manifest.json").rename(tmp_path / "aside")
    runner = coordinator(store, 1, None)
    with pytest.raises(ClusterError, match=r"a worker failed.*not a store.*can be resumed"):
        study(store, plan, tmp_path / "run", runner)


def test_workers_of_another_version(
    ray_cluster: None, store: Store, plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are not let in: their results might differ."""
    monkeypatch.setattr("actors.pool.program", lambda: "another")
    with pytest.raises(ClusterError, match=r"this node has another version.*can be resumed"):
        study(store, plan, tmp_path / "run", coordinator(store, 1, None))


@pytest.mark.parametrize(("workers", "shards"), [(2, 3), (6, 6), (3, 2), (2, 0)])
def test_shards_that_do_not_divide(store: Store, workers: int, shards: int) -> None:
    with pytest.raises(ConfigError, match=f"shards={shards}: expected a divisor"):
        coordinator(store, workers, shards)

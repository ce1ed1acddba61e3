"""A cluster that somebody else started, on several nodes.

Some of them are as other machines are: the folder of the stores is empty there, since they run
where another file system lies over it. One that lives is lent to the next test.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import ray
import yaml
from making import MakeStore, random_rows
from studying import an_attack, results, small_plan, study

from actors.cluster import connect, disconnect, nodes_alive
from actors.coordinator import Coordinator
from sim.adversary.aux import Drawn
from sim.errors import ClusterError
from sim.release.store.store import Store, part_of, parts_to_score
from sim.study.plan import Plan

ROOT = Path(__file__).parents[2]
NODE = {"num_cpus": 1, "object_store_memory": 100 << 20}


BLOCKS = 5

_COVER = ("unshare", "--mount", *(() if os.getuid() == 0 else ("--map-root-user",)))
"""Starts a command with file systems of its own."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head with one core, quick to notice that a node is gone.

    What is gone refuses to be asked; what is only slow, on a busy machine, has its time.
    """
    from ray.cluster_utils import Cluster

    settings = {
        "health_check_initial_delay_ms": 0,
        "health_check_period_ms": 300,
        "health_check_timeout_ms": 20_000,
        "health_check_failure_threshold": 3,
    }
    head = NODE | {"include_dashboard": False, "_system_config": settings}
    disconnect()  # the secret of a local cluster would go to this one
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        made = Cluster(initialize_head=True, head_node_args=head)
        connect("address", made.address, workers=1)
        yield made
        disconnect()
        made.shutdown()


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the stores of all tests lie."""
    return tmp_path_factory.mktemp("stores")


@pytest.fixture
def store(make_store: MakeStore, stores: Path) -> Store:
    made = make_store(random_rows(7, records=300, items=40, cells=4000), block_records=60)
    assert made.manifest.n_blocks == BLOCKS
    return Store(made.folder.rename(stores / f"store-{len([*stores.iterdir()])}"))


@pytest.fixture
def plan(store: Store) -> Plan:
    return small_plan(store)


@pytest.fixture(scope="module")
def inline() -> dict[str, bytes]:
    """What comes out without Ray, once a test has asked for it."""
    return {}


@pytest.fixture
def expected(
    store: Store, plan: Plan, tmp_path: Path, inline: dict[str, bytes]
) -> dict[str, bytes]:
    """What comes out without Ray."""
    if not inline:
        study(store, plan, tmp_path / "inline")
        inline |= results(tmp_path / "inline")
    return inline


class Machine:
    """A node that finds nothing where the store lies."""

    def __init__(self, cluster: Any, hidden: Path) -> None:
        # The folder stays; what it holds does not show.
        cover = 'mount -t tmpfs none "$0" && exec "$@"'
        start = "from ray.scripts.scripts import main; main()"
        self.process = subprocess.Popen(
            [
                *_COVER, "sh", "-c", cover, hidden, sys.executable, "-c", start, "start", "--block",
                f"--address={cluster.address}", "--num-cpus=1",
                f"--object-store-memory={100 << 20}",
            ],
            env=os.environ | {"RAY_USAGE_STATS_ENABLED": "0"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip

    def die(self) -> None:
        """As when the power fails; its workers notice that the rest is gone."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


Join = Callable[[], Machine]


@pytest.fixture(scope="module")
def machines(cluster: Any, stores: Path) -> Iterator[list[Machine]]:
    """Machines that live, in the order in which they came."""
    cover = [*_COVER, "sh", "-c", 'mount -t tmpfs none "$0"', str(stores)]
    if not shutil.which("unshare") or subprocess.run(cover, capture_output=True).returncode:
        pytest.skip("this system does not let a process have file systems of its own")
    living: list[Machine] = []
    yield living
    leave(living)


@pytest.fixture
def join(cluster: Any, stores: Path, machines: list[Machine]) -> Join:
    """Add a machine of one core to the cluster, unless one of an earlier test is there."""
    lent = [*machines]

    def add() -> Machine:
        if lent:
            return lent.pop()
        others = {node.id for node in nodes_alive()}
        machines.append(Machine(cluster, stores))
        patient(lambda: {node.id for node in nodes_alive()} - others)
        return machines[-1]

    return add


@pytest.fixture
def alone(cluster: Any, machines: list[Machine]) -> None:
    """Let the head be the only node."""
    leave(machines)


def leave(machines: list[Machine]) -> None:
    for machine in machines:
        machine.die()
    machines.clear()
    patient(lambda: len(nodes_alive()) == 1)


def patient(what: Callable[[], Any]) -> None:
    """Wait until it is so."""
    deadline = time.monotonic() + 120
    while not what():
        assert time.monotonic() < deadline, "waited for two minutes in vain"
        time.sleep(0.02)


def coordinator(cluster: Any, store: Store, workers: int = 2, **keys: Any) -> Coordinator:
    """A coordinator on the head."""
    given = {"attack": an_attack(), "shards": workers, "timeout": 120.0} | keys
    return Coordinator(store, kind="address", address=cluster.address, workers=workers, **given)


def copied(runner: Coordinator) -> dict[str, int]:
    """What it says has been copied."""
    return dict(runner.shape()["copied"])


def brought(store: Store, parts: Iterable[str], nodes: int = 1) -> dict[str, int]:
    """What is said if these parts are brought to each of some nodes."""
    wanted = set(parts)
    blocks = {part.partition("/")[0] for part in wanted if "/" in part}
    size = sum(size for file, (size, _) in store.manifest.files.items() if part_of(file) in wanted)
    return {"nodes": nodes, "blocks": nodes * len(blocks), "bytes": nodes * size}


def test_a_machine_without_the_store(
    cluster: Any, join: Join, store: Store, plan: Plan, expected: dict[str, bytes], tmp_path: Path
) -> None:
    """It is brought what it scores and no more, in every run."""
    join()
    for run in ("first", "second"):
        runner = Ended(coordinator(cluster, store))
        study(store, plan, tmp_path / run, runner)
        assert results(tmp_path / run) == expected
        shards = runner.runner.placement.shards
        assert runner.copied == brought(store, parts_to_score(shards[1]))


# Bayes must know the grid; its terms, and the norms of TF-IDF, are sums over whole records.
GRID = ("grid.aux=[2/2,3/4]", "grid.date_noise=[3,null]", "grid.value_noise=[0,1]")


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(("attack=bayes", "grid.popularity=[0,5]"), marks=pytest.mark.deep),
        ("attack=bayes", "grid.popularity=[0]", "grid.present=[true,false]"),
        pytest.param(
            ("attack=tf_idf", "attack.entropy=true", "grid.popularity=[0]"), marks=pytest.mark.deep
        ),
    ],
)
def test_attacks_that_look_at_other_blocks(
    cluster: Any, join: Join, store: Store, tmp_path: Path, attack: tuple[str, ...]
) -> None:
    """What they read of these comes when they read it."""
    join()
    attacking = an_attack(*attack, *GRID)
    axes = {
        key.partition(".")[2]: yaml.safe_load(v)
        for key, v in (part.split("=", 1) for part in attack if part.startswith("grid."))
    }
    plan = small_plan(store, **axes)
    study(store, plan, tmp_path / "inline", attack=attacking)
    runner = coordinator(cluster, store, attack=attacking)
    ended = Ended(runner)
    study(store, plan, tmp_path / "ray", ended, attack=attacking)
    assert results(tmp_path / "ray") == results(tmp_path / "inline")
    theirs = brought(store, parts_to_score(runner.placement.shards[1]))
    assert ended.copied["nodes"] == 1
    assert ended.copied["blocks"] == BLOCKS > theirs["blocks"]
    assert theirs["bytes"] < ended.copied["bytes"] <= size_of(store)


def size_of(store: Store) -> int:
    """Bytes of a store but for its manifest."""
    return sum(size for size, _ in store.manifest.files.values())


class Ended:
    """A runner, and what was copied when it was done; something may happen on the way."""

    def __init__(
        self, runner: Coordinator, when: int = -1, what: Callable[[], None] = lambda: None
    ) -> None:
        self.runner, self.when, self.what = runner, when, what
        self.happened = False
        self.copied: dict[str, int] = {}

    def run(self, batches: list[int], draw: Callable[[int], Drawn]) -> Any:
        for found in self.runner.run(batches, draw):
            if found[0] == self.when:
                self.what()
                self.happened = True
            yield found
        self.copied = copied(self.runner)

    def shape(self) -> Any:
        return self.runner.shape()

    def close(self) -> None:
        self.runner.close()


def test_a_machine_dies_and_its_blocks_go_to_another(
    cluster: Any, join: Join, machines: list[Machine], store: Store, plan: Plan,
    expected: dict[str, bytes], tmp_path: Path,
) -> None:  # fmt: skip
    """They are brought anew to the one that comes in its place."""
    lost = join()
    runner = coordinator(cluster, store)

    def replace() -> None:
        lost.die()
        machines.remove(lost)
        join()

    ended = Ended(runner, 3, replace)
    study(store, plan, tmp_path / "run", ended)
    assert ended.happened
    assert results(tmp_path / "run") == expected
    assert ended.copied == brought(store, parts_to_score(runner.placement.shards[1]), nodes=2)


def test_a_store_that_is_damaged_where_it_lies(
    cluster: Any, join: Join, store: Store, plan: Plan, tmp_path: Path
) -> None:
    """It is not scored."""
    join()
    last = store.folder / "block-00004" / "item_day.npy"
    last.write_bytes(bytes(last.stat().st_size))
    runner = coordinator(cluster, store)
    with pytest.raises(
        ClusterError,
        match=r"a worker failed: node \S+: \S+/item_day\.npy: .*does not match the store's "
        r"checksum; see that .*; the run can be resumed",
    ):
        study(store, plan, tmp_path / "run", runner)


def test_a_store_that_changes_after_the_run_began(
    cluster: Any, join: Join, store: Store, plan: Plan, make_store: MakeStore, tmp_path: Path
) -> None:
    join()
    other = make_store(random_rows(8, records=300, items=40, cells=4000), block_records=60)
    runner = coordinator(cluster, store)
    shutil.copytree(other.folder, store.folder, dirs_exist_ok=True)
    with pytest.raises(ClusterError, match=r"a worker failed: .*is that of another store"):
        study(store, plan, tmp_path / "run", runner)


def test_the_library_dies(
    cluster: Any, join: Join, machines: list[Machine], store: Store, plan: Plan,
    expected: dict[str, bytes], tmp_path: Path,
) -> None:  # fmt: skip
    """Another reads for whoever asks later; who has its blocks keeps them."""
    lost = join()
    runner = coordinator(cluster, store)

    def kill() -> None:
        ray.kill(runner.pool.library, no_restart=False)
        lost.die()
        machines.remove(lost)
        join()

    study(store, plan, tmp_path / "run", Ended(runner, 3, kill))
    assert results(tmp_path / "run") == expected


@pytest.mark.usefixtures("alone")
def test_copies_where_they_are_wanted(
    cluster: Any, store: Store, plan: Plan, expected: dict[str, bytes], tmp_path: Path
) -> None:
    """A node that finds the store uses it there, unless told not to; all its scorers share."""
    node = cluster.add_node(**NODE | {"num_cpus": 2})
    for copy in ("missing", "always"):
        runner = coordinator(cluster, store, workers=3, shards=1, copy=copy)
        ended = Ended(runner)
        study(store, plan, tmp_path / copy, ended)
        assert results(tmp_path / copy) == expected
        if copy == "missing":
            assert ended.copied == {"nodes": 0, "blocks": 0, "bytes": 0}
    cluster.remove_node(node)
    assert ended.copied == brought(store, parts_to_score(list(range(BLOCKS))))


@pytest.mark.usefixtures("alone")
def test_cores_that_are_not_there(cluster: Any, store: Store) -> None:
    """One line, at once; and cores that others hold are not there either."""
    with pytest.raises(
        ClusterError,
        match=r"^cluster\.workers=3: the cluster has 1 cores, of which 1 are free; ask",
    ):
        coordinator(cluster, store, workers=3)
    runner = coordinator(cluster, store, workers=1)
    with pytest.raises(ClusterError, match=r"workers=1: the cluster has 1 cores, of which 0 are"):
        coordinator(cluster, store, workers=1)
    runner.close()


@pytest.mark.usefixtures("alone")
def test_a_cluster_that_grows_and_shrinks(
    cluster: Any, store: Store, plan: Plan, expected: dict[str, bytes], tmp_path: Path
) -> None:
    """As autoscaling clusters do; the rows that are left do the work of one that is gone."""
    with ThreadPoolExecutor() as elsewhere:
        starting = elsewhere.submit(coordinator, cluster, store, wait=60.0)
        time.sleep(1)
        assert not starting.done()
        node = cluster.add_node(**NODE)
        runner = starting.result()
    study(store, plan, tmp_path / "grown", runner)
    assert results(tmp_path / "grown") == expected
    runner = coordinator(cluster, store, workers=2, shards=1)
    leaving = Ended(runner, 3, lambda: cluster.remove_node(node, allow_graceful=False))
    study(store, plan, tmp_path / "shrunk", leaving)
    assert leaving.happened
    assert results(tmp_path / "shrunk") == expected
    patient(lambda: len(nodes_alive()) == 1)


@pytest.mark.usefixtures("alone")
def test_a_node_dies_and_another_comes(
    cluster: Any,
    tmp_path: Path,
    long_job: tuple[str, ...],
    long_results: dict[str, bytes],
    starting: Callable[..., subprocess.Popen[str]],
    waiting: Callable[..., Any],
    reaching: Callable[..., None],
) -> None:
    """One scorer on each of two nodes of one core; the second node makes way for a third."""
    node = cluster.add_node(**NODE)
    process = starting(
        *long_job, "cluster=address", f"cluster.address={cluster.address}", "cluster.workers=2",
        "cluster.wait=60", "hydra.run.dir=run", cwd=tmp_path, held=True,
    )  # fmt: skip
    reaching(tmp_path / "run" / "unfinished" / "ledger.jsonl", process)
    cluster.remove_node(node, allow_graceful=False)
    (tmp_path / "go on").touch()
    node = cluster.add_node(**NODE)
    found = waiting(process)
    cluster.remove_node(node)
    assert found.code == 0, found.err
    assert results(tmp_path / "run") == long_results

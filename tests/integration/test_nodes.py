"""A cluster that somebody else started, on several nodes.

Some of them are as other machines are: the folder of the store is empty there, since they run where
another file system lies over it, and their user's cache is a folder of their own.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from making import MakeStore, random_rows
from studying import an_attack, results, small_plan, study

from actors.cluster import connect, disconnect, nodes_alive
from actors.coordinator import Coordinator
from sim.adversary.aux import Drawn
from sim.errors import ClusterError, ConfigError
from sim.release.store.copies import PartialCopy
from sim.release.store.store import Store, files_to_score
from sim.study.plan import Plan

ROOT = Path(__file__).parents[2]
NODE = {"num_cpus": 1, "object_store_memory": 100 << 20}


BLOCKS = 5

_COVER = ("unshare", "--mount", *(() if os.getuid() == 0 else ("--map-root-user",)))
"""Starts a command with file systems of its own."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head with one core, quick to notice that a node is gone."""
    from ray.cluster_utils import Cluster

    settings = {
        "health_check_initial_delay_ms": 0,
        "health_check_period_ms": 300,
        "health_check_timeout_ms": 300,
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


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    made = make_store(random_rows(7, records=300, items=40, cells=4000), block_records=60)
    assert made.manifest.n_blocks == BLOCKS
    return made


@pytest.fixture
def plan(store: Store) -> Plan:
    return small_plan(store)


@pytest.fixture
def expected(store: Store, plan: Plan, tmp_path: Path) -> dict[str, bytes]:
    """What comes out without Ray."""
    study(store, plan, tmp_path / "inline")
    return results(tmp_path / "inline")


class Machine:
    """A node that finds nothing where the store lies, and has a cache of its own."""

    def __init__(self, cluster: Any, hidden: Path, home: Path) -> None:
        self.cache = home / "standout"
        # The folder stays; what it holds does not show.
        cover = 'mount -t tmpfs none "$0" && exec "$@"'
        start = "from ray.scripts.scripts import main; main()"
        self.process = subprocess.Popen(
            [
                *_COVER, "sh", "-c", cover, hidden, sys.executable, "-c", start, "start", "--block",
                f"--address={cluster.address}", "--num-cpus=1",
                f"--object-store-memory={100 << 20}",
            ],
            env=os.environ | {"XDG_CACHE_HOME": str(home), "RAY_USAGE_STATS_ENABLED": "0"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip

    def die(self) -> None:
        """As when the power fails; its workers notice that the rest is gone."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def files(self) -> dict[str, int]:
        """Files of stores it holds, with their sizes."""
        return {
            str(path.relative_to(self.cache)).partition("/")[2]: path.stat().st_size
            for path in self.cache.rglob("*")
            if path.is_file() and path.name != ".lock"
        }

    def folder(self, store: Store) -> Path:
        """Where it keeps the copy of a store."""
        return PartialCopy(self.cache, store.manifest, lambda _: []).folder


Join = Callable[[str], Machine]


@pytest.fixture
def join(cluster: Any, store: Store, tmp_path: Path) -> Iterator[Join]:
    """Add a machine of one core to the cluster, and wait for it: join("name")."""
    cover = [*_COVER, "sh", "-c", 'mount -t tmpfs none "$0"', str(store.folder)]
    if not shutil.which("unshare") or subprocess.run(cover, capture_output=True).returncode:
        pytest.skip("this system does not let a process have file systems of its own")
    machines: list[Machine] = []

    def add(name: str) -> Machine:
        others = {node.id for node in nodes_alive()}
        machines.append(Machine(cluster, store.folder, tmp_path / name))
        patient(lambda: {node.id for node in nodes_alive()} - others)
        return machines[-1]

    yield add
    for machine in machines:
        machine.die()
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


def size_of(store: Store, files: Iterable[str]) -> int:
    """Bytes of files of a store."""
    return sum(store.manifest.files[name][0] for name in files)


def test_a_machine_without_the_store(
    cluster: Any, join: Join, store: Store, plan: Plan, expected: dict[str, bytes], tmp_path: Path
) -> None:
    """It copies what it scores and no more; the next run finds that, and mends it."""
    other = join("other")
    runner = coordinator(cluster, store)
    study(store, plan, tmp_path / "first", runner)
    assert results(tmp_path / "first") == expected
    theirs = files_to_score(runner.placement.shards[1])
    held = {name: store.manifest.files[name][0] for name in theirs}
    assert other.files() == held
    assert not (tmp_path / "head").exists()

    runner = coordinator(cluster, store)
    assert copied(runner) == {"nodes": 0, "blocks": 0, "bytes": 0}
    runner.close()

    spoilt = other.folder(store) / theirs[-1]
    spoilt.write_bytes(bytes(held[theirs[-1]]))
    (other.folder(store) / theirs[-2]).unlink()
    runner = coordinator(cluster, store)
    study(store, plan, tmp_path / "again", runner)
    assert results(tmp_path / "again") == expected
    assert other.files() == held
    assert spoilt.read_bytes() == (store.folder / theirs[-1]).read_bytes()


# Bayes must know the grid; its terms, and the norms of TF-IDF, are sums over whole records.
GRID = ("grid.aux=[2/2,3/4]", "grid.date_noise=[3,null]", "grid.value_noise=[0,1]")


@pytest.mark.parametrize(
    "attack",
    [
        ("attack=bayes", "grid.popularity=[0,5]"),
        ("attack=bayes", "grid.popularity=[0]", "grid.present=[true,false]"),
        ("attack=tf_idf", "attack.entropy=true", "grid.popularity=[0]"),
    ],
)
def test_attacks_that_look_at_other_blocks(
    cluster: Any, join: Join, store: Store, tmp_path: Path, attack: tuple[str, ...]
) -> None:
    """What they read of these comes when they read it."""
    other = join("other")
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
    theirs = files_to_score(runner.placement.shards[1])
    assert set(other.files()) > set(theirs)
    assert ended.copied == {
        "nodes": 1, "blocks": BLOCKS, "bytes": size_of(store, other.files()),
    }  # fmt: skip


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
    cluster: Any, join: Join, store: Store, plan: Plan, expected: dict[str, bytes], tmp_path: Path
) -> None:
    """The one that comes in its place copies them anew."""
    machines = [join("first")]
    runner = coordinator(cluster, store)

    def replace() -> None:
        machines[0].die()
        machines.append(join("second"))

    ended = Ended(runner, 3, replace)
    study(store, plan, tmp_path / "run", ended)
    assert ended.happened
    assert results(tmp_path / "run") == expected
    names = files_to_score(runner.placement.shards[1])
    assert set(machines[0].files()) == set(machines[1].files()) == set(names)
    blocks = len(runner.placement.shards[1])
    assert ended.copied == {
        "nodes": 2, "blocks": 2 * blocks, "bytes": 2 * size_of(store, names),
    }  # fmt: skip


def test_a_cache_that_a_machine_cannot_write(
    cluster: Any, join: Join, store: Store, plan: Plan, tmp_path: Path
) -> None:
    join("other")
    (tmp_path / "file").write_text("")
    runner = coordinator(cluster, store, cache=f"{tmp_path}/file/cache")
    with pytest.raises(
        ClusterError,
        match=r"a worker failed: node \S+: \S+/file/cache: cannot be used as a cache .*"
        r"set cluster\.cache elsewhere; the run can be resumed",
    ):
        study(store, plan, tmp_path / "run", runner)
    runner = coordinator(cluster, store, cache="caches")
    with pytest.raises(ClusterError, match=r"cluster\.cache=caches: .*expected an absolute path"):
        study(store, plan, tmp_path / "run", runner)


def test_a_store_that_is_damaged_where_it_lies(
    cluster: Any, join: Join, store: Store, plan: Plan, tmp_path: Path
) -> None:
    """It is not spread: twice the same damage is no accident of the network."""
    other = join("other")
    last = store.folder / files_to_score([BLOCKS - 1])[-1]
    last.write_bytes(bytes(last.stat().st_size))
    runner = coordinator(cluster, store)
    with pytest.raises(ClusterError, match=r"does not match the store's checksum, 2 times over"):
        study(store, plan, tmp_path / "run", runner)
    assert last.name not in {Path(name).name for name in other.files() if "0004" in name}


def test_copies_where_they_are_wanted(
    cluster: Any, store: Store, plan: Plan, expected: dict[str, bytes], tmp_path: Path
) -> None:
    """A node that finds the store uses it there, unless it is told to copy; both its scorers do."""
    home = tmp_path / "home"
    node = cluster.add_node(**NODE | {"num_cpus": 4}, env_vars={"STANDOUT_TEST_SCRATCH": str(home)})
    for copy in ("missing", "always"):
        runner = coordinator(
            cluster, store, workers=4, shards=2, cache="$STANDOUT_TEST_SCRATCH/deep", copy=copy
        )
        ended = Ended(runner)
        study(store, plan, tmp_path / copy, ended)
        assert results(tmp_path / copy) == expected
        if copy == "missing":
            assert ended.copied == {"nodes": 0, "blocks": 0, "bytes": 0}
            assert not home.exists()
    cluster.remove_node(node)
    files = [path for path in home.rglob("*") if path.is_file() and path.name != ".lock"]
    assert ended.copied == {
        "nodes": 1, "blocks": BLOCKS, "bytes": sum(path.stat().st_size for path in files),
    }  # fmt: skip


def test_another_way_to_copy(store: Store) -> None:
    with pytest.raises(ConfigError, match=r"cluster\.copy: 'never': expected missing or always"):
        Coordinator(
            store, an_attack(), kind="address", address="localhost:1", workers=1, shards=None,
            timeout=1, copy="never",
        )  # fmt: skip


def test_a_node_dies_and_another_comes(
    cluster: Any,
    tmp_path: Path,
    long_job: tuple[str, ...],
    long_results: dict[str, bytes],
    starting: Callable[..., subprocess.Popen[str]],
    waiting: Callable[..., Any],
) -> None:
    """One scorer on each of two nodes of one core; the second node makes way for a third."""
    node = cluster.add_node(**NODE)
    process = starting(
        *long_job, "cluster=address", f"cluster.address={cluster.address}", "cluster.workers=2",
        "hydra.run.dir=run", cwd=tmp_path,
    )  # fmt: skip
    ledger = tmp_path / "run" / "ledger.jsonl"
    while process.poll() is None and not (ledger.exists() and b'"batch"' in ledger.read_bytes()):
        time.sleep(0.005)
    cluster.remove_node(node, allow_graceful=False)
    assert b'"finished"' not in ledger.read_bytes()
    node = cluster.add_node(**NODE)
    found = waiting(process)
    cluster.remove_node(node)
    assert found.code == 0, found.err
    assert results(tmp_path / "run") == long_results

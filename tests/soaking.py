"""Runs are killed in every way, resumed until they end, and compared with an undisturbed run.

``python tests/soaking.py --seconds 900 --seed 1`` prints a line for each kill and a table at the
end; it fails if a promise of `sim/guide/reliability.md` is broken. The same seed gives the same
kills in the same order; how far a run has come when it is hit differs.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from studying import results

from sim.record.run_record import UNFINISHED, is_begun

ROOT = Path(__file__).parents[1]
PROC = Path("/proc")

JOB = (
    "data.preset=default", "targets=all", "grid.aux=[12/15]", "grid.date_noise=[3,14]",
    "attack.entropy=true", "bayes_targets=0",
)  # fmt: skip
"""A job of 16 batches of about a second, so that few kills come too late, and of few figures."""

VICTIMS = {
    "program": "",
    "driver": "actors.driver",
    "scorer": "ray::Scorer",
    "aggregator": "ray::Aggregator",
    "raylet": "raylet/raylet",
    "gcs": "gcs/gcs_server",
    "runtime env agent": "ray::RuntimeEnvAgent",
    "dashboard agent": "ray::DashboardAgent",
    "log monitor": "log_monitor.py",
}
"""What is killed, and what its command line holds."""

OF_THE_CLUSTER = (*list(VICTIMS)[4:],)
"""Those without which a cluster that somebody else started is no longer what it was."""

A_RUN = 6
"""Kills of a run; those that come too late are left out."""

CODES = {
    signal.SIGKILL: {-signal.SIGKILL},
    signal.SIGTERM: {143, -signal.SIGTERM},  # before Python has started, the system ends it
    signal.SIGSTOP: {0},
}
"""Exit codes of the program if it is killed itself."""

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP)
LAYOUTS = {"one node": 1, "three nodes": 3}

FULL_SECONDS, FULL_KILLS = 900, 60
"""A full soak, and the kills in it at the least."""

LONGEST = 240.0
"""Seconds after which a run counts as stuck: several times as long as any takes."""

AFTERWARDS = 5.0
"""Seconds in which everything that was started must be gone."""

NOTICED = re.compile("started again|says nothing|broke off|interrupted|error|Ray does not")


@dataclass(frozen=True)
class Kill:
    """What is done to a run.

    ``after`` is a number of batches since the last kill, or seconds where negative; with 0, the
    victim is hit as soon as it is there.
    """

    layout: str
    victim: str
    how: signal.Signals
    after: float

    def __str__(self) -> str:
        when = f"{-self.after:.1f} s" if self.after < 0 else f"{self.after:.0f} batches"
        return f"{self.layout}, {when}: {self.how.name} {self.victim}"


@dataclass
class Found:
    """What became of a kill: seconds until it was said, or the program had ended."""

    kill: Kill
    noticed: float | None


def descendants(root: int) -> list[int]:
    """All processes that descend from one."""
    children = defaultdict(list)
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
                children[int(parent)].append(int(entry.name))
    found = [root]
    for pid in found:
        found += children[pid]
    return found[1:]


def command_of(pid: int) -> str:
    """Its command line; nothing if it has ended."""
    try:
        return (PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def is_alive(pid: int) -> bool:
    """Whether a process has not ended; one that only waits to be read by its parent has."""
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class Command:
    """A command in a process of its own, with what it says and when."""

    def __init__(self, *words: str, at: Path, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sim", *words],
            cwd=at, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.said: list[tuple[float, str]] = []
        self.seen: set[int] = set()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append((time.monotonic(), line.rstrip()))

    def look(self) -> bool:
        """Note what it has started; whether it still runs."""
        self.seen.update(descendants(self.process.pid))
        return self.process.poll() is None

    def ended(self) -> int:
        """Wait for its end."""
        deadline = time.monotonic() + LONGEST
        while self.look():
            if time.monotonic() > deadline:
                self.process.kill()
                raise AssertionError(f"stuck for {LONGEST:.0f} seconds:\n{self.text()}")
            time.sleep(0.1)
        self._reader.join(10)
        return int(self.process.returncode)

    def text(self) -> str:
        """All that it said."""
        return "\n".join(line for _, line in self.said)

    def outlived_by(self) -> list[str]:
        """What it started and is alive some seconds after it."""
        deadline = time.monotonic() + AFTERWARDS
        while left := [pid for pid in self.seen if is_alive(pid)]:
            if time.monotonic() > deadline:
                return [command_of(pid) for pid in left]
            time.sleep(0.05)
        return []


class Soak:
    """Kills, one after the other.

    Parameters
    ----------
    seed : int
        Of the kills.
    folder : Path
        Empty; its path is short, since sockets lie in it.
    tell : callable
        Called with each line.
    job : sequence of str
        What is run.
    """

    def __init__(
        self,
        seed: int,
        folder: Path,
        tell: Callable[[str], None] = print,
        job: Sequence[str] = JOB,
    ) -> None:
        self._random = random.Random(seed)
        self._folder, self._tell = folder, tell
        self._temporary = folder / "t"
        self._temporary.mkdir()
        self._environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tests")]),
            "COLUMNS": "200",
            "RAY_TMPDIR": str(self._temporary),
            "RAY_USAGE_STATS_ENABLED": "0",
        }
        self._environment.pop("HYDRA_FULL_ERROR", None)
        self._cluster: subprocess.Popen[str] | None = None
        self._address = ""
        self._job = (*job, f"data.cache={folder / 'cache'}")
        self._runs = itertools.count()
        self.found: list[Found] = []

    def deck(self) -> Iterator[list[Kill]]:
        """Yield every kind of kill once in a random order, some to a run, and so on."""
        while True:
            runs = []
            for layout in LAYOUTS:
                kinds = list(itertools.product(VICTIMS, SIGNALS))
                self._random.shuffle(kinds)
                kills = [Kill(layout, *kind, self._when(*kind)) for kind in kinds]
                runs += [kills[at : at + A_RUN] for at in range(0, len(kills), A_RUN)]
            self._random.shuffle(runs)
            yield from runs

    def _when(self, victim: str, how: signal.Signals) -> float:
        if victim == "program" and how != signal.SIGSTOP and self._random.random() < 0.5:
            return -self._random.uniform(0, 8)
        return self._random.randint(0, 3)

    def undisturbed(self) -> dict[str, bytes]:
        """Results of the job if nothing happens."""
        command = self._command(*self._job, "cluster=inline", "hydra.run.dir=whole")
        assert command.ended() == 0, command.text()
        return results(self._folder / "whole")

    def soak(self, runs: Iterator[list[Kill]], seconds: float) -> None:
        """Do the kills of each run until the time is over or there are no more."""
        begun = time.monotonic()
        expected = self.undisturbed()
        try:
            for kills in runs:
                self._run(kills, expected)
                if time.monotonic() - begun > seconds:
                    break
        finally:
            self._stop_cluster()

    def _run(self, kills: list[Kill], expected: dict[str, bytes]) -> None:
        name = f"run{next(self._runs)}"
        left, code = deque(kills), -1
        for _ in range(len(kills) + 3):
            if code == 0:
                break
            code = self._attempt(name, kills[0].layout, left)
        assert code == 0, f"{kills}: exit code {code}"
        for kill in left:
            self._tell(f"    {kill}: too late")
        assert results(self._folder / name) == expected, kills
        shutil.rmtree(self._folder / name)

    def _attempt(self, name: str, layout: str, left: deque[Kill]) -> int:
        """Begin the run, or resume it, do what is left to be done to it, and wait for its end."""
        begun = is_begun(self._folder / name)
        words = ("resume", name) if begun else (*self._job, f"hydra.run.dir={name}")
        command = self._command(*words, *self._where(layout))
        hits: list[tuple[float, Kill]] = []
        while left and self._await(left[0], name, command):
            kill = left.popleft()
            victim = self._victim(kill, command)
            if victim is None:
                left.appendleft(kill)
                break
            hits.append((time.monotonic(), kill))
            with suppress(ProcessLookupError):
                os.kill(victim, kill.how)
            if kill.victim == "program":
                if kill.how != signal.SIGSTOP:
                    break
                time.sleep(self._random.uniform(1, 3))
                os.kill(victim, signal.SIGCONT)
            if layout == "three nodes" and kill.victim in OF_THE_CLUSTER:
                break  # it is not what it was
        code = command.ended()
        self._note(hits, command, code)
        if any(kill.victim in OF_THE_CLUSTER for _, kill in hits):
            self._stop_cluster()
        outlived = command.outlived_by()
        assert not outlived, f"{hits}: still there: {outlived}"
        assert not list(self._temporary.glob("standout-ray-*")), hits
        return code

    def _note(self, hits: list[tuple[float, Kill]], command: Command, code: int) -> None:
        """Hold what was said, and the exit code, to what the guide promises."""
        ends = [*(at for at, _ in hits), time.monotonic()][1:]
        allowed, text = {0}, command.text()
        for (hit, kill), end in zip(hits, ends, strict=True):
            said = [at for at, line in command.said if hit < at < end and NOTICED.search(line)]
            noticed = said[0] - hit if said else None
            if noticed is None and code and kill is hits[-1][1]:
                noticed = end - hit
            self.found.append(Found(kill, noticed))
            seconds = "" if noticed is None else f": noticed after {noticed:.1f} s"
            self._tell(f"{len(self.found):3} {kill}{seconds}")
            if kill.victim == "program":
                allowed |= CODES[kill.how]
            elif kill.layout == "three nodes" and kill.victim in OF_THE_CLUSTER:
                allowed |= {1}
        assert code in allowed, f"{hits}: exit code {code}:\n{text}"
        assert "Traceback" not in text, text
        assert "Check failed" not in text, text
        if code == 1 or "interrupted;" in text:
            assert "resume with: standout resume" in text, text

    def _await(self, kill: Kill, name: str, command: Command) -> bool:
        """Wait until it is time for a kill; False if the command ended before."""
        begun, ledger = time.monotonic(), self._folder / name / UNFINISHED / "ledger.jsonl"

        def batches() -> int:
            return ledger.read_bytes().count(b'"batch"') if ledger.exists() else 0

        first = batches()
        while command.look():
            if kill.after < 0:
                is_due = time.monotonic() - begun > -kill.after
            elif kill.after == 0:  # as soon as it is there
                is_due = self._victim(kill, command) is not None
            else:
                is_due = batches() - first >= kill.after
            if is_due:
                return True
            time.sleep(0.02)
        return False

    def _victim(self, kill: Kill, command: Command) -> int | None:
        if kill.victim == "program":
            return command.process.pid if command.process.poll() is None else None
        near = descendants(command.process.pid)
        if kill.layout == "three nodes" and self._cluster is not None:
            near += descendants(self._cluster.pid)
        found = [pid for pid in near if VICTIMS[kill.victim] in command_of(pid) and is_alive(pid)]
        return self._random.choice(found) if found else None

    def _where(self, layout: str) -> tuple[str, ...]:
        if layout == "one node":
            return ("cluster=local",)
        if self._cluster is None:
            self._cluster = subprocess.Popen(
                [sys.executable, __file__, "--nodes", str(LAYOUTS[layout])],
                env=self._environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
            assert self._cluster.stdout is not None
            self._address = self._cluster.stdout.readline().strip()
            assert self._address, "the cluster does not start"
        return ("cluster=address", f"cluster.address={self._address}")

    def _stop_cluster(self) -> None:
        """End it, whatever state it is in."""
        if self._cluster is not None:
            for pid in [*descendants(self._cluster.pid), self._cluster.pid]:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self._cluster.communicate()
            self._cluster = None
            shutil.rmtree(self._temporary / "ray", ignore_errors=True)

    def _command(self, *words: str) -> Command:
        return Command(*words, at=self._folder, environment=self._environment)


def table(found: list[Found]) -> str:
    """What was killed how often, and the seconds until it was noticed."""
    kinds = defaultdict(list)
    for one in found:
        kinds[one.kill.victim, one.kill.how.name].append(one)
    lines = [f"{'':20}{'':10}{'kills':>6}{'noticed':>9}{'median s':>10}{'most s':>8}"]
    for (victim, how), ones in sorted(kinds.items()):
        times = [one.noticed for one in ones if one.noticed is not None]
        said = f"{statistics.median(times):10.1f}{max(times):8.1f}" if times else ""
        lines.append(f"{victim:20}{how:10}{len(ones):6}{len(times):9}{said}")
    return "\n".join(lines)


def hold_nodes(n: int) -> None:
    """Start a cluster of some nodes of one core, print its address, and wait to be ended."""
    from ray.cluster_utils import Cluster

    quick = {
        "health_check_initial_delay_ms": 0,
        "health_check_period_ms": 500,
        "health_check_timeout_ms": 20_000,
        "health_check_failure_threshold": 4,
    }
    node = {"num_cpus": 1, "object_store_memory": 100 << 20}
    head = node | {"include_dashboard": False, "_system_config": quick}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    for _ in range(n - 1):
        cluster.add_node(**node)
    print(cluster.address, flush=True)
    sys.stdin.read()


@contextmanager
def short_folder() -> Iterator[Path]:
    """A folder for a soak, removed in the end."""
    folder = Path(tempfile.mkdtemp(prefix="soak-", dir="/tmp"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Soak, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=900)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nodes", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.nodes:
        hold_nodes(given.nodes)
        return
    with short_folder() as folder:
        soak = Soak(given.seed, folder, lambda line: print(line, flush=True))
        soak.soak(soak.deck(), given.seconds)
    print(f"\n{table(soak.found)}\n{len(soak.found)} kills; every run ended with the same bytes")
    if given.seconds >= FULL_SECONDS:
        assert len(soak.found) >= FULL_KILLS, "too few kills in the time"


if __name__ == "__main__":
    main()

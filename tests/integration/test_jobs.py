"""A run that `ray job submit` sends to a cluster: the same results; a failure counts as one."""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from soaking import short_folder
from studying import results

ROOT = Path(__file__).parents[2]
RAY = (sys.executable, "-c", "from ray.scripts.scripts import main; main()")
JOB = (
    "data=table", "data.path=visits.csv", "data.user=person", "data.item=place", "data.date=day",
    "targets=20", "grid.aux=[2/2,3/3]", "bayes_targets=0",
)  # fmt: skip
"""On a file of the folder that is sent."""
VISITS = "person,place,day\n" + "".join(
    f"{person},{person * place % 17},2020-01-{1 + place:02d}\n"
    for person in range(60)
    for place in range(1, 9)
)

ENVIRONMENT = os.environ | {
    "PYTHONPATH": str(ROOT),
    "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": secrets.token_hex(32),
}

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("aiohttp_cors") is None,
    reason="ray job submit needs ray[default]: pip install 'standout[jobs]'",
)


def free_ports(number: int) -> list[int]:
    """Ports nobody listens on."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


@pytest.fixture(scope="module")
def jobs() -> Iterator[str]:
    """Where a head of two cores takes jobs."""
    port, dashboard, agent, client = free_ports(4)
    with short_folder() as folder:
        head = subprocess.Popen(
            [
                *RAY, "start", "--head", "--block", "--num-cpus=2", f"--temp-dir={folder}",
                f"--port={port}", f"--dashboard-port={dashboard}", "--include-dashboard=true",
                f"--dashboard-agent-listen-port={agent}", f"--ray-client-server-port={client}",
                f"--object-store-memory={100 << 20}",
            ],
            env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        address = f"http://127.0.0.1:{dashboard}"
        deadline = time.monotonic() + 120
        try:
            while not answers(f"{address}/api/version"):
                assert head.poll() is None, "the head ended"
                assert time.monotonic() < deadline, "the head takes no jobs"
                time.sleep(0.1)
            yield address
        finally:
            os.killpg(head.pid, signal.SIGKILL)
            head.wait()


def answers(url: str) -> bool:
    """Whether anybody does, if only to ask for a secret."""
    try:
        urllib.request.urlopen(url, timeout=5)
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def submit(jobs: str, place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """As in the guide."""
    entry = ("standout",) if shutil.which("standout") else (sys.executable, "-m", "sim")
    return subprocess.run(
        [
            *RAY, "job", "submit", f"--address={jobs}", f"--working-dir={place}", "--", *entry,
            *words, "cluster=address", "cluster.address=auto",
        ],
        env=ENVIRONMENT, capture_output=True, text=True, timeout=300,
    )  # fmt: skip


def test_a_job(
    jobs: str,
    tmp_path: Path,
    store_cache: Path,
    starting: Callable[..., Any],
    waiting: Callable[..., Any],
) -> None:
    (tmp_path / "visits.csv").write_text(VISITS)
    sent = submit(
        jobs, tmp_path, *JOB, f"data.cache={store_cache}", "cluster.workers=2",
        f"hydra.run.dir={tmp_path / 'sent'}",
    )  # fmt: skip
    assert sent.returncode == 0, sent.stdout + sent.stderr
    here = waiting(
        starting(
            *JOB, f"data.cache={store_cache}", "cluster=inline", "hydra.run.dir=here", cwd=tmp_path
        )
    )
    assert here.code == 0, here.err
    assert results(tmp_path / "sent") == results(tmp_path / "here")


def test_a_job_that_asks_for_too_much(jobs: str, tmp_path: Path, store_cache: Path) -> None:
    """It fails, with the one line that says why."""
    (tmp_path / "visits.csv").write_text(VISITS)
    sent = submit(
        jobs, tmp_path, *JOB, f"data.cache={store_cache}", "cluster.workers=3",
        f"hydra.run.dir={tmp_path / 'run'}",
    )  # fmt: skip
    assert sent.returncode == 1
    assert "cluster.workers=3: the cluster has 2 cores, of which 2 are free" in sent.stdout
    assert "Traceback" not in sent.stdout

"""A soak of a minute: kills of two kinds, each run ended by resuming; see `soaking`."""

from __future__ import annotations

from itertools import chain
from signal import SIGKILL, SIGSTOP

import pytest
from soaking import JOB, PROC, Kill, Soak, short_folder

RUNS = [
    [Kill("one node", "scorer", SIGSTOP, 2)],
    [Kill("three nodes", "program", SIGKILL, 2)],
]
"""Some of the kinds that `make soak` does."""

SMALLER = [each.replace("targets=all", "targets=6000") for each in JOB]
"""A job of as many batches, each of a third of the people."""


@pytest.mark.skipif(not PROC.is_dir(), reason="finds processes in /proc")
@pytest.mark.timeout(900)
@pytest.mark.deep
def test_a_short_soak() -> None:
    with short_folder() as folder:
        soak = Soak(1, folder, job=SMALLER)
        soak.soak(iter(RUNS), seconds=600)
    assert [one.kill for one in soak.found] == list(chain.from_iterable(RUNS))

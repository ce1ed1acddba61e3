"""A soak of a minute: kills of two kinds, each run ended by resuming; see `soaking`."""

from __future__ import annotations

from itertools import chain
from signal import SIGKILL, SIGSTOP

import pytest
from soaking import PROC, Kill, Soak, short_folder

RUNS = [
    [Kill("one node", "scorer", SIGSTOP, 2)],
    [Kill("three nodes", "program", SIGKILL, 2)],
]
"""Some of the kinds that `make soak` does."""


@pytest.mark.skipif(not PROC.is_dir(), reason="finds processes in /proc")
@pytest.mark.timeout(900)
def test_a_short_soak() -> None:
    with short_folder() as folder:
        soak = Soak(1, folder)
        soak.soak(iter(RUNS), seconds=600)
    assert [one.kill for one in soak.found] == list(chain.from_iterable(RUNS))

"""How many batches travel in one message."""

from __future__ import annotations

import time
from collections.abc import Callable

_MESSAGE_SECONDS = 0.5
"""Work in a message: what Ray spends on one, some 15 ms over all processes, is then little."""

MOST_BATCHES = 4
"""So that an interruption costs little, and little is held in memory."""


class Pace:
    """Learns from the times between results how many batches are worth a message.

    What is sent together changes nothing about what is found.

    Parameters
    ----------
    rows : int
        Rows of scorers, each at work on a message of its own.
    clock : callable

    Examples
    --------
    >>> ticks = iter([0.0, 0.1, 4.9])
    >>> pace = Pace(1, lambda: next(ticks))
    >>> pace.received(1)
    >>> pace.batches(left=100), pace.batches(left=5), pace.batches(left=1)
    (4, 2, 1)
    >>> pace.received(4)  # it took 4.8 seconds
    >>> pace.batches(left=100)
    1
    """

    def __init__(self, rows: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rows, self._clock = rows, clock
        self._last, self._worth = clock(), 1

    def received(self, batches: int) -> None:
        """Note that the results of so many batches came."""
        now = self._clock()
        each = max((now - self._last) * self._rows / batches, 1e-9)
        self._worth = int(min(max(_MESSAGE_SECONDS / each, 1), MOST_BATCHES))
        self._last = now

    def batches(self, left: int) -> int:
        """How many to send now; few at the end, so that all rows end together."""
        return max(1, min(self._worth, left // (2 * self._rows)))

"""Chooses how many batches to send in one message."""

from __future__ import annotations

import time
from collections.abc import Callable

_MESSAGE_SECONDS = 0.5
"""Work per message, so that Ray's overhead (about 15 ms over all processes) is small."""

MOST_BATCHES = 4
"""Bounds the work that an interruption loses, and the memory in use."""


class BatchSizer:
    """Estimates, from the times between results, how many batches to send in one message.

    Results do not depend on it.

    Parameters
    ----------
    rows : int
        Rows of scorers, each working on its own message.

    Examples
    --------
    >>> ticks = iter([0.0, 0.1, 4.9])
    >>> sizer = BatchSizer(1, lambda: next(ticks))
    >>> sizer.received(1)
    >>> sizer.batches(left=100), sizer.batches(left=5), sizer.batches(left=1)
    (4, 2, 1)
    >>> sizer.received(4)  # it copied 4.8 seconds
    >>> sizer.batches(left=100)
    1
    """

    def __init__(self, rows: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rows, self._clock = rows, clock
        self._last, self._worth = clock(), 1

    def received(self, batches: int) -> None:
        """Record that the results of a number of batches arrived."""
        now = self._clock()
        each = max((now - self._last) * self._rows / batches, 1e-9)
        self._worth = int(min(max(_MESSAGE_SECONDS / each, 1), MOST_BATCHES))
        self._last = now

    def batches(self, left: int) -> int:
        """Return how many batches to send now: few at the end, so that all rows finish together."""
        return max(1, min(self._worth, left // (2 * self._rows)))

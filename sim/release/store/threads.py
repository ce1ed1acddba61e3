"""Runs work in threads and yields results in order, independent of the number of threads.

Useful only for work that releases the interpreter lock: compiled loops, hashing, files.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

MOST = 4
"""Most threads, whatever the machine has: each holds its own part of the data in memory."""

T = TypeVar("T")
R = TypeVar("R")


FEW = 1 << 16
"""Rows up to which starting threads takes longer than they save."""


def usable() -> int:
    """Cores this process may use, at most `MOST`."""
    try:
        return min(len(os.sched_getaffinity(0)), MOST)
    except AttributeError:  # not on every system
        return min(os.cpu_count() or 1, MOST)


def threads_for(rows: int) -> int:
    """Return the threads to work on so many rows with: none for few.

    Examples
    --------
    >>> threads_for(100)
    0
    """
    return usable() if rows > FEW else 0


def in_order(
    work: Callable[[T], R], items: Iterable[T], threads: int, ahead: int = 1
) -> Iterator[tuple[T, R]]:
    """Yield every item with the result of `work` on it; a few are in work at once.

    Errors come in order too: an item's own when its turn comes, that of `items` after the results
    of all items before it.

    Parameters
    ----------
    work : callable
        Called in a thread; must not touch what others change.
    items : iterable
        Gone through in this thread.
    threads : int
        0: this one does the work.
    ahead : int
        Items that may wait, in work or done, in addition to one per thread.

    Examples
    --------
    >>> list(in_order(lambda x: x * x, range(4), threads=2))
    [(0, 0), (1, 1), (2, 4), (3, 9)]
    """
    if threads == 0:
        yield from ((item, work(item)) for item in items)
        return
    waiting: deque[tuple[T, Future[R]]] = deque()
    failure: Exception | None = None
    source = iter(items)
    with ThreadPoolExecutor(threads) as pool:
        try:
            while True:
                while failure is None and len(waiting) < threads + ahead:
                    try:
                        item = next(source)
                    except StopIteration:
                        break
                    except Exception as error:  # raised below, in order
                        failure = error
                        break
                    waiting.append((item, pool.submit(work, item)))
                if not waiting:
                    break
                item, done = waiting.popleft()
                yield item, done.result()
        finally:
            for _, left in waiting:
                left.cancel()
    if failure is not None:
        raise failure

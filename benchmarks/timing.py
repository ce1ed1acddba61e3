"""Times contenders in turns: every round runs each once, so a slow spell affects all alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TypeVar

T = TypeVar("T")


def in_turns(work: Mapping[str, Callable[[], T]], rounds: int) -> dict[str, list[T]]:
    """Run every contender in every round, each round beginning with another one.

    Returns
    -------
    dict of str to list
        What each returned, round by round.

    Examples
    --------
    >>> order = []
    >>> _ = in_turns({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, 2)
    >>> order
    ['a', 'b', 'b', 'a']
    """
    names = list(work)
    found: dict[str, list[T]] = {name: [] for name in names}
    for nth in range(rounds):
        shift = nth % len(names)
        for name in (*names[shift:], *names[:shift]):
            found[name].append(work[name]())
    return found


def timed(
    work: Callable[[], object], clock: Callable[[], float] = time.perf_counter
) -> Callable[[], float]:
    """Make `work` return the seconds it took.

    Parameters
    ----------
    clock : callable
        ``time.thread_time`` for what one core spends, whoever else is on the machine.
    """

    def run() -> float:
        begin = clock()
        work()
        return clock() - begin

    return run


def turns_of(
    work: Mapping[str, Callable[[], object]],
    rounds: int,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[float]]:
    """Seconds of every contender in every round, after one round that does not count."""
    timers = {name: timed(one, clock) for name, one in work.items()}
    in_turns(timers, 1)
    return in_turns(timers, rounds)

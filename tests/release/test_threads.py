"""Results and errors in order, however many threads there are."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from sim.release.store.threads import FEW, MOST, in_order, threads_for, usable


@pytest.mark.parametrize("threads", [0, 1, 2, 5])
@pytest.mark.parametrize("ahead", [0, 3])
def test_results_come_in_order(threads: int, ahead: int) -> None:
    def late(n: int) -> int:
        time.sleep((7 - n) % 3 * 0.002)
        return n * n

    assert list(in_order(late, range(9), threads, ahead)) == [(n, n * n) for n in range(9)]


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_the_first_error_in_order_is_raised(threads: int) -> None:
    def work(n: int) -> int:
        if n in (2, 3):
            time.sleep(0.01 * (4 - n))
            raise ValueError(n)
        return n

    found = in_order(work, range(9), threads)
    assert [next(found)[0], next(found)[0]] == [0, 1]
    with pytest.raises(ValueError, match="2"):
        next(found)


@pytest.mark.parametrize("threads", [0, 1, 3])
def test_an_error_of_the_items_waits_for_those_before(threads: int) -> None:
    def items() -> Iterator[int]:
        yield from range(2)
        raise OSError("cut short")

    found = in_order(lambda n: n, items(), threads, ahead=5)
    assert [next(found), next(found)] == [(0, 0), (1, 1)]
    with pytest.raises(OSError, match="cut short"):
        next(found)


def test_no_more_than_asked_are_in_memory() -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for n in range(20):
            taken += 1
            yield n

    for n, _ in in_order(lambda n: n, items(), threads=2, ahead=1):
        assert taken <= n + 3


def test_what_is_left_is_not_begun() -> None:
    begun, go = [], threading.Event()

    def work(n: int) -> int:
        begun.append(n)
        if n:
            go.wait(5)
        return n

    found = in_order(work, range(9), threads=1, ahead=5)
    next(found)
    go.set()
    found.close()  # type: ignore[attr-defined]
    assert len(begun) <= 6


def test_cores() -> None:
    assert 1 <= usable() <= MOST


def test_few_rows_are_worked_on_here() -> None:
    assert [threads_for(rows) for rows in (0, FEW, FEW + 1)] == [0, 0, usable()]
    here = threading.get_ident()
    assert [found for _, found in in_order(lambda _: threading.get_ident(), "ab", 0)] == [here] * 2

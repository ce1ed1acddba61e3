"""What the command line does when the system or the user asks it to end.

Invariant: the first signal ends the program, with exit code 128 + its number, wherever it arrives;
later ones change nothing, so that what the first began is finished: workers end, and files close.
If a library drops the exception of the first, it is raised again.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
_AGAIN_SECONDS = 0.5

_received: list[int] = []


def interrupted() -> bool:
    """Whether a signal has arrived that ends this program."""
    return bool(_received)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let a signal raise `KeyboardInterrupt`, and end the program when it has passed through.

    A signal that is ignored already, as SIGHUP is under ``nohup``, stays ignored.

    Raises
    ------
    SystemExit
        With code 128 + the number of the signal, if one arrived.
    """
    _received.clear()
    numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    heard = [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]

    def end(number: int, _: object) -> None:
        for each in heard:
            signal.signal(each, signal.SIG_IGN)
        _received.append(number)
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, _interrupt_again)
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS, _AGAIN_SECONDS)
        raise KeyboardInterrupt

    unraised = sys.unraisablehook

    def not_of_the_interruption(found: Any) -> None:
        """Do not say what Python dropped while it freed an object: it comes again."""
        if not (_received and issubclass(found.exc_type, KeyboardInterrupt)):
            unraised(found)

    sys.unraisablehook = not_of_the_interruption
    for number in heard:
        signal.signal(number, end)
    try:
        yield
    except KeyboardInterrupt:
        _no_more()  # here, where none comes while this one is being handled
        _received[:] = _received or [signal.SIGINT]
    except BaseException:
        # Whatever libraries made of the interruption; an import, for one, makes an ImportError.
        _no_more()
        if not _received:
            raise
    finally:
        _no_more()
        sys.unraisablehook = unraised
        for number in heard:
            signal.signal(number, signal.SIG_IGN)  # the outcome is decided
    if _received:
        print("\nstandout: interrupted", file=sys.stderr)
        sys.exit(128 + _received[0])


def _no_more() -> None:
    if _received and hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)


def _interrupt_again(*_: object) -> None:
    """Raise it once more, unless what it began is still being finished.

    A library that catches everything, or Python while it frees an object, drops it. Wherever an
    exception of it is being handled, as in ``finally`` and at the end of ``with``, it is not lost.
    """
    handled = sys.exception()
    while handled is not None:
        if isinstance(handled, KeyboardInterrupt):
            return
        handled = handled.__context__
    raise KeyboardInterrupt

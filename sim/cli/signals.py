"""What the command line does when the system or the user asks it to end.

Invariant: the first signal ends the program, with exit code 128 + its number, wherever it arrives;
later ones change nothing, so that what the first began is finished: workers end, and files close.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
_AGAIN_SECONDS = 0.05

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
        raise KeyboardInterrupt

    unraised = sys.unraisablehook

    def raise_again(found: Any) -> None:
        """Python drops what is raised while it frees an object: raise it a little later."""
        if not (_received and issubclass(found.exc_type, KeyboardInterrupt)):
            unraised(found)
        elif hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, _interrupt)
            signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS)

    sys.unraisablehook = raise_again
    for number in heard:
        signal.signal(number, end)
    try:
        yield
    except KeyboardInterrupt:
        _received[:] = _received or [signal.SIGINT]
    except BaseException:
        # Whatever libraries made of the interruption; an import, for one, makes an ImportError.
        if not _received:
            raise
    finally:
        sys.unraisablehook = unraised
        for number in heard:
            signal.signal(number, signal.SIG_IGN)  # the outcome is decided
    if _received:
        print("\nstandout: interrupted", file=sys.stderr)
        sys.exit(128 + _received[0])


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt

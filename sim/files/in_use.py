"""Says of a folder that a process reads from it, so that nobody removes it meanwhile.

Whoever reads holds a shared lock on the folder, which the system releases if the process dies.
Where there are no such locks, as on Windows, nothing is held, and an open file cannot be removed.
"""

from __future__ import annotations

import contextlib
import os
import weakref
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]


class Hold:
    """Holds a folder for as long as this object lives, in each process that has a copy of it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     hold = Hold(Path(name))
    ...     before = is_held(Path(name))
    ...     hold.end()
    ...     before, is_held(Path(name))
    (True, False)
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.end = weakref.finalize(self, _close, _locked(folder, exclusive=False))

    def __reduce__(self) -> tuple[type[Hold], tuple[Path]]:
        return Hold, (self._folder,)


def is_held(folder: Path) -> bool:
    """Whether a process, this one included, holds a folder."""
    if fcntl is None:
        return False
    found = _locked(folder, exclusive=True)
    _close(found)
    return found is None


def _locked(folder: Path, *, exclusive: bool) -> int | None:
    """Return the descriptor of a folder that is locked; None: it cannot be."""
    if fcntl is None:
        return None
    try:
        found = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(found, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except OSError:  # another process has it; or its disk knows no locks
        os.close(found)
        return None
    return found


def _close(found: int | None) -> None:
    if found is not None:
        with contextlib.suppress(OSError):
            os.close(found)

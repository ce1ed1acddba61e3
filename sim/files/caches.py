"""A private folder for the caches of a user whose home cannot be written, or who has none.

Numba, matplotlib and the stores keep theirs below one folder. Numba alone refuses to work without
one, as it does where the program is installed by somebody else.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
from pathlib import Path

_HOME = "XDG_CACHE_HOME"
_FIGURES = "MPLCONFIGDIR"


def replace_unwritable_caches() -> None:
    """Let caches lie in a temporary folder, removed at exit, if they cannot lie in the user's.

    Processes that are started from here share the folder.
    """
    given = Path(os.environ.get(_HOME) or "~/.cache")
    with contextlib.suppress(RuntimeError):  # a user without a home, and without a name
        given = given.expanduser()
    if _can_be_written(given):
        return
    import tempfile

    with contextlib.suppress(OSError):  # Numba says so, if it is needed
        folder = Path(tempfile.mkdtemp(prefix="standout-caches-"))
        os.environ[_HOME] = str(folder)
        os.environ.setdefault(_FIGURES, str(folder / "matplotlib"))
        atexit.register(_remove, folder, os.getpid(), given)


def _can_be_written(path: Path) -> bool:
    if not path.is_absolute():
        return False
    try:
        while not path.exists():
            path = path.parent
    except PermissionError:  # it lies in a folder that may not be entered
        return False
    return path.is_dir() and os.access(path, os.W_OK | os.X_OK)


def _remove(folder: Path, owner: int, given: Path) -> None:
    """Remove the folder, unless this is a copy of the process that made it; tell if it was used."""
    import shutil

    if os.getpid() != owner:
        return
    with contextlib.suppress(OSError, ValueError):
        if any(folder.iterdir()):
            sys.stderr.write(
                f"standout: {given}: cannot be written, so caches lay in {folder}, and were "
                f"removed; set {_HOME} to a folder of yours, and the next run is faster\n"
            )
    shutil.rmtree(folder, ignore_errors=True)

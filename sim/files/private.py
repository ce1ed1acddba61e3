"""Stores, copies and run folders hold people's identifiers: they are for their owner alone."""

from __future__ import annotations

import os
import shlex
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sim.errors import StoreError

_ALONE = 0o077
_ADMINISTRATOR = 0
_guard = threading.Lock()
_within = 0
_before = 0


@contextmanager
def private() -> Iterator[None]:
    """Make files that only their owner may read and folders that only they may enter.

    Whatever the umask is, and whoever writes: Hydra, Arrow and Ray's workers among them. What is
    there already stays as it is. A umask belongs to the whole process, so what other threads write
    in the meantime is private too.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name, private():
    ...     (Path(name) / "run").mkdir()
    ...     oct((Path(name) / "run").stat().st_mode)
    '0o40700'
    """
    global _within, _before
    with _guard:
        if _within == 0:
            _before = os.umask(_ALONE)
        _within += 1
    try:
        yield
    finally:
        with _guard:
            _within -= 1
            if _within == 0:
                os.umask(_before)


def check_cache(folder: Path, key: str) -> None:
    """Refuse to keep stores, or to look for them, where somebody else could put others.

    A folder that everybody may write to will do if it is sticky, as ``/tmp`` is: there nobody can
    rename or remove what is another's, and `check_owned` is asked about each store.

    Parameters
    ----------
    folder : Path
        Exists.
    key : str
        Of the configuration, that says where it is.

    Raises
    ------
    StoreError
        It is another user's, or everybody may write to it.
    """
    found = folder.stat()
    if _is_foreign(found):
        raise StoreError(
            f"{folder}: belongs to another user, who could change what is kept in it; set {key} "
            "to a folder of your own"
        )
    if found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
        raise StoreError(
            f"{folder}: everybody may write to it, and so change what is kept in it; "
            f"chmod o-w {shlex.quote(str(folder))}, or set {key} to a folder of your own"
        )


def check_owned(folder: Path, key: str) -> None:
    """Refuse a store, or a copy of one, that somebody else made or may write to.

    Parameters
    ----------
    folder : Path
        Exists.
    key : str
        Of the configuration, that says where the folder around it is.

    Raises
    ------
    StoreError
        It is another user's, or others may write to it.
    """
    found = folder.stat()
    shared = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if shared or _is_foreign(found) or _is_foreign(folder.lstat()):
        raise StoreError(
            f"{folder}: was made by another user, or others may write to it; delete it, or set "
            f"{key} to a folder of your own"
        )


def _is_foreign(found: os.stat_result) -> bool:
    """Whether somebody owns it who is neither we nor the administrator.

    The administrator may use what is anybody's, as in a container that a user's folder is lent to.
    """
    if not hasattr(os, "geteuid"):  # no such owners here
        return False
    ours = os.geteuid()
    return ours != _ADMINISTRATOR and found.st_uid not in (_ADMINISTRATOR, ours)

"""Keeps stores, copies and run folders private: they hold people's identifiers."""

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

    This holds whatever the umask is and whichever library writes, including Hydra, Arrow and
    Ray's workers. Existing files do not change. A umask belongs to the whole process, so
    files that other threads write in the meantime are private too.

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
    """Refuse a folder for stores in which other users could place stores.

    A folder that all users may write to is accepted if it is sticky, as ``/tmp`` is: no user can
    rename or remove other users' files there, and `check_owned` checks each store.

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
    """Refuse a store, or a copy of one, that another user made or may write to.

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
    """Whether the owner is neither this user nor the administrator.

    The administrator may use any user's files, as in a container that mounts a user's folder.
    """
    if not hasattr(os, "geteuid"):  # no such owners here
        return False
    ours = os.geteuid()
    return ours != _ADMINISTRATOR and found.st_uid not in (_ADMINISTRATOR, ours)

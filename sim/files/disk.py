"""Atomic writes, and the errors that mean that the disk is full."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sim.errors import StandoutError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""No space is left: on the disk, for this user, or for this process."""


@contextmanager
def atomic_write(path: Path, *, flush: bool = True) -> Iterator[Path]:
    """Yield a temporary path to write to, and rename it to `path` at the end.

    With `flush` the file is on the disk before, so it survives a loss of power. On an error the
    temporary file is removed, also to free a full disk, and `path` does not change.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_write(Path(folder) / "a.txt") as partial:
    ...         _ = partial.write_text("whole")
    ...     [(path.name, path.read_text()) for path in Path(folder).iterdir()]
    [('a.txt', 'whole')]
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        yield partial
        if flush:
            with partial.open("rb+") as file:
                os.fsync(file.fileno())
        try:
            partial.replace(path)
        except IsADirectoryError:
            raise StandoutError(f"{path}: is a folder, and no file; remove it") from None
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise


def check_new_file(key: str, path: Path) -> None:
    """Check, before work whose result it is to hold, that a file can be made.

    Raises
    ------
    StandoutError
        It is there already, or its folder is not; the message begins with `key`.
    """
    if path.exists():
        raise StandoutError(f"{key}: {path}: is there already; choose another name")
    if not path.parent.is_dir():
        raise StandoutError(f"{key}: {path.parent}: no such folder; make it first")


def write_file(path: Path, content: bytes, what: str) -> Path:
    """Write a file for the user in whole, its folder made where it is missing, and return it.

    Raises
    ------
    StandoutError
        It cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as partial:
            partial.write_bytes(content)
    except OSError as error:
        raise StandoutError(
            f"{path}: the {what} cannot be written ({error.strerror or error}); free some space or "
            "choose another folder"
        ) from error
    return path


def is_full(error: OSError) -> bool:
    """Whether an error means that a disk or a quota is full.

    Examples
    --------
    >>> is_full(OSError(errno.ENOSPC, "No space left on device")), is_full(PermissionError())
    (True, False)
    """
    return error.errno in _FULL

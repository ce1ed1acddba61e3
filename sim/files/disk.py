"""Files that are there in whole or not at all, and what the system says when the disk is full."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""There is no room: on the disk, for this user, for this process."""


@contextmanager
def atomic_write(path: Path, *, flush: bool = True) -> Iterator[Path]:
    """Yield a path to write to; what is written there is then renamed to `path`.

    With `flush` it is on the disk before, so that it outlives a loss of power. Where something
    goes wrong, it is removed, and `path` stays as it was: a full disk should not stay full for our
    sake.

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
        partial.replace(path)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise


def is_full(error: OSError) -> bool:
    """Whether a disk, or what one may write to it, is full.

    Examples
    --------
    >>> is_full(OSError(errno.ENOSPC, "No space left on device")), is_full(PermissionError())
    (True, False)
    """
    return error.errno in _FULL

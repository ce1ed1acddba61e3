"""Reports a full disk as a one-line error with the remedy; a run loses nothing by it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sim.errors import StandoutError
from sim.files.disk import is_full
from sim.record.run_record import is_begun, resume_command


@contextmanager
def disk_full_as_error(folder: Path) -> Iterator[None]:
    """Raise a one-line error if the disk is full while a run folder is written.

    Raises
    ------
    StandoutError
        The disk is full.

    Examples
    --------
    >>> import errno
    >>> with disk_full_as_error(Path("run")):
    ...     raise OSError(errno.ENOSPC, "No space left on device")
    Traceback (most recent call last):
    sim.errors.StandoutError: run: the disk is full; free some space, then: run it again
    """
    try:
        yield
    except OSError as error:
        if not is_full(error):
            raise
        again = resume_command(folder) if is_begun(folder) else "run it again"
        raise StandoutError(f"{folder}: the disk is full; free some space, then: {again}") from None

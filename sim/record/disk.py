"""A full disk is the user's to put right: one line instead of a traceback, and nothing is lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sim.errors import StandoutError
from sim.files.disk import is_full
from sim.record.run_record import NAME, resume_command


@contextmanager
def room_in(folder: Path) -> Iterator[None]:
    """Turn a full disk, found while a run folder is written to, into one line.

    Raises
    ------
    StandoutError
        The disk is full.

    Examples
    --------
    >>> import errno
    >>> with room_in(Path("run")):
    ...     raise OSError(errno.ENOSPC, "No space left on device")
    Traceback (most recent call last):
    sim.errors.StandoutError: run: the disk is full; free some space, then: run it again
    """
    try:
        yield
    except OSError as error:
        if not is_full(error):
            raise
        again = resume_command(folder) if (folder / NAME).is_file() else "run it again"
        raise StandoutError(f"{folder}: the disk is full; free some space, then: {again}") from None

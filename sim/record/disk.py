"""A full disk is the user's to put right: one line instead of a traceback, and nothing is lost."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sim.errors import StandoutError
from sim.record.run_record import NAME, resume_command

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What the system says where there is no room: on the disk, for this user, for this process."""


@contextmanager
def room_in(folder: Path) -> Iterator[None]:
    """Say that the disk is full where writing into a run folder finds it so.

    Parameters
    ----------
    folder : Path
        Run folder.

    Raises
    ------
    StandoutError
        The disk is full.

    Examples
    --------
    >>> with room_in(Path("run")):
    ...     raise OSError(errno.ENOSPC, "No space left on device")
    Traceback (most recent call last):
    sim.errors.StandoutError: run: the disk is full; free some space, then: run it again
    """
    try:
        yield
    except OSError as error:
        if error.errno not in _FULL:
            raise
        again = resume_command(folder) if (folder / NAME).is_file() else "run it again"
        raise StandoutError(f"{folder}: the disk is full; free some space, then: {again}") from None

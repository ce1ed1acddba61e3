"""Where the paths of a configuration lead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_begin: ContextVar[Path | None] = ContextVar("_begin", default=None)


def absolute(path: str) -> Path:
    """A path that means the same in every process.

    Parameters
    ----------
    path : str
        Relative to the `working_directory`.
    """
    return working_directory() / Path(path).expanduser()


def working_directory() -> Path:
    """Where relative paths of the configuration begin: the folder that the run was begun in."""
    return _begin.get() or Path.cwd()


@contextmanager
def relative_to(folder: Path) -> Iterator[None]:
    """Take relative paths of the configuration as they are meant in another folder.

    The process stays where it is: Python, Numba and matplotlib look for modules and settings in
    their working directory, and which folder a run was begun in is said by a file.

    Parameters
    ----------
    folder : Path
        Absolute.

    Examples
    --------
    >>> with relative_to(Path("/data")):
    ...     absolute("ml-1m.zip").as_posix()
    '/data/ml-1m.zip'
    """
    token = _begin.set(folder)
    try:
        yield
    finally:
        _begin.reset(token)

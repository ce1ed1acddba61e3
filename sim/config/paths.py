"""Resolves the paths of a configuration."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_begin: ContextVar[Path | None] = ContextVar("_begin", default=None)


def absolute(path: str) -> Path:
    """Return an absolute path, which means the same in every process.

    Parameters
    ----------
    path : str
        Relative to the `working_directory`.
    """
    return working_directory() / Path(path).expanduser()


def working_directory() -> Path:
    """Return the folder of relative paths: the one in which the run was started."""
    return _begin.get() or Path.cwd()


@contextmanager
def relative_to(folder: Path) -> Iterator[None]:
    """Resolve relative paths of the configuration in another folder.

    The process keeps its working directory, since Python, Numba and matplotlib look for modules
    and settings there, and the folder of a run comes from an untrusted file.

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


def relative(path: Path) -> Path:
    """Return a path relative to the working directory if it lies below it, else unchanged.

    Examples
    --------
    >>> relative(Path.cwd() / "outputs").as_posix()
    'outputs'
    """
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path

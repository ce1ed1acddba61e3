"""Records the code, versions and machine of a run, to know whether it can be reproduced."""

from __future__ import annotations

import functools
import hashlib
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from sim.errors import ClusterError

_PACKAGES = ("hydra-core", "numba", "numpy", "pandas", "pyarrow", "ray", "scipy", "standout")
_ROOT = Path(__file__).resolve().parents[2]


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that can change a result."""
    return {"python": platform.python_version(), **{p: _version(p) for p in _PACKAGES}}


_version = functools.cache(version)  # which reads a file each time; a plan asks hundreds of times


@functools.cache
def code_digest() -> str:
    """SHA-256 over the source files of ``sim`` and ``actors``: changes when the code does.

    Examples
    --------
    >>> len(code_digest())
    64
    """
    whole = hashlib.sha256()
    for package in ("actors", "sim"):
        for path in sorted((_ROOT / package).rglob("*.py")):
            whole.update(str(path.relative_to(_ROOT)).encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()


def program() -> str:
    """Return a digest of the code and of the versions of its libraries.

    Examples
    --------
    >>> check_program(program())
    """
    return hashlib.sha256(f"{code_digest()} {sorted(versions().items())}".encode()).hexdigest()


def check_program(expected: str) -> None:
    """Check that this process runs the same program as another: only then do their results agree.

    Parameters
    ----------
    expected : str
        The other process's result of `program`.

    Raises
    ------
    ClusterError
        It runs another.
    """
    if program() != expected:
        raise ClusterError(
            "this node has another version of Standout, Python or a library; "
            "install the same ones on every node"
        )


@functools.cache
def git_revision() -> str | None:
    """Commit of the source tree, ``-dirty`` if files differ from it; None outside a checkout.

    As it was at the first call, as `code_digest`.
    """
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
            cwd=_ROOT,
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def machine() -> dict[str, str | int]:
    """Describe the machine in general terms."""
    import os

    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "cores": os.cpu_count() or 1,
        "interpreter": sys.implementation.name,
    }

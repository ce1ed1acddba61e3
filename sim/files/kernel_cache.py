"""Where compiled kernels are kept: in the user's cache folder, by what they are made of.

By default Numba keeps a kernel next to its module: each checkout compiles everything again, and a
kernel stays valid when a function changes that it calls in another file. Here the name of a kernel
contains a digest of every file that it may be compiled from. Checkouts share their kernels, changes
are noticed, and two versions of the program do not disturb each other.

The cache holds code, so a folder that others could write to is not used.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from sim.errors import StoreError
from sim.files.private import check_cache, check_owned

FOLDER = "compiled"
"""Its name, within the user's cache folder."""

_ROOT = Path(__file__).parents[2]
_IMPORT = re.compile(r"^from (sim[\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)


class Locator:
    """Tells Numba where to keep a kernel; see ``NUMBA_CACHE_LOCATOR_CLASSES`` in its reference.

    Parameters
    ----------
    file : Path
        That the kernel stands in.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    @classmethod
    def from_function(cls, function: Any, file: str) -> Locator:  # noqa: ARG003
        """Return the locator of a function."""
        return cls(Path(file))

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(kernel_folder())

    def ensure_cache_path(self) -> None:
        """Make the folder, should it have been removed meanwhile."""
        kernel_folder().mkdir(parents=True, exist_ok=True, mode=0o700)

    def get_source_stamp(self) -> str:
        """Return a digest of all that the kernel may be made of."""
        return _stamp(self._file)

    def get_disambiguator(self) -> str:
        """Return what tells kernels of the same name apart."""
        return _stamp(self._file)


@functools.cache
def kernel_folder() -> Path:
    """Return the folder, made if need be; a temporary one where others could write to it."""
    above = user_cache_path("standout")
    folder = above / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        check_cache(above, "XDG_CACHE_HOME")
        check_owned(folder, "XDG_CACHE_HOME")
    except (OSError, StoreError) as error:
        sys.stderr.write(f"standout: {error}; until then, loops are compiled anew each time\n")
        folder = Path(tempfile.mkdtemp(prefix="standout-compiled-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@functools.cache
def _stamp(file: Path) -> str:
    digest = hashlib.sha256()
    for each in sorted(_made_of(file)):
        digest.update(f"{each.relative_to(_ROOT)}\0{_content(each)}\0".encode())
    return digest.hexdigest()[:32]


def _made_of(file: Path) -> set[Path]:
    """Return a file, those of the kernels that it calls, and those of the constants they use."""
    found, left = {file}, [file]
    while left:
        for each in _imports(left.pop()) - found:
            found.add(each)
            if "numba" in _text(each) or "njit" in _text(each):
                left.append(each)
    return found


@functools.cache
def _imports(file: Path) -> frozenset[Path]:
    """Return the files of the modules that a file imports from."""
    found = set()
    for module, names in _IMPORT.findall(_text(file)):
        place = _ROOT.joinpath(*module.split("."))
        within = (place / f"{name}.py" for name in re.findall(r"\w+", names))
        found |= {place.with_suffix(".py"), place / "__init__.py", *within}
    return frozenset(each for each in found if each.is_file())


@functools.cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


@functools.cache
def _content(file: Path) -> str:
    return hashlib.sha256(_text(file).encode()).hexdigest()


def is_kept(file: Path) -> bool:
    """Whether the folder holds a kernel of this version of a file."""
    return any(kernel_folder().glob(f"*{_stamp(file)}*"))

"""Checks that a run folder holds plain files and folders only, and no links out of it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from sim.errors import InputError


def check_folder(folder: Path) -> None:
    """Refuse a run folder with links in it: files written to it would land elsewhere.

    Links would be followed as well by what is read, and a report would show it. The folder itself
    may be reached by one.

    Parameters
    ----------
    folder : Path
        A run folder; may be missing.

    Raises
    ------
    InputError
        It holds a symbolic link, or anything else that is neither a file nor a folder.

    Examples
    --------
    >>> check_folder(Path("no such folder"))
    """
    for above, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(above, name)
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                raise InputError(
                    f"{path}: is a link; a run folder holds its own files only: put there what it "
                    "leads to, or remove it"
                )
            if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
                raise InputError(f"{path}: neither a file nor a folder; remove it")

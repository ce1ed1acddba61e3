"""Checks that a run folder holds plain files and folders only, and no links out of it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from sim.errors import ConfigError, InputError


def existing_folder(text: str | Path, expected: str, command: str = "") -> Path:
    """Return a run folder that was named, once it is known to be a folder.

    Parameters
    ----------
    expected : str
        What to give instead, as the end of a sentence.
    command : str
        What it was given to, if the message should begin with that.

    Raises
    ------
    ConfigError
        There is no such folder, or it is a file.

    Examples
    --------
    >>> existing_folder("nowhere", "standout report RUN_FOLDER")
    Traceback (most recent call last):
    sim.errors.ConfigError: nowhere: no such folder; expected standout report RUN_FOLDER
    """
    folder = Path(text)
    if folder.is_dir():
        return folder
    what = "no such folder"
    if folder.exists():
        what = "a file, not a folder"
        if (folder.parent / "run.json").is_file():
            what += f"; the folder of its run is {folder.parent}"
    raise ConfigError(f"{f'{command}: ' if command else ''}{folder}: {what}; expected {expected}")


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

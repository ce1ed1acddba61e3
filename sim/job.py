"""One job of the command line: open the release, run the study, say what came out."""

from __future__ import annotations

from pathlib import Path

from sim.checks import check_config
from sim.config import Config
from sim.release.open import open_release
from sim.session import run_session


def run_job(config: Config, folder: Path, overrides: list[str]) -> None:
    """Do what a configuration says.

    Parameters
    ----------
    config : Config
    folder : Path
        Run folder.
    overrides : list of str
        What the user typed, for the record and to resume.

    Raises
    ------
    StandoutError
        Whatever the user can put right.
    """
    check_config(config)
    result = run_session(config, open_release(config.data), folder, overrides)
    print(result)
    where = shown(folder)
    print(f"\nfigures  {where / 'figures'}\nresults  {where}")


def shown(path: Path) -> Path:
    """A path as a person at this place would write it.

    Parameters
    ----------
    path : Path

    Returns
    -------
    Path
        Relative where it lies below the working directory.

    Examples
    --------
    >>> shown(Path.cwd() / "outputs").as_posix()
    'outputs'
    """
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path

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
    print(f"\nfigures  {folder / 'figures'}\nresults  {folder}")

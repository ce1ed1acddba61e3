"""The command line: ``standout``, by way of Hydra.

Whatever the user can put right ends in one line on standard error and exit code 2.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sim.errors import EXIT_CODE, ConfigError, ResumeError, StandoutError

if TYPE_CHECKING:
    from omegaconf import DictConfig

log = logging.getLogger("standout")

_INTERRUPTED = 130
_FOLDER = "STANDOUT_RUN_FOLDER"
_failures: list[StandoutError] = []
"""What went wrong in the jobs of this call; Hydra would print a traceback of an exception."""
_at_work: list[Path] = []
"""Run folder of the job that runs or has broken off: what goes wrong before is Hydra's to say."""


def main() -> None:
    """Run the command line.

    Raises
    ------
    SystemExit
        With code 0, 2 for what the user can put right, 130 if interrupted.
    """
    signal.signal(signal.SIGTERM, _interrupt)
    logging.raiseExceptions = False  # a log that cannot be written to is no reason for a traceback
    _failures.clear()
    _at_work.clear()
    try:
        if sys.argv[1:2] == ["report"]:
            from sim.report.command import report_command

            report_command(sys.argv[2:])
            return
        if sys.argv[1:2] == ["resume"]:
            sys.argv[1:] = _resumed(sys.argv[2:])
        _hydra_main()
    except KeyboardInterrupt:
        print("\nstandout: interrupted", file=sys.stderr)
        sys.exit(_INTERRUPTED)
    except StandoutError as error:
        _failures.append(error)
    if _failures:
        for failure in _failures:
            print(f"standout: error: {failure}", file=sys.stderr)
        sys.exit(EXIT_CODE)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _hydra_main() -> None:
    import hydra
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    from sim.config import register
    from sim.refusals import one_line

    register()
    # Hydra then raises what is wrong with a configuration instead of printing and leaving.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    job = hydra.main(version_base="1.3", config_path="pkg://conf", config_name="config")(_job)
    try:
        job()
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(one_line(error)) from None
    except OSError as error:
        if _at_work or error.filename is None:
            raise
        raise ConfigError(
            f"{error.filename}: cannot be made ({error.strerror}); set hydra.run.dir elsewhere"
        ) from None
    except (TypeError, ValueError) as error:
        if _at_work:
            raise
        raise ConfigError(one_line(error)) from None


def _resumed(arguments: list[str]) -> list[str]:
    """Overrides of an interrupted run, to be run again in its folder."""
    if not arguments or ("=" in arguments[0] and not Path(arguments[0]).is_dir()):
        raise ResumeError("resume: expected a run folder: standout resume outputs/…")
    folder = Path(arguments[0]).absolute()
    try:
        record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        overrides, start = record["overrides"], record["working_directory"]
    except FileNotFoundError:
        raise ResumeError(f"{folder}: not a run folder: it has no run.json") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ResumeError(f"{folder / 'run.json'}: cannot be read ({error})") from None
    if not Path(start).is_dir():
        raise ResumeError(f"{folder}: was run in {start}, which is gone")
    os.chdir(start)
    # By way of the environment, since a folder's name may hold what means something to Hydra;
    # and `.hydra` stays as the run wrote it: these overrides may yet be refused.
    os.environ[_FOLDER] = str(folder)
    into = f"hydra.run.dir=${{oc.env:{_FOLDER}}}"
    return [*overrides, *arguments[1:], into, "hydra.output_subdir=null"]


def _job(given: DictConfig) -> None:
    from hydra.core.hydra_config import HydraConfig

    from sim.compose import configured
    from sim.job import run_job, shown
    from sim.record.run_record import resume_command

    hydra = HydraConfig.get()
    folder = Path(hydra.runtime.output_dir)
    _at_work.append(folder)
    try:
        run_job(configured(given), folder, overrides=list(hydra.overrides.task))
    except StandoutError as error:
        logging.getLogger().handlers[-1].handle(_as_record(error))
        _failures.append(error)
    except KeyboardInterrupt:
        if (folder / "run.json").is_file():
            log.warning("interrupted; take it up again with: %s", resume_command(shown(folder)))
        raise
    _at_work.pop()


def _as_record(error: StandoutError) -> logging.LogRecord:
    return log.makeRecord(log.name, logging.ERROR, "", 0, str(error), (), None)

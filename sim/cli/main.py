"""The command line ``standout``, based on Hydra.

An error that the user can correct ends in one line on standard error and exit code 2.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.config.paths import relative_to
from sim.errors import EXIT_CODE, ConfigError, StandoutError
from sim.files.private import private

if TYPE_CHECKING:
    from omegaconf import DictConfig

log = logging.getLogger("standout")

_INTERRUPTED = 130
_PIPE_CLOSED = 141
_failures: list[StandoutError] = []
"""Errors of the jobs of this call; Hydra would print a traceback of an exception."""
_at_work: list[Path] = []
"""Run folder of the job that is running or failed: earlier errors are Hydra's."""


def main() -> None:
    """Run the command line.

    Raises
    ------
    SystemExit
        With code 0, 1 for a check that fails, 2 for an error that the user can correct, 130 if
        interrupted, 141 if the reader of a pipe has closed it.
    """
    signal.signal(signal.SIGTERM, _interrupt)
    logging.raiseExceptions = False  # no traceback if the log cannot be written
    _failures.clear()
    _at_work.clear()
    try:
        with private(), contextlib.ExitStack() as stack:
            if sys.argv[1:2] == ["report"]:
                from sim.cli.report import report_command

                report_command(sys.argv[2:])
                return
            if sys.argv[1:2] == ["describe"]:
                from sim.cli.describe import describe_command

                describe_command(sys.argv[2:])
                return
            if sys.argv[1:2] == ["publish"]:
                from sim.cli.publish import publish_command

                publish_command(sys.argv[2:])
                return
            if sys.argv[1:2] == ["check"]:
                from sim.cli.check import check_command

                code = check_command(sys.argv[2:])
                if code:
                    sys.exit(code)
                return
            if sys.argv[1:2] == ["guide"]:
                from sim.cli.guide import guide_command

                guide_command(sys.argv[2:])
                return
            # Handled before Hydra, which takes a second to list all choices.
            if {"--help", "-h"} & set(sys.argv[1:]):
                from sim.config.help import help_text

                print(help_text(), end="")
                return
            if sys.argv[1:2] == ["resume"]:
                from sim.session.resume import resumed

                sys.argv[1:], begun = resumed(sys.argv[2:])
                stack.enter_context(relative_to(begun))
            _hydra_main()
    except KeyboardInterrupt:
        print("\nstandout: interrupted", file=sys.stderr)
        sys.exit(_INTERRUPTED)
    except BrokenPipeError:  # the reader of a pipe, such as head, has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(_PIPE_CLOSED)
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
    from hydra._internal.utils import get_args_parser
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    from sim.config.refusals import one_line
    from sim.config.schema import register

    if _flags(get_args_parser()).experimental_rerun is not None:
        raise ConfigError(
            "--experimental-rerun: loads a pickle, which can run any code; to resume a run: "
            "standout resume FOLDER"
        )
    register()
    # With this variable, Hydra raises configuration errors instead of printing them and exiting.
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
            f"{error.filename}: cannot be created ({error.strerror}); set another hydra.run.dir"
        ) from None
    except (TypeError, ValueError) as error:
        if _at_work:
            raise
        raise ConfigError(one_line(error)) from None


def _flags(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Parse Hydra's flags; the parser alone would print its usage, and exit."""
    parser.exit_on_error = False
    try:
        flags, others = parser.parse_known_args()
    except argparse.ArgumentError as error:
        raise ConfigError(f"{error}; see standout --hydra-help") from None
    unknown = next((other for other in others if other.startswith("-")), None)
    if unknown is not None:
        raise ConfigError(f"{unknown}: unknown option; see standout --help")
    if others:
        raise ConfigError(f"{others[0]}: stands apart; expected all keys before or after the flags")
    return flags


def _job(given: DictConfig) -> None:
    from hydra.core.hydra_config import HydraConfig
    from omegaconf import OmegaConf

    from sim.cli.run import relative, run_job
    from sim.record.run_record import resume_command

    hydra = HydraConfig.get()
    folder = Path(hydra.runtime.output_dir)
    _at_work.append(folder)
    try:
        # Not resolved: iterating over the list would resolve interpolations.
        typed: Any = OmegaConf.to_container(hydra.overrides.task, resolve=False)
        run_job(given, folder, typed)
    except StandoutError as error:
        logging.getLogger().handlers[-1].handle(_as_record(error))
        _failures.append(error)
    except KeyboardInterrupt:
        if (folder / "run.json").is_file():
            log.warning("interrupted; resume with: %s", resume_command(relative(folder)))
        raise
    _at_work.pop()


def _as_record(error: StandoutError) -> logging.LogRecord:
    return log.makeRecord(log.name, logging.ERROR, "", 0, str(error), (), None)

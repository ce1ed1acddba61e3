"""The command line ``standout``, based on Hydra.

An error that the user can correct ends in one line on standard error and exit code 2.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import logging
import os
import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from sim.cli.signals import ended_by_signals, interrupted
from sim.cli.verbs import OPTIONS, VERBS, spelled_out
from sim.config.paths import relative, relative_to
from sim.errors import ClusterError, ConfigError, StandoutError
from sim.files.disk import is_full
from sim.files.private import private
from sim.numeric.text import did_you_mean, visible

if TYPE_CHECKING:
    from omegaconf import DictConfig

log = logging.getLogger("standout")
run_log = logging.getLogger("standout.run_log")

_COMMANDS = (
    "report",
    "open",
    "describe",
    "publish",
    "check",
    "compare",
    "export",
    "cache",
    "guide",
    "help",
)
"""Commands beside a run, each in a module of this package; they return an exit code or none."""

_OPTIONS_OF = {"export": ("--csv",)}
"""What some of these take beside keys."""

_RESUME = "resume"
_FIRST_WORDS = (*VERBS, *_COMMANDS, _RESUME)
_QUIET, _DETAILS = "--quiet", "--details"
_OWN_OPTIONS = (_QUIET, "--help", "--version", *OPTIONS)
_SILENT = "++hydra.job_logging.handlers.console.level=WARNING"
"""What `_QUIET` stands for: it reaches every job, whatever starts it; progress follows it too."""

_SWEEP = "+hydra.callbacks.standout={_target_: sim.cli.sweep.Swept}"
"""Hydra tells it when all jobs of a sweep have ended."""

_FULL = "the disk of the run folder is full"
_PIPE_CLOSED = 141
_RESUMABLE = "; the run can be resumed"
"""What errors of a cluster say where the command to resume is not known."""
_failures: list[StandoutError] = []
"""Errors of the jobs of this call; Hydra would print a traceback of an exception."""
_at_work: list[Path] = []
"""Run folder of the job that is running or failed: earlier errors are Hydra's."""
_here: list[bool] = []
"""Not empty in the process of the command line, in which the configuration was composed."""
_unread: list[bool] = []
"""Not empty if a job met a pipe that its reader has closed; Hydra would print an error."""
_ended: list[Path] = []
"""Run folders of the jobs of this process."""
_detailed: list[bool] = []
"""Not empty if all that a run found is to be printed."""
_doubles: list[str] = []
"""What is to be said of keys that were typed more than once."""


def main() -> None:
    """Run the command line.

    Raises
    ------
    SystemExit
        With code 0, 1 for a check that fails or a cluster that is lost, 2 for an error that the
        user can correct, 130 if interrupted, 143 if asked to end, 141 if the reader of a pipe has
        closed it.
    """
    for each in (log, run_log):
        each.addFilter(_escaped)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the shell has closed it: >&-
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        getattr(sys, name).reconfigure(errors="replace")  # of a terminal that is not UTF-8
    with ended_by_signals():
        _main()


def _main() -> None:
    logging.raiseExceptions = False  # no traceback if the log cannot be written
    _failures.clear()
    _at_work.clear()
    _ended.clear()
    _unread.clear()
    _here[:] = [True]
    code = None
    try:
        with private(), contextlib.ExitStack() as stack:
            try:
                code = _done(stack)
            finally:
                sys.stdout.flush()  # a pipe that is closed is noticed here, not by the interpreter
    except BrokenPipeError:  # the reader of a pipe, such as head, has closed it
        _write_no_more(sys.stdout)
        sys.exit(_PIPE_CLOSED)
    except OSError as error:
        if not is_full(error) or error.filename is not None:
            raise
        from sim.cli.run import NOT_PRINTED

        _write_no_more(sys.stdout)
        _failures.append(ConfigError(NOT_PRINTED))
    except StandoutError as error:
        _failures.append(error)
    if _failures:
        try:
            _clear_line()
            for failure in _failures:
                print(f"standout: error: {failure}", file=sys.stderr, flush=True)
        except OSError:  # a disk is full; the exit code is said all the same
            _write_no_more(sys.stderr)
        sys.exit(_failures[0].exit_code)
    if code:
        sys.exit(code)


def _write_no_more(stream: TextIO) -> None:
    """Let the interpreter find nothing that it cannot write when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _done(stack: contextlib.ExitStack) -> int | None:
    """Do what is asked; return the exit code of a command, if it has one."""
    _check_working_folder()
    words = sys.argv[1:]
    quiet = _QUIET in words
    _detailed[:] = [True] if _DETAILS in words else []
    words = sys.argv[1:] = [word for word in words if word not in (_QUIET, _DETAILS)]
    first = words[0] if words else ""
    if {"--shell-completion", "-sc"} & set(words):
        from sim.cli.completion import complete

        complete(partial(_hydra_main, quiet=False), _FIRST_WORDS)
        return None
    # Handled before Hydra, which takes a second to list all choices, and knows its own version.
    if {"--help", "-h"} & set(words):
        from sim.cli.help import help_text

        print(help_text(*([first] if first in _FIRST_WORDS else [])), end="")
        return None
    if first in _COMMANDS:
        for word in words[1:]:
            if word.startswith("-") and word not in _OPTIONS_OF.get(first, ()):
                raise _unknown_option(word, _OPTIONS_OF.get(first, ()), f"help {first}")
        module = importlib.import_module(f"sim.cli.{first}")
        code: int | None = getattr(module, f"{first}_command")(words[1:])
        return code
    if "--version" in words:
        from importlib.metadata import version

        print(f"standout {version('standout')}")
        return None
    if first == _RESUME:
        from sim.session.resume import resumed

        sys.argv[1:], begun = resumed(words[1:])
        stack.enter_context(relative_to(begun))
    elif first in VERBS:
        overrides, start = spelled_out(first, words[1:])
        if not overrides:
            return None
        words = sys.argv[1:] = overrides
        if start is not None:
            stack.enter_context(relative_to(start))
    elif first and "=" not in first and not first.startswith(("-", "+", "~")):
        from sim.config.folder import conf

        if first.isidentifier() and (conf() / "experiment" / f"{first}.yaml").is_file():
            raise ConfigError(
                f"{first}: is an experiment: standout experiment={first} data=table data.path=FILE "
                "data.user=COLUMN data.item=COLUMN; see standout help data"
            )
        if Path(first).is_file():
            from sim.extend.overrides import command_line

            raise ConfigError(
                f"{first}: is a file, and no command; expected a command before it, such as: "
                f"{command_line(['standout', 'audit', first])}"
            )
        meant = did_you_mean(first, _FIRST_WORDS)
        meant = meant or f"; the commands are {', '.join(_FIRST_WORDS)}"
        raise ConfigError(f"{first}: neither key=value nor a command{meant}; see standout --help")
    if first != _RESUME and not any(word.startswith(("-", "hydra.")) for word in words):
        from sim.config.key_table import unknown_key

        if said := unknown_key(words):
            raise ConfigError(f"{said}; see standout --help")
    # What replaces a key of a run was typed once.
    _doubles[:] = [] if first in (_RESUME, "repeat") else doubles_of(words)
    flags = any(word.startswith("-") for word in words)  # of Hydra's, which may print at once
    if not (quiet or flags) and sys.stderr.isatty():  # importing and composing take a second or two
        sys.stderr.write("composing the configuration")
        sys.stderr.flush()
    _hydra_main(quiet=quiet)
    return None


def _clear_line() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")


def _check_working_folder() -> None:
    """Refuse a folder that is gone, or whose name only bytes can hold: libraries need text."""
    try:
        str(Path.cwd()).encode()
    except FileNotFoundError:
        raise ConfigError("the working folder was deleted; change to one that is there") from None
    except UnicodeEncodeError:
        raise ConfigError(
            "the name of the working folder cannot be read in this locale; export LC_ALL=C.UTF-8"
        ) from None


def doubles_of(words: Sequence[str]) -> list[str]:
    """Say which keys are typed more than once: Hydra takes the last, and says nothing.

    Examples
    --------
    >>> doubles_of(["seed=1", "--multirun", "+seed=2", "targets=5"])
    ['seed: given twice; the last counts.']
    """
    typed = [word for word in words if "=" in word and not word.startswith("-")]
    counts = Counter(word.partition("=")[0].lstrip("+") for word in typed)
    times = {key: "twice" if n == 2 else f"{n} times" for key, n in counts.items() if n > 1}
    return [f"{key}: given {often}; the last counts." for key, often in times.items()]


def _escaped(record: logging.LogRecord) -> bool:
    """Escape what names in the data could do to a terminal; always true, as a filter."""
    record.msg, record.args = visible(record.getMessage()), ()
    return True


def _hydra_main(*, quiet: bool) -> None:
    gc.disable()  # imports and composing leave little to collect, and much to search
    try:
        _run_hydra(quiet=quiet)
    finally:
        gc.enable()


def _run_hydra(*, quiet: bool) -> None:
    import hydra
    from hydra._internal.utils import get_args_parser
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    from sim.config.folder import check_own, conf
    from sim.config.refusals import one_line
    from sim.config.schema import register

    flags = _flags(get_args_parser())
    for given in flags.overrides:
        _check_name(given)
    if flags.experimental_rerun is not None:
        raise ConfigError(
            "--experimental-rerun: loads a pickle, which can run any code; to resume a run: "
            "standout resume FOLDER"
        )
    check_own(flags.config_dir)
    sweeps = flags.multirun or any(given.startswith("hydra.mode=") for given in flags.overrides)
    if not flags.shell_completion:
        _add([*([_SILENT] if quiet else []), *([_SWEEP] if sweeps else [])], flags.overrides)
    register()
    # With this variable, Hydra raises configuration errors instead of printing them and exiting.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    job = hydra.main(version_base="1.3", config_path=str(conf()), config_name="config")(_job)
    try:
        job()
        if _unread:
            raise BrokenPipeError
        if sweeps:
            from sim.cli.sweep import conclude

            conclude(_ended, failed=bool(_failures))
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(one_line(error)) from None
    except OSError as error:
        if is_full(error):  # while Hydra writes its log, or what it was asked
            raise ConfigError(f"{_FULL}; free some space, and run it again") from None
        if _at_work or error.filename is None:
            raise
        raise ConfigError(
            f"{error.filename}: cannot be created ({error.strerror}); set another hydra.run.dir"
        ) from None
    except (OverflowError, TypeError, ValueError) as error:
        if _at_work:
            raise
        raise ConfigError(one_line(error)) from None


def _add(more: Sequence[str], overrides: Sequence[str]) -> None:
    """Add overrides to the command line, where others stand: Hydra takes them in one place only."""
    at = sys.argv.index(overrides[-1]) + 1 if overrides else len(sys.argv)
    sys.argv[at:at] = more


def _check_name(given: str) -> None:
    """Refuse a name that leads elsewhere; Hydra makes the folder before our checks."""
    key, _, name = given.lstrip("+").partition("=")
    if key == "name":
        from sim.session.check_values import check_name

        for one in name.split(","):
            check_name(one.strip("'\""))


def _unknown_option(given: str, known: Iterable[str], topic: str = "--help") -> ConfigError:
    """Return the error of an option that neither a command nor Hydra has."""
    like = did_you_mean(given.partition("=")[0], [*known, *_OWN_OPTIONS])
    return ConfigError(f"{given}: unknown option{like}; see standout {topic}")


def _flags(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Parse Hydra's flags; the parser alone would print its usage, and exit."""
    parser.exit_on_error = False
    try:
        flags, others = parser.parse_known_args()
    except argparse.ArgumentError as error:
        raise ConfigError(f"{error}; see standout --hydra-help") from None
    unknown = next((other for other in others if other.startswith("-")), None)
    if unknown is not None:
        raise _unknown_option(unknown, parser._option_string_actions)
    if others:
        raise ConfigError(f"{others[0]}: stands apart; expected all keys before or after the flags")
    return flags


def _job(given: DictConfig) -> float | None:
    """Run a job; return what a sweeper may lower: see `sim.findings.headline_risk`."""
    from hydra.core.hydra_config import HydraConfig
    from hydra.types import RunMode
    from omegaconf import OmegaConf

    from sim.cli.failed_jobs import LOG
    from sim.cli.sweep import objective_of
    from sim.config.compose import composed
    from sim.config.schema import registries
    from sim.extend.plugins import foreign_place
    from sim.record.run_record import is_begun, resume_command

    hydra = HydraConfig.get()
    folder = Path(hydra.runtime.output_dir)
    _at_work.append(folder)
    _ended.append(folder)
    objective = None
    try:
        # Not resolved: iterating over the list would resolve interpolations.
        typed: Any = OmegaConf.to_container(hydra.overrides.task, resolve=False)
        if not _here:  # a launcher has sent the configuration, with copies of its classes
            given = composed(typed)
        quiet = _SILENT in hydra.overrides.hydra
        _clear_line()
        from sim.cli.run import DETAILS, LINE, SCREEN, run_job  # half a second

        shown = DETAILS if _detailed else SCREEN
        if quiet or hydra.mode == RunMode.MULTIRUN:
            shown = LINE
        result = run_job(given, folder, typed, shown=shown, remarks=_doubles)
        if result is not None and hydra.mode == RunMode.MULTIRUN:
            objective = objective_of(result, hydra.sweeper._target_)
    except BaseException as error:
        begun = is_begun(folder)
        again = resume_command(relative(folder))
        if interrupted() or isinstance(error, KeyboardInterrupt):
            if begun:
                log.warning("interrupted; resume with: %s", again)
            raise KeyboardInterrupt from None  # Hydra would print another error
        if isinstance(error, BrokenPipeError):
            _unread.append(True)
            return None
        if isinstance(error, MemoryError):
            more = f"; then: {again}" if begun else ""
            error = StandoutError(
                f"memory ran out ({error or 'no more is to be had'}); dry_run=true estimates what "
                f"each process needs; give it more, or set smaller grid axes{more}"
            )
        if not isinstance(error, StandoutError):
            place = foreign_place(error, registries().values())
            if place is None:
                raise
            run_log.info("%s", "".join(traceback.format_exception(error)))
            error = StandoutError(
                f"{place}: {type(error).__name__}: {error}: the code of a plug-in failed; mend it, "
                f"or leave it out; its traceback is in {relative(folder) / LOG}"
            )
        if isinstance(error, ClusterError) and begun:
            error = type(error)(f"{str(error).removesuffix(_RESUMABLE)}; resume with: {again}")
        handlers = logging.getLogger().handlers
        if handlers:
            handlers[-1].handle(_as_record(error))
        else:  # a launcher has started a process of its own, whose log nobody has set up
            print(f"standout: error: {error}", file=sys.stderr)
        _failures.append(error)
    _at_work.pop()
    return objective


def _as_record(error: StandoutError) -> logging.LogRecord:
    return log.makeRecord(log.name, logging.ERROR, "", 0, str(error), (), None)

"""Verbs: short forms of the runs that are asked for most, each with an override for each word.

``standout audit visits.csv --max-risk 0.1`` is ``standout experiment=audit data=table
data.path=visits.csv audit.max_risk=0.1``; with ``--explain`` that is printed, and nothing is run.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from sim.config.folder import conf
from sim.errors import ConfigError
from sim.extend.overrides import command_line, override
from sim.numeric.text import did_you_mean

VERBS = ("audit", "plan", "figure", "repeat")
"""Those that begin a run."""

OPTIONS = _BOUND, _EXPLAIN = "--max-risk", "--explain"
_USAGE = {
    "audit": "standout audit FILE --max-risk 0.1",
    "plan": "standout plan FILE --max-risk 0.1, or standout plan RUN_FOLDER",
    "figure": "standout figure ns08_fig4",
    "repeat": "standout repeat RUN_FOLDER",
}


def spelled_out(verb: str, arguments: Sequence[str]) -> tuple[list[str], Path | None]:
    """Return the overrides that a verb and its words stand for.

    Parameters
    ----------
    verb : str
        One of `VERBS`.
    arguments : sequence of str
        What follows it.

    Returns
    -------
    overrides : list of str
        Empty where they were asked for with ``--explain``, and are printed.
    start : Path or None
        The folder that paths are relative to, where they come from a run.

    Raises
    ------
    ConfigError
        Something is missing, or is not what the verb is about.
    StandoutError
        A run folder cannot be read.

    Examples
    --------
    >>> spelled_out("figure", ["ns08_fig4", "seed=2"])
    (['experiment=ns08_fig4', 'seed=2'], None)
    >>> spelled_out("audit", ["data=movielens", "--max-risk", "0.1"])
    (['experiment=audit', 'data=movielens', 'audit.max_risk=0.1'], None)
    """
    bound, words = _bound_of(verb, [word for word in arguments if word != _EXPLAIN])
    is_named = bool(words) and "=" not in words[0] and not words[0].startswith("-")
    about, more = (words[0], words[1:]) if is_named else (None, words)
    start = None
    if verb == "figure":
        given = [f"experiment={_experiment(about)}"]
    elif about is not None and (Path(about) / "run.json").is_file():
        given, start = _of_run(verb, about, bound, more)
        more = more if verb == "repeat" else []  # the others have them in their place
    elif verb == "repeat" or not words:
        raise ConfigError(f"{verb}: expected {_USAGE[verb]}")
    else:
        more += [] if bound is None else [f"{verb}.max_risk={bound}"]
        given = [f"experiment={verb}", *_of_file(verb, about, more)]
    if _EXPLAIN in arguments:
        print(command_line(["standout", *given, *more]))
        return [], None
    return [*given, *more], start


def _bound_of(verb: str, words: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the value of ``--max-risk`` and the remaining words; Hydra checks other flags."""
    others, bound, left = list[str](), None, iter(words)
    for word in left:
        option, equals, value = word.partition("=")
        if option == _BOUND:
            bound = value if equals else next(left, None)
            if not bound or verb not in ("audit", "plan"):
                raise ConfigError(f"{verb}: {_BOUND}: expected {_USAGE[verb]}")
        else:
            others.append(word)
    return bound, others


def _experiment(name: str | None) -> str:
    names = sorted(path.stem for path in (conf() / "experiment").glob("*.yaml"))
    if name not in names:
        meant = did_you_mean(name or "", names) or f"; they are {', '.join(names)}"
        raise ConfigError(f"figure: {name or 'no name'}: not an experiment{meant}")
    return name


def _of_file(verb: str, file: str | None, more: Sequence[str]) -> list[str]:
    if file is None:
        return []
    if not Path(file).exists():
        near = sorted(str(path) for path in Path(file).parent.glob("*"))
        meant = did_you_mean(file, near)
        raise ConfigError(f"{verb}: {file}: no such file or run folder{meant}")
    return [*table_at(file), *columns_at(verb, file, more)]


def columns_at(verb: str, file: str, more: Sequence[str]) -> list[str]:
    """Return overrides for the columns of a file, unless they were typed; see `columns_of_file`."""
    if {"data.user", "data.item"} <= {word.lstrip("+").partition("=")[0] for word in more}:
        return []
    if sys.stderr.isatty():  # importing takes a second or two
        sys.stderr.write("looking at the columns")
        sys.stderr.flush()
    from sim.cli.columns import columns_of_file

    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
    return columns_of_file(verb, file, more)


def with_file(verb: str, words: Sequence[str]) -> list[str]:
    """Return words with the overrides of data that a file among them stands for."""
    files = [word for word in words if "=" not in word and Path(word).exists()]
    more = [word for word in words if word not in files]
    for file in files:
        more = [*table_at(file), *columns_at(verb, file, more), *more]
    return more


def table_at(path: str) -> list[str]:
    """Return the overrides that a file alone stands for: a table."""
    return ["data=table", override("data.path", path)]


def _of_run(
    verb: str, folder: str, bound: str | None, more: Sequence[str]
) -> tuple[list[str], Path]:
    """Return the overrides that repeat a run, or ask about its data, and where it was begun."""
    from sim.record.run_folder import open_folder
    from sim.report.commands import audit_overrides, plan_overrides
    from sim.session.resume import recorded

    overrides, start = recorded(Path(folder))
    if verb == "repeat":
        return overrides, start
    record = open_folder(Path(folder)).record
    if verb == "audit":
        limit = [] if bound is None else [f"audit.max_risk={bound}"]
        return ["experiment=audit", *audit_overrides(record, [*more, *limit])], start
    config = record["config"]
    limits = bound, (config.get("plan") or {}).get("max_risk"), config["audit"]["max_risk"]
    asked = next((one for one in limits if one is not None), None)
    if asked is None:
        raise ConfigError(f"plan: {folder}: was asked for no bound; add {_BOUND} 0.1")
    try:
        return ["experiment=plan", *plan_overrides(record, float(asked), more)], start
    except ValueError:
        raise ConfigError(f"{_BOUND}: {asked!r}: expected a number from 0 to 1") from None

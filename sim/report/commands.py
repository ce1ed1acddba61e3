"""The command lines that a result advises, each derived from what its run was asked.

Invariant: a verb stands for the overrides that the run of its experiment would be given
(`sim.cli.verbs`), so that what is advised can be explained and repeated.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sim.config.chains import Chain, chains_tried
from sim.config.own_overrides import own_group, own_key, settings_of
from sim.extend.overrides import command_line
from sim.findings.chains import OFFERED, TRIALS
from sim.record.run_folder import RunFolder
from sim.release.store.people_counts import PERIOD
from sim.report.screen import RUN

FILE = "FILE.csv"
"""Stands in a command for a file to write."""

BOUND = 0.09
"""Stands in a command for the bound that nobody gave."""

MIN_LENGTH = "plan.min_length"
"""The key by which a plan leaves out people with few entries."""

_OTHER_FACTS = frozenset({"data.repeats", "grid.aux"})
"""Keys by which records have fewer entries, or attackers use fewer facts."""

_DATA = ("data", "seed")
_ATTACKERS = ("audit", "grid", "adversary", "attack")
"""Who attacks: with other attackers, a plan would offer what an audit has found too risky."""


def again(*following: Sequence[str]) -> list[tuple[str, str]]:
    """Return where the report of a run is, how to repeat the run, and what to do next.

    Examples
    --------
    >>> again(["plan", "--max-risk", "0.1"])[1:]
    [('repeat', 'standout repeat RUN_FOLDER'), ('next', 'standout plan RUN_FOLDER --max-risk 0.1')]
    """
    lines = [command_line(["standout", verb, RUN, *words]) for verb, *words in following]
    return [
        ("report", f"{RUN}/report.html"),
        ("repeat", f"standout repeat {RUN}"),
        *(("next", line) for line in lines),
    ]


def verb_line(verb: str, overrides: Sequence[str]) -> str:
    """Return a command by its verb: the file and the bound as its words, the rest as overrides.

    Examples
    --------
    >>> print(verb_line("plan", ["data=table", "data.path='my a.csv'", "plan.max_risk=0.1"]))
    standout plan 'my a.csv' --max-risk 0.1
    >>> verb_line("audit", ["data=synthetic", "seed=2"])
    'standout audit data=synthetic seed=2'
    """
    words, bound, path = list[str](), list[str](), None
    for one in overrides:
        key = own_key(one)
        if key == f"{verb}.max_risk":
            bound = ["--max-risk", one.partition("=")[2]]
        elif key == "data.path" and "data=table" in overrides and (path := _path(one)):
            continue
        else:
            words.append(one)
    if path is not None:
        words = [path, *bound, *(one for one in words if one != "data=table")]
        bound = []
    return command_line(["standout", verb, *words, *bound])


def line_with(verb: str, asked: Sequence[str], more: Sequence[str]) -> str:
    """Return the command of a run with other overrides of its data; of a verb, if of no run.

    Examples
    --------
    >>> asked = ["experiment=audit", "data=table", "data.path=a.csv", "audit.max_risk=0.1"]
    >>> line_with("describe", asked, ["data=table", "data.path=a.csv", "data.user=who"])
    'standout audit a.csv --max-risk 0.1 data.user=who'
    """
    keys = {own_key(one) for one in more}
    others = [one for one in asked if own_key(one) not in keys]
    named = [one.partition("=")[2] for one in others if own_key(one) == "experiment"]
    rest = [one for one in others if own_key(one) != "experiment"]
    if not others or named in (["audit"], ["plan"]):
        return verb_line((named or [verb])[0], [*more, *rest])
    return command_line(["standout", *others, *more])


def _path(given: str) -> str | None:
    """Return the one file that an override names, if a verb takes it for one."""
    values = [value for _, value in settings_of(given)]
    path = str(values[0])
    is_file = len(values) == 1 and isinstance(values[0], str) and "=" not in path
    return path if is_file and not path.startswith("-") else None


def audit_overrides(record: Mapping[str, Any], more: Sequence[str] = ()) -> list[str]:
    """Return the overrides of an audit of the data of a run, some replaced by others.

    Examples
    --------
    >>> audit_overrides({"overrides": ["experiment=ns08_fig4", "data=synthetic", "attack.phi=2"]})
    ['data=synthetic']

    As many entries as records were to have are too many where these are counted otherwise:

    >>> given = ["data=synthetic", "defence=[drop_records]", "defence.drop_records.min_length=4"]
    >>> audit_overrides({"overrides": given}, ["data.repeats=count"])
    ['data=synthetic', 'data.repeats=count']
    """
    shorter = any(own_key(one) == "data.repeats" for one in more)
    return _with(record, (*_DATA, *(() if shorter else ("defence",))), more)


def plan_overrides(record: Mapping[str, Any], bound: float, more: Sequence[str] = ()) -> list[str]:
    """Return the overrides of a plan for the data of a run, some replaced by others.

    The bound stays one for the same measure, whatever a plan would take by itself. How many entries
    a record must have is left out where records have fewer, or attackers use fewer facts, unless it
    is among the further overrides.

    Examples
    --------
    >>> given = ["data=synthetic", "plan.min_length=4", "audit.max_risk=0.2"]
    >>> record = {"overrides": given, "config": {"audit": {"measure": "mean"}}}
    >>> plan_overrides(record, 0.3, ["grid.aux=[2/2]"])
    ['data=synthetic', 'grid.aux=[2/2]', 'audit.measure=mean', 'plan.max_risk=0.3']
    """
    measure = record["config"]["audit"]["measure"]
    given = [*more, f"audit.measure={measure}", f"plan.max_risk={bound!r}"]
    others = any(own_key(one) in _OTHER_FACTS for one in more)
    without = ["audit.max_risk", *([MIN_LENGTH] if others else [])]
    return _with(record, (*_DATA, "plan", "utility", *_ATTACKERS), given, without)


def release_overrides(overrides: Sequence[str], chain: Chain) -> list[str]:
    """Return the overrides that make the release of a chain: data, seed and defences.

    Examples
    --------
    >>> given = ["experiment=plan", "data=synthetic", "seed=3", "plan.max_risk=0.1"]
    >>> release_overrides(given, chains_tried(["drop_time"])[1])
    ['data=synthetic', 'seed=3', 'defence=[drop_time]']
    """
    return [*(one for one in overrides if own_group(one) in _DATA), *chain.overrides]


def write_command(run: RunFolder) -> str:
    """Return the command that writes what a plan offers; empty: it offers nothing."""
    trials = run.tables[TRIALS]
    offered = set(trials.loc[trials["decision"] == OFFERED, "chain"])
    chains = chains_tried(run.config["plan"]["defences"])
    chain = next((each for each in chains if each.text in offered), None)
    if chain is None:
        return ""
    given = release_overrides([*map(str, run.record.get("overrides") or ())], chain)
    return command_line(["standout", "publish", *given, f"out={FILE}"])


def counts_command(run: RunFolder) -> str:
    """Return the command that writes counts of people, where no records can be released."""
    asked = map(str, run.record.get("overrides") or ())
    given = [one for one in asked if own_group(one) == "data"]
    return command_line(["standout", "publish", *given, f"counts={PERIOD}", "out=counts.csv"])


def command_of(record: Mapping[str, Any], more: Sequence[str] = ()) -> str:
    """Return the command line that makes a run again, some of its overrides replaced by others.

    Examples
    --------
    >>> record = {"overrides": ["attack=scoreboard", "attack.phi=2", "grid.aux=[2/2]"]}
    >>> command_of(record)
    "standout attack=scoreboard attack.phi=2 'grid.aux=[2/2]'"
    >>> command_of(record, ["attack=bayes"])
    "standout 'grid.aux=[2/2]' attack=bayes"
    >>> command_of({"overrides": ["data.path=a.csv", "seed=2", "data.path=b.csv"]})
    'standout seed=2 data.path=b.csv'
    """
    new = {each.split("=", 1)[0] for each in more}
    last: dict[str, str] = {}
    for each in map(str, record.get("overrides") or ()):
        key = each.split("=", 1)[0].lstrip("+~")
        last.pop(key, None)  # of two values for one key, the later one holds
        last[key] = each
    kept = [
        each
        for key, each in last.items()
        if not any(key == other or key.startswith(f"{other}.") for other in new)
    ]
    return command_line(["standout", *kept, *more])


def _with(
    record: Mapping[str, Any],
    groups: Sequence[str],
    more: Sequence[str],
    without: Sequence[str] = (),
) -> list[str]:
    return [*_kept(record, groups, {own_key(one) for one in more} | set(without)), *more]


def _kept(record: Mapping[str, Any], groups: Sequence[str], without: Collection[str]) -> list[str]:
    """Return the overrides of a run that are of some groups or keys, but for some keys."""
    overrides = [str(one) for one in record.get("overrides") or ()]
    latest = {own_key(one): one for one in overrides}  # one typed twice counts as typed last
    return [
        one
        for key, one in latest.items()
        if (own_group(one) in groups or key in groups) and key not in without
    ]

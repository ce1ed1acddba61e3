"""The commands that a first page advises: each is derived from that of the run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from sim.config.own_overrides import own_group, own_key
from sim.extend.overrides import command_line

FILE = "FILE.csv"
"""Stands in a command for a file to write."""

OFFER = "OFFER.csv"
"""Stands for the one that a plan writes, beside a command that writes `FILE`."""

BOUND = 0.09
"""Stands in a command for the bound that nobody gave."""

MIN_LENGTH = "plan.min_length"
"""The key by which a plan leaves out people with few entries."""
MAX_LENGTH = "plan.max_length"
"""The key by which a plan leaves out people with far more entries than others."""

_OTHER_FACTS = frozenset({"data.repeats", "grid.aux"})
"""Keys by which records have fewer entries, or attackers use fewer facts."""

_DATA = ("data", "seed")
_ATTACKERS = ("audit", "grid", "adversary", "attack")
"""Who attacks: with other attackers, a plan would offer what an audit has found too risky."""

_QUESTION = (*_ATTACKERS, "targets")
"""What is asked of the data; other keys say how a run is made and where it is kept."""


def audit_command(
    record: Mapping[str, Any], more: Sequence[str] = (), *, again: bool = False
) -> str:
    """Return the command that audits the data of a run.

    Parameters
    ----------
    record : dict
        As ``run.json``.
    more : sequence of str
        Further overrides, in place of those with the same keys.
    again : bool
        Whether the run is an audit, of which the same is asked.

    Examples
    --------
    >>> audit_command({"overrides": ["experiment=ns08_fig4", "data=synthetic", "attack.phi=2"]})
    'standout experiment=audit data=synthetic'

    As many entries as records were to have are too many where these are counted otherwise:

    >>> given = ["data=synthetic", "defence=[drop_records]", "defence.drop_records.min_length=4"]
    >>> audit_command({"overrides": given}, ["data.repeats=count"])
    'standout experiment=audit data=synthetic data.repeats=count'
    """
    asked = _QUESTION if again else ()
    shorter = any(own_key(one) == "data.repeats" for one in more)
    changes = () if shorter else ("defence",)
    return _command("audit", record, (*_DATA, *changes, *asked), more)


def published_command(
    record: Mapping[str, Any], reads: Sequence[str], bound: float, measure: str
) -> str:
    """Return the command that audits a file which a run published, by the attackers of the run.

    Parameters
    ----------
    record : dict
        As ``run.json``.
    reads : sequence of str
        Overrides of ``data`` that read the file.
    measure : str
        What the bound is on.

    Examples
    --------
    >>> given = ["data=synthetic", "plan.max_risk=0.3", "audit.attackers=[insider]"]
    >>> published_command({"overrides": given}, ["data=table", "data.path=out.csv"], 0.3, "mean")
    "standout experiment=audit 'audit.attackers=[insider]' data=table data.path=out.csv \
audit.measure=mean audit.max_risk=0.3"
    """
    more = [*reads, f"audit.measure={measure}", f"audit.max_risk={bound!r}"]
    return _command("audit", record, ("seed", *_QUESTION), more)


def plan_command(
    record: Mapping[str, Any],
    bound: float | None,
    more: Sequence[str] = (),
    reads: Sequence[str] = (),
) -> str:
    """Return the command that looks for a release of the same data that keeps a bound.

    The bound stays one for the same measure, whatever a plan would take by itself. How many entries
    a record must have is left out where records have fewer, or attackers use fewer facts, unless it
    is among the further overrides.

    Parameters
    ----------
    record : dict
        As ``run.json``.
    bound : float or None
        None: `BOUND` stands for it.
    more : sequence of str
        Further overrides, in place of those with the same keys.
    reads : sequence of str
        Overrides of ``data`` that read a file which the run published, in place of its data.

    Examples
    --------
    >>> given = ["data=synthetic", "audit.max_risk=0.3", "grid.aux=[4/4]"]
    >>> config = {"audit": {"measure": "mean"}}
    >>> plan_command({"overrides": given, "config": config}, 0.3)
    "standout experiment=plan data=synthetic 'grid.aux=[4/4]' audit.measure=mean plan.max_risk=0.3"
    >>> given = ["data=synthetic", "plan.min_length=4"]
    >>> plan_command({"overrides": given, "config": config}, 0.3, ["grid.aux=[2/2]"])
    "standout experiment=plan data=synthetic 'grid.aux=[2/2]' audit.measure=mean plan.max_risk=0.3"
    """
    limit = f"plan.max_risk={BOUND if bound is None else bound!r}"
    groups = (*(("seed",) if reads else _DATA), "plan", "utility", *_ATTACKERS)
    measure = record["config"]["audit"]["measure"]
    given = [*reads, *more, f"audit.measure={measure}", limit]
    others = any(own_key(one) in _OTHER_FACTS for one in more)
    without = ["audit.max_risk", "plan.max_risk", *([MIN_LENGTH] if others else [])]
    return _command("plan", record, groups, given, without)


def another_file(path: str | None) -> str:
    """Return what stands for a file to be written, where one may be called as a command called it.

    Examples
    --------
    >>> another_file("rows.csv"), another_file("FILE.csv"), another_file(None)
    ('FILE.csv', 'OFFER.csv', 'FILE.csv')
    """
    return OFFER if path is not None and Path(path).name == FILE else FILE


def publish_command(record: Mapping[str, Any]) -> str:
    """Return the command that writes the release of a run, changed as it was attacked.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> publish_command({"overrides": ["data=synthetic", "targets=9", "defence=[drop_records]"]})
    "standout publish data=synthetic 'defence=[drop_records]' out=FILE.csv"
    """
    kept = _kept(record, (*_DATA, "defence"), ())
    return command_line(["standout", "publish", *kept, f"out={FILE}"])


def _command(
    experiment: str,
    record: Mapping[str, Any],
    groups: Sequence[str],
    more: Sequence[str],
    without: Sequence[str] = (),
) -> str:
    kept = _kept(record, groups, {own_key(one) for one in more} | set(without))
    return command_line(["standout", f"experiment={experiment}", *kept, *more])


def _kept(record: Mapping[str, Any], groups: Sequence[str], without: Collection[str]) -> list[str]:
    """Return the overrides of a run that are of some groups or keys, but for some keys."""
    overrides = [str(one) for one in record.get("overrides") or ()]
    latest = {own_key(one): one for one in overrides}  # one typed twice counts as typed last
    return [
        one
        for key, one in latest.items()
        if (own_group(one) in groups or key in groups) and key not in without
    ]

"""``standout publish``: writes what the defences leave of the data, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from sim.cli.arguments import check_keys
from sim.cli.verbs import with_file
from sim.config.compose import composed, configured
from sim.config.own_overrides import own_group
from sim.config.paths import absolute
from sim.errors import ConfigError
from sim.extend.overrides import command_line
from sim.numeric.text import visible
from sim.session.open_release import open_release
from sim.session.publish import publish, publish_counts

USAGE = "standout publish data=movielens 'defence=[drop_items]' out=FILE.csv"

_OURS = ("out", "linkage", "identifiers", "counts")
_KEYS = ("data=", "data.", "defence=", "defence.", "seed=")


def publish_command(arguments: Sequence[str]) -> None:
    """Write the release that the arguments describe, and print what it holds and how to audit it.

    Parameters
    ----------
    arguments : sequence of str
        What follows ``standout publish``: keys of ``data`` and ``defence``, ``seed``, ``out`` (the
        file), ``linkage`` (a file for people and their records), ``identifiers`` (new or kept) and
        ``counts`` (of people by item, in place of records: month, week, day or none).

    Raises
    ------
    ConfigError
        Something else is set, or a key or a value is wrong.
    StandoutError
        The data cannot be read, or the release cannot be written.
    """
    if not arguments:
        raise ConfigError(f"publish: expected data, defences and a file: {USAGE}")
    ours, theirs = {}, []
    for argument in arguments:
        key, _, value = argument.partition("=")
        if key in _OURS:
            ours[key] = value
        else:
            theirs.append(argument)
    theirs = with_file("publish", theirs)
    check_keys("publish", theirs, _KEYS, "data or defence; leave it out", USAGE)
    if not ours.get("out"):
        raise ConfigError(f"out: not given; expected {USAGE}")
    config = configured(composed(theirs))
    if "counts" in ours and {"linkage", "identifiers"} & ours.keys():
        raise ConfigError("counts: has no records; leave linkage and identifiers out")
    linkage = absolute(ours["linkage"]) if ours.get("linkage") else None
    out, identifiers = absolute(ours["out"]), ours.get("identifiers", "new")
    original = open_release(config.data)
    if "counts" in ours:
        done = publish_counts(config, original, out, ours["counts"])
    else:
        done = publish(config, original, out, linkage, identifiers)
    for line in done.sentences:
        print(visible(line))
    if not done.read_by:  # counts, of which there is nothing to audit
        return
    others = [one for one in theirs if own_group(one) not in ("data", "defence")]
    itself = command_line(["standout", "experiment=audit", *done.read_by, *others])
    if done.changed:
        print(f"To audit the file by itself: {itself}")
        print(f"To audit it: {command_line(['standout', 'experiment=audit', *theirs])}")
    else:
        print(f"To audit it: {itself}")

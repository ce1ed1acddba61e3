"""``standout --help`` and ``standout help TOPIC``: text of ``conf/`` and the classes' own words.

Invariant: a fact about a key or a choice stands once, either in ``conf/help.txt`` or on its class;
one about a command in ``conf/commands.txt``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from sim.attack.algorithms.registry import ATTACKS
from sim.attack.engine.algorithm import Algorithm
from sim.axes.registry import axes_of
from sim.config.folder import conf
from sim.config.schema import chosen
from sim.defence.registry import DEFENCES
from sim.errors import ConfigError
from sim.extend.options import Option, Options, settings_of
from sim.extend.overrides import hydra_value
from sim.measurements.registry import MEASUREMENTS
from sim.numeric.text import did_you_mean
from sim.papers.experiments import PAPERS, TITLES, place_of
from sim.utility.registry import UTILITIES

_WIDTH = 100
_CHOICE, _KEY, _TOPIC = 16, 20, 12
"""Columns before a choice's name, and for a key's and a topic's."""


_HEADING = re.compile(r"^# (\w+)(?:: (.*))?\n", re.MULTILINE)
"""Before each topic of the template: its name, and what it is about."""

_FIRST, _ALL = "overview", "all"


@dataclass(frozen=True, slots=True)
class Topic:
    """A part of the help.

    Parameters
    ----------
    about : str
        One line of a list of topics.
    """

    name: str
    about: str
    text: str


def help_command(arguments: Sequence[str]) -> None:
    """Print what the arguments name: a topic, or all of the help; without one, the first screen.

    Raises
    ------
    ConfigError
        There is no such topic, or more than one argument.
    """
    if len(arguments) > 1:
        raise ConfigError("help: expected at most one topic: standout help TOPIC")
    print(help_text(*arguments), end="")


def help_text(topic: str = _FIRST) -> str:
    """Return a topic of the help.

    Parameters
    ----------
    topic : str
        ``overview`` is what ``standout --help`` prints, ``all`` is every topic of it; or a command.

    Raises
    ------
    ConfigError
        There is no such topic.

    Examples
    --------
    >>> print(help_text("cluster").splitlines()[2])
      cluster.workers   number of scorer processes; with cluster=auto, a number chooses local
    >>> help_text("dta")
    Traceback (most recent call last):
    sim.errors.ConfigError: help: no topic 'dta'; did you mean data?
    """
    topics, commands = _topics("help.txt"), _topics("commands.txt")
    if topic == _ALL:
        return "\n".join(_filled(each.text, topics) for each in topics.values())
    if topic not in topics and topic not in commands:
        topic = topic.partition(".")[0]  # a key is explained with its group
    if topic not in topics and topic not in commands:
        names = [*(name for name in topics if name != _FIRST), _ALL, *commands]
        meant = did_you_mean(topic, names) or f"; the topics are {', '.join(names)}"
        raise ConfigError(f"help: no topic {topic!r}{meant}")
    return _filled((topics | commands)[topic].text, topics)


def _topics(file: str) -> dict[str, Topic]:
    template = (conf() / file).read_text(encoding="utf-8")
    _, *pieces = _HEADING.split(template)
    found = {}
    for name, about, text in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
        found[name] = Topic(name, about or "", text.strip("\n") + "\n")
    return found


def _filled(text: str, topics: Mapping[str, Topic]) -> str:
    """Put lines in the places for them."""
    lines = {
        "topics": lambda: _listed(topics),
        "experiments": _experiments,
        "papers": lambda: (
            f"  {name:<8}{paper}" for name, paper in PAPERS.items() if name in _CITED
        ),
        "studies": lambda: _choices(MEASUREMENTS.all()),
        "attacks": lambda: _choices(ATTACKS.all()),
        "defences": lambda: _choices(DEFENCES.all()),
        "utilities": lambda: _choices(UTILITIES.all()),
        "study options": lambda: _options_of_all("study", MEASUREMENTS.all(), 0),
        "defence options": lambda: _options_of_all("defence", DEFENCES.all(), 0),
        "utility options": lambda: _options_of_all("utility", UTILITIES.all(), 0),
        "axes": _axes,
        "attack options": _options_of_attacks,
    }
    return re.sub(
        r"^ *<([a-z ]+)>$", lambda place: "\n".join(lines[place[1]]()), text, flags=re.MULTILINE
    )


_CITED = ("NS08", "NS07", "F06", "slides")
"""Of `PAPERS`, those that experiments are named after."""


def _listed(topics: Mapping[str, Topic]) -> Iterator[str]:
    for topic in topics.values():
        if topic.about:
            yield from _line(2, topic.name, _TOPIC, topic.about)
    yield from _line(2, _ALL, _TOPIC, "everything")


def _experiments() -> Iterator[str]:
    for name, title in TITLES.items():
        yield from _line(2, name, _CHOICE, f"{place_of(name)}: {title[0].lower()}{title[1:]}")


def _choices(classes: Mapping[str, type[Options]]) -> Iterator[str]:
    for name, cls in classes.items():
        yield from _line(_CHOICE, name, _KEY, cls.described())


def _options_of_attacks() -> Iterator[str]:
    common = list(settings_of(Algorithm))
    yield from _options(common)
    yield ""
    yield from _options_of_all("attack", ATTACKS.all(), len(common))


def _options_of_all(group: str, classes: Mapping[str, type[Options]], common: int) -> Iterator[str]:
    for number, (name, cls) in enumerate(classes.items()):
        yield from [""] if number else []
        yield from _line(2, f"{chosen(group, name)}:", 0, cls.described())
        yield from _options(list(settings_of(cls))[common:])


def _options(options: Iterable[tuple[Option, str]]) -> Iterator[str]:
    every = list(options)
    column = max([_KEY, *(len(each.key) for each, _ in every)])
    for each, kinds in every:
        line = each.help_line()
        yield from _line(2, each.key, column, f"{kinds}: {line}" if kinds else line)


def _axes() -> Iterator[str]:
    for axis in axes_of():
        grids = "" if "sweep" in axis.grids else f"{', '.join(axis.grids)}: "
        default = hydra_value(axis.defaults()).replace("'", "")
        text = f"{grids}{axis.help}: {axis.example} (default: {default})"
        yield from _line(2, f"grid.{axis.name}", _KEY, text)


def _line(indent: int, head: str, column: int, text: str) -> Iterator[str]:
    """Yield the lines of a head and its text with a hanging indent."""
    start = f"{' ' * indent}{head:<{column}} "
    yield from wrap(
        text,
        _WIDTH,
        initial_indent=start,
        subsequent_indent=" " * (indent + max(column, 3) + 1),
        break_on_hyphens=False,
    ) or [start.rstrip()]

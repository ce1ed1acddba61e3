"""``standout --help`` and ``standout help TOPIC``: text of ``conf/`` and the classes' own words.

Invariant: a fact about a key or a choice stands once, either in ``conf/help.txt`` or on its class;
one about a command in ``conf/commands.txt``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from sim.config.folder import conf
from sim.config.key_table import key_table
from sim.errors import ConfigError
from sim.numeric.text import did_you_mean

if TYPE_CHECKING:
    from sim.extend.options import Option, Options

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
    """Print what the arguments name: a topic, a key or all; without one, the first screen.

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
    if topic in topics or topic in commands:
        return _filled((topics | commands)[topic].text, topics)
    if text := _of_key(topic, topics):
        return text
    keys = [key for keys in key_table().keys.values() for key in keys]
    names = [*(name for name in topics if name != _FIRST), _ALL, *commands]
    meant = did_you_mean(topic, [*names, *keys]) or f"; the topics are {', '.join(names)}"
    raise ConfigError(f"help: no topic {topic!r}{meant}")


def _of_key(key: str, topics: Mapping[str, Topic]) -> str:
    """Return the lines that explain a key, and the choices that have it; empty: there is none."""
    having = [choice for choice, keys in key_table().keys.items() if key in keys]
    group = key.partition(".")[0]
    topic = topics.get(group if "." in key else "study")
    if topic is None:
        return ""
    lines = _filled(topic.text, topics).splitlines()
    if group in ("study", "defence", "utility", "attack"):
        lines += _options_of_all(group)
    found: list[str] = []
    for number, line in enumerate(lines):
        if line.split()[:1] != [key]:
            continue
        indent = len(line) - len(line.lstrip())
        after = lines[number + 1 :]
        ends = (len(one) - len(one.lstrip()) <= indent + 4 for one in after)
        more = next((at for at, end in enumerate(ends) if end), len(after))
        part = [line, *after[:more]]
        if part not in [found[at : at + len(part)] for at in range(len(found))]:
            found += part
    if not found:
        return ""
    of = ", ".join(choice for choice in having if choice)
    return "\n".join([*found, *([f"  of {of}"] if of else []), ""])


def _topics(file: str) -> dict[str, Topic]:
    template = (conf() / file).read_text(encoding="utf-8")
    _, *pieces = _HEADING.split(template)
    found = {}
    for name, about, text in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
        found[name] = Topic(name, about or "", text.strip("\n") + "\n")
    return found


def _filled(text: str, topics: Mapping[str, Topic]) -> str:
    """Put lines in the places for them; what these come from is imported for them alone."""
    lines = {
        "topics": lambda: _listed(topics),
        "experiments": _experiments,
        "papers": _papers,
        "studies": lambda: _choices("study"),
        "attacks": lambda: _choices("attack"),
        "defences": lambda: _choices("defence"),
        "utilities": lambda: _choices("utility"),
        "study options": lambda: _names_of_options("study"),
        "defence options": lambda: _names_of_options("defence"),
        "utility options": lambda: _names_of_options("utility"),
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
    from sim.papers.experiments import TITLES, place_of

    for name, title in TITLES.items():
        yield from _line(2, name, _CHOICE, f"{place_of(name)}: {title[0].lower()}{title[1:]}")


def _papers() -> Iterator[str]:
    from sim.papers.experiments import PAPERS

    yield from (f"  {name:<8}{paper}" for name, paper in PAPERS.items() if name in _CITED)


def _classes(group: str) -> Mapping[str, type[Options]]:
    from sim.config.schema import registries

    return registries()[group].all()


def _choices(group: str) -> Iterator[str]:
    for name, cls in _classes(group).items():
        yield from _line(_CHOICE, name, _KEY, cls.described())


def _options_of_attacks() -> Iterator[str]:
    from sim.attack.engine.algorithm import Algorithm
    from sim.extend.options import settings_of

    common = list(settings_of(Algorithm))
    yield from _options(common)
    yield ""
    yield from _names_of_options("attack", len(common))


def _names_of_options(group: str, common: int = 0) -> Iterator[str]:
    """Yield a line for each choice that has options of its own; the help of a key explains it."""
    from sim.extend.options import settings_of

    yield "  Options, each explained by standout help KEY"
    for name, cls in _classes(group).items():
        own = [each.key for each, _ in list(settings_of(cls))[common:]]
        if own:
            yield from _line(2, name, _KEY, " ".join(own))


def _options_of_all(group: str, common: int = 0) -> Iterator[str]:
    from sim.config.schema import chosen
    from sim.extend.options import settings_of

    for number, (name, cls) in enumerate(_classes(group).items()):
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
    from sim.axes.registry import axes_of
    from sim.extend.overrides import hydra_value

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

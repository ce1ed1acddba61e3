"""The text of ``standout --help``: a template in ``conf/``, filled with the classes' own words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from textwrap import wrap

from sim.attack.algorithms.registry import ATTACKS
from sim.attack.engine.algorithm import Algorithm
from sim.axes.registry import axes_of
from sim.config.schema import chosen
from sim.defence.registry import DEFENCES
from sim.extend.options import Option, Options, settings_of
from sim.extend.overrides import hydra_value
from sim.measurements.registry import MEASUREMENTS
from sim.utility.registry import UTILITIES

_WIDTH = 100
_CHOICE, _KEY = 16, 20
"""Columns before a choice's name, and for a key's."""


def help_text() -> str:
    """Return the text of ``standout --help``."""
    template = files("conf").joinpath("help.txt").read_text(encoding="utf-8")
    parts = {
        "studies": _choices(MEASUREMENTS.all()),
        "attacks": _choices(ATTACKS.all()),
        "defences": _choices(DEFENCES.all()),
        "utilities": _choices(UTILITIES.all()),
        "study options": _options_of_all("study", MEASUREMENTS.all(), 0),
        "defence options": _options_of_all("defence", DEFENCES.all(), 0),
        "utility options": _options_of_all("utility", UTILITIES.all(), 0),
        "axes": _axes(),
        "attack options": _options_of_attacks(),
    }
    for name, lines in parts.items():
        before, after = re.split(rf"^ *<{name}>$", template, flags=re.MULTILINE)
        template = before + "\n".join(lines) + after
    return template


def _choices(classes: Mapping[str, type[Options]]) -> Iterator[str]:
    for name, cls in classes.items():
        yield from _line(_CHOICE, name, _KEY, cls.described())


def _options_of_attacks() -> Iterator[str]:
    common = list(settings_of(Algorithm))
    yield from _options(common)
    yield ""
    yield from _options_of_all("attack", ATTACKS.all(), len(common))


def _options_of_all(group: str, classes: Mapping[str, type[Options]], common: int) -> Iterator[str]:
    first = True
    for name, cls in classes.items():
        own = list(settings_of(cls))[common:]
        if own:
            yield from [] if first else [""]
            yield from _line(2, f"{chosen(group, name)}:", 0, cls.described())
            yield from _options(own)
            first = False


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

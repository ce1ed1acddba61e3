"""A finding as a sentence, by the template of its kind.

A template is a format string over the numbers of a finding, ``of`` (its denominator), ``share``,
``name`` and ``who`` (the subject, as it is and in words), ``column`` and ``attacker`` (the name, if
it is that of one), ``measured`` (what a bound is on) and ``remedy``. Formats: ``{x:n}`` a number,
``{x:%}`` a share in percent, ``{x:set}`` a setting, ``{x:bound}`` a bound, ``{x:words}`` an
identity with blanks for its underscores, ``{x:known}`` levels of axes, ``{x:axes}`` axes,
``{x:few}`` the beginning of a list, ``{x:attack}`` an attack, ``{x:meaning}`` a kind in words,
``{x:fact}`` and ``{x:unseen}`` codes of facts, ``{x:set3}`` a number to three digits, ``{x:row}``
or ``{x:person|people}`` a count with its noun. What stands
between ``[[`` and ``]]`` is left out where a number in it is missing, empty or 0.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping
from textwrap import shorten
from typing import Any

from sim.attack.algorithms.registry import attack_title
from sim.findings.finding import Finding
from sim.findings.kinds import KINDS
from sim.numeric.text import (
    format_number,
    format_percent,
    format_setting,
    format_significant,
    quantity,
)
from sim.report.knowledge import axes_words, levels_words
from sim.report.templates.every import TEMPLATES
from sim.report.templates.reasons import REASONS
from sim.report.templates.verdicts import FACTS

MEASURED: Mapping[str, str] = {
    "highest": "the highest risk of a person",
    "percentile_99": "the 99th percentile of risks",
    "mean": "the mean risk of a person",
    "succeeds": "the share of people found",
}
"""What a bound is on, by `sim.findings.attacker_row.MEASURES`."""

PLUGIN = "plugin:"
"""What the kind of a plug-in's finding begins with."""

_OF_PLUGINS = "{label}: {value:n}[[ {unit}]][[, of {of:n}]]."
_SHARE_OF_PLUGINS = "{label}: {value:%}[[ of {of:n}]]."


class _Formatter(string.Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        match format_spec:
            case "":
                return str(value)
            case "known":
                return levels_words(str(value))
            case "few":
                return shorten(str(value), _WIDEST_LIST, placeholder=" …")
            case "axes":
                return axes_words(str(value))
            case "attack":
                return attack_title(str(value))
            case "meaning":
                return KINDS[value].meaning if value in KINDS else str(value)
            case "fact" if value in FACTS:
                return FACTS[value]
            case "set3":
                return format_significant(value, 3)
            case "n":
                return value if isinstance(value, str) else format_number(value)
            case "words":
                return str(value).replace("_", " ")
            case "%":
                return format_percent(value)
            case "set":
                return format_setting(value)
            case "bound":
                return bound_text(value)
        noun, _, plural = format_spec.partition("|")
        return quantity(int(value), noun, plural)


_WIDEST_LIST = 70
"""Characters of a list in a sentence; the tables below have all of it."""

_FORMATTER = _Formatter()
_OPTIONAL = re.compile(r"\[\[(.*?)\]\]")


def sentence(finding: Finding) -> str:
    """Return a finding in words.

    Raises
    ------
    KeyError
        There is no template for its kind, or the finding lacks a number of it.
    """
    template = TEMPLATES.get(finding.kind)
    if template is None and finding.kind.startswith(PLUGIN):
        template = _SHARE_OF_PLUGINS if finding.numbers.get("unit") == "%" else _OF_PLUGINS
    if template is None:
        raise KeyError(finding.kind)
    words = finding.name.replace("_", " ").capitalize()
    values = {
        "of": finding.denominator,
        "share": finding.share,
        "name": finding.name,
        "who": words,
        "measured": MEASURED.get(str(finding.numbers.get("measure")), ""),
        "attacker": words if finding.subject.startswith("attacker:") else "",
        "column": finding.name if finding.subject.startswith("column:") else "",
        "remedy": finding.remedy,
        **finding.numbers,
    }
    if (reason := finding.numbers.get("reason")) in REASONS:
        values["reason"] = filled(REASONS[str(reason)], values)
    return filled(template, values)


def filled(template: str, values: Mapping[str, Any]) -> str:
    """Fill a template.

    Examples
    --------
    >>> filled("{rows:row} lost[[ (first: {first})]].", {"rows": 1, "first": None})
    '1 row lost.'
    >>> filled("{rows:row} lost[[ (first: {first})]].", {"rows": 2000, "first": "a"})
    '2,000 rows lost (first: a).'
    """

    def kept(found: re.Match[str]) -> str:
        names = [name for _, name, _, _ in _FORMATTER.parse(found[1]) if name]
        return found[1] if all(values.get(name) for name in names) else ""

    return _FORMATTER.vformat(_OPTIONAL.sub(kept, template), (), values)


def measure_title(measure: str) -> str:
    """Return what a bound is on, as a title.

    Examples
    --------
    >>> measure_title("highest")
    'Highest risk of a person'
    """
    return MEASURED[measure].removeprefix("the ").capitalize()


def bound_text(bound: float) -> str:
    """Return a bound in percent, as it was set.

    Examples
    --------
    >>> bound_text(0.1), bound_text(0.125)
    ('10%', '12.5%')
    """
    return f"{100 * bound:.6g}%"


def sentences(findings: Iterable[Finding]) -> list[str]:
    """Return findings in words, each sentence once."""
    return list(dict.fromkeys(map(sentence, findings)))

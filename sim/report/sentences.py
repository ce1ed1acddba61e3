"""A finding as a sentence, by the template of its kind.

A template is a format string over the numbers of a finding, ``of`` (its denominator), ``share``,
``name`` and ``remedy``. Formats: ``{x:n}`` a number, ``{x:%}`` a share in percent, ``{x:set}`` a
setting, ``{x:row}`` or ``{x:person|people}`` a count with its noun, ``{x:known}`` levels of axes,
``{x:axes}`` axes, ``{x:attack}`` an attack, ``{x:set3}`` a number to three digits. What stands
between ``[[`` and ``]]`` is left out where a number in it is missing, empty or 0.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping
from typing import Any

from sim.attack.algorithms.registry import attack_title
from sim.findings.finding import Finding
from sim.numeric.text import (
    format_number,
    format_percent,
    format_setting,
    format_significant,
    quantity,
)
from sim.report.level_list import axes_words, levels_words
from sim.report.templates.every import TEMPLATES

PLUGIN = "plugin:"
"""What the kind of a plug-in's finding begins with."""

_OF_PLUGINS = "{label}: {value}[[ {unit}]][[, of {of:n}]]."


class _Formatter(string.Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        match format_spec:
            case "":
                return str(value)
            case "known":
                return levels_words(str(value))
            case "axes":
                return axes_words(str(value))
            case "attack":
                return attack_title(str(value))
            case "set3":
                return format_significant(value, 3)
            case "n":
                return format_number(value)
            case "%":
                return format_percent(value)
            case "set":
                return format_setting(value)
        noun, _, plural = format_spec.partition("|")
        return quantity(int(value), noun, plural)


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
        template = _OF_PLUGINS
    if template is None:
        raise KeyError(finding.kind)
    values = {
        "of": finding.denominator,
        "share": finding.share,
        "name": finding.name,
        "remedy": finding.remedy,
        **finding.numbers,
    }
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


def sentences(findings: Iterable[Finding]) -> list[str]:
    """Return findings in words, each sentence once."""
    return list(dict.fromkeys(map(sentence, findings)))

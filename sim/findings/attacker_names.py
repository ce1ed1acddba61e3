"""Names of attackers in words."""

from __future__ import annotations

from sim.attack.algorithms.registry import attack_title
from sim.findings.attacker_rows import BAYES, Row
from sim.numeric.text import quantity


def attacker_words(name: str) -> str:
    """Return the name of an attacker in words.

    Examples
    --------
    >>> attacker_words("well_informed")
    'well informed'
    """
    return name.replace("_", " ")


def row_name(row: Row) -> str:
    """Name an attacker with the number of facts, which tells its rows apart."""
    aux = row.axes.get("aux")
    words = attacker_words(row.attacker)
    if aux:
        right, _, size = str(aux).partition("/")
        facts = quantity(int(size), "fact")
        words += f", {facts}" if right == size else f", {facts}, {right} right"
    words += f", of the {row.facts}" if row.facts else ""
    return words if row.attack == BAYES else f"{words} ({attack_title(row.attack)})"

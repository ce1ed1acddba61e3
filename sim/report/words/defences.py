"""How the publisher changed a release first, and whether attackers know it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def applied(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the defences of a run in the order in which they were applied, as names and words.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> given = {"name": "jitter_time", "in_words": "days moved by up to 3"}
    >>> list(applied({"defences": [given | {"known_to_attackers": True}]}))
    [('defence 1, jitter_time', 'days moved by up to 3; attackers know the method, not the draws')]
    """
    for place, each in enumerate(record.get("defences") or (), 1):
        knows = (
            "attackers know the method, not the draws"
            if each["known_to_attackers"]
            else "attackers assume that it changed nothing"
        )
        yield f"defence {place}, {each['name']}", f"{each['in_words']}; {knows}"


def unknown_to_attackers(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield a warning where attackers do not know what a defence did.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> given = {"name": "mine", "in_words": "mine", "known_to_attackers": False}
    >>> list(unknown_to_attackers({"defences": [given]}))[0].split(":")[0]
    'Attackers do not know that the release was changed by mine'
    """
    names = [x["name"] for x in record.get("defences") or () if not x["known_to_attackers"]]
    if names:
        one = len(names) == 1
        yield (
            f"Attackers do not know that the release was changed by {' and '.join(names)}: "
            f"{'this defence does' if one else 'these defences do'} not state what an attacker can "
            "know about the change. Every attacker here, the Bayes-optimal one included, assumes "
            "that the release is unchanged in this respect. An attacker who knows how it was "
            "changed may identify more people."
        )

"""Attackers of an audit that its user describes, of whom the names say nothing."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from sim.assessment.assessment import Assessment
from sim.assessment.names import attacker_words
from sim.config.folder import conf
from sim.numeric.text import quantity
from sim.report.words.plain.audit import most_facts


def own_attackers(found: Assessment, names: Sequence[str]) -> Iterator[str]:
    """Say which attackers are not among those that Standout brings, and how much they know.

    No file of the user's can have the name of one that Standout brings.

    Parameters
    ----------
    names : sequence of str
        The attackers that are judged.
    """
    for name in names:
        if name not in _brought():
            most = most_facts(found, name)
            known = f": at most {quantity(most, 'fact')}" if most else ""
            yield (
                f"{attacker_words(name)} is an attacker of your own, who knows what its file says"
                f"{known}"
            )


@functools.cache
def _brought() -> frozenset[str]:
    """Return the names of the attackers that Standout brings."""
    return frozenset(path.stem for path in (conf() / "attacker").glob("*.yaml"))

"""Which chains of a frontier or a plan are tried: those that can be, and each release once."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sim.defence.apply import defended
from sim.errors import GridError, NothingLeftError, TooShortError
from sim.findings.chains import NOT_APPLIED, NOTHING_LEFT, TOO_SHORT
from sim.numeric.text import quantity
from sim.release.store.store import Store
from sim.session.checks import defences_of
from sim.session.jobs import Job
from sim.session.open_release import release_of_tool

log = logging.getLogger("standout")


@dataclass(frozen=True, slots=True)
class ChainsToTry:
    """The chains of a frontier or a plan, by the names of their parts, before any part is run.

    Parameters
    ----------
    parts : list of Job
        Those that are tried, and those that cannot be applied.
    impossible : dict of str to GridError
        Why a chain cannot be applied.
    same : dict of str to str
        Of chains that are not tried, the one that leaves the same release.
    """

    parts: list[Job]
    impossible: Mapping[str, GridError]
    same: Mapping[str, str]

    @classmethod
    def of(cls, parts: Sequence[Job], store: Store) -> ChainsToTry:
        """Hold each chain against a release, of which nothing is written yet.

        Of chains that leave the same release the one with the fewest defences is tried.
        """
        impossible, alike = dict[str, GridError](), dict[tuple[str, ...], list[tuple[int, Job]]]()
        for part in parts:
            try:
                defences = defences_of(part.config)
                made = defended(store, defences, partial(release_of_tool, part.config.data))
            except GridError as error:
                impossible[part.name] = error
                continue
            alike.setdefault(made.identity, []).append((len(defences), part))
        same = dict[str, str]()
        for chains in alike.values():
            _, first = min(chains, key=lambda one: one[0])
            same |= {part.name: first.name for _, part in chains if part is not first}
        return cls([part for part in parts if part.name not in same], impossible, same)

    def tell(self, chains: Mapping[str, str]) -> None:
        """Say how many releases are tried, and of the others why they are not.

        Parameters
        ----------
        chains : dict of str to str
            As they are written, by the names of their parts.
        """
        reasons: dict[str, list[str]] = {}
        for name, error in self.impossible.items():
            reasons.setdefault(error.reason, []).append(chains[name])
        n = len(self.parts) - len(self.impossible)
        log.info(
            "%s to try: the data as they are%s",
            quantity(n, "release"),
            ", and after each chain of defences" if n > 1 else "",
        )
        for reason, some in reasons.items():
            log.warning("%s: not possible: %s", "; ".join(some), reason)
        firsts: dict[str, list[str]] = {}
        for name, first in self.same.items():
            firsts.setdefault(chains[first], []).append(chains[name])
        for text, some in firsts.items():
            log.info("%s: the same release as %s, so not tried again", "; ".join(some), text)


def impossible_entry(error: GridError) -> dict[str, str]:
    """Return what the record has of a chain that left no release; see `NOT_MADE`.

    The error is without the key of the defence, which a plan refuses.
    """
    kind = NOTHING_LEFT if isinstance(error, NothingLeftError) else NOT_APPLIED
    kind = TOO_SHORT if isinstance(error, TooShortError) else kind
    return {"status": "impossible", "error": error.reason, "problem": kind.name}

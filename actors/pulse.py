"""Finds actors that live but say nothing, and lets Ray replace them.

Ray notices a worker that has ended, not one that hangs. Every actor answers `pulse` in a thread of
its own, at once whatever it works on, since its loops release the interpreter's lock.

Invariant: time is counted in looks, so a program that was itself stopped suspects nobody.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import ray

from sim.errors import ClusterLostError

log = logging.getLogger("standout")

LOOK_SECONDS = 1.0
"""Interval between looks."""

GROUP = "pulse"
"""Concurrency group in which actors answer."""

_MOST_SILENT = 10
"""Looks without an answer after which an actor that has answered before counts as hung."""

_MOST_STARTING = 60
"""Looks without any new actor after which the start of actors counts as hung."""


@dataclass(slots=True)
class _Watched:
    name: str
    actor: Any
    asked: Any = None
    silent: int = 0
    answered: bool = False


class Pulses:
    """Watches actors while their work is waited for.

    Parameters
    ----------
    actors : iterable of (str, actor handle)
        With what to call them.
    """

    def __init__(self, actors: Iterable[tuple[str, Any]]) -> None:
        self._watched = [_Watched(name, actor) for name, actor in actors]
        self._starting = 0

    def look(self) -> None:
        """Ask every actor for a sign of life; end those that have owed theirs for too long.

        Raises
        ------
        ClusterLostError
            None of the actors that are to start does.
        """
        self._starting += 1
        for one in self._watched:
            if one.asked is None:
                one.asked = one.actor.pulse.remote()
            elif ray.wait([one.asked], timeout=0)[0]:
                one.asked, one.silent = None, 0
                if not one.answered:
                    one.answered, self._starting = True, 0
            else:
                one.silent += 1
            if one.answered and one.silent >= _MOST_SILENT:
                log.warning(
                    "%s says nothing for %d seconds; it is ended, and another takes its place",
                    *(one.name, _MOST_SILENT * LOOK_SECONDS),
                )
                ray.kill(one.actor, no_restart=False)
                one.answered, one.silent, self._starting = False, 0, 0
        if all(one.answered for one in self._watched):
            self._starting = 0
        elif self._starting > _MOST_STARTING:
            raise ClusterLostError(
                f"no worker started in {_MOST_STARTING * LOOK_SECONDS:g} seconds"
            )

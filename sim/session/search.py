"""Runs the attacks of a plan: each an audit in a part of its own, so that a plan can be resumed."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from sim.config.chains import Chain
from sim.config.own_overrides import own_key
from sim.config.schema import AUDIT, Config
from sim.extend.overrides import override
from sim.findings.assessment import assess
from sim.findings.chains import FRESH
from sim.numeric.text import format_duration, format_percent, quantity
from sim.record.run_folder import open_folder
from sim.record.run_record import is_complete
from sim.report.sentences import sentence
from sim.session.chain_points import Point, point_of, untested
from sim.session.chain_search import Plan, search

log = logging.getLogger("standout")

_OWN = frozenset({"seed", "targets", "parts", "aggregate", "defence"})

RunPart = Callable[[str, Sequence[str]], Mapping[str, Any]]
"""Runs the part of a name with its overrides, and returns its entry in the record."""

Step = tuple[str, str, int | None]
"""An attack of the search: its step, its chain, and the number of targets (None: all)."""


@dataclass
class Search:
    """The attacks of one plan.

    Parameters
    ----------
    overrides : sequence of str
        Of the plan.
    chains : sequence of Chain
        Every chain that may be attacked.
    seconds : dict of int to list of float
        Of attacks so far, by the number of people attacked.
    """

    folder: Path
    overrides: Sequence[str]
    chains: Sequence[Chain]
    config: Config
    run_part: RunPart
    seconds: dict[int, list[float]] = field(default_factory=dict)
    _done: dict[Step, Point] = field(default_factory=dict)
    _latest: dict[str, Point] = field(default_factory=dict)
    _first: Sequence[Point] = ()
    _n_records: int = 0

    def run(self, first: Sequence[Point], n_records: int) -> Plan:
        """Search; `first` is every chain as the first round found it."""
        self._first, self._n_records = first, n_records
        self._latest = {point.chain: point for point in first}
        steps = self.expected()
        if steps:
            log.info(
                "After the first round the search goes on, if later attacks find what it found: "
                "%s%s",
                *("; ".join(_counted(steps)), self._time_for(steps)),
            )
        else:
            log.info("After the first round no chain can keep the bound")
        return search(first, n_records, self._attack)

    def expected(self) -> list[Step]:
        """Return the attacks that remain, if each finds what the latest on its chain found."""
        asked: list[Step] = []

        def attack(*step: Any) -> Point:
            known = self._done.get(step)
            if known is None:
                asked.append(step)
            return known or self._latest[step[1]]

        search(self._first, self._n_records, attack)
        return asked

    def _attack(self, step: str, text: str, targets: int | None) -> Point:
        chain = next(chain for chain in self.chains if chain.text == text)
        plan = self.config.plan
        seed = (self.config.seed + 1) % 2**64 if step == FRESH else self.config.seed
        name = f"{step} {chain.name}".replace(" ", "_")
        kept = [one for one in self.overrides if own_key(one) not in _OWN]
        size = "all" if targets is None else str(targets)
        own = [*audit_overrides(self.config), f"targets={size}", f"seed={seed}"]
        asked = (step, text, targets)
        done = is_complete(self.folder / name)
        if not done:
            log.info("%s, %s: %s%s", step, text, _through(targets), self._time_for([asked]))
        begun = monotonic()
        entry = self.run_part(name, [*kept, *chain.overrides, *own])
        took = monotonic() - begun
        if entry["status"] != "complete":
            point = untested(name, text, str(entry["error"]), str(entry.get("problem") or ""))
        else:
            point = point_of(assess(open_folder(self.folder / name, name)), text, plan.utility)
            if not done:
                self.seconds.setdefault(self._n_targets(targets), []).append(took)
        self._done[asked] = self._latest[text] = point
        already = "already complete" if done else format_duration(took)
        log.info("%s, %s: %s (%s)", step, text, _found(point), already)
        return point

    def _n_targets(self, targets: int | None) -> int:
        return self._n_records if targets is None else min(targets, self._n_records)

    def _time_for(self, steps: Sequence[Step]) -> str:
        """Say how long attacks take, by those on as many people, or the most below that."""
        if not self.seconds:
            return ""
        least = most = 0.0
        for *_, targets in steps:
            n = self._n_targets(targets)
            size = max((size for size in self.seconds if size <= n), default=min(self.seconds))
            average = sum(self.seconds[size]) / len(self.seconds[size])
            # What part of it grows with the people is unknown: none at least, all at most.
            least, most = least + average * min(1.0, n / size), most + average * max(1.0, n / size)
        ends = dict.fromkeys((format_duration(least), format_duration(most)))
        return f"; estimate, by the attacks so far: {' to '.join(ends)}"


def audit_overrides(config: Config) -> list[str]:
    """Return the overrides that make a part of a frontier or a plan an audit with its bound."""
    return [f"aggregate={AUDIT}", "parts={}", override("audit.max_risk", config.plan.max_risk)]


def _found(point: Point) -> str:
    """Say what an attack found, and what follows for the bound."""
    verdict, reason = point.verdict.verdict, point.verdict.reason
    if point.counted is not None:
        return f"counted as {format_percent(point.counted)} ({point.counted_of}), {verdict}"
    return f"{verdict}: {sentence(reason)}" if reason else f"risk not measured, {verdict}"


def _counted(steps: Sequence[Step]) -> Iterator[str]:
    for (step, targets), some in itertools.groupby(steps, lambda one: (one[0], one[2])):
        yield f"{step}, {quantity(len(list(some)), 'chain')} through {_through(targets)}"


def _through(targets: int | None) -> str:
    return "every record" if targets is None else quantity(targets, "person", "people")

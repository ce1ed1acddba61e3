"""Runs the attacks of a plan: each an audit in a part of its own, so that a plan can be resumed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from sim.assessment.assessment import assess
from sim.assessment.frontier import Point, point_of, untested
from sim.assessment.planning import FRESH, Plan, search
from sim.config.chains import Chain
from sim.config.own_overrides import own_key
from sim.config.schema import AUDIT, Config
from sim.extend.overrides import override
from sim.numeric.text import format_percent
from sim.record.run_folder import open_folder

log = logging.getLogger("standout")

_OWN = frozenset({"seed", "targets", "parts", "aggregate", "defence"})

RunPart = Callable[[str, Sequence[str]], Mapping[str, Any]]
"""Runs the part of a name with its overrides, and returns its entry in the record."""


@dataclass
class Search:
    """The attacks of one plan.

    Parameters
    ----------
    overrides : sequence of str
        Of the plan.
    chains : sequence of Chain
        Every chain that may be attacked.
    """

    folder: Path
    overrides: Sequence[str]
    chains: Sequence[Chain]
    config: Config
    run_part: RunPart
    _begun: float = field(default_factory=monotonic)
    _attacks: int = 0

    def run(self, first: Sequence[Point], n_records: int) -> Plan:
        """Search; `first` is every chain as the first round found it."""
        return search(first, n_records, self._attack)

    def _attack(self, step: str, text: str, targets: int | None) -> Point:
        chain = next(chain for chain in self.chains if chain.text == text)
        plan = self.config.plan
        seed = (self.config.seed + 1) % 2**64 if step == FRESH else self.config.seed
        name = f"{step} {chain.name}".replace(" ", "_")
        kept = [one for one in self.overrides if own_key(one) not in _OWN]
        size = "all" if targets is None else str(targets)
        bound = override("audit.max_risk", plan.max_risk)
        own = [f"aggregate={AUDIT}", "parts={}", f"targets={size}", f"seed={seed}", bound]
        log.info("%s, %s", step, text)
        entry = self.run_part(name, [*kept, *chain.overrides, *own])
        self._attacks += 1
        if entry["status"] != "complete":
            return untested(name, text, str(entry["reason"]))
        point = point_of(assess(open_folder(self.folder / name, name)), text, plan.utility)
        risk = "not tested" if point.risk is None else format_percent(point.risk.high)
        log.info(
            "%s, %s: risk at most %s, %s; %d attacks in %.0f s",
            *(step, text, risk, point.verdict.verdict, self._attacks, monotonic() - self._begun),
        )
        return point

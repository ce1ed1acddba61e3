"""Whether the targets' records are in the release."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sim.adversary.draw import Sampling
from sim.axes.axis import Axis
from sim.release.store.manifest import Manifest


class PresentAxis(Axis):
    """Whether the targets' records are in the release."""

    name = "present"
    grids = ("sweep", "mentions", "people")
    order = 70
    value_type = bool
    neutral = True
    help = "false: the target's record is removed from the release first"
    example = "[true,false]"
    column_type = "bool"
    meaning = "whether the targets' records are in the release"
    modelled = True

    title = "record of the target"
    head = "target"

    def expected(self, value: Any) -> str | None:
        """See `Axis.expected`."""
        return None if isinstance(value, bool) else "true or false"

    def lacks(self, value: Any, release: Manifest) -> str:
        """See `Axis.lacks`."""
        return "" if value or release.n_records > 1 else "the release holds only one record"

    def apply(self, adversary: Any, value: Any) -> Any:
        """See `Axis.apply`."""
        if isinstance(adversary, Sampling):
            return adversary.knowing(present=value)
        return replace(adversary, present=value)

    def words(self, level: str) -> str:
        """See `Words.words`."""
        return f"target {self.tick(level)}"

    def tick(self, level: str) -> str:
        """See `Words.tick`."""
        return "present" if level.lower() == "true" else "absent"

    def short(self, level: str) -> str:
        """See `Words.short`."""
        return self.tick(level)

    def phrase(self, level: str) -> str:  # noqa: ARG002
        """See `Words.phrase`; the attacker does not know it."""
        return ""

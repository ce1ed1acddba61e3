"""Item identifiers are withheld: what is left are supports, values and times (NS08 §6)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from sim.adversary.publisher import Publisher
from sim.defence.cells import Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.defence.item_groups import first_of_name
from sim.errors import ConfigError
from sim.extend.options import constant
from sim.numeric.text import expected_among


@dataclass(frozen=True, kw_only=True)
class HideItems(Defence):
    """Publishes the support of each item in the place of its identifier (NS08 §6).

    The popularity of an item is public, so an attacker who knows that somebody holds it knows its
    support, and looks for cells with this support. Items of equal support cannot be told apart:
    they are one item of the release, whose cells in one record are repeats. With ``support=log2``
    only the power of two that a support reaches is published.

    A release that keeps a column for every item, under another name, shows more than this: which
    cells are of the same item. It is not what is made here.
    """

    name: ClassVar[str] = "hide_items"
    summary: ClassVar[str] = "publishes how many people hold an item, not which it is (NS08 §6)"

    # What is published of an item's support: all of it, the worst case and that of NS08 section 6.
    support: str = constant("exact")

    def check(self) -> None:
        """See `Options.check`."""
        if self.support not in ("exact", "log2"):
            raise ConfigError(
                f"{self.group}.support: {self.support!r}: "
                f"{expected_among(self.support, ('exact', 'log2'))}"
            )

    def grouped(self, names: Any, release: ReleaseStats) -> Any:
        """See `Defence.grouped`."""
        support = release.support[first_of_name(names)]
        if self.support == "log2":
            bits = [max(int(n), 1).bit_length() - 1 for n in support.tolist()]
            support = np.left_shift(1, np.array(bits, np.int64))
        return pa.array(support, pa.int64())

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:  # noqa: ARG002
        """See `Defence.apply`; `grouped` says what becomes of items."""
        return cells

    def disclosed(self, publisher: Publisher, release: ReleaseStats) -> Publisher:  # noqa: ARG002
        """See `Defence.disclosed`."""
        return replace(publisher, groups_items=True)

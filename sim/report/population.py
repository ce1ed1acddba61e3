"""The population of a percentage: the records that can be targets, and how many were attacked.

Invariant: a share is called a share of all records only where every record can be a target; where
the targets are a sample, the words say so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sim.axes.aux import facts_of, right_facts_of
from sim.axes.axis import REQUIRED
from sim.axes.registry import AXES
from sim.config.schema import ORIGINAL
from sim.findings.release import known_facts
from sim.metrics.counts import NO_WRONG_ITEM
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_percent, in_a_row, quantity
from sim.study.labels import is_informative, which_items

_WHO = {
    "aux": "records",
    "mentions": "people",
    "mentions_file": "people on the list",
    "external": "people in the other table",
    "elsewhere": "people",
}
_MOST = 6
"""Maximum number of different populations that one sentence lists."""


@dataclass(frozen=True, slots=True)
class Population:
    """The subjects of a grid cell that can be targets, and those that were.

    Parameters
    ----------
    who : str
        The subjects in the plural: "records", "people".
    which : str
        The condition for being a target, to follow `who`.
    n_all : int
        All subjects.
    n_eligible : int
        Subjects that can be targets.
    n_targets : int
        Subjects attacked.
    n_present : int
        Subjects attacked that are known to be in the release.
    n_no_wrong_item : int
        Of those that cannot be targets, the ones with enough facts, but so many items that too few
        are left for wrong facts.
    """

    who: str
    which: str
    n_all: int
    n_eligible: int
    n_targets: int
    n_present: int
    n_no_wrong_item: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether every subject can be a target."""
        return self.n_eligible == self.n_all

    @property
    def is_sampled(self) -> bool:
        """Whether some eligible subjects were not attacked."""
        return self.n_targets < self.n_eligible

    @property
    def eligible(self) -> str:
        """The share of the subjects that can be targets, in percent."""
        return format_percent(self.n_eligible / self.n_all)

    @property
    def _everyone(self) -> str:
        if self.n_all == 1:
            return f"the {self._counted(1)}"
        return f"all {self.n_all:,} {self.who}"

    @property
    def targets(self) -> str:
        """Name the population that the targets represent; follows "of".

        Examples
        --------
        >>> Population("records", "with 8 or more facts", 20_000, 11_700, 1000, 1000).targets
        'the 11,700 records with 8 or more facts (58.5% of all 20,000; 1,000 sampled)'
        >>> Population("records", "with 2 or more facts", 600, 600, 600, 600).targets
        'all 600 records'
        """
        sampled = f"{self.n_targets:,} sampled" if self.is_sampled else ""
        if self.is_whole:
            return self._everyone + (f" ({sampled})" if sampled else "")
        shares = f"{self.eligible} of all {self.n_all:,}" + (f"; {sampled}" if sampled else "")
        return f"the {self.n_eligible:,} {self.who} {self.which} ({shares})"

    @property
    def present(self) -> str:
        """Name the population that the targets in the release represent; follows "of".

        Examples
        --------
        >>> Population("people", "with enough facts", 600, 600, 50, 5).present
        'the 5 targets whose record is in the release (50 were sampled from all 600 people)'
        """
        if self.n_present == self.n_targets:
            return self.targets
        drawn = f"{self.n_targets:,} were sampled from" if self.is_sampled else "the targets are"
        base = self._everyone
        if not self.is_whole:
            base = f"the {self.n_eligible:,} of {self.n_all:,} {self.who} {self.which}"
        return f"the {self.n_present:,} targets whose record is in the release ({drawn} {base})"

    @property
    def others(self) -> str:
        """Name the subjects that cannot be targets.

        Examples
        --------
        >>> Population("records", "with 8 or more facts", 20_000, 11_700, 1000, 1000).others
        'the other 8,300 records (41.5% of all 20,000)'
        """
        left = self.n_all - self.n_eligible
        share = format_percent(left / self.n_all)
        return f"the other {self._counted(left)} ({share} of all {self.n_all:,})"

    def _counted(self, n: int) -> str:
        who = self.who.replace("people", "person").removesuffix("s") if n == 1 else self.who
        return f"{n:,} {who}"


def population_of(cell: Mapping[Any, Any], config: Mapping[str, Any] | None = None) -> Population:
    """Return the population of the percentages of a grid cell.

    Parameters
    ----------
    cell : Mapping
        A row of ``curves.parquet``.
    config : Mapping, optional
        As in ``run.json``; without it, subjects are called "people" unless ``cell`` has ``aux``.

    Examples
    --------
    >>> counts = {"eligible": 0.5, "n_eligible": 300, "n_targets": 100, "n_present": 100}
    >>> population_of({"aux": "6/8", "popularity": 500, **counts}).targets[:69]
    'the 300 records with 8 or more facts about items outside the top 500 '
    """
    known = config or {}
    adversary = known.get("adversary") or {"kind": "aux" if "aux" in cell else ""}
    who = _WHO.get(adversary["kind"], "people")
    if known.get("defence") and known_facts(known) == ORIGINAL:
        who = f"original {who}"  # the release may lack some of them, or some of their items
    return Population(
        who,
        _which(cell, adversary),
        round(cell["n_eligible"] / cell["eligible"]),
        n_eligible=int(cell["n_eligible"]),
        n_targets=int(cell["n_targets"]),
        n_present=int(cell["n_present"]),
        n_no_wrong_item=int(cell.get(NO_WRONG_ITEM[0], 0)),
    )


def that_lack(cell: Mapping[Any, Any]) -> str:
    """Return what "as many facts" leaves out of who can be a target; empty: nothing.

    Parameters
    ----------
    cell : Mapping
        A row of ``curves.parquet``.

    Examples
    --------
    >>> that_lack({"aux": "6/8"}), that_lack({"aux": "6/8", "n_no_wrong_item": 5})
    ('', ' and 2 items or more that they lack')
    """
    if not cell.get(NO_WRONG_ITEM[0], 0):
        return ""
    wrong = facts_of(cell["aux"]) - right_facts_of(cell["aux"])
    return f" and {quantity(wrong, 'item')} or more that they lack"


def populations_text(curves: pd.DataFrame, config: Mapping[str, Any] | None = None) -> str:
    """Return the population of the percentages of all grid cells, in words; follows "of".

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``, at least one row.
    config : Mapping, optional
        As for `population_of`.

    Returns
    -------
    str
        Where cells differ, each condition with its own share.

    Examples
    --------
    >>> frame = pd.DataFrame({"aux": ["2/2", "6/8"], "eligible": [1.0, 0.5],
    ...     "n_eligible": [600, 300], "n_targets": 100, "n_present": 100})
    >>> populations_text(frame[:1])
    'all 600 records (100 sampled)'
    >>> populations_text(frame)
    'the records with 2 or more facts (100.0% of 600) or 8 or more facts (50.0%), 100 sampled'
    """
    each = [population_of(row, config) for row in row_dicts(curves)]
    known = {(one.which, one.n_eligible): one for one in each}
    few = list(known.values())
    if len({one.n_targets for one in each}) == 1 and (
        len(few) == 1 or all(one.is_whole for one in few)
    ):
        return few[0].targets
    first, counts = few[0], _counted(each)
    if len(few) > _MOST or len({one.which for one in few}) < len(few):
        least, most = (f(few, key=lambda one: one.n_eligible) for f in (min, max))
        shares = " to ".join(dict.fromkeys([least.eligible, most.eligible]))
        return f"the {first.who} that can be targets ({shares} of {first.n_all:,}), {counts}"
    conditions = [
        f"{one.which.removeprefix('with ')} ({one.eligible}{f' of {one.n_all:,}' * (one is first)})"
        for one in few
    ]
    return f"the {first.who} with {in_a_row(conditions, 'or')}, {counts}"


def _which(cell: Mapping[Any, Any], adversary: Mapping[str, Any]) -> str:
    kind = adversary["kind"]
    if kind == "aux" and "aux" in cell:
        size = str(cell["aux"]).rpartition("/")[2]
        return f"with {size} or more {_facts(cell)}{that_lack(cell)}"
    if kind == "mentions":
        return "with a list of mentions"
    if kind in ("mentions_file", "external"):
        known = f"with {adversary.get('min_items', 1)} or more items of the release"
        return known + (" and a known record in it" if adversary.get("truth") else "")
    if kind == "elsewhere":
        return f"with {adversary.get('min_items', 1)} or more items on both sites"
    return "that can be targets"


def _facts(cell: Mapping[Any, Any]) -> str:
    """Name what counts: a fact is about a cell of a record, which may hold an item in several.

    "Such facts" where an axis limits them and has no words for it.
    """
    limits, such = [], False
    for axis in map(str, cell):
        cls = AXES.get(axis)
        if cls is None:
            continue
        words = which_items(axis, cell[axis])
        if words:
            limits.append(words)
        elif cls.restricts and cls.neutral is not REQUIRED and is_informative(axis, cell[axis]):
            such = True
    about = ["about items"] if limits else []
    return " ".join([*(["such"] if such else []), "facts", *about, *limits])


def _counted(each: Sequence[Population]) -> str:
    if not any(one.is_sampled for one in each):
        return "all of them attacked"
    least, most = (f(one.n_targets for one in each) for f in (min, max))
    return f"{least:,} sampled" if least == most else f"{least:,} to {most:,} of them attacked"

"""The base class of measures of utility, and the function that measures them.

Invariant: before and after are tested on the same cells of the same people (`sim.utility.split`); a
measure of the original itself is the value "before".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sim.adversary.linkage import Linkage
from sim.extend.options import Options
from sim.release.store.manifest import Manifest
from sim.release.store.store import Store
from sim.utility.comparison import Comparison
from sim.utility.split import Split, split_of


@dataclass(frozen=True, slots=True)
class Value:
    """What a measure found.

    Parameters
    ----------
    value : float or None
        None: it cannot be measured, and `note` says why.
    n : int
        Number of cells, people, items or months that it is over.
    note : str
        What was assumed, left out or lacking; empty: nothing.
    """

    value: float | None
    n: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Utility:
    """The utility of a release by one measure; see `UtilityMeasure` and `Value`."""

    name: str
    label: str
    unit: str
    higher_is_better: bool
    value: float | None
    n: int
    note: str


@dataclass(frozen=True, kw_only=True)
class UtilityMeasure(Options, ABC):
    """A measure of what a release is good for (spec §11)."""

    name: ClassVar[str]
    label: ClassVar[str]
    """In tables and reports."""
    use: ClassVar[str] = ""
    """What the data are used for, in everyday words; empty: the label says it."""
    unit: ClassVar[str] = ""
    """Of its values; empty: none."""
    counts: ClassVar[str]
    """What `Value.n` is the number of."""
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ()
    """Requirements on the original: "values", "days"."""
    tested: ClassVar[bool] = False
    """Whether it learns from the release and is tested on later cells of the original."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.group = f"utility.{cls.name_of()}"

    @abstractmethod
    def measure(self, comparison: Comparison) -> Value:
        """Measure a release.

        Parameters
        ----------
        comparison : Comparison
            The original has what `needs` says; the release may lack it.
        """

    def unmet(self, original: Manifest) -> str | None:
        """Return what the measure needs and a release lacks; None if nothing."""
        has = {"values": original.has_values, "days": original.has_days}
        lacking = [what for what in self.needs if not has[what]]
        return " and ".join(lacking).replace("days", "dates") or None


def utility(
    original: Store,
    released: Store,
    linkage: Linkage,
    measures: Sequence[UtilityMeasure],
    seed: int,
    *,
    split: Split | None = None,
) -> list[Utility]:
    """Measure the utility of a release made from an original.

    Parameters
    ----------
    original, released : Store
        The same store twice, to measure the utility before any change.
    linkage : Linkage
        See `sim.adversary.linkage.linkage_of`.
    seed : int
        Of the split, of samples of people and of initial factors.
    split : Split, optional
        `sim.utility.split.split_of` of the original and the seed by default.

    Returns
    -------
    list of Utility
        One per measure, in their order; the value is None, and the note says why, where a measure
        does not apply to the original.
    """
    split = split or split_of(original, seed)
    comparison = Comparison(original, released, linkage, split, seed)
    return [_measured(each, comparison) for each in measures]


def _measured(measure: UtilityMeasure, comparison: Comparison) -> Utility:
    lacking = measure.unmet(comparison.original.manifest)
    if lacking:
        found = Value(None, note=f"the original has no {lacking}")
    else:
        found = measure.measure(comparison)
    cls = type(measure)
    notes = [found.note]
    if cls.tested and found.value is not None:
        notes.insert(0, f"tested on {comparison.split.in_words}")
    note = "; ".join(filter(None, notes))
    return Utility(cls.name, cls.label, cls.unit, cls.higher_is_better, found.value, found.n, note)

"""People who have too few facts to be attacked, and what follows from them for a bound.

Invariant: they count as found, whatever is done to the other records. Where they alone exceed a
bound, no change keeps it that leaves them in the release.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.config.chains import Chain, chains_of, pieces_but
from sim.defence.drop_records import DropRecords
from sim.findings.attacker_rows import PERCENTILE, with_rest
from sim.findings.bound import is_above


@dataclass(frozen=True, slots=True)
class FewFacts:
    """How many people have fewer facts than an attacker uses.

    Parameters
    ----------
    facts : int
        That the attacker uses.
    short : int
        People who have fewer.
    records : int
        People in the release.
    """

    facts: int
    short: int
    records: int

    @classmethod
    def of_records(cls, length: NDArray[np.int32], facts: int) -> FewFacts:
        """Count the people by the lengths of their records.

        Parameters
        ----------
        length : int32 array, shape (n_records,)
        """
        return cls(facts, int(np.count_nonzero(length < facts)), length.size)

    @property
    def share(self) -> float:
        """The share of the people who have fewer."""
        return self.short / self.records

    def exceeds(self, measure: str, bound: float) -> bool:
        """Whether these people alone exceed a bound.

        Parameters
        ----------
        measure : str
            One of `sim.findings.attacker_rows.MEASURES`.

        Examples
        --------
        >>> few = FewFacts(facts=8, short=2, records=100)
        >>> [few.exceeds(measure, 0.05) for measure in ("mean", "percentile_99", "highest")]
        [False, True, True]
        >>> FewFacts(facts=8, short=4, records=100).exceeds("mean", 0.04)  # 1 - 0.96 > 0.04
        False
        """
        eligible = self.records - self.short
        if measure == "highest":
            return self.short > 0 and is_above(1.0, bound)
        if measure == "percentile_99":
            return eligible / self.records < PERCENTILE and is_above(1.0, bound)
        return is_above(with_rest(0.0, {"records": self.records, "eligible": eligible}), bound)


@dataclass(frozen=True, slots=True)
class Cure:
    """What keeps people with too few facts from exceeding a bound.

    Parameters
    ----------
    length : int
        Cells that a record must have to stay in the release: as many as an attacker uses facts.
    facts : int
        Facts, instead of these, that few enough people lack; 1 if none of those tried is.
    """

    length: int
    facts: int


def min_lengths(chains: Iterable[Chain]) -> list[int]:
    """Return the length below which each chain drops records; 1: it drops none for that.

    Examples
    --------
    >>> from sim.config.chains import chains_of
    >>> min_lengths(chains_of(["drop_time", "drop_records.min_length=3,8", "drop_records"]))
    [1, 3, 8, 2]
    """
    found = []
    for chain in chains:
        names = {piece.partition(".")[0] for piece in chain.text.split()}
        given = _MIN_LENGTH.search(chain.text)
        default = DropRecords().min_length if DropRecords.name in names else 1
        found.append(int(given[1]) if given else default)
    return found


def with_min_length(written: Sequence[str], length: int) -> list[str]:
    """Return chains that leave out short records at their end; none if all do so already.

    A chain that already leaves out records of this length and longer ones is not changed.

    Parameters
    ----------
    written : sequence of str
        As in ``plan.defences``.
    length : int
        Cells that a record must have.

    Examples
    --------
    >>> with_min_length(["drop_time", "drop_records cap_length.n=9"], 8)
    ['drop_time drop_records.min_length=8', 'cap_length.n=9 drop_records.min_length=8']
    >>> with_min_length(["drop_records.min_length=8 cap_length.n=5"], 8)
    []
    >>> with_min_length(["unchanged", "drop_records.min_length=9"], 8)
    ['drop_records.min_length=8', 'drop_records.min_length=9']
    """
    changed = [_with_min_length(str(text), length) for text in written]
    return [] if changed == [*map(str, written)] else list(dict.fromkeys(changed))


def _with_min_length(text: str, length: int) -> str:
    if min(min_lengths(chains_of([text]))) >= length:
        return text
    return " ".join([*pieces_but(text, _OPTION), f"{_OPTION}={length}"])


_OPTION = f"{DropRecords.name}.min_length"
_MIN_LENGTH = re.compile(rf"\b{_OPTION}=(\d+)")


def cure(tried: Sequence[FewFacts], measure: str, bound: float) -> Cure | None:
    """Return what helps; None: people with too few facts do not alone exceed the bound.

    Parameters
    ----------
    tried : sequence of FewFacts
        One for each number of facts that an attacker uses.

    Examples
    --------
    >>> cure([FewFacts(2, 1, 9), FewFacts(4, 5, 9), FewFacts(8, 6, 9)], "mean", 0.2)
    Cure(length=8, facts=2)
    """
    lacked = [each.facts for each in tried if each.exceeds(measure, bound)]
    kept = [each.facts for each in tried if not each.exceeds(measure, bound)]
    return Cure(max(lacked), max(kept, default=1)) if lacked else None

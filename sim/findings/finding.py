"""A finding: one thing that a run found, as numbers with their denominator.

Invariant: a finding holds no sentence. Attackers, attacks, criteria, columns and settings are
referred to by identity (``attacker:insider``, ``column:age``), never by words; words are made of it
in `sim.report`, by one template a kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any

Value = bool | int | float | str | None


class Severity(IntEnum):
    """How much a finding matters to whoever relies on the results."""

    NOTE = 0
    """Said where details are asked for."""

    MIND = 1
    """Said on the first screen, if there is room."""

    SERIOUS = 2
    """Said on the first screen before all others: the results may be wrong or too low."""


NOTE, MIND, SERIOUS = Severity


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of finding.

    Parameters
    ----------
    name : str
        Lower case, with underscores; of a plug-in's, ``plugin:NAME``.
    meaning : str
        One line: what it means.
    threshold : float
        Share of the denominator below which it is not shown. Rows that were lost are shown from
        the first on, so theirs is 0.
    remedy : str
        An override that changes it, such as ``data.repeats=cells``; empty: there is none.
    """

    name: str
    meaning: str
    severity: Severity = Severity.NOTE
    threshold: float = 0.0
    remedy: str = ""

    def found(
        self,
        subject: str = "",
        *,
        of: int | None = None,
        remedy: str | None = None,
        severity: Severity | None = None,
        **numbers: Value,
    ) -> Finding:
        """Return a finding of this kind.

        Parameters
        ----------
        of : int, optional
            Denominator of ``count``, if it has one.
        remedy, severity : optional
            In place of those of the kind.
        **numbers
            Its numbers by name; ``count`` is what the threshold is about.
        """
        return replace(
            self.with_numbers(subject, numbers),
            denominator=of,
            severity=self.severity if severity is None else severity,
            remedy=self.remedy if remedy is None else remedy,
        )

    def with_numbers(self, subject: str, numbers: Mapping[str, Value]) -> Finding:
        """Return a finding of this kind, whose numbers are a mapping."""
        return Finding(
            self.name,
            subject,
            numbers,
            severity=self.severity,
            remedy=self.remedy,
            threshold=self.threshold,
        )


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found.

    Parameters
    ----------
    kind : str
        Name of its `Kind`.
    subject : str
        What it is about, by identity: ``data``, ``column:NAME``, ``attacker:NAME``,
        ``attack:NAME``, ``criterion:NAME``, ``defence:NAME``, ``chain:TEXT``, ``part:NAME``.
    numbers : Mapping
        Shares from 0 to 1; counts; names of columns, formats and files as they are.
    denominator : int or None
        Of ``count``.
    remedy : str
        An override, or several with blanks between them; empty: none.
    threshold : float
        Of its kind.

    Examples
    --------
    >>> rows = Kind("rows_lost", "rows that could not be read", Severity.MIND, threshold=0.01)
    >>> found = rows.found("data", count=3, of=1000)
    >>> found.share, found.is_shown
    (0.003, False)
    """

    kind: str
    subject: str
    numbers: Mapping[str, Value] = field(default_factory=dict)
    denominator: int | None = None
    severity: Severity = Severity.NOTE
    remedy: str = ""
    threshold: float = 0.0

    @property
    def share(self) -> float | None:
        """``count`` as a share of the denominator; None without either."""
        count = self.numbers.get("count")
        if not isinstance(count, (int, float)) or not self.denominator:
            return None
        return count / self.denominator

    @property
    def is_shown(self) -> bool:
        """Whether the first screen may show it: it matters, and concerns enough."""
        share = self.share
        return self.severity > Severity.NOTE and (share is None or share >= self.threshold)

    @property
    def name(self) -> str:
        """The subject without what kind of subject it is."""
        return self.subject.partition(":")[2] or self.subject

    def as_json(self) -> dict[str, Any]:
        """Return it as ``findings.json`` holds it."""
        return {
            "kind": self.kind,
            "subject": self.subject,
            "numbers": dict(self.numbers),
            "denominator": self.denominator,
            "severity": self.severity.name.lower(),
            "remedy": self.remedy or None,
        }


def kind_name(finding: Finding | None) -> str:
    """Return the kind of a finding, as a table has it; empty: there is none."""
    return "" if finding is None else finding.kind


def each_once(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings in their order, those that are equal once."""
    kept = list[Finding]()
    for one in findings:
        if one not in kept:
            kept.append(one)
    return kept


def most_serious(findings: Iterable[Finding]) -> list[Finding]:
    """Return those to show, the most serious first; of equals, as they were found.

    Examples
    --------
    >>> a, b = (Kind(name, "", Severity(n)).found() for name, n in (("a", 1), ("b", 2)))
    >>> [one.kind for one in most_serious([a, b])]
    ['b', 'a']
    """
    return sorted((one for one in findings if one.is_shown), key=lambda one: -one.severity)

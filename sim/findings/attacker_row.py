"""What one attacker achieves with one number of facts: the numbers that a verdict rests on.

Invariant: a share has the targets in the release as its denominator, the control those that are not
in it. Where facts about the same people were drawn several times, a number is the mean over the
draws, in whatever order they come.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sim.attack.algorithms.registry import attack_title
from sim.findings.finding import Finding
from sim.findings.strongest import BAYES
from sim.metrics.risk_estimates import Estimate
from sim.numeric.text import quantity
from sim.study.labels import level_text

MEAN = "mean"
MEASURES = ("highest", "percentile_99", MEAN, "succeeds")
"""What can be compared with a bound: risks of a person, and the share that the attack finds."""


@dataclass(frozen=True, slots=True)
class WorstCase:
    """The highest risk of a person by one fact about them, or by two, whether drawn or not.

    Parameters
    ----------
    single, pair : float or None
        By a single fact, and by two; None: none was scored, so they may leave any risk.
    n_single, of_single, n_pair, of_pair : int
        About how many entries single facts were scored, and how many pairs; and of how many.
    """

    single: float | None = None
    pair: float | None = None
    n_single: int = 0
    of_single: int = 0
    n_pair: int = 0
    of_pair: int = 0

    @property
    def risks(self) -> list[tuple[str, float]]:
        """Those that were found, of what is known by the most people first."""
        each = (("single", self.single), ("pair", self.pair))
        return [(name, risk) for name, risk in each if risk is not None]

    @property
    def is_whole(self) -> bool:
        """Whether every single fact was scored."""
        return self.single is not None and self.n_single == self.of_single

    @property
    def found(self) -> float:
        """The highest risk that was found."""
        return max((risk for _, risk in self.risks), default=0.0)

    @property
    def highest(self) -> float:
        """The highest risk that there can be; 1 where a single fact was not scored."""
        return self.found if self.is_whole else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An attacker in one grid cell.

    Parameters
    ----------
    axes : dict of str to object
        The attacker's knowledge, as in ``curves.parquet``.
    attack : str
        The attack whose results these are: the Bayes-optimal one where the attacker is modelled and
        the model holds; otherwise, of those that were run, the one that names most records right.
    records, eligible, attacked : int
        People in the release; of these, those with enough facts in the data that facts are drawn
        from; of these, those attacked.
    no_wrong_item : int
        Of the others in the release, those with enough facts, but so many items that too few are
        left for the wrong facts.
    succeeds, wrong : Estimate
        The attacker names the right record (where there is a `problem`, of so many at least); a
        wrong one.
    control : Estimate or None
        The attacker names any record of one of the `absent` people, who are not in the release.
    absent_are_others : bool
        Whether these never had a record in the release; else they are the people attacked, whose
        records were removed.
    mean, percentile_99, highest : Estimate or None
        Of the risk of a person: the posterior of their own record, the mean over draws of facts.
        None without a model, or if the model has a `problem`.
    best_guess : Estimate or None
        The mean posterior of the likeliest record: the share of people that an attacker can expect
        to be right about who always names it, sure or not. None as for these.
    named_right : Estimate or None
        The highest share, of any attack that was run, of which the likeliest record is the right
        one; 1/t where t records are the likeliest, the person's own among them.
    published, published_finds, published_wrong, published_control
        The published attack on the same targets (empty: none was run); what it names right, wrong,
        and of people not in the release.
    claims : Estimate or None
        The share of the people whom the published attack claims to have found that it is right
        about; None: it claims nobody, or none was run.
    worst_case : WorstCase or None
        None: without a model.
    problem : Finding or None
        Why the risk counts as not tested, one of `sim.findings.strongest`; None: it is tested.
    draws, highest_draw
        Times that facts about each person were drawn; the highest posterior of their own record
        that any person has in any of the draws.
    guard : Estimate or None
        The share that the guard names right, which `mean` and `best_guess` are at least, as is a
        person's risk what the guard gives to their record. None: not tested.
    guard_above_model : bool
        Whether that is more than the model of the attacker can explain.
    facts : str
        Of what the facts are, where the file lacks some: ``original`` or ``file``; else empty.
    other : Row or None
        The same attacker with the other facts.
    untested : str
        The error of facts of the file; empty: they were tested, or there are none.
    """

    attacker: str
    cell: int
    axes: Mapping[str, Any]
    attack: str
    records: int
    eligible: int
    attacked: int
    succeeds: Estimate
    wrong: Estimate
    control: Estimate | None
    absent: int
    mean: Estimate | None = None
    percentile_99: Estimate | None = None
    highest: Estimate | None = None
    best_guess: Estimate | None = None
    named_right: Estimate | None = None
    published: str = ""
    published_finds: Estimate | None = None
    published_wrong: Estimate | None = None
    published_control: Estimate | None = None
    claims: Estimate | None = None
    worst_case: WorstCase | None = None
    problem: Finding | None = None
    draws: int = 1
    highest_draw: float | None = None
    absent_are_others: bool = False
    no_wrong_item: int = 0
    guard: Estimate | None = None
    guard_above_model: bool = False
    facts: str = ""
    other: Row | None = None
    untested: str = ""

    @property
    def is_census(self) -> bool:
        """Whether every eligible record was attacked."""
        return self.attacked == self.eligible

    def is_like(self, other: Row) -> bool:
        """Whether another row is of the same knowledge."""
        mine, theirs = ({k: level_text(v) for k, v in one.axes.items()} for one in (self, other))
        return mine == theirs

    @property
    def untried(self) -> int:
        """Records that cannot be attacked, for whatever reason."""
        return self.records - self.eligible

    @property
    def too_short(self) -> int:
        """Records that have too few facts to be attacked."""
        return self.untried - self.no_wrong_item

    @property
    def highest_of_any(self) -> float:
        """The highest risk of a person by any draw of facts; 0 where none was measured."""
        measured = 0.0 if self.highest is None else self.highest.estimate
        return max(measured, self.highest_draw or 0.0)

    @property
    def shares(self) -> tuple[Estimate, ...]:
        """Shares that count under every measure: named right, claimed, and of the guard."""
        every = self.named_right, self.best_guess, self.guard
        return tuple(one for one in every if one is not None)

    def counted(self, measure: str) -> float | None:
        """Return what is compared with a bound on one of `MEASURES`; None: it was not measured.

        The largest upper end of the measure itself and of `shares`, people who could not be
        attacked counted as found.
        """
        given: Estimate | None = getattr(self, measure)
        if given is None:
            return None
        return max(one.high_of_all for one in (given, *self.shares))

    @property
    def found_for_sure(self) -> float:
        """The share of the targets that some attack names right, at least."""
        shares = (self.succeeds, self.published_finds, self.named_right, self.guard)
        return max(one.low for one in shares if one is not None)

    @property
    def most_found(self) -> tuple[Estimate, str]:
        """The highest share that an attack names right, and this attack."""
        finds = self.published_finds
        if finds is None or self.succeeds.estimate >= finds.estimate:
            return self.succeeds, self.attack
        return finds, self.published

    @property
    def errors_of_most_found(self) -> tuple[Estimate, Estimate | None]:
        """`wrong` and `control` of the attack of `most_found`."""
        if self.published_wrong is None or self.most_found[1] == self.attack:
            return self.wrong, self.control
        return self.published_wrong, self.published_control

    @property
    def highest_share(self) -> Estimate:
        """The highest share of people that an attack finds: of `most_found` and `shares`."""
        return max((self.most_found[0], *self.shares), key=lambda one: one.estimate)


def attacker_words(name: str) -> str:
    """Return the name of an attacker in words."""
    return name.replace("_", " ")


def row_name(row: Row) -> str:
    """Name an attacker with the number of facts, which tells its rows apart."""
    aux = row.axes.get("aux")
    words = attacker_words(row.attacker)
    if aux:
        right, _, size = str(aux).partition("/")
        facts = quantity(int(size), "fact")
        words += f", {facts}" if right == size else f", {facts}, {right} right"
    words += f", of the {row.facts}" if row.facts else ""
    return words if row.attack == BAYES else f"{words} ({attack_title(row.attack)})"

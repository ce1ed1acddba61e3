"""Attackers who had fewer facts than they are meant to know: who, how many people have more, tests.

Invariant: who was not tested with as many facts as meant is named wherever it is said what was not
tested, and before it is advised to publish.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sim.assessment.assessment import Assessment
from sim.assessment.few_facts import FewFacts
from sim.axes.aux import facts_of, with_facts
from sim.extend.overrides import override
from sim.numeric.text import in_a_row, quantity
from sim.report.words.left_out import replaced
from sim.report.words.plain.attackers import attacker


@dataclass(frozen=True, slots=True)
class FewerFacts:
    """An attacker who was given fewer facts than is meant, though some people have more.

    Parameters
    ----------
    name : str
        Of the attacker.
    meant, given : int
        Numbers of facts.
    why : str
        Why it was given no more.
    aux : str
        The value of ``grid.aux`` for as many facts as are meant, or the most that anybody has.
    able : int or None
        The people in the release who have as many; None: not counted.
    between : tuple of (str, int)
        The values of ``grid.aux`` with more facts than were given and fewer than `aux`, ascending,
        each with the people who have as many.
    """

    name: str
    meant: int
    given: int
    why: str
    aux: str
    able: int | None
    between: tuple[tuple[str, int], ...] = ()

    @property
    def untested(self) -> int:
        """The facts that nobody was tested with: as many as meant, or the most anybody has."""
        return facts_of(self.aux)

    @property
    def tests(self) -> tuple[str, ...]:
        """The values of ``grid.aux`` that test whoever has more facts than were given."""
        return (*(aux for aux, _ in self.between), self.aux)

    @property
    def with_how_many(self) -> str:
        """The numbers of facts that were not tested, as "2 or 4 facts"."""
        *fewer, most = map(facts_of, self.tests)
        return in_a_row([*(f"{n:,}" for n in fewer), quantity(most, "fact")], "or")

    @property
    def with_fewer(self) -> str:
        """Who has fewer facts than `untested`, and more than were given, to follow "knows"."""
        return ", or ".join(
            f"{facts_of(aux):,}{'' if place else ' facts'}, which {_have(able)}"
            for place, (aux, able) in enumerate(self.between)
        )

    @property
    def by_how_many(self) -> str:
        """Whom `tests` attacks, to follow "those who have"."""
        able = [*self.between, (self.aux, self.able)]
        counted = [
            f"{facts_of(aux):,}{f' ({_people(n)})' if n and self.between else ''}"
            for aux, n in able
        ]
        return in_a_row(counted, "or")

    @property
    def of_most(self) -> str:
        """That these are the most that anybody has, to follow them; empty: as many as meant."""
        return ", the most that anybody has" if self.untested < self.meant else ""

    @property
    def why_fewer(self) -> str:
        """Why it had fewer facts than are meant."""
        if self.of_most:
            return f"nobody in the release has {self.meant:,}"
        return f"too few people have {self.meant:,}"

    @property
    def who_has_them(self) -> str:
        """Those who have as many facts as were not tested, to follow "of"."""
        if not self.able:
            return "those who have them"
        return f"those who have them ({_people(self.able)})"


def with_fewer_facts(found: Assessment) -> Iterator[FewerFacts]:
    """Yield the attackers who know less than is meant, unless they know all that anybody does."""
    attacks = [
        (part.name, run)
        for part in found.run.parts
        if part.name in found.attackers and part.run is not None
        for run in (part.run.file_facts, part.run)  # fewer people have as many facts in the file
        if run is not None
    ]
    named = set[str]()
    for name, run in attacks:
        left_out = run.record.get("left_out") or ()
        gone = [
            (facts_of(one["axes"]["aux"]), str(one["axes"]["aux"]), one)
            for one in left_out
            if [*one["axes"]] == ["aux"] and one.get("most") is not None
        ]
        if not gone or name in named:
            continue
        given = max(map(facts_of, run.config["grid"]["aux"]))
        meant, aux, one = max(gone, key=lambda each: each[0])
        most = min(one["most"], meant)
        if given < most:  # else they know all that anybody does, or only more of them are right
            why, able = str(one["reason"]), one.get("able")
            test = one.get("test") or with_facts(aux, most)
            between = tuple((one.get("between") or {}).items())
            named.add(name)
            yield FewerFacts(name, meant, given, why, test, able, between)


def not_as_meant(found: Assessment, attackers: Collection[str] | None = None) -> Iterator[str]:
    """Say which attackers know something other than they are meant to, as the release lacks it.

    What one with fewer facts does not find is no evidence about the one who was meant.

    Parameters
    ----------
    attackers : collection of str, optional
        Of these alone; of all if not given.
    """
    for alike in _alike(found, attackers):
        one = alike[0]
        why, who = ("", f"{one.of_most},") if one.of_most else (f" ({one.why})", "")
        yield (
            f"{_names(alike)} {'is' if len(alike) == 1 else 'are'} meant to know "
            f"{quantity(one.meant, 'fact')}, and had only {one.given:,} here, since "
            f"{one.why_fewer}{why}. One who knows {one.untested:,}{who} may find far more of "
            f"{one.who_has_them}, and was not tested"
            f"{f'; nor was one who knows {one.with_fewer}' if one.between else ''}."
        )
    for part in found.run.parts:
        if part.run is None or part.name not in found.attackers:
            continue
        if attackers is None or part.name in attackers:
            for words in replaced(part.run.record):
                yield f"{attacker(part.name)} was adapted to this release: {words}."


def not_with_all_facts(found: Assessment) -> Iterator[str]:
    """Yield the same of those with fewer facts, each to stand in a list of what was not tested."""
    for alike in _alike(found):
        one = alike[0]
        each = "it" if len(alike) == 1 else "each"
        fewer = f", nor what one finds who knows {one.with_fewer}" if one.between else ""
        yield (
            f"{_names(alike)} with {quantity(one.untested, 'fact')}{one.of_most}, where {each} had "
            f"only {one.given:,}: what one who knows {one.untested:,} finds of {one.who_has_them} "
            f"is not known{fewer}."
        )


def tests_of_more(found: Assessment) -> Iterator[tuple[str, list[str]]]:
    """Yield a sentence on how to test those with more facts, and the overrides of an audit for it.

    As many are tested as are meant, or the most that anybody has, and fewer that are more than was
    given.
    """
    tests: dict[tuple[str, ...], list[FewerFacts]] = {}
    for one in with_fewer_facts(found):
        tests.setdefault(one.tests, []).append(one)
    for aux, alike in tests.items():
        whose = [one.name for one in alike]
        known, who = alike[0].with_how_many, in_a_row([attacker(name) for name in whose])
        on, others = "those who have them", "the others as found"
        if len(aux) > 1:
            on = "those who have as many"
        if short := max(_who_exceed(found, one) for one in alike):
            others = f"the other {short:,} as found, who alone exceed the bound"
            if len(aux) > 1:
                lack = f"the {short:,} without {facts_of(aux[-1]):,}"
                others = f"the others as found: {lack} alone exceed the bound"
        yield (
            f"The command with grid.aux=[{','.join(aux)}] tests {who} with {known}, on {on}, "
            f"and counts {others}; standout guide audit says how to judge the two apart.",
            [f"audit.attackers=[{','.join(whose)}]", override("grid.aux", [*aux])],
        )


def _who_exceed(found: Assessment, one: FewerFacts) -> int:
    """Count the people who lack the facts of a test, if they alone exceed the bound; else 0."""
    records = max((row.records for row in found.rows if row.attacker == one.name), default=0)
    if found.bound is None or one.able is None or one.able >= records:
        return 0
    few = FewFacts(one.untested, records - one.able, records)
    return few.short if few.exceeds(found.measure, found.bound) else 0


def _alike(
    found: Assessment, attackers: Collection[str] | None = None
) -> Iterator[list[FewerFacts]]:
    """Yield the attackers together who were meant and given the same."""
    whose: dict[tuple[Any, ...], list[FewerFacts]] = {}
    for one in with_fewer_facts(found):
        if attackers is None or one.name in attackers:
            key = (one.meant, one.given, one.untested, one.why, one.between)
            whose.setdefault(key, []).append(one)
    for _, alike in sorted(whose.items()):
        yield alike


def _names(alike: Sequence[FewerFacts]) -> str:
    return in_a_row(list(dict.fromkeys(attacker(one.name) for one in alike)))


def _people(n: int) -> str:
    return quantity(n, "person", "people")


def _have(people: int) -> str:
    return f"{_people(people)} {'has' if people == 1 else 'have'}"

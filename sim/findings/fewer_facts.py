"""Attackers who had fewer facts than they are meant to know, and how many people have more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sim.axes.aux import facts_of, with_facts
from sim.findings.assessment import Assessment


@dataclass(frozen=True, slots=True)
class FewerFacts:
    """An attacker who was given fewer facts than is meant, though some people have more.

    Parameters
    ----------
    name : str
        Of the attacker.
    meant, given : int
        Numbers of facts.
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
    aux: str
    able: int | None
    between: tuple[tuple[str, int], ...] = ()

    @property
    def tests(self) -> tuple[str, ...]:
        """The values of ``grid.aux`` that test whoever has more facts than were given."""
        return (*(aux for aux, _ in self.between), self.aux)

    @property
    def numbers_of_facts(self) -> tuple[int, ...]:
        """The numbers of facts that nobody was tested with."""
        return tuple(map(facts_of, self.tests))


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
            able = one.get("able")
            test = one.get("test") or with_facts(aux, most)
            between = tuple((one.get("between") or {}).items())
            named.add(name)
            yield FewerFacts(name, meant, given, test, able, between)

"""What a plan advises where people with too few facts exceed the bound, whatever else is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from sim.assessment.assessment import ROWS
from sim.assessment.bound import is_above
from sim.assessment.few_facts import Cure, FewFacts, cure, min_lengths
from sim.assessment.long_records import with_max_length
from sim.assessment.planning import TABLE as TRIALS
from sim.assessment.planning import last_trials
from sim.axes.aux import facts_of
from sim.config.chains import UNCHANGED, Chain, chains_of
from sim.config.schema import package
from sim.defence.drop_records import DropRecords
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_percent, quantity
from sim.record.run_folder import RunFolder


@dataclass(frozen=True, slots=True)
class Shortage:
    """People with too few facts, who alone exceed the bound of a plan after some of its chains.

    Parameters
    ----------
    few : FewFacts
        Counted in the data as they are, or where attackers use fewer facts there after the chain
        that leaves the fewest.
    after : str
        This chain.
    remedy : Cure
        What helps after each of these chains.
    n_chains, n_tested : int
        These chains, and all of which the risk is known, with the data as they are.
    n_within : int
        Of these chains, those after which the risk of the people attacked keeps the bound.
    n_left_within : int
        Of these chains, those after which the risk of the people who have as many facts as
        `remedy` leaves keeps it, or, where attackers use fewer facts there, that of all attacked.
    n_unknown : int
        Chains of which nothing is known, as nobody has as many entries as they ask for.
    """

    few: FewFacts
    after: str
    remedy: Cure
    n_chains: int
    n_tested: int
    n_within: int
    n_left_within: int
    n_unknown: int

    @property
    def may_be_enough(self) -> bool:
        """Whether it may be enough to leave people out: the contrary is not known."""
        return self.n_left_within + self.n_unknown > 0

    @property
    def is_everywhere(self) -> bool:
        """Whether they exceed it after every chain of which the risk is known."""
        return self.n_chains == self.n_tested


def few_facts_words(
    few: FewFacts,
    remedy: Cure,
    bound: float,
    dropped: Sequence[int],
    *,
    after: str = UNCHANGED,
    plain: bool = False,
    is_enough: bool = True,
) -> str:
    """Say who exceeds the bound, and what helps.

    Parameters
    ----------
    dropped : sequence of int
        Of each chain that is tried, the length below which it drops records already.
    after : str
        The chain after which they were counted.
    plain : bool
        Without the key of the attackers' facts.
    is_enough : bool
        Whether the others may keep the bound once these people are left out.
    """
    fewer = f"{remedy.facts:,}" if plain else f"grid.aux=[{remedy.facts}/{remedy.facts}]"
    where = "" if after == UNCHANGED else f"After {after}, "
    leave_out = _leave_out(remedy.length, dropped, is_enough=is_enough)
    return (
        f"{where}{few.short:,} of {quantity(few.records, 'person', 'people')} "
        f"({format_percent(few.short / few.records)}) have fewer facts than the "
        f"{few.facts:,} that an attacker uses. They count as found, and alone exceed the bound "
        f"of {format_percent(bound)} after every change of the data that leaves them in the "
        f"release; stronger changes do not help. {leave_out} "
        f"attackers who know fewer facts, such as {fewer}, if there is a reason why nobody knows "
        "more."
    )


def _leave_out(length: int, dropped: Sequence[int], *, is_enough: bool) -> str:
    """Say how the chains leave out who has too few facts, by what they drop already."""
    least, most = min(dropped, default=1), max(dropped, default=1)
    if not is_enough:
        return (
            "Leaving them out would not be enough: after every chain whose risk is known, the risk "
            "of those who have enough facts exceeds the bound as well. Try"
        )
    if least >= length:
        # What follows in a chain shortens records, or facts are about some of the entries only.
        return (
            f"The chains of plan.defences drop records of fewer than {least:,} entries, and that "
            f"is not enough: set drop_records.min_length above {most:,}, as the last defence of "
            "each chain, or try"
        )
    return f"Leave them out, by plan.min_length={length}, or try"


def few_facts_of_plan(run: RunFolder, *, plain: bool = False) -> str:
    """Say that people with too few facts exceed the bound of a plan after every chain tested.

    Empty: after some chain they do not, or none was tested.
    """
    found = shortage_of_plan(run)
    if found is None or not found.is_everywhere:
        return ""
    dropped, bound = min_lengths(_of_lengths(run)[0]), float(run.config["plan"]["max_risk"])
    return few_facts_words(
        found.few, found.remedy, bound, dropped,
        after=found.after, plain=plain, is_enough=found.may_be_enough,
    )  # fmt: skip


def leaves_nobody(run: RunFolder) -> Iterator[str]:
    """Say that nobody has as many entries as a plan asks for; nothing where somebody has."""
    plan = run.config["plan"]
    length, most = plan["min_length"], plan.get("max_length")
    alone = [f"{DropRecords.name}.min_length={length}"]
    left, empty = _of_lengths(run)
    if {*(alone if most is None else with_max_length(alone, most))} & {one.text for one in empty}:
        few = shortage_of_plan(run)
        helps = few is not None and few.is_everywhere and few.may_be_enough
        instead = "ask for fewer" if helps else "leave it out"
        yield (
            f"plan.min_length={length} leaves nobody: nobody has "
            f"{quantity(length, 'entry', 'entries')}; {instead}."
        )
    elif empty and max(min_lengths(left), default=1) == 1:
        yield (
            "Each chain of plan.defences that drops short records leaves nobody, since nobody has "
            "as many entries there: ask for fewer (drop_records.min_length), or leave it out."
        )


def asks_too_much(run: RunFolder) -> bool:
    """Whether no chain of a plan leaves out short records and somebody else in the release."""
    return next(leaves_nobody(run), None) is not None


def _of_lengths(run: RunFolder) -> tuple[list[Chain], list[Chain]]:
    """Return the chains that left a release, and those after which no record is long enough."""
    trials = run.tables[TRIALS]
    made = {*trials.loc[trials["people"].notna() | trials["risk"].notna(), "chain"]}
    too_short = trials["because"].astype(str).str.startswith(_TOO_SHORT)
    empty = {*trials.loc[too_short, "chain"]} - made
    chains = chains_of(run.config["plan"]["defences"])
    return (
        [chain for chain in chains if chain.text in made],
        [chain for chain in chains if chain.text in empty],
    )


_TOO_SHORT = f"{package('defence', DropRecords.name)}.min_length: "
"""The key that is named where no record is long enough."""


def shortage_of_plan(run: RunFolder) -> Shortage | None:
    """Return who exceeds the bound of a plan whatever else is done; None: after no chain."""
    bound, measure = float(run.config["plan"]["max_risk"]), str(run.config["audit"]["measure"])
    tested = tested_chains(run)
    found: dict[str, tuple[FewFacts, Cure]] = {}
    for chain, (audit, _) in tested.items():
        tried = {each.facts: each for each in _tried(audit)}
        remedy = cure([*tried.values()], measure, bound)
        if remedy is not None:
            found[chain] = tried[remedy.length], remedy
    if not found:
        return None
    # The longest record that some chain asks for, and the fewest facts, help after each of them.
    remedies = [remedy for _, remedy in found.values()]
    remedy = Cure(max(one.length for one in remedies), min(one.facts for one in remedies))
    most = {chain: few for chain, (few, _) in found.items() if few.facts == remedy.length}
    after = min(most, key=lambda one: (one != UNCHANGED, share_of(most[one])))
    within = sum(not is_above(tested[chain][1], bound) for chain in found)
    of_left = (_of_those_left(*tested[chain], remedy.length, measure) for chain in found)
    left = sum(not is_above(risk, bound) for risk in of_left)
    unknown = len(_of_lengths(run)[1])
    return Shortage(most[after], after, remedy, len(found), len(tested), within, left, unknown)


def tested_chains(run: RunFolder) -> dict[str, tuple[RunFolder, float]]:
    """Return the last audit after each chain whose risk is known, and this risk."""
    audits = {part.name: part.run for part in run.parts if part.run is not None}
    return {
        str(one["chain"]): (audits[str(one["part"])], float(one["risk"]))
        for one in row_dicts(last_trials(run.tables[TRIALS]).dropna(subset="risk"))
    }


def share_of(few: FewFacts) -> float:
    """Return the share of the people who are counted."""
    return few.short / few.records


def _of_those_left(audit: RunFolder, of_all: float, length: int, measure: str) -> float:
    """Return the risk of those who have as many facts; that of all: nobody knows as many there."""
    rows = audit.tables[ROWS]
    risks = [
        float(row[measure])
        for row in row_dicts(rows[rows["aux"] != ""])
        if facts_of(row["aux"]) == length and pd.notna(row[measure])
    ]
    return max(risks, default=of_all)


def _tried(audit: RunFolder) -> Iterator[FewFacts]:
    """Yield what the table of an audit says of each number of facts, the worst of a number last."""
    rows = audit.tables[ROWS]
    short = rows["records"] - rows["eligible"] - too_many(rows)
    rows = rows.assign(short=short).sort_values("short", kind="stable")
    for row in row_dicts(rows[rows["aux"] != ""]):
        facts = facts_of(row["aux"])
        yield FewFacts(facts, int(row["short"]), int(row["records"]))


def too_many(rows: pd.DataFrame) -> pd.Series[int]:
    """Return, of each row of an audit, who has enough facts, but no item for the wrong ones."""
    return rows.get("no_wrong_item", pd.Series(0, rows.index))

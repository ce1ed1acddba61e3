"""What a plan advises where people with too few facts exceed the bound, whatever else is done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sim.assessment.assessment import ROWS
from sim.assessment.few_facts import Cure, FewFacts, cure, min_lengths
from sim.assessment.planning import TABLE as TRIALS
from sim.axes.aux import facts_of
from sim.config.chains import UNCHANGED, Chain, chains_of
from sim.config.schema import package
from sim.defence.drop_records import DropRecords
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_percent, quantity
from sim.record.run_folder import RunFolder


def few_facts_words(
    few: FewFacts, remedy: Cure, bound: float, dropped: Sequence[int], *, plain: bool = False
) -> str:
    """Say who exceeds the bound, and what helps.

    Parameters
    ----------
    dropped : sequence of int
        Of each chain that is tried, the length below which it drops records already.
    plain : bool
        Without the key of the attackers' facts.
    """
    fewer = f"{remedy.facts:,}" if plain else f"grid.aux=[{remedy.facts}/{remedy.facts}]"
    return (
        f"{few.short:,} of {quantity(few.records, 'person', 'people')} "
        f"({format_percent(few.short / few.records)}) have fewer facts than the "
        f"{few.facts:,} that an attacker uses. They count as found, and alone exceed the bound "
        f"of {format_percent(bound)} after every change of the data that leaves them in the "
        f"release; stronger changes do not help. {_leave_out(remedy.length, dropped)}, or try "
        f"attackers who know fewer facts, such as {fewer}, if there is a reason why nobody knows "
        "more."
    )


def _leave_out(length: int, dropped: Sequence[int]) -> str:
    """Say how the chains leave out who has too few facts, by what they drop already."""
    least, most = min(dropped, default=1), max(dropped, default=1)
    if least >= length:
        # What follows in a chain shortens records, or facts are about some of the entries only.
        return (
            f"The chains of plan.defences drop records of fewer than {least:,} entries, and that "
            f"is not enough: set drop_records.min_length above {most:,}, as the last defence of "
            "each chain"
        )
    return f"Leave them out, by plan.min_length={length}"


def few_facts_of_plan(run: RunFolder, *, plain: bool = False) -> str:
    """Say that people with too few facts exceed the bound of a plan after every chain tested.

    Empty: after some chain they do not, or none was tested.
    """
    found = remedy_of_plan(run)
    if found is None:
        return ""
    dropped = min_lengths(_of_lengths(run)[0])
    return few_facts_words(*found, float(run.config["plan"]["max_risk"]), dropped, plain=plain)


def leaves_nobody(run: RunFolder) -> Iterator[str]:
    """Say that nobody has as many entries as a plan asks for; nothing where somebody has."""
    length = run.config["plan"]["min_length"]
    left, empty = _of_lengths(run)
    if f"{DropRecords.name}.min_length={length}" in {chain.text for chain in empty}:
        instead = "leave it out" if remedy_of_plan(run) is None else "ask for fewer"
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
    last = run.tables[TRIALS].groupby("chain", sort=False).last()
    because = last["because"].astype(str)
    made = {*last.index[last["people"].notna() | last["risk"].notna()]}
    empty = {*last.index[because.str.startswith(_TOO_SHORT)]} - made
    chains = chains_of(run.config["plan"]["defences"])
    return (
        [chain for chain in chains if chain.text in made],
        [chain for chain in chains if chain.text in empty],
    )


_TOO_SHORT = f"{package('defence', DropRecords.name)}.min_length: "
"""The key that is named where no record is long enough."""


def remedy_of_plan(run: RunFolder) -> tuple[FewFacts, Cure] | None:
    """Return who exceeds the bound of a plan after every chain tested, and a cure.

    Counted in the data as they are, or where these were not tested after the chain that leaves the
    fewest. None: after some chain they do not, or none was tested.
    """
    bound, measure = float(run.config["plan"]["max_risk"]), str(run.config["audit"]["measure"])
    audits = {part.name: part.run for part in run.parts if part.run is not None}
    last = run.tables[TRIALS].groupby("chain", sort=False).last()
    tested = last.loc[last["risk"].notna(), "part"]
    found: list[tuple[FewFacts, Cure]] = []
    for name in tested:
        tried = {each.facts: each for each in _tried(audits[str(name)])}
        remedy = cure([*tried.values()], measure, bound)
        if remedy is None:
            return None
        found.append((tried[remedy.length], remedy))
    if not found:
        return None
    fewest, _ = min(found, key=lambda one: one[0].short / one[0].records)
    chains = [str(chain) for chain in tested.index]
    if UNCHANGED in chains:
        fewest, _ = found[chains.index(UNCHANGED)]
    # The longest record that some chain asks for, and the fewest facts, help after each of them.
    return fewest, Cure(max(one.length for _, one in found), min(one.facts for _, one in found))


def _tried(audit: RunFolder) -> Iterator[FewFacts]:
    """Yield what the table of an audit says of each number of facts, the worst of a number last."""
    rows = audit.tables[ROWS]
    rows = rows.assign(short=rows["records"] - rows["eligible"]).sort_values("short", kind="stable")
    for row in row_dicts(rows[rows["aux"] != ""]):
        facts = facts_of(row["aux"])
        yield FewFacts(facts, int(row["short"]), int(row["records"]))

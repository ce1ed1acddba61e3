"""What a plan advises where people who have nearly every item exceed the bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sim.assessment.assessment import ROWS
from sim.assessment.bound import is_above
from sim.assessment.few_facts import FewFacts
from sim.axes.aux import AuxAxis, facts_of
from sim.config.chains import UNCHANGED
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_percent, quantity
from sim.record.run_folder import RunFolder
from sim.record.run_record import long_records
from sim.report.words.few_facts import share_of, tested_chains, too_many


@dataclass(frozen=True, slots=True)
class ManyItems:
    """People with nearly every item, who alone exceed the bound of a plan after some chain.

    Parameters
    ----------
    who : FewFacts
        How many lack too few items for the wrong facts of so many.
    after : str
        The chain after which they are the fewest of those after which they exceed it.
    max_length : int or None
        Entries of a person that leave them out if there are more; None: it is not known that some
        number does, or that the others keep the bound.
    left_out : int
        People with more entries.
    """

    who: FewFacts
    after: str
    max_length: int | None
    left_out: int


def many_items_of_plan(run: RunFolder) -> ManyItems | None:
    """Return who exceeds the bound of a plan by too many items; None: after no chain."""
    bound, measure = float(run.config["plan"]["max_risk"]), str(run.config["audit"]["measure"])
    worst: dict[str, tuple[FewFacts, str]] = {}
    tested = tested_chains(run)
    for chain, (audit, _) in tested.items():
        rows = audit.tables[ROWS]
        full = (
            (FewFacts(facts_of(row["aux"]), int(row["full"]), int(row["records"])), row["aux"])
            for row in row_dicts(rows.assign(full=too_many(rows)))
            if row["full"]
        )
        exceeding = [one for one in full if one[0].exceeds(measure, bound)]
        if exceeding:
            worst[chain] = max(exceeding, key=lambda one: share_of(one[0]))
    if not worst:
        return None
    chain = min(worst, key=lambda one: (one != UNCHANGED, share_of(worst[one][0])))
    who, aux = worst[chain]
    length, left_out = None, 0
    if any(not is_above(tested[one][1], bound) for one in worst):
        length, left_out = _without(run.record, who, aux)
    given = run.config["plan"].get("max_length")
    if length is not None and (length < who.facts or (given is not None and given <= length)):
        length, left_out = None, 0
    return ManyItems(who, chain, length, left_out)


def _without(record: Mapping[str, Any], who: FewFacts, aux: str) -> tuple[int | None, int]:
    """Return the entries of a person above which those who have nearly every item lie, and who."""
    far, release = long_records(record), record["release"]
    if far is not None and far[0] >= who.short:
        return far[1], far[0]
    if release.get("n_repeats"):  # some have as many entries, of few items
        return None, 0
    right, size = AuxAxis().parsed(aux)
    return int(release["n_items"]) - (size - right), who.short


def too_many_items(run: RunFolder) -> str:
    """Say that people who hold too many items alone exceed the bound of a plan after some chain.

    Empty: after none.
    """
    found = many_items_of_plan(run)
    if found is None:
        return ""
    who, bound = found.who, float(run.config["plan"]["max_risk"])
    where = "" if found.after == UNCHANGED else f"After {found.after}, "
    leave_out = ""
    if found.max_length is not None:
        leave_out = (
            f"Leave them out, by plan.max_length={found.max_length}, if they are staff or the "
            f"like: it leaves out {quantity(found.left_out, 'person', 'people')} with more "
            "entries. "
        )
    return (
        f"{where}{who.short:,} of {quantity(who.records, 'person', 'people')} "
        f"({format_percent(share_of(who))}) have nearly every item. Wrong facts are about items "
        "that a person does not have, and too few of these are left for the wrong ones of "
        f"{who.facts:,} facts. These people count as found, and alone exceed the bound of "
        f"{format_percent(bound)}. Leaving out short records does not help against that. "
        f"{leave_out}Attackers all of whose facts are right (grid.aux=[{who.facts}/{who.facts}]) "
        "can be tried on these people."
    )

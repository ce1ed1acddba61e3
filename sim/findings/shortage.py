"""Who exceeds the bound of a plan whatever is done: people with too few facts, or every item.

Invariant: they count as found, whatever is done to the other records. Where they alone exceed a
bound, no change keeps it that leaves them in the release.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sim.axes.aux import AuxAxis, facts_of
from sim.config.chain_lengths import min_lengths, with_max_length
from sim.config.chains import UNCHANGED, Chain, chains_of
from sim.defence.drop_records import DropRecords
from sim.findings.assessment import ROWS
from sim.findings.chains import TOO_SHORT, TRIALS, last_trials
from sim.metrics.few_facts import Cure, FewFacts, cure
from sim.metrics.risk_estimates import is_above
from sim.numeric.rows import row_dicts
from sim.record.run_folder import RunFolder
from sim.record.run_record import long_records


@dataclass(frozen=True, slots=True)
class Shortage:
    """People with too few facts, who alone exceed the bound of a plan after some of its chains."""

    few: FewFacts
    """Counted after the chain `after`: of the data as they are, or where attackers use fewer facts
    there, after the one that leaves the fewest."""
    after: str
    remedy: Cure
    n_chains: int
    """Chains after which they exceed it, of `n_tested` whose risk is known."""
    n_tested: int
    n_within: int
    """Of these chains, those after which the risk of the people attacked keeps the bound."""
    n_left_within: int
    """Those after which the risk of who has as many facts as the remedy leaves keeps it, or, where
    attackers use fewer facts there, that of all attacked."""
    n_unknown: int
    """Chains of which nothing is known, as nobody has as many entries as they ask for."""

    @property
    def may_be_enough(self) -> bool:
        """Whether it may be enough to leave people out: the contrary is not known."""
        return self.n_left_within + self.n_unknown > 0

    @property
    def is_everywhere(self) -> bool:
        """Whether they exceed it after every chain of which the risk is known."""
        return self.n_chains == self.n_tested

    @property
    def is_in_most(self) -> bool:
        """Whether they exceed it after most chains, and the others keep it after some of these."""
        return 2 * self.n_chains > self.n_tested and self.n_within > 0


@dataclass(frozen=True, slots=True)
class ManyItems:
    """People with nearly every item, who alone exceed the bound of a plan after some chain."""

    who: FewFacts
    """How many lack too few items for the wrong facts of so many."""
    after: str
    """The chain after which they are the fewest of those after which they exceed it."""
    max_length: int | None
    """Entries above which people are left out, `left_out` of them; None: it is not known that some
    number does, or that the others keep the bound."""
    left_out: int


def shortage_of_plan(run: RunFolder) -> Shortage | None:
    """Return who exceeds the bound of a plan whatever else is done; None: after no chain."""
    bound, measure = float(run.config["plan"]["max_risk"]), str(run.config["audit"]["measure"])
    tested = _tested_chains(run)
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
    after = min(most, key=lambda one: (one != UNCHANGED, most[one].share))
    within = sum(not is_above(tested[chain][1], bound) for chain in found)
    of_left = (_of_those_left(*tested[chain], remedy.length, measure) for chain in found)
    left = sum(not is_above(risk, bound) for risk in of_left)
    unknown = len(chains_by_length(run)[1])
    return Shortage(most[after], after, remedy, len(found), len(tested), within, left, unknown)


def many_items_of_plan(run: RunFolder) -> ManyItems | None:
    """Return who exceeds the bound of a plan by too many items; None: after no chain."""
    bound, measure = float(run.config["plan"]["max_risk"]), str(run.config["audit"]["measure"])
    worst: dict[str, tuple[FewFacts, str]] = {}
    tested = _tested_chains(run)
    for chain, (audit, _) in tested.items():
        rows = audit.tables[ROWS]
        full = (
            (FewFacts(facts_of(row["aux"]), int(row["full"]), int(row["records"])), row["aux"])
            for row in row_dicts(rows.assign(full=_too_many(rows)))
            if row["full"]
        )
        exceeding = [one for one in full if one[0].exceeds(measure, bound)]
        if exceeding:
            worst[chain] = max(exceeding, key=lambda one: one[0].share)
    if not worst:
        return None
    chain = min(worst, key=lambda one: (one != UNCHANGED, worst[one][0].share))
    who, aux = worst[chain]
    length, left_out = None, 0
    if any(not is_above(tested[one][1], bound) for one in worst):
        length, left_out = _without(run.record, who, aux)
    given = run.config["plan"].get("max_length")
    if length is not None and (length < who.facts or (given is not None and given <= length)):
        length, left_out = None, 0
    return ManyItems(who, chain, length, left_out)


def chains_by_length(run: RunFolder) -> tuple[list[Chain], list[Chain]]:
    """Return the chains that left a release, and those after which no record is long enough."""
    trials = run.tables[TRIALS]
    made = {*trials.loc[trials["people"].notna() | trials["risk"].notna(), "chain"]}
    empty = {*trials.loc[trials["because"] == TOO_SHORT.name, "chain"]} - made
    chains = chains_of(run.config["plan"]["defences"])
    return (
        [chain for chain in chains if chain.text in made],
        [chain for chain in chains if chain.text in empty],
    )


def asks_of_nobody(run: RunFolder) -> bool:
    """Whether nobody has as many entries as a plan asks for itself, whatever its chains do."""
    length, most = run.config["plan"]["min_length"], run.config["plan"].get("max_length")
    alone = [f"{DropRecords.name}.min_length={length}"]
    asked = {*(alone if most is None else with_max_length(alone, most))}
    return bool(asked & {one.text for one in chains_by_length(run)[1]})


def chains_ask_of_nobody(run: RunFolder) -> bool:
    """Whether nobody has as many entries as each chain asks for that drops short records."""
    left, empty = chains_by_length(run)
    return bool(empty) and max(min_lengths(left), default=1) == 1


def _tested_chains(run: RunFolder) -> dict[str, tuple[RunFolder, float]]:
    """Return the last audit after each chain whose risk is known, and this risk."""
    audits = {part.name: part.run for part in run.parts if part.run is not None}
    return {
        str(one["chain"]): (audits[str(one["part"])], float(one["risk"]))
        for one in row_dicts(last_trials(run.tables[TRIALS]).dropna(subset="risk"))
    }


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
    short = rows["records"] - rows["eligible"] - _too_many(rows)
    rows = rows.assign(short=short).sort_values("short", kind="stable")
    for row in row_dicts(rows[rows["aux"] != ""]):
        yield FewFacts(facts_of(row["aux"]), int(row["short"]), int(row["records"]))


def _too_many(rows: pd.DataFrame) -> pd.Series[int]:
    """Return, of each row of an audit, who has enough facts, but no item for the wrong ones."""
    return rows.get("no_wrong_item", pd.Series(0, rows.index))


def _without(record: Mapping[str, Any], who: FewFacts, aux: str) -> tuple[int | None, int]:
    """Return the entries of a person above which those who have nearly every item lie, and who."""
    far, release = long_records(record), record["release"]
    if far is not None and far[0] >= who.short:
        return far[1], far[0]
    if release.get("n_repeats"):  # some have as many entries, of few items
        return None, 0
    right, size = AuxAxis().parsed(aux)
    return int(release["n_items"]) - (size - right), who.short

"""How many facts are enough to find how many people, in a sentence for the first screen."""

from __future__ import annotations

from collections.abc import Iterator

from sim.assessment.assessment import FACTS_PART, Assessment
from sim.metrics.counts import RELEASED
from sim.metrics.curves import axis_columns
from sim.numeric.rows import row_dicts
from sim.numeric.text import quantity
from sim.report.words.plain.attackers import attack_of, precision
from sim.report.words.plain.shares import estimate_of, people_found


def facts_tested(found: Assessment) -> tuple[int, int]:
    """Count the people about whom growing numbers of facts were tried, and all in the release."""
    assert found.facts is not None
    part = attack_of(found.run, FACTS_PART)
    first = row_dicts(part.tables["curves"])[0]
    whole = int(first.get(RELEASED[0], part.record["release"]["n_records"]))
    return int(found.facts["n"].sum()), whole


def enough_facts(found: Assessment) -> Iterator[str]:
    """Yield how few facts are enough to find somebody, and how many to find most people.

    Nothing where growing numbers of facts were not tested.
    """
    if found.facts is None:
        return
    rows = row_dicts(found.facts.dropna(subset="facts"))
    n, whole = facts_tested(found)
    first = next((row for row in rows if row["at_most"] > 0), rows[-1])
    most = next((row for row in rows if row["at_most"] >= 0.5), rows[-1])
    size = int(first["facts"])
    people = people_found(estimate_of(first, "at_most"), n, which="attacked")
    part = attack_of(found.run, FACTS_PART)
    curves = part.tables["curves"]
    axes = {axis: curves.iloc[0][axis] for axis in axis_columns(curves)}
    exact = precision(axes)
    who = f"for an attacker who makes the best use of facts{' with ' if exact else ''}{exact}"
    sample = "" if n == whole else f" They are a random sample of the {whole:,} in the release."
    if not first["at_most"]:
        yield f"With up to {quantity(size, 'fact')} nobody is found: {people}, {who}.{sample}"
        return
    few = "A single fact is" if size == 1 else f"{size:,} facts are"
    more = ""
    if most is not first:
        them = people_found(estimate_of(most, "at_most"), n)
        more = f", and up to {int(most['facts']):,} are enough for {them}"
    yield f"{few} enough to find {people}{more}, {who}.{sample}"

"""How many facts are enough to find how many people, in a sentence for the first screen."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from sim.assessment.assessment import FACTS_PART, Assessment
from sim.assessment.rows import estimate_of
from sim.axes.aux import facts_of, right_facts_of
from sim.metrics.counts import RELEASED
from sim.metrics.curves import axis_columns
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_percent, quantity
from sim.report.population import that_lack
from sim.report.words.plain.attackers import attack_of, precision
from sim.report.words.plain.shares import people_found


def facts_tested(found: Assessment) -> tuple[int, int]:
    """Count the people about whom growing numbers of facts were tried, and all in the release."""
    assert found.facts is not None
    part = attack_of(found.run, FACTS_PART)
    first = row_dicts(part.tables["curves"])[0]
    whole = int(first.get(RELEASED[0], part.record["release"]["n_records"]))
    return int(found.facts["n"].sum()), whole


def finds_more(found: Assessment) -> bool:
    """Whether growing numbers of facts find a larger share of people than any attacker does."""
    if found.facts is None or found.most_found is None:
        return False
    most = found.facts["at_most"].dropna().max()
    return bool(most > found.most_found.most_found[0].estimate)


def found_by_one_dated_fact(found: Assessment) -> float | None:
    """Return the share of people whom a fact with its date finds; None: it was not tested."""
    if found.facts is None:
        return None
    curves = attack_of(found.run, FACTS_PART).tables["curves"]
    if "date_noise" not in axis_columns(curves) or pd.isna(curves["date_noise"].iloc[0]):
        return None
    single = found.facts.loc[found.facts["facts"] == 1, "at_most"].dropna()
    return float(single.iloc[0]) if len(single) else None


def _sample(found: Assessment, n: int, whole: int) -> str:
    """Say which of the people in the release were attacked, if not all."""
    if n == whole:
        return ""
    curves = attack_of(found.run, FACTS_PART).tables["curves"]
    eligible, attacked = (int(curves.iloc[0][name]) for name in ("n_eligible", "n_targets"))
    lack = that_lack(row_dicts(curves)[0])
    # Who can be attacked is counted in the original data, where others are released.
    if RELEASED[0] in curves and n != eligible:
        sample = "" if attacked == eligible else "a random sample of "
        return (
            f" They are those in the release of {sample}the {eligible:,} people of the original "
            f"data who have as many facts{lack}; {whole:,} people are in the release."
        )
    if n == eligible:
        return f" They are all who have as many facts{lack}, of {whole:,} in the release."
    if eligible == whole:
        return f" They are a random sample of the {whole:,} in the release."
    return (
        f" They are a random sample of the {eligible:,} who have as many facts{lack}, of "
        f"{whole:,} in the release."
    )


def some_wrong(curves: pd.DataFrame) -> str:
    """Say how many of the facts are right, to follow the word; empty where all are.

    Examples
    --------
    >>> some_wrong(pd.DataFrame({"aux": ["3/4"]})), some_wrong(pd.DataFrame({"aux": ["4/4"]}))
    (', 3 of 4 of them right,', '')
    """
    level = curves["aux"].iloc[0] if "aux" in curves else None
    if level is None or pd.isna(level) or right_facts_of(level) == facts_of(level):
        return ""
    return f", {right_facts_of(level):,} of {facts_of(level):,} of them right,"


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
    sure = format_percent(float(found.run.config["audit"]["confidence"]))
    who = (
        f"for an attacker who makes the best use of facts{some_wrong(curves)}"
        f"{' with ' if exact else ''}{exact} and is "
        f"at least {sure} sure (where several records fit alike, a shorter one is more likely)"
    )
    sample = _sample(found, n, whole)
    if not first["at_most"]:
        if found.most_found is not None and found.most_found.most_found[0].estimate:
            return  # an attack that was run finds people whom this attacker, by its model, does not
        yield (
            f"With up to {quantity(size, 'fact')} nobody is found: {people}, {who}. Of records "
            f"that are equally likely, none counts as found.{sample}"
        )
        return
    few = "A single fact is" if size == 1 else f"{size:,} facts are"
    if size > 1 and first is rows[0]:
        few = f"{size:,} facts, the fewest that were tried, are"
    more = ""
    if most is not first:
        them = people_found(estimate_of(most, "at_most"), n)
        more = f", and up to {int(most['facts']):,} are enough for {them}"
    yield f"{few} enough to find {people}{more}, {who}.{sample}"

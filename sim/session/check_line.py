"""The last line of a check: the verdicts counted, and how the run asks less than an audit does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sim.assessment.assessment import Assessment
from sim.assessment.names import attacker_words
from sim.assessment.rows import Row
from sim.assessment.verdicts import NOT_TESTED, WITHIN, WORST_FIRST
from sim.axes.aux import facts_of
from sim.config.own_overrides import own_key
from sim.config.schema import BOTH
from sim.numeric.text import format_percent, quantity
from sim.report.words.assessment import MEASURED, attacked
from sim.report.words.defences import keys_of_knowledge
from sim.report.words.not_run import names_not_run, usual_audit
from sim.report.words.own_attackers import own_attackers
from sim.report.words.plain.audit import most_facts
from sim.report.words.risk_of_people import highest_risk


def verdicts_in_words(
    verdicts: Mapping[str, str],
    asked_for: Sequence[str],
    left_out: Sequence[str],
    with_more: Mapping[str, str] | None = None,
    *,
    advise: bool = True,
) -> str:
    """Count the verdicts, the worst first; an attacker is as its worst row.

    Parameters
    ----------
    with_more : dict of str to str, optional
        What the attackers are meant to know who had less, and were not tested with it.

    Examples
    --------
    >>> verdicts = {"insider": "within", "public_profile": "not tested"}
    >>> for piece in verdicts_in_words(verdicts, list(verdicts), []).split("; "):
    ...     print(piece)
    not tested: 1 of 2 attackers (public profile)
    within: 1
    attackers=insider leaves out those not tested, of whom nothing is then known
    """
    pieces, more = list[str](), with_more or {}
    for kind in WORST_FIRST:
        facts = more if kind == NOT_TESTED else {}
        names = [
            f"{attacker_words(name)}{f' with {facts[name]}' if name in facts else ''}"
            for name, verdict in verdicts.items()
            if verdict == kind
        ]
        if names:
            of = "" if pieces else f" of {quantity(len(verdicts), 'attacker')}"
            which = "" if kind == WITHIN else f" ({', '.join(names)})"
            pieces.append(f"{kind}: {len(names)}{of}{which}")
    judged = [n for n in asked_for if verdicts.get(n, NOT_TESTED) != NOT_TESTED]
    fewer = [f"{attacker_words(n)} with {facts}" for n, facts in more.items() if n in judged]
    if fewer:  # what the verdict is on does not say that more was asked for
        pieces.append(f"not tested with more facts: {', '.join(fewer)}")
    tested = [n for n in judged if n not in more]
    if tested and advise and NOT_TESTED in verdicts.values():
        pieces.append(
            f"attackers={','.join(tested)} leaves out those not tested, of whom nothing is then "
            "known"
        )
    if left_out:
        others = ", ".join(map(attacker_words, left_out))
        pieces.append(f"not asked for, and not judged: {others}")
    return "; ".join(pieces)


def restrictions(found: Assessment, asked_for: Sequence[str], *, written: bool) -> Iterator[str]:
    """Yield how a run asks less than an audit does by default, in the line that is read first.

    Parameters
    ----------
    asked_for : sequence of str
        The attackers that are judged.
    written : bool
        Whether a plan wrote what was attacked.
    """
    record = found.run.record
    changed = [one["name"] for one in attacked(found).get("defences") or ()]
    if changed and not written:
        yield f"judged is what {' and '.join(changed)} leave, and not the file that was read"
    left, keys = names_not_run(record), keys_of_knowledge(record)
    if found.measure != "highest":
        highest = highest_risk(found)
        most = f", whose highest risk is {highest}" if highest else ""
        yield f"the bound is one on {MEASURED[found.measure]}, and no bound for each person{most}"
    else:
        yield from _by_more_facts(found, asked_for)
    if found.measure == "succeeds" and found.confidence != usual_audit()["confidence"]:
        yield f"found means named right by one at least {format_percent(found.confidence)} sure"
    if found.bound == 1:
        yield "every risk keeps a bound of 100%"
    known = found.run.config["audit"]["known_facts"]
    if changed and known != BOTH:
        yield f"attackers know {known} facts alone (audit.known_facts)"
    if left:
        yield f"left out of the run, and not tested: {', '.join(map(attacker_words, left))}"
    yield from own_attackers(found, asked_for)
    if keys:
        facts = most_facts(found) if any(own_key(key) == "grid.aux" for key in keys) else 0
        more = f"; nobody was tested who knows more than {quantity(facts, 'fact')} about a person"
        yield (
            f"what attackers know is not what their names stand for: {' '.join(keys)}"
            f"{more if facts else ''}"
        )


def _by_more_facts(found: Assessment, asked_for: Sequence[str]) -> Iterator[str]:
    """Yield by which facts of attackers the highest risk is that of those drawn alone."""
    rows = [row for row in found.rows if row.attacker in asked_for and row.rare_facts is not None]
    several = [row for row in rows if _facts_of(row) > 1]
    pairs = all(row.rare_facts.pair is not None for row in several if row.rare_facts)
    if any(_facts_of(row) > (2 if pairs else 1) for row in several):
        yield (
            f"by {'three' if pairs else 'two'} facts or more, the highest risk is that of the "
            "facts drawn, and others (audit.draws) may show a higher one"
        )


def _facts_of(row: Row) -> int:
    return facts_of(row.axes["aux"]) if row.axes.get("aux") else 0

"""On what the verdicts of a check rest: how a run asks less than an audit, and of what file."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sim.axes.aux import facts_of
from sim.config.schema import BOTH
from sim.config.usual_audit import own_attackers, usual_audit
from sim.findings.assessment import Assessment, attacking
from sim.findings.attacker_row import Row
from sim.findings.finding import MIND, NOTE, SERIOUS, Finding, Kind
from sim.findings.risk_rows import COUNTING

NOT_EACH = Kind("no_bound_for_each", "the bound is not on each person", MIND)
FACTS_DRAWN = Kind("facts_drawn_only", "of several facts, only those drawn were judged", MIND)
SURENESS_SET = Kind("confidence_set", "found means another sureness than usual", MIND)
ANY_RISK = Kind("bound_of_all", "every risk keeps a bound of 100%", MIND)
FACTS_OF_ONE = Kind("facts_of_one", "facts of the original or of the file alone", MIND)
OWN_ATTACKER = Kind("own_attacker", "an attacker whom Standout does not bring", MIND)
CHANGED = Kind("judged_after_changes", "what defences leave was judged, not the file read")
NOT_ASKED = Kind("attacker_not_judged", "an attacker who was not asked for", MIND)
NOT_COMPARED = Kind("file_not_compared", "no file was compared", remedy="data.path=FILE")
AS_READ = Kind("released_as_read", "holds if only what was read is released", MIND)
OF_ROWS = Kind("file_format_not_looked_at", "only the rows of a file were judged", NOTE)
FINGERPRINT = Kind("fingerprint", "what was attacked, by its fingerprint")
WRITTEN = Kind("plan_wrote", "the file that a plan wrote, by its SHA-256")
UNCHANGED = Kind("folder_unchanged", "the files of a run are as the run wrote them")
ATTACKS_ONLY = Kind("attacks_only", "verdicts of attacks, not of an audit", MIND)
FILE_HOLDS_MORE = Kind("file_not_as_read", "the file holds more than was read", SERIOUS)
OTHER_FILE = Kind("other_file", "neither read by the run nor written by it", SERIOUS)
FILE_GONE = Kind("file_gone", "the file that a plan wrote is not there", SERIOUS)
NOTHING_OFFERED = Kind("nothing_offered_to_check", "a plan that offers no release")


def restrictions(
    found: Assessment, attackers: Collection[str], *, written: bool
) -> Iterator[Finding]:
    """Yield how an audit asks less than one does by default.

    Parameters
    ----------
    attackers : collection of str
        Those that are judged.
    written : bool
        Whether a plan wrote what was attacked.
    """
    changed = [str(one["name"]) for one in attacking(found.run).record.get("defences") or ()]
    if changed and not written:
        yield CHANGED.found("data", defences=" ".join(changed))
    if found.measure != "highest":
        yield NOT_EACH.found("audit", measure=found.measure)
    elif several := _most_facts_looked_at(found, attackers):
        yield FACTS_DRAWN.found("audit", facts=several, remedy="audit.draws=5")
    if found.measure == "succeeds" and found.confidence != usual_audit()["confidence"]:
        yield SURENESS_SET.found("audit", confidence=found.confidence)
    if found.bound == 1:
        yield ANY_RISK.found("audit")
    known = found.run.config["audit"]["known_facts"]
    if changed and known != BOTH:
        yield FACTS_OF_ONE.found("audit", known=known, remedy=f"audit.known_facts={BOTH}")
    for name in attackers:
        if name not in own_attackers() and name != COUNTING:
            yield OWN_ATTACKER.found(f"attacker:{name}", facts=_most_facts(found, name) or None)


def _most_facts_looked_at(found: Assessment, attackers: Collection[str]) -> int:
    """Return the number of facts from which on only those drawn were looked at; 0: none."""
    rows = [row for row in found.rows if row.attacker in attackers and row.worst_case is not None]
    several = [row for row in rows if _facts_of(row) > 1]
    pairs = all(row.worst_case.pair is not None for row in several if row.worst_case)
    least = 3 if pairs else 2
    return least if any(_facts_of(row) >= least for row in several) else 0


def _most_facts(found: Assessment, attacker: str) -> int:
    return max((_facts_of(row) for row in found.rows if row.attacker == attacker), default=0)


def _facts_of(row: Row) -> int:
    return facts_of(row.axes["aux"]) if row.axes.get("aux") else 0

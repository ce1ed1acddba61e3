"""What a plan or a frontier found: chains of defences, their risks and what they lose.

Invariant: a chain is called within the bound only by the attack under a new seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from sim.config.chain_lengths import min_lengths
from sim.config.chains import UNCHANGED
from sim.extend.overrides import override
from sim.findings.assessment import attacking, audit_of
from sim.findings.chains import (
    FRONTIER,
    NOT_MADE,
    OFFERED,
    TRIALS,
    TriedChains,
    by_loss,
    by_nearness,
    equally_lossy,
    is_untested,
    last_trials,
    unmeasured_utility,
)
from sim.findings.finding import MIND, SERIOUS, Finding, Kind
from sim.findings.shortage import (
    Shortage,
    asks_of_nobody,
    chains_ask_of_nobody,
    chains_by_length,
    many_items_of_plan,
    shortage_of_plan,
)
from sim.findings.verdicts import WITHIN
from sim.metrics.few_facts import Cure, FewFacts
from sim.metrics.risk_estimates import is_above
from sim.numeric.rows import row_dicts
from sim.record.run_folder import RunFolder
from sim.record.run_record import plan_of, same_releases
from sim.release.store.repeats import Repeats

ONCE = override("data.repeats", str(Repeats.LATEST))

_OFFERS = Kind("plan_offers", "a chain keeps the bound in two attacks on everybody")
_OFFERS_UNCHANGED = Kind("plan_offers_unchanged", "the data keep the bound as they were read")
_INSTEAD = Kind("counts_instead", "counts of people can be published where records cannot")
_OFFERS_NOTHING = Kind("plan_offers_nothing", "no release that was tried keeps the bound", SERIOUS)
_NEAREST = Kind("nearest_chain", "a chain that comes nearest to the bound")
_EQUALLY_LOSSY = Kind("equally_lossy", "other chains that may keep the bound lose as little")
_WRITTEN = Kind("file_written", "the release was written, read back, and is what was attacked")
_COUNTS = Kind("offer_shows_counts", "nobody was tested who knows how often", SERIOUS, remedy=ONCE)
_SINGLE = Kind("single_people_exceed", "the bound is none for each person", MIND)
_FEW_FACTS = Kind("few_facts_exceed", "people with too few facts alone exceed the bound", SERIOUS)
_FEW_NOT_ENOUGH = Kind("few_facts_not_enough", "the others exceed the bound as well", SERIOUS)
_FEW_IN_MOST = Kind("few_facts_in_most", "so it is after most chains, not after all", MIND)
_MANY_ITEMS = Kind("many_items_exceed", "people with nearly every item exceed the bound", SERIOUS)
_NOBODY = Kind("nobody_long_enough", "nobody has as many entries as is asked for", SERIOUS)
_EVENTS = Kind("events_not_modelled", "repeated items have no model", MIND, remedy=ONCE)
_NOT_TESTED = Kind("chains_not_tested", "whether chains keep the bound is not known")
_NOT_APPLIED = Kind("chains_not_applied", "chains that left no release")
_SAME = Kind("same_releases", "chains not tried, as others leave the same release")
_USE_LOST = Kind("use_lost", "nothing is left of one use of the data", MIND)
_ROSE = Kind("utility_rose", "a measure hides what is lost", MIND, remedy="plan.utility=cells")
_REPLACED = Kind("utility_replaced", "chains are compared by another utility than asked for", MIND)
_UNKNOWN = Kind("utility_unknown", "what chains lose is not known", MIND)
_KEEPS = Kind("frontier_keeps", "releases keep the bound in a sample; the subject comes first")
_KEEPS_NONE = Kind("frontier_keeps_none", "no release keeps the bound in a sample")
_NO_BOUND = Kind("frontier_without_bound", "releases were compared without a bound")
_DOMINATED = Kind("chains_dominated", "another chain is as good in risk and loss, better in one")
_REDUCED = Kind("risk_reduced", "what is kept where the risk falls to a share (NS08, section 6)")
_NOT_REDUCED = Kind("risk_not_reduced", "no chain brings the risk down so far (NS08, section 6)")

_FACTORS = (0.5, 0.1)
"""Shares of the risk of the release as it is, for which a frontier answers NS08."""

_NEAREST_AT_MOST = 3
_NAMED_AT_MOST = 2
"""Chains that are named of those with the same reason, which may be dozens."""


def plan_findings(run: RunFolder) -> Iterator[Finding]:
    """Yield what a plan found, what it offers first."""
    trials = run.tables[TRIALS]
    offered = trials[trials["decision"] == OFFERED]
    if len(offered):
        row = offered.iloc[0].to_dict()
        yield from _offer(run, trials, row)
        yield from _compared(run, trials)
        yield from _left_of_uses(run, row)
    else:
        yield from _nothing(run, trials)
    yield from _without_result(run, last_trials(trials), is_serious=offered.empty)


def frontier_findings(run: RunFolder) -> Iterator[Finding]:
    """Yield what a frontier found, the answer first."""
    rows = run.tables[FRONTIER]
    bound, able = rows.iloc[0]["bound"], rows[rows["verdict"] == WITHIN]
    untested = int(is_untested(rows).sum())
    if pd.isna(bound):
        yield _NO_BOUND.found("chains", count=len(rows) - untested, of=len(rows))
    elif able.empty:
        yield _KEEPS_NONE.found("chains", count=untested, of=len(rows), bound=float(bound))
    else:
        first = _chain(by_loss(able).iloc[0]["chain"])
        yield _KEEPS.found(first, count=len(able), of=len(rows), bound=float(bound))
    if able.empty:
        yield from _nearest(rows, int(run.record["release"]["n_records"]))
    yield from _compared(run, rows)
    yield from _conjecture(rows)
    chains = rows[rows["chain"] != UNCHANGED]
    dominated = int((chains["dominated_by"] != "").sum())
    if dominated:
        yield _DOMINATED.found("chains", count=dominated, of=int(chains["risk"].notna().sum()))
    yield from _without_result(run, rows, is_serious=False)


def few_facts_finding(
    few: FewFacts,
    remedy: Cure,
    bound: float,
    dropped: Sequence[int],
    *,
    after: str = UNCHANGED,
    is_enough: bool = True,
) -> Finding:
    """Return who has too few facts, and alone exceeds the bound.

    Parameters
    ----------
    dropped : sequence of int
        Of each chain that is tried, the length below which it drops records already.
    after : str
        The chain after which they were counted.
    is_enough : bool
        Whether the others may keep the bound once these people are left out.
    """
    length = remedy.length
    if min(dropped, default=1) >= length:
        # What follows in a chain shortens records, or facts are about some of the entries only.
        length = max(dropped) + 1
    kind = _FEW_FACTS if is_enough else _FEW_NOT_ENOUGH
    fewer = override("grid.aux", [f"{remedy.facts}/{remedy.facts}"])
    return kind.found(
        _chain(after),
        count=few.short,
        of=few.records,
        remedy=override("plan.min_length", length) if is_enough else fewer,
        facts=few.facts,
        fewer=remedy.facts,
        bound=bound,
    )


def _offer(run: RunFolder, trials: pd.DataFrame, row: Mapping[Any, Any]) -> Iterator[Finding]:
    chain, bound = str(row["chain"]), float(run.config["plan"]["max_risk"])
    n = TriedChains.of(trials)
    kind = _OFFERS_UNCHANGED if chain == UNCHANGED else _OFFERS
    yield kind.found(_chain(chain), bound=bound, tried=n.tried, tested=n.tested, **_numbers(row))
    written = plan_of(run.record).get("written")
    if written:
        yield _WRITTEN.found(
            "release",
            **{name: written[name] for name in ("path", "sha256", "records", "items", "cells")},
        )
    audit = audit_of(run)
    release = run.record["release"] if audit is None else attacking(audit).record["release"]
    if release.get("n_repeats"):
        yield _COUNTS.found(_chain(chain), count=release["n_repeats"], of=release["n_cells"])
    highest = row["highest"]
    if run.config["audit"]["measure"] != "highest" and is_above(float(highest), bound):
        yield _SINGLE.found(_chain(chain), highest=float(highest))
    alike = [] if pd.isna(row["kept"]) else equally_lossy(trials, chain)
    if alike:
        names = _names([str(one["chain"]) for one in alike])
        yield _EQUALLY_LOSSY.found(_chain(chain), count=len(alike), names=names)


def _numbers(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the numbers of a chain; None: not known."""
    shares = ("risk", "risk_low", "risk_high", "counted", "found", "found_low", "short", "kept")
    counts = ("people", "items", "cells")
    return {
        **{name: None if pd.isna(row[name]) else float(row[name]) for name in shares},
        **{name: None if pd.isna(row[name]) else int(row[name]) for name in counts},
        **{name: str(row[name] or "") for name in ("attacker", "facts", "counted_of", "utility")},
    }


def _nothing(run: RunFolder, trials: pd.DataFrame) -> Iterator[Finding]:
    bound, n = float(run.config["plan"]["max_risk"]), TriedChains.of(trials)
    yield _OFFERS_NOTHING.found(
        "chains",
        count=n.tested,
        of=n.tried,
        bound=bound,
        untested=n.untested,
        path=run.config["plan"].get("write"),
    )
    counts = plan_of(run.record).get("counts") or {}
    if counts.get("count"):
        yield _INSTEAD.found("data", **counts)
    few = shortage_of_plan(run)
    yield from _nobody(run, few)
    left = chains_by_length(run)[0]
    if few is not None and few.is_everywhere:
        yield few_facts_finding(
            few.few, few.remedy, bound, min_lengths(left),
            after=few.after, is_enough=few.may_be_enough,
        )  # fmt: skip
    elif few is not None and few.is_in_most:
        yield _FEW_IN_MOST.found(
            _chain(few.after),
            count=few.n_chains,
            of=few.n_tested,
            remedy=override("plan.min_length", few.remedy.length),
            facts=few.few.facts,
        )
    many = many_items_of_plan(run)
    if many is not None:
        right = override("grid.aux", [f"{many.who.facts}/{many.who.facts}"])
        long = many.max_length
        yield _MANY_ITEMS.found(
            _chain(many.after),
            count=many.who.short,
            of=many.who.records,
            remedy=right if long is None else override("plan.max_length", long),
            facts=many.who.facts,
            left_out=many.left_out,
            instead=None if long is None else right,
            bound=bound,
        )
    if n.untested and run.record["release"].get("n_repeats"):
        yield _EVENTS.found("chains", count=n.untested, of=n.chains)
    yield from _nearest(last_trials(trials), int(run.record["release"]["n_records"]))


def _nobody(run: RunFolder, few: Shortage | None) -> Iterator[Finding]:
    """Yield that nobody has as many entries as a plan, or each of its chains, asks for."""
    empty = chains_by_length(run)[1]
    if asks_of_nobody(run):
        helps = few is not None and few.is_everywhere and few.may_be_enough
        length = few.remedy.length if helps and few is not None else None
        yield _NOBODY.found(
            "setting:plan.min_length",
            count=len(empty),
            remedy=override("plan.min_length", length),
            length=int(run.config["plan"]["min_length"]),
        )
    elif chains_ask_of_nobody(run):
        yield _NOBODY.found(
            "setting:drop_records.min_length",
            count=len(empty),
            remedy=override("plan.min_length", None if few is None else few.remedy.length),
            length=min(min_lengths(empty)),
        )


def _nearest(rows: pd.DataFrame, n_records: int) -> Iterator[Finding]:
    for row in row_dicts(by_nearness(rows)[:_NEAREST_AT_MOST]):
        numbers = _numbers(row)
        more = row["found_low"] > row["counted"]
        is_few = pd.notna(row["people"]) and row["people"] < n_records / 10
        numbers |= {
            "found": numbers["found"] if more else None,
            "people": numbers["people"] if is_few else None,
        }
        yield _NEAREST.found(_chain(row["chain"]), of=n_records, **numbers)


def _without_result(run: RunFolder, rows: pd.DataFrame, *, is_serious: bool) -> Iterator[Finding]:
    """Yield the chains without a result, those with the same reason together."""
    untested = rows[is_untested(rows)]
    why = untested["problem"].where(untested["problem"] != "", untested["reason"])
    if "because" in rows:
        why = why.where(why != "", untested["because"])
    texts = {part.name: part.error for part in run.parts}
    notes = [
        texts.get(part, "") if one in NOT_MADE else ""
        for part, one in zip(untested["part"], why, strict=True)
    ]
    for (reason, note), some in untested.groupby([why.to_numpy(), notes], sort=False):
        of = _NOT_APPLIED if reason in NOT_MADE else _NOT_TESTED
        is_mind = is_serious and of is _NOT_TESTED
        yield of.found(
            "chains",
            count=len(some),
            of=len(rows),
            severity=MIND if is_mind else None,
            reason=str(reason),
            note=str(note).rstrip(".") or None,
            names=_names([*some["chain"].map(str)]),
        )
    same = same_releases(run.record)
    if same:
        yield _SAME.found("chains", count=len(same), names=_names([*same]))


def _compared(run: RunFolder, rows: pd.DataFrame) -> Iterator[Finding]:
    """Yield by what chains are compared, where that is not the utility that was asked for."""
    lacking = unmeasured_utility(run)
    known = rows[rows["kept"].notna()]
    wanted, note = lacking or (None, None)
    changed = rows[(rows["chain"] != UNCHANGED) & rows["risk"].notna()]
    if known.empty and len(changed):
        yield _UNKNOWN.found("utility", wanted=wanted, note=note)
    elif lacking and len(known):
        label = str(known["utility"].iloc[0])
        yield _REPLACED.found("utility", label=label, wanted=wanted, note=note)


def _left_of_uses(run: RunFolder, row: Mapping[Any, Any]) -> Iterator[Finding]:
    """Yield the uses of which an offer leaves nothing, and a measure that hides a loss."""
    if row["chain"] == UNCHANGED:
        return
    if pd.notna(row["kept"]) and row["kept"] >= 1.01:
        label = str(row["utility"])
        yield _ROSE.found(f"utility:{label}", label=label, kept=float(row["kept"]))
    audit = audit_of(run)
    table = None if audit is None else audit.tables.get("utility")
    for one in [] if table is None else row_dicts(table[table["before"].notna()]):
        gone = pd.isna(one["after"]) or (pd.notna(one["kept"]) and one["kept"] <= 0)
        if gone and one["before"] != 0:
            label, note = str(one["label"]), str(one["note"] or "")
            yield _USE_LOST.found(f"utility:{one['measure']}", label=label, note=note)


def _conjecture(rows: pd.DataFrame) -> Iterator[Finding]:
    """Answer the conjecture of NS08 §6 for this release."""
    risk = rows.iloc[0]["risk"]
    chains = rows[rows["chain"] != UNCHANGED]
    placed = chains[chains["risk"].notna() & chains["kept"].notna()]
    if pd.isna(risk) or placed.empty:
        return
    for factor in _FACTORS:
        safer = placed[placed["risk"] <= factor * risk]
        if safer.empty:
            yield _NOT_REDUCED.found("chains", factor=factor, risk=float(risk))
            return
        best = by_loss(safer).iloc[0]
        yield _REDUCED.found(
            _chain(best["chain"]),
            factor=factor,
            risk=float(best["risk"]),
            kept=float(best["kept"]),
            label=str(best["utility"]),
        )


def _chain(text: object) -> str:
    return f"chain:{text}"


def _names(chains: Sequence[str]) -> str:
    more = len(chains) - _NAMED_AT_MOST
    return ", ".join([*chains[:_NAMED_AT_MOST], *([f"{more} more"] if more > 0 else [])])

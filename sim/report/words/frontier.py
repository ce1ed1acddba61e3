"""What a frontier shows, in sentences and a table: what to publish, and what it costs.

Invariant: every risk has its attacker and its sample; chains that could not be tested are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from sim.assessment.frontier import TABLE, preference
from sim.assessment.names import attacker_words
from sim.assessment.verdicts import NO_BOUND, NOT_TESTED, WITHIN
from sim.config.chains import UNCHANGED
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_percent, quantity, with_interval
from sim.record.run_folder import RunFolder
from sim.record.run_record import same_releases
from sim.report.html_table import HtmlCell, HtmlColumn, HtmlTable
from sim.report.words.assessment import MEASURED
from sim.report.words.utility import kept_words, not_measurable

_FACTORS = ((0.5, "half"), (0.1, "a tenth"))
"""Shares of the risk of the release as it is, for which the frontier answers NS08."""


def is_frontier(run: RunFolder) -> bool:
    """Whether a run compares chains of defences."""
    return TABLE in run.tables


def frontier_sentences(run: RunFolder) -> Iterator[str]:
    """Yield what a frontier shows, the main result first."""
    rows = run.tables[TABLE]
    chains = rows[rows["chain"] != UNCHANGED]
    yield from _lead(run, rows)
    yield from compared_by(run, rows)
    yield from _conjecture(rows, chains)
    dominated = int((chains["dominated_by"] != "").sum())
    if dominated:
        tested = int(chains["risk"].notna().sum())
        yield (
            f"{dominated} of {quantity(tested, 'chain')} of defences that "
            f"{'was' if tested == 1 else 'were'} tested "
            f"{'is' if dominated == 1 else 'are'} dominated: another chain has at most the same "
            "risk and loses at most as much utility, and is better in one of the two."
        )
    untested = chains[chains["risk"].isna()]
    if len(untested):
        yield (
            f"The risk of {quantity(len(untested), 'chain')} was not tested: "
            f"{'; '.join(_why(row) for row in row_dicts(untested))}."
        )
    yield from same_words(run.record)
    yield (
        f"The risks are those of {sample_words(run)}, attacked through the same facts under every "
        "chain; the utility has no interval. A frontier shows where to look. "
        "experiment=plan chooses a chain, and attacks every record before it offers one."
    )


def sample_words(run: RunFolder) -> str:
    """Return which people a frontier attacks, by the attack that the risks are of."""
    n = int(run.record["release"]["n_records"])
    # The risk is that of the Bayes-optimal attacker, where it attacks anybody.
    given = run.config["targets"], run.config["bayes_targets"] or None
    attacked = min((one for one in given if isinstance(one, int)), default=n)
    return "all people with enough facts" if attacked >= n else f"a sample of {attacked:,} people"


def same_words(record: Mapping[str, Any]) -> Iterator[str]:
    """Say how many chains leave the release of another one; nothing if none does.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> [*same_words({"same_releases": {"drop_values": "unchanged"}})]
    ['1 other chain of defences leaves the same release as one that was tried, and was not tried \
again.']
    """
    n = len(same_releases(record))
    if n:
        leave, was = ("leaves", "was") if n == 1 else ("leave", "were")
        chains = quantity(n, "other chain of defences", "other chains of defences")
        yield f"{chains} {leave} the same release as one that was tried, and {was} not tried again."


def _why(row: Mapping[Any, Any]) -> str:
    reason = why(row["problem"] or row["reason"])
    return f"{row['chain']} ({reason})" if reason else str(row["chain"])


def why(reason: str) -> str:
    """Return a reason without the advice that follows it, which is for a single run."""
    return reason.partition("; set ")[0]


def _lead(run: RunFolder, rows: pd.DataFrame) -> Iterator[str]:
    first = rows.iloc[0].to_dict()
    measure, bound = MEASURED[str(first["measure"])], first["bound"]
    if pd.notna(first["risk"]):
        as_it_is = f"As it is, {measure} is {risk_words(first)}."
    else:
        as_it_is = f"The risk of the release as it is was not tested ({why(first['reason'])})."
    if pd.isna(bound):
        yield as_it_is
        return
    able = rows[rows["verdict"] == WITHIN]
    every = f"{quantity(len(rows), 'release')} (the data as they are, and after each chain)"
    if able.empty:
        yield f"None of {every} keeps the bound of {format_percent(bound)} for {measure}."
        yield as_it_is
        yield from nearest(rows, int(run.record["release"]["n_records"]))
        return
    best = _least_lossy(able)
    keep = "keeps" if len(able) == 1 else "keep"
    yield (
        f"In this sample, {len(able)} of {every} {keep} the bound of {format_percent(bound)} for "
        f"{measure}. {_preferred(best)} is {chain_words(best)}: {risk_words(best)}"
        f"{utility_words(best)}."
    )
    yield as_it_is


def is_loss_unknown(row: Mapping[Any, Any]) -> bool:
    """Whether it is not known what a chain loses; no change at all loses nothing."""
    return bool(row["chain"] != UNCHANGED and pd.isna(row["kept"]))


def _preferred(row: Mapping[Any, Any]) -> str:
    """Say why a chain is preferred to others that keep the bound, to precede its name."""
    return "The one with the lowest upper end" if is_loss_unknown(row) else "The least lossy"


def compared_by(run: RunFolder, rows: pd.DataFrame) -> Iterator[str]:
    """Say by what chains are compared where this is not the utility that was asked for.

    Parameters
    ----------
    rows : DataFrame
        As ``frontier.parquet``.
    """
    reason = not_measurable(run)
    if not reason:
        return
    known = rows[rows["kept"].notna()]
    if known.empty:
        yield f"What the chains of defences lose is not known, as {reason}."
    else:
        yield f"The chains of defences are compared by {known['utility'].iloc[0]}, as {reason}."


def nearest(rows: pd.DataFrame, n_records: int, most: int = 3) -> Iterator[str]:
    """Yield the chains that come nearest to the bound, by what is compared with it.

    An attack that was run may find more for sure than the model of the attacker says.

    Parameters
    ----------
    rows : DataFrame
        A row per chain, as in ``frontier.parquet``.
    n_records : int
        Of the original.
    """
    tested = _by_at_least(rows[rows["counted"].notna()], "counted")
    tested = tested[tested["at_least"] < 1.0][:most]
    if tested.empty:
        known = _by_at_least(rows[rows["risk"].notna()], "risk")
        lowest = known.iloc[0].to_dict() if len(known) else None
        yield (
            "None comes near the bound: after every chain whose risk is known the upper end is "
            f"100%.{'' if lowest is None else _lowest(lowest, n_records)}"
        )
    else:
        near = [
            f"{chain_words(one)}, with {counted_words(one)}{_found_more(one, 'counted')}"
            f"{_of_few(one, n_records)}{_of(one)}{utility_words(one)}"
            for one in row_dicts(tested)
        ]
        yield (
            "What counts is the upper end of the interval, those who could not be attacked "
            f"counted as found. The nearest: {'; '.join(near)}."
        )


def _by_at_least(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """Sort chains by a number, or by what an attack found for sure (``at_least``) if it is more."""
    at_least = rows[[name, "found_low"]].astype(float).max(axis=1)
    by = [*dict.fromkeys(("at_least", name, "risk"))]
    return rows.assign(at_least=at_least).sort_values(by, kind="stable")


def _found_more(row: Mapping[Any, Any], name: str) -> str:
    """Say what an attack that was run finds, to follow a number; empty: no more for sure."""
    if pd.isna(row["found_low"]) or row["found_low"] <= row[name]:
        return ""
    return f", though an attack that was run finds {with_interval(row, 'found')}"


_FEW_LEFT = 0.1
"""Share of the people below which it is said how many are left."""


def _of_few(row: Mapping[Any, Any], n: int) -> str:
    """Say how many people a number is of, to follow it; empty: enough of `n`, or not known."""
    if pd.isna(row["people"]) or row["people"] >= _FEW_LEFT * n:
        return ""
    left = int(row["people"])
    return f", of the {left:,} of {n:,} people who {'is' if left == 1 else 'are'} left"


def _lowest(row: Mapping[Any, Any], n: int) -> str:
    """Say after which chain the risk is lowest, to follow a sentence."""
    if row["at_least"] >= 1:
        return " So is the risk itself, of the people attacked."
    lowest, rest = f"{with_interval(row, 'risk')} ({who(row)})", ""
    if row["short"]:
        rest = (
            f", but {format_percent(row['short'])} of the people cannot be attacked by some "
            "attacker, and count as found"
        )
    more = f"{_found_more(row, 'risk')}{_of_few(row, n)}"
    untested = ""
    if row["verdict"] == NOT_TESTED and row["reason"]:
        untested = f" This chain is not tested against the bound: {why(row['reason'])}."
    return (
        f" Of the people attacked, the risk is lowest after {chain_words(row)}: {lowest}{more}"
        f"{rest}.{untested}"
    )


def _of(row: Mapping[Any, Any]) -> str:
    """Say how many cannot be tried, to follow a number; empty: everybody can."""
    if not row["short"]:
        return ""
    return (
        f", where {format_percent(row['short'])} of the people cannot be attacked by some attacker"
    )


def by_loss(rows: pd.DataFrame) -> pd.DataFrame:
    """The preferred chain first, as a plan does; a utility higher than before loses nothing."""
    loss = (1.0 - rows["kept"].astype(float)).clip(lower=0)
    keys = [
        preference(chain, *(None if pd.isna(one) else float(one) for one in known))
        for chain, *known in zip(rows["chain"], loss, rows["counted"], rows["risk"], strict=True)
    ]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return rows.assign(loss=loss).iloc[order]


def _least_lossy(rows: pd.DataFrame) -> dict[Any, Any]:
    found: dict[Any, Any] = by_loss(rows).iloc[0].to_dict()
    return found


def _conjecture(rows: pd.DataFrame, chains: pd.DataFrame) -> Iterator[str]:
    """Answer the conjecture of NS08 §6 for this release."""
    first = rows.iloc[0]
    placed = chains[chains["risk"].notna() & chains["kept"].notna()]
    if pd.isna(first["risk"]) or placed.empty:
        return
    answers = []
    for share, words in _FACTORS:
        safer = placed[placed["risk"] <= share * first["risk"]]
        if safer.empty:
            answers.append(f"no chain that was tried brings the risk down to {words} of it")
            break
        best = _least_lossy(safer)
        answers.append(
            f"of the chains that bring the risk down to {words} of it, the best keeps "
            f"{format_percent(best['kept'])} of the utility ({best['chain']})"
        )
    label = next((str(name) for name in rows["utility"] if name), "")
    yield (
        "Narayanan and Shmatikov (2008, section 6) expect that what defeats the attack destroys "
        f"the use of the data. Compared with the release as it is, {'; '.join(answers)}. The "
        f"utility is here the {label} alone: it says nothing of other uses, such as of what was "
        "left out."
    )


def risk_words(row: Mapping[Any, Any]) -> str:
    """State the risk with its interval, its attacker, and the people with the highest risks."""
    words = f"{with_interval(row, 'risk')} ({who(row)})"
    if pd.isna(row["percentile_99"]):
        return words
    return (
        f"{words}; one person in 100 has a risk of at least "
        f"{format_percent(row['percentile_99'])}, and the highest is "
        f"{format_percent(row['highest'])}"
    )


def chain_words(row: Mapping[Any, Any]) -> str:
    """Name a release by its chain of defences, and say what they do."""
    if row["chain"] == UNCHANGED:
        return "the release as it is"
    return f"{row['chain']} ({row['in_words']})"


def who(row: Mapping[Any, Any]) -> str:
    """Name the attacker whose risk it is."""
    facts = f", {row['facts'].replace('/', ' of ')} facts" if row["facts"] else ""
    of = f", of the {row['facts_of']}" if row.get("facts_of") else ""
    return f"attacker {attacker_words(row['attacker'])}{facts}{of}"


def counted_words(row: Mapping[Any, Any]) -> str:
    """State what is compared with the bound, and whose number it is."""
    of = str(row.get("counted_of") or "")
    return f"{format_percent(row['counted'])}{f' ({of})' if of else ''}"


def utility_words(row: Mapping[Any, Any]) -> str:
    """Return the utility that is kept, to follow a statement on the risk; empty: not measured."""
    if pd.isna(row["kept"]):
        return ""
    return f"; {kept_words(row)}"


def frontier_table(run: RunFolder) -> HtmlTable:
    """Return a row for each chain, the least lossy first; those that were not tested last."""
    rows = by_loss(run.tables[TABLE])
    label = next((str(name) for name in rows["utility"] if name), "utility")
    measure = MEASURED[str(rows["measure"].iloc[0])]
    heads = (
        *("chain of defences", measure, "attacker", "found by any attack"),
        *(f"{label} kept", "verdict", "dominated by"),
    )
    return HtmlTable(
        "Chains of defences",
        [HtmlColumn(head, numeric=head not in _WORDS) for head in heads],
        [_row(row) for row in row_dicts(rows)],
        "A sample of the people, with 95% intervals. A chain dominates another if it has at most "
        "the same risk, loses at most as much utility, and is better in one of the two, to a tenth "
        "of a percent; a utility above 100% loses nothing. ≥: what is found at least, where the "
        "risk was not tested.",
    )


_WORDS = frozenset({"chain of defences", "attacker", "verdict", "dominated by"})


def _row(row: Mapping[Any, Any]) -> Sequence[HtmlCell]:
    verdict = f"{row['verdict']} ({why(row['reason'])})" if row["reason"] else row["verdict"]
    verdict = "–" if row["verdict"] == NO_BOUND else verdict
    return [
        HtmlCell(str(row["chain"]), str(row["chain"])),
        _estimate(row, "risk"),
        *(HtmlCell(text, text) for text in (who(row) if row["attacker"] else "–",)),
        _estimate(row, "found", at_least=pd.isna(row["risk"])),
        HtmlCell("–" if pd.isna(row["kept"]) else format_percent(row["kept"]), repr(row["kept"])),
        HtmlCell(verdict, verdict),
        HtmlCell(row["dominated_by"] or "–", row["dominated_by"]),
    ]


def _estimate(row: Mapping[Any, Any], name: str, *, at_least: bool = False) -> HtmlCell:
    if pd.isna(row[name]):
        return HtmlCell("–", "")
    return HtmlCell(f"{'≥ ' * at_least}{with_interval(row, name)}", repr(row[name]))

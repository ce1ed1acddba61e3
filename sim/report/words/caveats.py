"""What a reader must know before trusting the numbers of a run.

Invariant: a count that is not zero is stated; nothing that does not apply.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from sim.attack.algorithms.registry import attack_class
from sim.record.run_folder import RunFolder
from sim.report.html_table import percent
from sim.report.words.about import is_synthetic
from sim.report.words.defences import unknown_to_attackers
from sim.report.words.population import populations_text

SAFETY = (
    "This report is for auditing data that you are responsible for, before they are released. It "
    "says how many people the attacks that were run identify with the facts that were assumed; "
    "other attacks, or attackers who know more, may identify more. It never says who: no "
    "identifier of a person is in it."
)


def caveats_of(run: RunFolder) -> list[str]:
    """Return the assumptions and limits of the numbers of a run."""
    caveats: list[str] = []
    if is_synthetic(run.record):
        caveats.append(
            "The data are synthetic: made by a generator, imitating the shape of real ones. The "
            "numbers say how the attacks behave, not how identifiable any real person is."
        )
    if run.kind == "attack":
        caveats += unknown_to_attackers(run.record)
        caveats += attack_caveats(run.tables["curves"], run.config)
    elif run.kind == "measurement":
        caveats.append(
            "Intervals, where there are any, are 95% intervals over the records drawn; a number "
            "without one was counted over all records."
        )
    return caveats


def attack_caveats(curves: pd.DataFrame, config: Mapping[str, Any]) -> Iterator[str]:
    """Yield what an attack's curves rest on.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``.

    Examples
    --------
    >>> counts = {"n_targets": [10], "n_present": [10], "n_eligible": [20], "eligible": [0.25]}
    >>> frame = pd.DataFrame({"aux": ["6/8"], **counts})
    >>> config = {"attack": {"name": "scoreboard_rh", "sigma": "all"}}
    >>> print(next(attack_caveats(frame, config)).split(" (")[0])
    Percentages are of the 25.0% of records with 8 or more items
    """
    yield from _denominators(curves, config)
    decisions = f"of {int(curves['n_targets'].sum()):,} decisions"
    for name, what in _COUNTS.items():
        count = int(curves[name].sum()) if name in curves else 0
        if count:
            yield what.format(count=f"{count:,}", decisions=decisions)
    attack = config["attack"]
    cls = attack_class(attack["name"])
    if attack.get("sigma") and cls.uses_sigma:
        over = "all candidates" if attack["sigma"] == "all" else "the records that share a fact"
        yield (
            f"σ is the population standard deviation of the scores of {over}; published "
            "reproductions differ here, so eccentricities compare only under the same convention."
        )
    yield (
        "Intervals: had other targets been drawn in the same way, 95 of 100 such intervals would "
        "hold the true share (Wilson; for means a bootstrap). They say nothing about other data "
        "or other knowledge. Cells of one grid share their targets and facts, so they differ by "
        "less than their intervals suggest."
    )
    kind = (config.get("adversary") or {}).get("kind", "aux")
    if kind == "aux":
        yield (
            "The attacker's facts are drawn at random from the target's own record, as the papers "
            "do; a real attacker knows what people tell, which may be more or less telling."
        )
        if cls.caveat:
            yield cls.caveat
        return
    yield (
        "Who is attacked is not a sample of all records but the people of a list; records of "
        "other people may be easier or harder to find."
    )
    if kind in _SIMULATED:
        yield (
            "What these people say elsewhere is simulated from what the papers state about it; "
            "real people may say more, or what identifies them better."
        )
    yield (
        "These are the numbers of one published attack. The Bayes-optimal attacker has no model of "
        "such facts, so it was not run; another attack may identify more people."
    )


def _denominators(curves: pd.DataFrame, config: Mapping[str, Any]) -> Iterator[str]:
    others = " Nothing was measured about others." if (curves["eligible"] < 1).any() else ""
    yield f"Percentages are of {populations_text(curves, config)}.{others}"
    there, targets = curves["n_present"], curves["n_targets"]
    part = curves[there.between(0, targets, inclusive="neither")]
    if len(part):
        shares = [f(part["n_present"] / part["n_targets"]) for f in (min, max)]
        texts = dict.fromkeys(percent(share).text for share in shares)
        yield (
            f"Only {' to '.join(texts)} of the targets have a record in the release; how often the "
            "right record is found is about these alone."
        )


_SIMULATED = ("mentions", "elsewhere")

_COUNTS = {
    "tied_top": "{count} {decisions} had a tie at the top: never a match; as a best guess, each "
    "counts as likely as the others.",
    "sigma_zero": "{count} {decisions} had equal scores for all candidates (σ = 0): never a match.",
    "absent_items": "{count} facts are about items that the release does not hold; they add "
    "nothing to any score.",
    "not_candidate": "{count} {decisions} were about a present target whose record the attack "
    "leaves out by its length: counted as not identified.",
}
"""What must not pass unseen."""

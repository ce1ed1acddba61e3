"""Assumptions and limits of the numbers of a run.

Invariant: every non-zero count is stated, and nothing that does not apply.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from sim.attack.algorithms.registry import attack_class, is_published
from sim.numeric.text import format_percent
from sim.record.run_folder import RunFolder
from sim.report.population import populations_text
from sim.report.words.about import is_synthetic

SAFETY = (
    "This report is for auditing data that you are responsible for, before you release them. It "
    "states how many people the attacks of this run identify with the facts assumed; other "
    "attacks, or attackers who know more, may identify more. It does not state who: it contains "
    "no identifier of a person."
)


def caveats_of(run: RunFolder) -> list[str]:
    """Return the assumptions and limits of the numbers of a run."""
    caveats: list[str] = []
    if is_synthetic(run.record):
        caveats.append(
            "The data are synthetic: a generator imitates the shape of real data. The numbers show "
            "how the attacks behave, not how identifiable any real person is."
        )
    if run.kind == "attack":
        caveats += attack_caveats(run.tables["curves"], run.config)
    elif run.kind == "measurement":
        caveats.append(
            "Intervals are 95% intervals, for a sample of the records or for facts drawn at "
            "random; a number without an interval is exact for the records measured: all of them, "
            "unless the settings ask for a sample."
        )
    return caveats


def attack_caveats(curves: pd.DataFrame, config: Mapping[str, Any]) -> Iterator[str]:
    """Yield the assumptions and limits of an attack's curves.

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
    Percentages are of the 20 records with 8 or more facts
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
            f"σ is the population standard deviation of the scores of {over}. Published "
            "reproductions differ here; compare eccentricities only under the same convention."
        )
    yield (
        "Intervals are 95% confidence intervals over the choice of targets (Wilson for shares, "
        "bootstrap for means). They do not cover other data or other knowledge. The cells of a "
        "grid share their targets and facts, so differences between cells are more certain than "
        "the intervals suggest."
    )
    kind = (config.get("adversary") or {}).get("kind", "aux")
    if kind == "aux":
        yield (
            "The attacker's facts are drawn at random from the target's own record, as in the "
            "papers. A real attacker knows what people disclose, which may identify them better or "
            "worse."
        )
        if cls.caveat:
            yield cls.caveat
        return
    yield (
        "The targets are people on a list, not a sample of all records; the records of other "
        "people may be easier or harder to find."
    )
    if kind in _SIMULATED:
        yield (
            "What these people disclose elsewhere is simulated from the papers' description; real "
            "people may disclose more, or facts that identify them better."
        )
    which = "one published" if is_published(attack["name"]) else "this"
    yield (
        f"These numbers are for {which} attack. The Bayes-optimal attacker has no model of "
        "such facts, so it was not run; another attack may identify more people."
    )


def _denominators(curves: pd.DataFrame, config: Mapping[str, Any]) -> Iterator[str]:
    others = " Nothing was measured for the others." if (curves["eligible"] < 1).any() else ""
    yield f"Percentages are of {populations_text(curves, config)}.{others}"
    there, targets = curves["n_present"], curves["n_targets"]
    part = curves[there.between(0, targets, inclusive="neither")]
    if len(part):
        shares = [f(part["n_present"] / part["n_targets"]) for f in (min, max)]
        texts = dict.fromkeys(format_percent(share) for share in shares)
        yield (
            f"Only {' to '.join(texts)} of the targets have a record in the release; rates of "
            "finding the right record refer to these alone."
        )


_SIMULATED = ("mentions", "elsewhere")

_COUNTS = {
    "tied_top": "{count} {decisions} had several records with the best score. No match is declared "
    "for them, and a best guess among t such records counts 1/t.",
    "sigma_zero": "{count} {decisions} had equal scores for all candidates (σ = 0). No match is "
    "declared for them.",
    "absent_items": "Facts about items that are not in the release: {count}; they add nothing to "
    "any score.",
    "not_candidate": "{count} {decisions} concerned a present target whose record the attack "
    "excludes because of its length; they count as not identified.",
}
"""Counts that are stated where they are not zero."""

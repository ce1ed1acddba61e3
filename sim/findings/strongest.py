"""An attack beside the Bayes-optimal attacker, on the targets that both attacked.

Invariant: two attacks are compared only in cells where they have the same knowledge of the same
release, on the same targets; nothing is concluded from an attacker whose assumptions do not hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sim.axes.registry import neutral_values, unmodelled
from sim.errors import InputError
from sim.extend.overrides import override
from sim.findings.cells import levels_text, varying_axes
from sim.findings.finding import MIND, SERIOUS, Finding, Kind
from sim.metrics.attack_properties import AttackProperties
from sim.metrics.curves import axis_columns
from sim.metrics.shared_targets import on_shared_targets
from sim.numeric.rows import row_dicts
from sim.record.run_folder import RunFolder
from sim.study.labels import level_text

Row = Mapping[Any, Any]

BAYES = "bayes"
_EXACT, _RUN = "attack.count=exact", "bayes_targets=auto"

ABOVE = Kind("strongest_above", "the best use of the same facts finds more of the same people")
BELOW = Kind("strongest_below", "the strongest attacker finds fewer", SERIOUS)
OVERCLAIMS = Kind("strongest_overclaims", "the strongest attacker is too sure", SERIOUS)
UNAWARE = Kind("strongest_unaware", "attackers do not know what was changed", SERIOUS)
LIMITED = Kind("strongest_limited", "the strongest attacker attacked fewer targets")
NOT_RUN = Kind("strongest_not_run", "the strongest attacker was not run", MIND, 0.0, _RUN)
NO_MODEL = Kind("strongest_has_no_model", "the strongest attacker has no model", MIND)
NOT_POSSIBLE = Kind("strongest_not_possible", "the strongest attacker cannot be run", MIND)
NOT_COMPARED = Kind("strongest_not_compared", "the strongest attacker had other targets", MIND)
UNDERCLAIMS = Kind("strongest_underclaims", "the strongest attacker is not sure enough", SERIOUS)
INDEPENDENT = Kind("strongest_approximate", "wrong facts count as independent", MIND, 0.0, _EXACT)
UNMODELLED = Kind("strongest_unmodelled", "what became of records has no model", MIND)

_SAME = ("seed", "adversary", "defence")


def strongest_rows(run: RunFolder, others: Iterable[RunFolder] = ()) -> list[dict[Any, Any]]:
    """Return both attacks' results in the cells and on the targets that both runs share.

    Parameters
    ----------
    others : iterable of RunFolder
        Runs of the same suite; the one that shares the most targets is used.

    Returns
    -------
    list of dict
        As `sim.metrics.shared_targets.on_shared_targets`, by ``cell`` of our run; empty: there is
        nothing to compare.
    """
    others = tuple(others)
    key = strongest_rows, tuple((other.path, other.within) for other in others)
    if key not in run.worked_out:
        found = [_both(run, other) for other in _candidates(run, others)]
        run.worked_out[key] = max(
            found, key=lambda both: sum(row["n_shared"] for row in both), default=[]
        )
    rows: list[dict[Any, Any]] = run.worked_out[key]
    return rows


def strongest_findings(run: RunFolder, others: Iterable[RunFolder] = ()) -> Iterator[Finding]:
    """Yield what the comparison with the Bayes-optimal attacker found, or why there is none."""
    others = tuple(others)
    if run.config["attack"]["name"] == BAYES or run.tables["curves"]["rank1"].isna().all():
        return
    rows = strongest_rows(run, others)
    if not rows:
        yield _none(run, others)
        return
    changed = _unknown_defences(run)
    if changed:
        yield UNAWARE.found("attack:bayes", defences=changed)
    below = [row for row in rows if is_below(row)]
    over = [row for row in rows if overclaims(row) and row not in below]
    above = [row for row in rows if row["best_rank1_low"] > row["rank1_high"]]
    for kind, some, sign in ((BELOW, below, -1), (OVERCLAIMS, over, 0), (ABOVE, above, 1)):
        if some:
            yield _widest(run, kind, some, len(rows), sign)
    limit = (run.record.get("bayes") or {}).get("limit")
    if isinstance(limit, int):
        yield LIMITED.found("attack:bayes", targets=limit)


def is_below(row: Row) -> bool:
    """Whether the Bayes-optimal attacker's interval lies wholly below the attack's."""
    return bool(row["best_rank1_high"] < row["rank1_low"])


def overclaims(row: Row) -> bool:
    """Whether what it claims lies wholly above what it has right."""
    return bool(row["best_claimed_low"] > row["best_rank1_high"])


def _underclaims(row: Row) -> bool:
    return bool(row["best_rank1_low"] > row["best_claimed_high"])


def is_sound(row: Row) -> bool:
    """Whether nothing shows that its model does not hold in a cell."""
    return not (is_below(row) or overclaims(row))


def _widest(run: RunFolder, kind: Kind, rows: list[dict[Any, Any]], of: int, sign: int) -> Finding:
    """Count cells, and give the numbers of the one with the widest gap."""

    def gap(row: Row) -> float:
        if sign:
            return sign * float(row["best_rank1"] - row["rank1"])
        return float(row["best_claimed"] - row["best_rank1"])

    worst = max(rows, key=gap)
    curves = run.tables["curves"]
    cell = next(row for row in row_dicts(curves) if row["cell"] == worst["cell"])
    return kind.found(
        f"attack:{run.config['attack']['name']}",
        of=of,
        count=len(rows),
        known=levels_text(
            cell, [a for a in axis_columns(curves) if a in {*varying_axes(curves), "aux"}]
        ),
        **_shares_of(worst),
    )


def _none(run: RunFolder, others: tuple[RunFolder, ...]) -> Finding:
    """Return why there is no comparison."""
    found = why_not_run(run)
    if found.kind == NOT_RUN.name and _candidates(run, others):
        found = NOT_COMPARED.found()
    return replace(found, subject=f"attack:{run.config['attack']['name']}")


def why_not_run(run: RunFolder) -> Finding:
    """Return why the Bayes-optimal attacker was not run beside an attack."""
    kind = str((run.config.get("adversary") or {}).get("kind", "aux"))
    if kind != "aux":
        return NO_MODEL.found()
    error = (run.record.get("bayes") or {}).get("error")
    if error:
        return NOT_POSSIBLE.found(error=str(error))
    without = unmodelled(run.config.get("grid") or {})
    if without:
        neutral = [override(f"grid.{axis}", [neutral_values()[axis]]) for axis in without]
        axes = " and ".join(f"grid.{axis}" for axis in without)
        return NO_MODEL.found(axes=axes, remedy=" ".join([*neutral, NOT_RUN.remedy]))
    return NOT_RUN.found()


def untested_changes(best: RunFolder) -> Finding | None:
    """Return what the Bayes-optimal attacker of a run has no model of; None: of nothing."""
    changed = _unknown_defences(best)
    if changed:
        return UNAWARE.found(defences=changed)
    why = str(best.record.get("untested", ""))
    return UNMODELLED.found(reason=why) if why else None


def why_unsound(
    run: RunFolder, best: RunFolder, cells: Sequence[tuple[int, int]], n: int
) -> Finding | None:
    """Return why the Bayes-optimal attacker's assumptions do not hold; None if they may.

    Parameters
    ----------
    run : RunFolder
        Of another attack on the same targets.
    cells : sequence of tuple of int
        Those that differ only in the draw of facts, in the run and in `best`; the assumptions hold
        only if they do in each.
    n : int
        Targets in the release.
    """
    unknown = untested_changes(best)
    if unknown is not None:
        return unknown
    if best.config["attack"].get("count") != "exact":
        return INDEPENDENT.found()
    rows = _shared(run, best, cells)
    if len(rows) < len(cells) or any(row["n_shared"] != n for row in rows):
        return NOT_COMPARED.found()
    doubts = ((BELOW, is_below), (OVERCLAIMS, overclaims), (UNDERCLAIMS, _underclaims))
    failed = ((kind, row) for row in rows for kind, holds in doubts if holds(row))
    kind, row = next(failed, (None, None))
    return None if kind is None or row is None else kind.found(**_shares_of(row))


def _unknown_defences(run: RunFolder) -> str:
    """Return the defences of which attackers do not know what they did."""
    each = run.record.get("defences") or ()
    return ", ".join(str(one["name"]) for one in each if not one["known_to_attackers"])


def _shares_of(row: Row) -> dict[str, Any]:
    return {
        "rate": float(row["rank1"]),
        "strongest": float(row["best_rank1"]),
        "claimed": float(row["best_claimed"]),
        "n": int(row["n_shared"]),
    }


def _candidates(run: RunFolder, others: Iterable[RunFolder]) -> list[RunFolder]:
    """Return the runs of the Bayes-optimal attacker that this one can be compared with."""
    if (run.config.get("adversary") or {}).get("kind") != "aux":
        return []
    within = [] if run.bayes is None else [run.bayes]
    return [*within, *(other for other in others if _comparable(run, other))]


def _comparable(run: RunFolder, other: RunFolder) -> bool:
    return (
        other.kind == "attack"
        and other.config["attack"]["name"] == BAYES
        # Any other count is an approximation, and a published attack may outperform it.
        and other.config["attack"].get("count", "exact") == "exact"
        and other.record.get("release_fingerprint") == run.record.get("release_fingerprint")
        and all(other.config.get(key) == run.config.get(key) for key in _SAME)
    )


def _both(run: RunFolder, other: RunFolder) -> list[dict[Any, Any]]:
    ours, theirs = run.tables["curves"], other.tables["curves"]
    axes = list(axis_columns(ours))
    readable = all("decisions" in one.tables for one in (run, other))
    if not readable or axes != list(axis_columns(theirs)):
        return []
    # As text: an integer level is a float where another level of its own grid is one.
    keys = [
        frame[axes].apply(lambda levels: levels.map(level_text)).assign(cell=frame["cell"])
        for frame in (ours, theirs)
    ]
    pairs = keys[0].merge(keys[1], on=axes, suffixes=("", "_theirs"))
    return _shared(run, other, zip(pairs["cell"], pairs["cell_theirs"], strict=True))


def _shared(run: RunFolder, other: RunFolder, cells: Iterable[tuple[int, int]]) -> list[Any]:
    """Return `on_shared_targets` of two runs as rows."""
    properties = AttackProperties(
        n_records=run.record["release"]["n_records"],
        phi=run.config["attack"]["phi"],
        log_scores=True,
    )
    try:
        return row_dicts(on_shared_targets(run.decisions, other.decisions, cells, properties))
    except (OSError, ValueError) as error:
        raise InputError(
            f"{run.path}: the decisions cannot be compared with those in {other.path} ({error}); "
            "run it again"
        ) from None

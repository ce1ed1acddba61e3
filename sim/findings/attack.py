"""What an attack found, cell by cell of its grid, and beside the strongest attacker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from sim.attack.algorithms.registry import attack_class
from sim.axes.aux import facts_of
from sim.axes.registry import AXES
from sim.findings.cells import is_read, levels_text, read_axes
from sim.findings.finding import MIND, NOTE, SERIOUS, Finding, Kind
from sim.findings.strongest import is_sound, strongest_findings, strongest_rows
from sim.metrics.counts import NO_WRONG_ITEM
from sim.metrics.curves import axis_columns
from sim.numeric.rows import row_dicts
from sim.record.run_folder import RunFolder

Row = Mapping[Any, Any]

_ONE_PERCENT = 0.01

HIGHEST = Kind("highest_found", "the cell in which the best guess is right most often")
LOWEST = Kind("lowest_found", "the cell in which the best guess is right least often")
MOST_PEOPLE = Kind("most_people_found", "a cell with a lower share, but of more people")
TRUTH_UNKNOWN = Kind("truth_unknown", "the true records are unknown, so is the share that is right")
ABSENT = Kind("absent_matched", "people who are not in the release are falsely matched")
IN_PART = Kind("targets_absent", "targets that are not in the release", MIND, _ONE_PERCENT)
NOT_ELIGIBLE = Kind("too_few_facts_here", "people with too few facts to be attacked")
NO_WRONG = Kind("no_wrong_item_here", "no item is left for wrong facts", MIND, _ONE_PERCENT)
SAMPLED = Kind("targets_sampled", "a sample of those who can be attacked was", remedy="targets=all")
TOO_MUCH = Kind("claims_too_much", "the attacker is surer than it is right", SERIOUS)
TOO_LITTLE = Kind("claims_too_little", "the attacker is right more often than sure", SERIOUS)
TIED = Kind("tied_top", "several records have the best score, so no match", MIND, 0.05)
NO_SPREAD = Kind("no_spread", "all scores are equal (σ = 0), so no match", MIND, _ONE_PERCENT)
ITEMS = Kind("absent_items", "facts about items that the release lacks", MIND, _ONE_PERCENT)
EXCLUDED = Kind("not_candidate", "records excluded by their length", MIND, _ONE_PERCENT)
EQUAL_ERROR = Kind("equal_error", "the φ at which present and absent targets have the same errors")
NOT_READ = Kind("fact_part_not_read", "part of the facts that the attack does not read")


def attack_findings(run: RunFolder, others: Iterable[RunFolder] = ()) -> Iterator[Finding]:
    """Yield what an attack found; the first finding is its main result.

    Parameters
    ----------
    others : iterable of RunFolder
        Runs of the same suite, of which one may be the strongest attacker.
    """
    curves = run.tables["curves"]
    known = curves[curves["rank1"].notna()]
    others = tuple(others)
    if not known.empty:
        yield from _found(run, known, strongest_rows(run, others))
        yield from strongest_findings(run, others)
        yield from _claims(run, known)
    yield from _absent(run, curves, only=known.empty)
    yield from _population(run, curves)
    yield from _doubts(run, curves)
    yield from _unread(run)


def _found(run: RunFolder, known: pd.DataFrame, both: Sequence[Row]) -> Iterator[Finding]:
    rows = row_dicts(known)
    most, least = (f(rows, key=lambda row: float(row["rank1"])) for f in (max, min))
    unaware = any(not one["known_to_attackers"] for one in run.record.get("defences") or ())
    best = [] if unaware else [float(row["best_rank1"]) for row in both if is_sound(row)]
    yield HIGHEST.found(_attack(run), **_of_cell(run, most), strongest=max(best, default=None))
    if least["rank1"] < most["rank1"]:
        yield LOWEST.found(_attack(run), **_of_cell(run, least))
    whole = [row for row in rows if row["n_present"] == row["n_targets"]]
    if most in whole:
        wide = max(whole, key=lambda row: float(row["rank1"] * row["n_eligible"]))
        if wide["rank1_low"] * wide["n_eligible"] > most["rank1_high"] * most["n_eligible"]:
            yield MOST_PEOPLE.found(_attack(run), **_of_cell(run, wide))


def _attack(run: RunFolder) -> str:
    return f"attack:{run.config['attack']['name']}"


def _of_cell(run: RunFolder, row: Row, measure: str = "rank1") -> dict[str, Any]:
    """Return the numbers of a cell: a measure with its interval, and of whom it is."""
    of = "n_present" if measure == "rank1" else "n_targets"
    return {
        "cell": int(row["cell"]),
        "known": levels_text(row, read_axes(run)),
        "rate": float(row[measure]),
        "low": float(row[f"{measure}_low"]),
        "high": float(row[f"{measure}_high"]),
        "n": int(row[of]),
        "eligible": int(row["n_eligible"]),
        "people": people_of(row),
    }


def people_of(row: Row) -> int:
    """Return how many people there are, those who cannot be attacked included."""
    return round(float(row["n_eligible"]) / float(row["eligible"]))


def claims_too_much(row: Row) -> bool:
    """Whether the posterior claimed lies wholly above the share of guesses that are right.

    Targets who are not in the release are none that a guess is right about, but count in what is
    claimed, by any posterior. False where a number is missing.

    Examples
    --------
    >>> ends = {"claimed_low": 0.98, "rank1_high": 0.93, "n_present": 10, "n_targets": 10}
    >>> claims_too_much(ends), claims_too_much(ends | {"rank1_high": 0.985})
    (True, False)
    >>> claims_too_much(ends | {"n_present": 2})
    False
    """
    absent = row["n_targets"] - row["n_present"]
    most = row["rank1_high"] * row["n_present"] + absent
    return bool(row["claimed_low"] * row["n_targets"] > most)


def claims_too_little(row: Row) -> bool:
    """Whether the share of guesses that are right lies wholly above the posterior claimed.

    Examples
    --------
    >>> ends = {"claimed_high": 0.2, "rank1_low": 0.3, "n_present": 9, "n_targets": 10}
    >>> claims_too_little(ends), claims_too_little(ends | {"n_present": 6})
    (True, False)
    """
    return bool(row["rank1_low"] * row["n_present"] / row["n_targets"] > row["claimed_high"])


def _claims(run: RunFolder, known: pd.DataFrame) -> Iterator[Finding]:
    rows = [row for row in row_dicts(known) if pd.notna(row.get("claimed"))]
    for kind, is_off in ((TOO_MUCH, claims_too_much), (TOO_LITTLE, claims_too_little)):
        off = [row for row in rows if is_off(row)]
        if off:
            worst = max(off, key=lambda row: abs(float(row["claimed"] - row["rank1"])))
            numbers = _of_cell(run, worst) | {"claimed": float(worst["claimed"])}
            yield kind.found(_attack(run), of=len(known), count=len(off), **numbers)


def _absent(run: RunFolder, curves: pd.DataFrame, *, only: bool) -> Iterator[Finding]:
    """Yield what is declared about people who are not, or not known to be, in the release."""
    gone = row_dicts(curves[curves["rank1"].isna() & curves["matched_wrong"].notna()])
    if gone:
        worst = max(gone, key=lambda row: float(row["matched_wrong"]))
        yield ABSENT.found(_attack(run), **_of_cell(run, worst, "matched_wrong"))
    elif only:
        row = min(row_dicts(curves), key=lambda row: float(row["no_match"]))
        ends = {"": "", "_low": "_high", "_high": "_low"}
        matched = {f"matched{end}": 1 - row[f"no_match{other}"] for end, other in ends.items()}
        yield TRUTH_UNKNOWN.found(_attack(run), **_of_cell(run, {**row, **matched}, "matched"))
    if "phi_star" in curves and curves["phi_star"].notna().any():
        crossing = curves[curves["phi_star"].notna()]
        row = min(row_dicts(crossing), key=lambda row: float(row["equal_error"]))
        yield EQUAL_ERROR.found(
            _attack(run),
            known=levels_text(row, read_axes(run)),
            phi=float(row["phi_star"]),
            rate=float(row["equal_error"]),
        )


def _population(run: RunFolder, curves: pd.DataFrame) -> Iterator[Finding]:
    """Yield who was not attacked, each in the cell where it is most people."""
    rows = row_dicts(curves)
    yield from _largest(
        run, rows, NOT_ELIGIBLE, people_of, lambda row: _short(row) - _nearly_all(row)
    )
    yield from _largest(run, rows, NO_WRONG, people_of, _nearly_all)
    yield from _largest(
        run, rows, IN_PART, lambda row: int(row["n_targets"]),
        lambda row: int(row["n_targets"] - row["n_present"]) if row["n_present"] else 0,
    )  # fmt: skip
    sampled = [row for row in rows if row["n_targets"] < row["n_eligible"]]
    if sampled:
        row = max(sampled, key=lambda row: int(row["n_eligible"]))
        yield SAMPLED.found("data", of=int(row["n_eligible"]), count=int(row["n_targets"]))


def _restricts(axis: str) -> bool:
    cls = AXES.get(axis)
    return cls is not None and cls.restricts


def _short(row: Row) -> int:
    return people_of(row) - int(row["n_eligible"])


def _nearly_all(row: Row) -> int:
    return int(row.get(NO_WRONG_ITEM[0], 0))


def _largest(
    run: RunFolder,
    rows: Sequence[Row],
    kind: Kind,
    of: Callable[[Row], int],
    count: Callable[[Row], int],
) -> Iterator[Finding]:
    row = max(rows, key=count)
    if count(row) > 0:
        known = levels_text(row, filter(_restricts, read_axes(run)))
        yield kind.found("data", of=of(row), count=count(row), known=known)


def _doubts(run: RunFolder, curves: pd.DataFrame) -> Iterator[Finding]:
    """Yield counts that make a number doubtful, summed over the cells."""
    attack, decisions = run.config["attack"], int(curves["n_targets"].sum())
    sets = attack_class(attack["name"]).answers_with_set
    longest = attack.get("max_length_share")
    for kind, name in ((TIED, "tied_top"), (NO_SPREAD, "sigma_zero"), (EXCLUDED, "not_candidate")):
        count = int(curves[name].sum()) if name in curves else 0
        if count:
            usual = sets and kind is not EXCLUDED  # of an answer that is a set
            yield kind.found(
                _attack(run),
                of=decisions,
                severity=NOTE if usual else None,
                count=count,
                longest=longest if kind is EXCLUDED else None,
            )
    absent = int(curves["absent_items"].sum()) if "absent_items" in curves else 0
    if absent:
        facts = None
        if "aux" in curves:
            facts = int((curves["n_targets"] * curves["aux"].map(facts_of)).sum())
        yield ITEMS.found("data", of=facts, count=absent)


def _unread(run: RunFolder) -> Iterator[Finding]:
    """Yield which parts of the facts the attack does not read."""
    axes = axis_columns(run.tables["curves"])
    unread = [axis for axis in axes if not is_read(axis, str(run.config["attack"]["name"]))]
    if unread:
        yield NOT_READ.found(_attack(run), axes=", ".join(unread))

"""The rows of an assessment: what one attacker achieves with one number of facts.

Invariant: every number is computed from the decisions of a run; a share has the targets in the
release as its denominator, the control those that are not in it. Where facts about the same people
were drawn several times, a number is the mean over the draws, in whatever order they come.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import astuple, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sim.attack.algorithms.registry import attack_title
from sim.axes.fact_draw import FactDrawAxis
from sim.axes.registry import unmodelled
from sim.config.schema import AUDIT, BOTH, ORIGINAL
from sim.errors import InputError
from sim.findings.guard import Guarded, guard_of
from sim.findings.rare_facts import RareFacts, rare_facts_of
from sim.metrics.attack_properties import AttackProperties
from sim.metrics.counts import NO_WRONG_ITEM, RELEASED
from sim.metrics.curves import axis_columns
from sim.metrics.phi import PRESENT
from sim.metrics.shared_targets import on_shared_targets
from sim.numeric import exp2
from sim.numeric.exact_intervals import (
    bounded_interval,
    clopper_pearson,
    mean_interval,
    quantile_bound,
)
from sim.numeric.intervals import Interval
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_percent
from sim.record.run_folder import RunFolder
from sim.record.run_record import FILE_FACTS_FOLDER
from sim.study.labels import level_text

MEAN = "mean"
MEASURES = ("highest", "percentile_99", MEAN, "succeeds")
"""What can be compared with a bound: risks of a person, and the share that the attack finds."""

BAYES = "bayes"
_COLUMNS = [
    *("cell", "target", "present", "matched", "correct", "true_rank", "above", "ties", "posterior"),
    "entropy_bits",
]
_DRAW = FactDrawAxis.name
PERCENTILE = 0.99
_AT_LEAST_GUARD = (MEAN, "best_guess")

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]
Cells = list[Mapping[Any, Any]]
"""Grid cells that differ only in the draw of facts."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A probability with its 95% interval.

    Parameters
    ----------
    high_of_all : float
        The upper end for all records, those that could not be attacked counted as found.
    """

    estimate: float
    low: float
    high: float
    high_of_all: float


def estimate_of(row: Mapping[Any, Any], name: str) -> Estimate:
    """Return a share of a table, with its interval from the columns beside it, as an estimate.

    Examples
    --------
    >>> estimate_of({"x": 0.5, "x_low": 0.25, "x_high": 1}, "x")
    Estimate(estimate=0.5, low=0.25, high=1.0, high_of_all=1.0)
    """
    low, high = (float(row[f"{name}{end}"]) for end in ("_low", "_high"))
    return Estimate(float(row[name]), low, high, high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An attacker in one grid cell.

    Parameters
    ----------
    axes : dict of str to object
        The attacker's knowledge, as in ``curves.parquet``.
    attack : str
        The attack whose results these are: `BAYES` where the attacker is modelled and the model
        holds; otherwise, of the attacks that were run, the one that names most records right.
    records : int
        People who have a record in the release.
    eligible : int
        Of these, those with enough facts in the data that facts are drawn from.
    attacked : int
        Of these, those attacked.
    no_wrong_item : int
        Of the others in the release, those with enough facts, but so many items that too few are
        left for the wrong facts.
    succeeds : Estimate
        The attacker names the right record; where there is a `problem`, of how many at least.
    wrong : Estimate
        The attacker names a wrong one.
    control : Estimate or None
        The attacker names any record of a person who is not in the release.
    absent : int
        The denominator of the control.
    absent_are_others : bool
        Whether these are other people than those attacked, who never had a record in the release;
        otherwise they are the same people, whose records were removed.
    mean, percentile_99, highest : Estimate or None
        Of the risk of a person: the posterior of their own record, the mean over draws of facts.
        None without a model, or if the model has a `problem`.
    best_guess : Estimate or None
        The mean posterior of the likeliest record, which is the share of people that an attacker
        can expect to be right about who always names it, sure or not. None as for these.
    named_right : Estimate or None
        The highest share, of any attack that was run, of which the likeliest record is the right
        one; 1/t where t records are the likeliest, the person's own among them.
    published : str
        The published attack on the same targets; empty: none was run.
    published_finds : Estimate or None
        The share that it names right.
    published_wrong, published_control : Estimate or None
        As `wrong` and `control`, of the published attack.
    claims : Estimate or None
        The share of the people whom the published attack claims to have found that it is right
        about; None: it claims nobody, or none was run.
    rare_facts : RareFacts or None
        The highest risk by a fact about one of the records; None: without a model.
    problem : str
        Why the risk counts as not tested; empty: it is tested.
    draws : int
        Times that facts about each person were drawn.
    highest_draw : float or None
        The highest posterior of their own record that any person has in any of the draws.
    guard : Estimate or None
        The share that the guard names right, which `mean` and `best_guess` are at least, as is a
        person's risk what the guard gives to their record. None: not tested.
    guard_above_model : bool
        Whether that is more than the model of the attacker can explain.
    facts : str
        Of what the facts are, where the file lacks some: ``original`` or ``file``; else empty.
    other : Row or None
        The same attacker with the other facts.
    untested : str
        Why the attacker with the other facts was not tested; empty: it was, or there are none.
    """

    attacker: str
    cell: int
    axes: Mapping[str, Any]
    attack: str
    records: int
    eligible: int
    attacked: int
    succeeds: Estimate
    wrong: Estimate
    control: Estimate | None
    absent: int
    mean: Estimate | None = None
    percentile_99: Estimate | None = None
    highest: Estimate | None = None
    best_guess: Estimate | None = None
    named_right: Estimate | None = None
    published: str = ""
    published_finds: Estimate | None = None
    published_wrong: Estimate | None = None
    published_control: Estimate | None = None
    claims: Estimate | None = None
    rare_facts: RareFacts | None = None
    problem: str = ""
    draws: int = 1
    highest_draw: float | None = None
    absent_are_others: bool = False
    no_wrong_item: int = 0
    guard: Estimate | None = None
    guard_above_model: bool = False
    facts: str = ""
    other: Row | None = None
    untested: str = ""

    @property
    def is_census(self) -> bool:
        """Whether every eligible record was attacked."""
        return self.attacked == self.eligible

    def is_like(self, other: Row) -> bool:
        """Whether another row is of the same knowledge."""
        mine, theirs = ({k: level_text(v) for k, v in one.axes.items()} for one in (self, other))
        return mine == theirs

    @property
    def too_short(self) -> int:
        """Records that have too few facts to be attacked."""
        return self.untried - self.no_wrong_item

    @property
    def untried(self) -> int:
        """Records that cannot be attacked, for whatever reason."""
        return self.records - self.eligible

    @property
    def highest_of_any(self) -> float:
        """The highest risk of a person by any draw of facts; 0 where none was measured."""
        measured = 0.0 if self.highest is None else self.highest.estimate
        return max(measured, self.highest_draw or 0.0)

    @property
    def shares(self) -> tuple[Estimate, ...]:
        """Shares that count under every measure: named right, claimed, and of the guard."""
        every = self.named_right, self.best_guess, self.guard
        return tuple(one for one in every if one is not None)

    def counted(self, measure: str) -> float | None:
        """Return what is compared with a bound on one of `MEASURES`; None: it was not measured.

        The largest upper end of the measure itself and of `shares`, people who could not be
        attacked counted as found.
        """
        given: Estimate | None = getattr(self, measure)
        if given is None:
            return None
        return max(one.high_of_all for one in (given, *self.shares))

    @property
    def highest_share(self) -> Estimate:
        """The highest share of people that an attack finds: of `most_found` and `shares`."""
        return max((self.most_found[0], *self.shares), key=lambda one: one.estimate)

    @property
    def most_found(self) -> tuple[Estimate, str]:
        """The highest share that an attack names right, and this attack."""
        finds = self.published_finds
        if finds is None or self.succeeds.estimate >= finds.estimate:
            return self.succeeds, self.attack
        return finds, self.published

    @property
    def errors_of_most_found(self) -> tuple[Estimate, Estimate | None]:
        """`wrong` and `control` of the attack of `most_found`."""
        if self.published_wrong is None or self.most_found[1] == self.attack:
            return self.wrong, self.control
        return self.published_wrong, self.published_control


def rows_of(run: RunFolder, attacker: str, confidence: float) -> list[Row]:
    """Measure one attacker in every grid cell in which targets are in the release, once a run.

    Where it was run with facts of the original and of the file, each row has the `Row.other`.

    Parameters
    ----------
    run : RunFolder
        An attack of this attacker.
    confidence : float
        The posterior from which the Bayes-optimal attacker names a record.

    Raises
    ------
    InputError
        The tables of the run contradict each other or cannot be read.
    """
    key = rows_of, attacker, confidence
    if key not in run.worked_out:
        run.worked_out[key] = _with_file_facts(run, attacker, confidence)
    found: list[Row] = run.worked_out[key]
    return found


def _with_file_facts(run: RunFolder, attacker: str, confidence: float) -> list[Row]:
    found = _measured(run, attacker, confidence)
    reason = (run.record.get(FILE_FACTS_FOLDER) or {}).get("reason")
    if reason:
        untested = f"facts of the file are not tested: {reason}"
        return [replace(row, facts="original", untested=untested) for row in found]
    if run.file_facts is None:
        facts = _facts_alone(run)
        return [replace(row, facts=facts) for row in found] if facts else found
    ours = [replace(row, facts="original") for row in found]
    theirs = [replace(row, facts="file") for row in _measured(run.file_facts, attacker, confidence)]
    # Where fewer people have as many facts in the file, it has fewer: then by their order.
    pairs = {a: b for a, row in enumerate(ours) for b, one in enumerate(theirs) if row.is_like(one)}
    left = [[*range(len(ours))], [*range(len(theirs))]]
    rest = zip(
        (a for a in left[0] if a not in pairs),
        (b for b in left[1] if b not in pairs.values()),
        strict=False,
    )
    pairs |= dict([*rest])
    paired = [
        replace(row, other=theirs[pairs[a]]) if a in pairs else row for a, row in enumerate(ours)
    ]
    return [*paired, *(one for b, one in enumerate(theirs) if b not in pairs.values())]


def _facts_alone(run: RunFolder) -> str:
    """Return of what the facts of a changed release are, where others were not asked for."""
    known = (run.config.get("audit") or {}).get("known_facts")
    if run.config.get("aggregate") != AUDIT or not run.record.get("defences"):
        return ""
    return {BOTH: "", ORIGINAL: "original"}.get(str(known), "file")


def _measured(run: RunFolder, attacker: str, confidence: float) -> list[Row]:
    best = run if run.config["attack"]["name"] == BAYES else run.bayes
    found = []
    for cells, twins in _cells(run.tables["curves"]):
        if best is None:
            found.append(_published_row(run, attacker, cells, twins))
        else:
            found.append(_best_row(run, best, attacker, cells, confidence))
    return [row for row in found if row is not None]


def _cells(curves: pd.DataFrame) -> Iterator[tuple[Cells, Cells]]:
    """Yield the cells with targets in the release that differ only in the draw of facts.

    And the same without the targets, if there are any.
    """
    rows = row_dicts(curves)
    axes = axis_columns(curves)
    here: dict[tuple[str, ...], Cells] = {}
    gone: dict[tuple[str, ...], Cells] = {}
    for row in rows:
        kept = here if row.get(PRESENT, True) else gone
        kept.setdefault(_key(row, axes), []).append(row)
    for key, cells in here.items():
        yield cells, gone.get(key, [])


def _key(row: Mapping[Any, Any], axes: tuple[str, ...]) -> tuple[str, ...]:
    # As text: an integer level is a float where another level of its own grid is one.
    return tuple(level_text(row[axis]) for axis in axes if axis not in (PRESENT, _DRAW))


def _axes_of(cells: Cells, axes: tuple[str, ...]) -> dict[str, Any]:
    return {axis: _plain(cells[0][axis]) for axis in axes if axis != _DRAW}


def _best_row(
    run: RunFolder, best: RunFolder, attacker: str, cells: Cells, confidence: float
) -> Row | None:
    """Measure the Bayes-optimal attacker, and compare it with the attack of the run."""
    axes = axis_columns(run.tables["curves"])
    key = _key(cells[0], axes)
    same = [pair for pair in _cells(best.tables["curves"]) if _key(pair[0][0], axes) == key]
    if len(same) != 1 or len(same[0][0]) != len(cells):
        raise InputError(
            f"{best.path}: its grid differs from that of {run.path}; run the audit again"
        )
    theirs, twins = same[0]
    here = _those_present(_decided(best, theirs))
    if here[0].empty:
        return None
    risks = np.stack([_posterior(best, *pair) for pair in zip(theirs, here, strict=True)])
    guard = guard_of(best, [int(cell["cell"]) for cell in theirs], here[0]["target"])
    if guard is not None:
        risks = np.maximum(risks, guard.own)
    named = _each(here, lambda rows: _named(rows, confidence))
    right = named & _each(here, lambda rows: _truth(rows, "correct"))
    problem = _problem(best)
    counts = counts_of(theirs[0], len(here[0]))
    rare = rare_facts_of(run, int(cells[0]["cell"]))
    known = risks_of(risks, counts, rare.item, rare.highest)
    likeliest = np.stack([_likeliest(rows) for rows in here])
    guess = risks_of(likeliest, counts, rare.item, rare.highest)[MEAN]
    limit = known["highest"].high if rare.highest is not None else 1.0
    guessed = _expected(_each(here, _chance_right), counts)
    measured: dict[str, Any] = {**counts, **known, "rare_facts": rare, "best_guess": guess}
    guarded = _guarded(guard, counts)
    if guarded:
        measured |= {name: _larger(measured[name], guarded["guard"]) for name in _AT_LEAST_GUARD}
    published: dict[str, Any] = {}
    theirs_alone: Row | None = None
    problem = problem or _weaker(run, best, cells, theirs, len(here[0]))
    if best is not run:
        theirs_alone = _published_row(run, attacker, cells, _twins_of(run, key), problem)
        if theirs_alone is None:
            raise InputError(f"{run.path}: no target is in the release; run the audit again")
        finds, others = theirs_alone.succeeds, theirs_alone.named_right
        guessed = guessed if others is None else _larger(guessed, others)
        published = {
            "published": theirs_alone.attack,
            "published_finds": finds,
            "published_wrong": theirs_alone.wrong,
            "published_control": theirs_alone.control,
            "claims": theirs_alone.claims,
        }
    succeeds = _share(right, counts)
    if problem:
        # What the model says of people is no result; what an attack that was run finds is one.
        if theirs_alone is not None and theirs_alone.succeeds.estimate >= succeeds.estimate:
            return replace(theirs_alone, named_right=guessed, **guarded)
        measured = {**counts, "rare_facts": rare}
    absent = _decided(best, twins)
    return Row(
        attacker=attacker,
        cell=int(cells[0]["cell"]),
        axes=_axes_of(cells, axes),
        attack=BAYES,
        **measured,
        **guarded,
        # If the model holds, nobody is found for a higher risk than that of any fact.
        named_right=guessed if problem else _limited(guessed, limit, counts),
        succeeds=succeeds,
        wrong=_share(named & ~right, counts),
        control=_control(_each(absent, lambda rows: _named(rows, confidence))) if absent else None,
        absent=len(absent[0]) if absent else 0,
        **published,
        problem=problem,
        draws=len(cells),
        highest_draw=None if problem else float(risks.max()),
    )


def _guarded(guard: Guarded | None, counts: Mapping[str, int]) -> dict[str, Any]:
    """Return the fields of a row that the guard fills."""
    if guard is None:
        return {}
    share = Estimate(guard.share, guard.low, guard.high, with_rest(guard.high, counts))
    return {"guard": share, "guard_above_model": guard.above_model}


def _larger(one: Estimate, other: Estimate) -> Estimate:
    """Return the larger of each number of two estimates."""
    return Estimate(*map(max, astuple(one), astuple(other)))


def _twins_of(run: RunFolder, key: tuple[str, ...]) -> Cells:
    """Return the cells without the targets, of those of a key."""
    curves = run.tables["curves"]
    axes = axis_columns(curves)
    return next(gone for here, gone in _cells(curves) if _key(here[0], axes) == key)


def _published_row(
    run: RunFolder, attacker: str, cells: Cells, twins: Cells, problem: str = ""
) -> Row | None:
    """Measure the attack of a run whose Bayes-optimal attacker there is not, or tells nothing."""
    every = _decided(run, cells)
    here = _those_present(every)
    if here[0].empty:
        return None
    # People of another table may be in the release or not, in one and the same cell.
    absent = _decided(run, twins) if twins else [rows[_is_absent(rows)] for rows in every]
    named, right = _each(here, lambda rows: _truth(rows, "matched")), _each(here, _matched_right)
    counts = counts_of(cells[0], len(here[0]))
    if counts["attacked"] < len(every[0]) and not twins and not _says_who_is_released(run, cells):
        counts["records"] = counts["eligible"] = int(cells[0]["n_present"])
    numbers: dict[str, Any] = {**counts}
    return Row(
        attacker=attacker,
        cell=int(cells[0]["cell"]),
        axes=_axes_of(cells, axis_columns(run.tables["curves"])),
        attack=str(run.config["attack"]["name"]),
        **numbers,
        named_right=_expected(_each(here, _chance_right), counts),
        succeeds=_share(right, counts),
        wrong=_share(named & ~right, counts),
        control=_control(_each(absent, lambda rows: _truth(rows, "matched")))
        if len(absent[0])
        else None,
        absent=len(absent[0]),
        claims=_claims(named, right),
        problem=problem or _why_no_model(run),
        draws=len(cells),
        absent_are_others=not twins and len(absent[0]) > 0,
    )


def _says_who_is_released(run: RunFolder, cells: Cells) -> bool:
    """Whether the curves count the people in the release, none of whom is left out by lot."""
    return RELEASED[0] in cells[0] and run.config["adversary"].get("member_fraction", 1) == 1


def _posterior(best: RunFolder, cell: Mapping[Any, Any], rows: pd.DataFrame) -> Floats:
    """Return the posteriors of the targets' own records."""
    bits = rows["entropy_bits"].to_numpy(np.float64, na_value=np.nan)
    if np.isnan(bits).any():
        raise InputError(f"{best.path}: grid cell {cell['cell']} lacks the entropy of a target")
    return exp2(-bits)


def _why_no_model(run: RunFolder) -> str:
    reason = (run.record.get("bayes") or {}).get("reason")
    if reason:
        return f"the Bayes-optimal attacker cannot be run: {reason}"
    config = run.config
    if config["adversary"]["kind"] != "aux":
        return "the Bayes-optimal attacker has no model of what this attacker knows"
    if unmodelled(config["grid"]):
        return f"the Bayes-optimal attacker has no model of {', '.join(unmodelled(config['grid']))}"
    return "the Bayes-optimal attacker was not run (bayes_targets=0)"


def unknown_changes(best: RunFolder) -> str:
    """Return what the Bayes-optimal attacker of a run has no model of; empty: nothing."""
    defences = best.record.get("defences") or ()
    unknown = [each["name"] for each in defences if not each["known_to_attackers"]]
    if not unknown:
        return str(best.record.get("untested", ""))
    return (
        f"the Bayes-optimal attacker does not know what {' and '.join(unknown)} changed, and "
        "one who does may find more people"
    )


def _problem(best: RunFolder) -> str:
    unknown = unknown_changes(best)
    if unknown:
        return unknown
    if best.config["attack"].get("count") != "exact":
        return "attack.count=independent is overconfident where facts are wrong"
    return ""


def _weaker(run: RunFolder, best: RunFolder, ours: Cells, theirs: Cells, n: int) -> str:
    """Return why the Bayes-optimal attacker's assumptions do not hold; empty if they may.

    They do not hold if they do not in any of the draws of facts.
    """
    properties = AttackProperties(
        n_records=run.record["release"]["n_records"],
        phi=run.config["attack"]["phi"],
        log_scores=True,
    )
    try:
        both = on_shared_targets(
            run.path,
            best.path,
            [(int(a["cell"]), int(b["cell"])) for a, b in zip(ours, theirs, strict=True)],
            properties,
        )
    except (OSError, ValueError) as error:
        raise InputError(
            f"{run.path}: its decisions cannot be compared ({error}); run the audit again"
        ) from None
    if len(both) < len(ours) or (both["n_shared"] != n).any():
        name = attack_title(run.config["attack"]["name"])
        return f"{name} was not run on all of these targets"
    reasons = (_contradiction(row, run) for row in row_dicts(both))
    return next(filter(None, reasons), "")


def _contradiction(row: Mapping[Any, Any], run: RunFolder) -> str:
    name = run.config["attack"]["name"]
    if row["best_rank1_high"] < row["rank1_low"]:
        return (
            f"the Bayes-optimal attacker's assumptions do not hold: its best guess is right for "
            f"{format_percent(row['best_rank1'])}, that of {name} for "
            f"{format_percent(row['rank1'])} of the same targets"
        )
    if row["best_claimed_low"] > row["best_rank1_high"]:
        return (
            f"the Bayes-optimal attacker's assumptions do not hold: it claims a posterior of "
            f"{format_percent(row['best_claimed'])} on average, and its best guess is right for "
            f"{format_percent(row['best_rank1'])}"
        )
    if row["best_rank1_low"] > row["best_claimed_high"]:
        return (
            f"the Bayes-optimal attacker's assumptions do not hold: its best guess is right for "
            f"{format_percent(row['best_rank1'])}, and it claims a posterior of only "
            f"{format_percent(row['best_claimed'])} on average, so that risks are higher than it "
            "says"
        )
    return ""


def _decided(run: RunFolder, cells: Cells) -> list[pd.DataFrame]:
    """Read the decisions of grid cells about the same targets, in the same order."""
    found = [_read(run, cell) for cell in cells]
    people = [rows[["target", "present"]].reset_index(drop=True) for rows in found]
    if not all(one.equals(people[0]) for one in people):
        raise InputError(
            f"{run.path}: the draws of facts are not about the same people; run the audit again"
        )
    return found


def _read(run: RunFolder, cell: Mapping[Any, Any]) -> pd.DataFrame:
    """Read the decisions of a grid cell, as many as its curves say."""
    path = run.path / "decisions.parquet"
    number = int(cell["cell"])
    try:
        table = pq.read_table(path, columns=_COLUMNS, filters=[("cell", "=", number)])
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({error}); run the audit again") from None
    rows: pd.DataFrame = table.to_pandas()
    if len(rows) != int(cell["n_targets"]):
        raise InputError(
            f"{path}: has {len(rows):,} targets in grid cell {number}, and curves.parquet "
            f"{int(cell['n_targets']):,}; run the audit again"
        )
    return rows


def _those_present(found: list[pd.DataFrame]) -> list[pd.DataFrame]:
    return [rows[_truth(rows, "present")] for rows in found]


def _is_absent(rows: pd.DataFrame) -> Truths:
    """Whether it is known that a target is not in the release."""
    return ~_truth(rows, "present") & rows["present"].notna().to_numpy(np.bool_)


def _each(found: list[pd.DataFrame], what: Callable[[pd.DataFrame], Any]) -> Any:
    """Return what holds of every draw and target, shape (draws, targets)."""
    return np.stack([what(rows) for rows in found])


def _matched_right(rows: pd.DataFrame) -> Truths:
    return _truth(rows, "matched") & _truth(rows, "correct")


def _truth(rows: pd.DataFrame, name: str) -> Truths:
    return rows[name].astype("boolean").fillna(False).to_numpy(np.bool_)


def _chance_right(rows: pd.DataFrame) -> Floats:
    """Return the chance that the best guess is right: own/t where t records are at the top."""
    rank, above, ties = (
        rows[name].to_numpy(np.float64, na_value=0.0) for name in ("true_rank", "above", "ties")
    )
    own = ties - rank + 1  # of several own records, the rank counts one
    return np.where((rank > 0) & (above == 0), own / np.maximum(ties, 1), 0.0)


def _likeliest(rows: pd.DataFrame) -> Floats:
    """Return the highest posterior of a record, for each target."""
    return np.asarray(rows["posterior"].to_numpy(np.float64, na_value=0.0))


def _named(rows: pd.DataFrame, confidence: float) -> Truths:
    """Whether the attacker names a record: one alone has the highest posterior, and enough."""
    posterior = rows["posterior"].to_numpy(np.float64, na_value=0.0)
    return np.asarray((rows["ties"].to_numpy() == 1) & (posterior >= confidence))


def counts_of(cell: Mapping[Any, Any], attacked: int) -> dict[str, int]:
    """Count the people in the release, of them those who can be, and those who were, attacked.

    And those with enough facts, but too few items that are left for the wrong ones.

    Parameters
    ----------
    cell : Mapping
        A row of ``curves.parquet``.
    """
    records, eligible = RELEASED
    if records in cell:
        counts = {"records": int(cell[records]), "eligible": int(cell[eligible])}
    else:
        whole = round(cell["n_eligible"] / cell["eligible"])
        counts = {"records": whole, "eligible": int(cell["n_eligible"])}
    full = cell.get(NO_WRONG_ITEM[1] if records in cell else NO_WRONG_ITEM[0], 0)
    return {**counts, "attacked": attacked, "no_wrong_item": int(full)}


def _share(chosen: Truths, counts: Mapping[str, int]) -> Estimate:
    mean, around = _over_draws(chosen)
    return Estimate(mean, around.low, around.high, with_rest(around.high, counts))


def _expected(chances: Floats, counts: Mapping[str, int]) -> Estimate:
    """Return the mean of chances, shape (draws, targets), as `_share` does of what happened."""
    if np.isin(chances, (0.0, 1.0)).all():
        return _share(chances == 1.0, counts)
    each = [bounded_interval(np.sort(row)) for row in chances]
    low, high = min(one.low for one in each), max(one.high for one in each)
    mean = float(np.sort(chances, axis=None).mean())
    return Estimate(mean, min(low, mean), max(high, mean), with_rest(max(high, mean), counts))


def _limited(share: Estimate, limit: float, counts: Mapping[str, int]) -> Estimate:
    """Return a share whose upper end is not above a limit, unless the estimate is."""
    high = max(min(share.high, limit), share.estimate)
    return replace(share, high=high, high_of_all=with_rest(high, counts))


def _control(claimed: Truths) -> Estimate:
    mean, around = _over_draws(claimed)
    return Estimate(mean, around.low, around.high, around.high)


def _claims(named: Truths, right: Truths) -> Estimate | None:
    """Return the share of the claims that are right; None where a draw of facts has no claim."""
    counts = [
        (int(np.count_nonzero(one & claimed)), int(np.count_nonzero(claimed)))
        for one, claimed in zip(right, named, strict=True)
    ]
    if not all(n for _, n in counts):
        return None
    each = [clopper_pearson(*pair) for pair in counts]
    high = max(one.high for one in each)
    found, claimed = (sum(numbers) for numbers in zip(*counts, strict=True))
    return Estimate(found / claimed, min(one.low for one in each), high, high)


def _over_draws(chosen: Truths) -> tuple[float, Interval]:
    """Return the share of draws and targets, and an interval that holds that of every draw.

    The draws are about the same people, so together they are no larger a sample: an interval that
    holds that of one draw is at least as sure. It is exact, as a verdict may rest on its upper end.
    """
    draws, n = chosen.shape
    each = [clopper_pearson(int(np.count_nonzero(row)), n) for row in chosen]
    around = Interval(min(one.low for one in each), max(one.high for one in each))
    return int(np.count_nonzero(chosen)) / (draws * n), around


def with_rest(high: float, counts: Mapping[str, int]) -> float:
    """Count the records that could not be attacked as found, in the upper end of a share.

    Parameters
    ----------
    counts : Mapping
        From `counts_of`.
    """
    some = counts["eligible"] / counts["records"]
    return high if some == 1 else some * high + (1 - some)


def risks_of(
    risks: Floats,
    counts: Mapping[str, int],
    by_item: float | None = None,
    by_facts: float | None = None,
) -> dict[str, Estimate]:
    """Mean, 99th percentile and maximum of the risks of people.

    The risk of a person is the mean over draws of facts. Of a sample, the highest risk has no upper
    end below 1. Where all were attacked, its upper end is the largest of what was found in any draw
    and what a fact could reveal that was not drawn. So repeated draws never lower it. No other
    measure has a higher one, if these facts were looked at. The mean is also at most what it
    would be if as many people as may have been missed had a risk of 1, and all others the highest
    risk found in any draw.

    Parameters
    ----------
    risks : float64 array, shape (draws, targets)
        Posteriors of the targets' own records.
    by_item : float or None
        The highest risk by an item of one of the targets.
    by_facts : float or None
        The highest risk by a fact about one of them, or by two; at least `by_item`.
    """
    # In an order of their own: the last bit of a sum depends on it.
    drawn = np.sort(risks, axis=0)
    risk = np.sort(np.clip(drawn.mean(axis=0), drawn[0], drawn[-1]))
    most = float(risk[-1])
    census = counts["attacked"] == counts["eligible"]
    some = counts["eligible"] / counts["records"]
    found = float(risks.max())
    end = max(found, by_item or 0.0) if census else 1.0
    end_of_highest = max(end, by_facts or 0.0)
    limit = end_of_highest if census and by_facts is not None else 1.0
    mean = float(risk[0]) if risk[0] == most else float(risk.mean())
    around, missed = mean_interval(risk), clopper_pearson(0, risk.size).high
    high = max(min(around.high, found + (1 - found) * missed, limit), mean)
    place = float(np.quantile(risk, PERCENTILE, method="inverted_cdf"))
    bound = max(min(quantile_bound(risk, PERCENTILE), limit), place)
    # Of all records, a share 1 - some may have any risk.
    rest = bound if some == 1 else min(quantile_bound(risk, PERCENTILE / some), _end(limit, some))
    return {
        "mean": Estimate(mean, around.low, high, with_rest(high, counts)),
        "percentile_99": Estimate(place, place, bound, max(rest, bound)),
        "highest": Estimate(most, most, end_of_highest, end_of_highest if some == 1 else 1.0),
    }


def _end(end: float, some: float) -> float:
    return end if some >= PERCENTILE else 1.0


def _plain(value: Any) -> Any:
    """Return a level of an axis as a JSON value."""
    if value is None or pd.isna(value):
        return None
    return value.item() if isinstance(value, np.generic) else value

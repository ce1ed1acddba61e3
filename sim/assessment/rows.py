"""The rows of an assessment: what one attacker achieves with one number of facts.

Invariant: every number is computed from the decisions of a run; a share has the targets in the
release as its denominator, the control those that are not in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sim.axes.registry import unmodelled
from sim.errors import InputError
from sim.metrics.attack_properties import AttackProperties
from sim.metrics.curves import axis_columns
from sim.metrics.phi import PRESENT
from sim.metrics.shared_targets import on_shared_targets
from sim.numeric import exp2
from sim.numeric.exact_intervals import clopper_pearson, mean_interval, quantile_bound
from sim.numeric.text import format_percent
from sim.record.run_folder import RunFolder
from sim.study.labels import level_text

MEASURES = ("highest", "percentile_99", "mean", "succeeds")
"""What can be compared with a bound: risks of a person, and the share that the attack finds."""

BAYES = "bayes"
_COLUMNS = [
    *("cell", "target", "present", "matched", "correct", "ties", "posterior", "entropy_bits"),
]
_HIGH = 0.99

Floats = NDArray[np.float64]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An attacker in one grid cell.

    Parameters
    ----------
    axes : dict of str to object
        The attacker's knowledge, as in ``curves.parquet``.
    attack : str
        The attack whose results these are: `BAYES` where the attacker is modelled.
    records : int
        People that the release is about.
    eligible : int
        Of these, those with enough facts.
    attacked : int
        Of these, those attacked and in the release.
    succeeds : Estimate
        The attacker names the right record.
    wrong : Estimate
        The attacker names a wrong one.
    control : Estimate or None
        The attacker names any record of a person who is not in the release.
    absent : int
        The denominator of the control.
    mean, percentile_99, highest : Estimate or None
        Of the risk of a person: the posterior of their own record. None without a model.
    published : str
        The published attack on the same targets; empty: none was run.
    published_finds : Estimate or None
        The share that it names right.
    rarest : int or None
        The fewest records that hold an item of one of the records attacked; None: not counted.
    problem : str
        Why the risk counts as not tested; empty: it is tested.
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
    published: str = ""
    published_finds: Estimate | None = None
    rarest: int | None = None
    problem: str = ""

    @property
    def is_census(self) -> bool:
        """Whether every eligible record was attacked."""
        return self.attacked == self.eligible

    @property
    def too_short(self) -> int:
        """Records that have too few facts to be attacked."""
        return self.records - self.eligible


def rows_of(run: RunFolder, attacker: str, confidence: float) -> list[Row]:
    """Measure one attacker in every grid cell in which targets are in the release.

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
    best = run if run.config["attack"]["name"] == BAYES else run.bayes
    found = []
    for cell, twin in _cells(run.tables["curves"]):
        if best is None:
            found.append(_published_row(run, attacker, cell, twin))
        else:
            found.append(_best_row(run, best, attacker, cell, confidence))
    return [row for row in found if row is not None]


def _cells(curves: pd.DataFrame) -> Iterator[tuple[Mapping[Any, Any], Mapping[Any, Any] | None]]:
    """Yield the cells with targets in the release, and the same without them."""
    rows = curves.to_dict("records")
    axes = axis_columns(curves)
    gone = {_key(row, axes): row for row in rows if not row.get(PRESENT, True)}
    for row in rows:
        if row.get(PRESENT, True):
            yield row, gone.get(_key(row, axes))


def _key(row: Mapping[Any, Any], axes: tuple[str, ...]) -> tuple[str, ...]:
    # As text: an integer level is a float where another level of its own grid is one.
    return tuple(level_text(row[axis]) for axis in axes if axis != PRESENT)


def _best_row(
    run: RunFolder, best: RunFolder, attacker: str, cell: Mapping[Any, Any], confidence: float
) -> Row | None:
    """Measure the Bayes-optimal attacker, and compare it with the attack of the run."""
    axes = axis_columns(run.tables["curves"])
    key = _key(cell, axes)
    same = [pair for pair in _cells(best.tables["curves"]) if _key(pair[0], axes) == key]
    if len(same) != 1:
        raise InputError(
            f"{best.path}: its grid differs from that of {run.path}; run the audit again"
        )
    theirs, twin = same[0]
    rows = _decided(best, theirs)
    here = rows[_truth(rows, "present")]
    if here.empty:
        return None
    bits = here["entropy_bits"].to_numpy(np.float64, na_value=np.nan)
    if np.isnan(bits).any():
        raise InputError(f"{best.path}: grid cell {theirs['cell']} lacks the entropy of a target")
    risk = np.sort(exp2(-bits))
    named = _named(here, confidence)
    right = named & _truth(here, "correct")
    absent = None if twin is None else _decided(best, twin)
    problem = _unknown_changes(run) or _problem(best)
    counts = _counts(theirs, len(here))
    rarest = _rarest(run)
    measured: dict[str, Any] = {**counts, **risks_of(risk, counts, rarest), "rarest": rarest}
    published: dict[str, Any] = {}
    if best is not run:
        ours = _decided(run, cell)
        ours = ours[_truth(ours, "present")]
        finds = _truth(ours, "matched") & _truth(ours, "correct")
        published = {
            "published": str(run.config["attack"]["name"]),
            "published_finds": _share(finds, _counts(cell, len(ours))),
        }
        problem = problem or _weaker(run, best, cell, theirs, len(here))
    return Row(
        attacker=attacker,
        cell=int(cell["cell"]),
        axes={axis: _plain(cell[axis]) for axis in axes},
        attack=BAYES,
        **measured,
        succeeds=_share(right, counts),
        wrong=_share(named & ~right, counts),
        control=None if absent is None else _control(_named(absent, confidence)),
        absent=0 if absent is None else len(absent),
        **published,
        problem=problem,
    )


def _published_row(
    run: RunFolder, attacker: str, cell: Mapping[Any, Any], twin: Mapping[Any, Any] | None
) -> Row | None:
    """Measure the attack of a run that has no Bayes-optimal attacker."""
    rows = _decided(run, cell)
    present = _truth(rows, "present")
    here = rows[present]
    if here.empty:
        return None
    # People of another table may be in the release or not, in one and the same cell.
    absent = rows[~present & rows["present"].notna()] if twin is None else _decided(run, twin)
    named, right = _truth(here, "matched"), _truth(here, "correct")
    counts = _counts(cell, len(here))
    if counts["attacked"] < len(rows) and twin is None:
        counts["records"] = counts["eligible"] = int(cell["n_present"])
    numbers: dict[str, Any] = {**counts}
    return Row(
        attacker=attacker,
        cell=int(cell["cell"]),
        axes={axis: _plain(cell[axis]) for axis in axis_columns(run.tables["curves"])},
        attack=str(run.config["attack"]["name"]),
        **numbers,
        succeeds=_share(named & right, counts),
        wrong=_share(named & ~right, counts),
        control=_control(_truth(absent, "matched")) if len(absent) else None,
        absent=len(absent),
        problem=_why_no_model(run),
    )


def _rarest(run: RunFolder) -> int | None:
    """Return the least support of an item of the records attacked, where all were."""
    if "risk" not in run.tables:
        return None
    return int(run.tables["risk"]["rarest_support"].min())


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


def _unknown_changes(run: RunFolder) -> str:
    """Return which changes of the release the attackers do not know; empty if they know all."""
    defences = run.record.get("defences") or ()
    unknown = [str(each["name"]) for each in defences if not each["known_to_attackers"]]
    if not unknown:
        return ""
    return (
        f"the Bayes-optimal attacker has no model of {' and '.join(unknown)}, and assumes that the "
        "release was not changed by it"
    )


def _problem(best: RunFolder) -> str:
    if best.config["attack"].get("count") != "exact":
        return "attack.count=independent is overconfident where facts are wrong"
    return ""


def _weaker(
    run: RunFolder, best: RunFolder, ours: Mapping[Any, Any], theirs: Mapping[Any, Any], n: int
) -> str:
    """Return why the Bayes-optimal attacker's assumptions do not hold; empty if they may."""
    properties = AttackProperties(
        n_records=run.record["release"]["n_records"],
        phi=run.config["attack"]["phi"],
        log_scores=True,
    )
    try:
        both = on_shared_targets(
            run.path, best.path, [(int(ours["cell"]), int(theirs["cell"]))], properties
        )
    except (OSError, ValueError) as error:
        raise InputError(
            f"{run.path}: its decisions cannot be compared ({error}); run the audit again"
        ) from None
    if both.empty or both["n_shared"].iloc[0] != n:
        return "the published attack was not run on all of these targets"
    row = both.iloc[0]
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
    return ""


def _decided(run: RunFolder, cell: Mapping[Any, Any]) -> pd.DataFrame:
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


def _truth(rows: pd.DataFrame, name: str) -> NDArray[np.bool_]:
    return rows[name].astype("boolean").fillna(False).to_numpy(np.bool_)


def _named(rows: pd.DataFrame, confidence: float) -> NDArray[np.bool_]:
    """Whether the attacker names a record: one alone has the highest posterior, and enough."""
    posterior = rows["posterior"].to_numpy(np.float64, na_value=0.0)
    return np.asarray((rows["ties"].to_numpy() == 1) & (posterior >= confidence))


def _counts(cell: Mapping[Any, Any], attacked: int) -> dict[str, int]:
    eligible = int(cell["n_eligible"])
    gone = int(cell["n_targets"]) - attacked  # the publisher left their records out
    records = round(eligible / cell["eligible"])
    return {"records": records - gone, "eligible": eligible - gone, "attacked": attacked}


def _share(chosen: NDArray[np.bool_], counts: Mapping[str, int]) -> Estimate:
    n = int(np.count_nonzero(chosen))
    interval = clopper_pearson(n, chosen.size)
    high_of_all = _with_rest(interval.high, counts)
    return Estimate(n / chosen.size, interval.low, interval.high, high_of_all)


def _control(claimed: NDArray[np.bool_]) -> Estimate:
    n = int(np.count_nonzero(claimed))
    interval = clopper_pearson(n, claimed.size)
    return Estimate(n / claimed.size, interval.low, interval.high, interval.high)


def _with_rest(high: float, counts: Mapping[str, int]) -> float:
    """Count the records that could not be attacked as found."""
    some = counts["eligible"] / counts["records"]
    return high if some == 1 else some * high + (1 - some)


def risks_of(
    risk: Floats, counts: Mapping[str, int], rarest: int | None = None
) -> dict[str, Estimate]:
    """Mean, 99th percentile and maximum of the risks of people, ascending.

    Of a sample, the highest risk has no upper end below 1. Where all were attacked, its upper end
    is the larger of what was found and what a fact about the rarest item could reveal; no other
    measure can exceed it.
    """
    most = float(risk[-1])
    census = counts["attacked"] == counts["eligible"]
    some = counts["eligible"] / counts["records"]
    end = max(most, 0.0 if rarest is None else 1 / rarest) if census else 1.0
    mean = float(risk[0]) if risk[0] == most else float(risk.mean())
    around = mean_interval(risk)
    high = max(min(around.high, end), mean)
    place = float(np.quantile(risk, _HIGH, method="inverted_cdf"))
    bound = max(min(quantile_bound(risk, _HIGH), end), place)
    # Of all records, a share 1 - some may have any risk.
    rest = bound if some == 1 else min(quantile_bound(risk, _HIGH / some), _end(end, some))
    return {
        "mean": Estimate(mean, around.low, high, _with_rest(high, counts)),
        "percentile_99": Estimate(place, place, bound, max(rest, bound)),
        "highest": Estimate(most, most, end, end if some == 1 else 1.0),
    }


def _end(end: float, some: float) -> float:
    return end if some >= _HIGH else 1.0


def _plain(value: Any) -> Any:
    """Return a level of an axis as a JSON value."""
    if value is None or pd.isna(value):
        return None
    return value.item() if isinstance(value, np.generic) else value

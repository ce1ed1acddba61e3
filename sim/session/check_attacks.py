"""Whether the attacks of a run that is no audit keep a bound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sim.attack.algorithms.registry import attack_class
from sim.attack.engine.algorithm import BASELINE
from sim.errors import ConfigError, InputError
from sim.findings import verdicts
from sim.findings.attacker_row import Row
from sim.findings.check import ATTACKS_ONLY, NOT_EACH
from sim.findings.headline_risk import FINDS, attack_name, attack_rows
from sim.findings.risk_rows import SINGLING_OUT, RiskRow
from sim.findings.verdicts import NOT_TESTED, Verdict, judge
from sim.record.run_folder import RunFolder
from sim.session.checked import Checked, data_of


def check_attacks(run: RunFolder, bound: float | None, measure: str | None) -> Checked:
    """Return the verdict on every attack of a run in every grid cell.

    What counts is the upper end of the interval of the share of people whom the best guess finds,
    with those counted as found who could not be attacked.

    Parameters
    ----------
    run : RunFolder
        An attack, or a suite with attacks.
    measure : str or None
        None stands for `FINDS`.

    Raises
    ------
    ConfigError
        There is no bound, or an attack has no such measure.
    InputError
        Nobody is attacked, or it is not known whose the records are.
    """
    if bound is None:
        raise ConfigError("check: no bound: an attack has none of its own; add max_risk=0.09")
    if measure not in (None, FINDS):
        raise ConfigError(
            f"measure: {measure!r}: an attack tells only whom it finds; leave measure out, or run "
            "standout experiment=audit"
        )
    found = [*_found(run, "")]
    if not found:
        raise InputError(
            f"{run.path}: attacks nobody whose record is known, so there is no risk to check; run "
            "standout experiment=audit"
        )
    rows = tuple(_row(name, row, bound) for name, row in found)
    return Checked(
        run.path,
        bound,
        FINDS,
        rows,
        data_of(run),
        (NOT_EACH.found("audit", measure=FINDS), ATTACKS_ONLY.found("audit")),
    )


def _row(name: str, row: Row | None, bound: float) -> RiskRow:
    verdict = Verdict(NOT_TESTED) if row is None else _judged(row, bound)
    numbers: dict[str, Any] = {}
    if row is not None:
        given = row.succeeds
        numbers = {
            "rate": given.estimate, "low": given.low, "high": given.high,
            "wrong": row.wrong.estimate, "counted": given.high_of_all, "n": row.attacked,
            "eligible": row.eligible, "records": row.records, "decided_by": verdict.decided_by,
        }  # fmt: skip
    return RiskRow(
        criterion=SINGLING_OUT, attacker=name, known={}, measure=FINDS, bound=bound,
        verdict=verdict.verdict, reason=verdict.reason, **numbers,
    )  # fmt: skip


def _judged(row: Row, bound: float) -> Verdict:
    if attack_class(row.attack).source == BASELINE:
        return Verdict(NOT_TESTED, verdicts.BASELINE.found())
    return judge(row, FINDS, bound)


def _found(run: RunFolder, part: str) -> Iterator[tuple[str, Row | None]]:
    """Yield the cells of all attacks with their names; None: a part that could not be run."""
    if run.kind == "attack":
        for one, row in attack_rows(run):
            where = part if one is run else f"{part}{one.name}: "
            yield f"{where}{attack_name(row)}", row
    for each in run.parts:
        if each.run is None:
            yield f"{part}{each.name}: not possible on this release", None
        else:
            yield from _found(each.run, f"{part}{each.name}: ")

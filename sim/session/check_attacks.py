"""Whether the attacks of a run that is no audit keep a bound."""

from __future__ import annotations

from collections.abc import Iterator

from sim.assessment.headline_risk import FINDS, attack_name, attack_rows
from sim.assessment.rows import Row
from sim.assessment.verdicts import NOT_TESTED, WITHIN, WORST_FIRST, Verdict, judge
from sim.attack.algorithms.registry import attack_class
from sim.attack.engine.algorithm import BASELINE
from sim.errors import ConfigError, InputError
from sim.numeric.text import format_percent, quantity
from sim.record.run_folder import RunFolder
from sim.report.words.assessment import verdict_words
from sim.session.checked import SINGLING_OUT, Checked, CheckedRow, checked_row, data_of

_RESTRICTIONS = (
    "of these attacks only: what others find, with other knowledge, was not tested",
    "the bound is one on the share of people whom the best guess of an attack finds, and no bound "
    "for each person",
)
"""How attacks ask less than an audit does by default."""


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
    heading = (
        f"bound {format_percent(bound)} for the share of people whom the best guess of an attack "
        "finds; what counts is the upper end of the 95% interval, with those who could not be "
        "attacked counted as found"
    )
    rows, lines = list[CheckedRow](), list[str]()
    for name, row in found:
        verdict = Verdict(NOT_TESTED) if row is None else _judged(row, bound)
        rows.append(checked_row(SINGLING_OUT, name, row, FINDS, verdict))
        lines.append(_line(name, row, verdict))
    verdicts = [row.verdict for row in rows]
    passed = set(verdicts) == {WITHIN}
    return Checked(
        run.path,
        passed,
        bound,
        FINDS,
        tuple(rows),
        "; ".join([_counts(verdicts), *_RESTRICTIONS]),
        (heading, *lines),
        data_of(run),
        restrictions=_RESTRICTIONS,
    )


def _judged(row: Row, bound: float) -> Verdict:
    if attack_class(row.attack).source == BASELINE:
        return Verdict(NOT_TESTED, "a baseline looks at no facts, so it shows nothing of the risk")
    return judge(row, FINDS, bound)


def _found(run: RunFolder, part: str) -> Iterator[tuple[str, Row | None]]:
    """Yield the cells of all attacks with their names; None: a part that could not be run."""
    if run.kind == "attack":
        for one, row in attack_rows(run):
            where = part if one is run else f"{part}{one.path.name}: "
            yield f"{where}{attack_name(row)}", row
    for each in run.parts:
        if each.run is None:
            yield f"{part}{each.name}: not possible on this release", None
        else:
            yield from _found(each.run, f"{part}{each.name}: ")


def _line(name: str, row: Row | None, verdict: Verdict) -> str:
    risk = ""
    if row is not None:
        given = row.succeeds
        risk = (
            f" {format_percent(given.estimate)} of {row.attacked:,}, counted as "
            f"{format_percent(given.high_of_all)} of {row.records:,},"
        )
    return f"{name}:{risk} {verdict_words(verdict, was_run=True)}"


def _counts(verdicts: list[str]) -> str:
    counts = [(kind, verdicts.count(kind)) for kind in WORST_FIRST if kind in verdicts]
    pieces = [f"{kind}: {count}" for kind, count in counts]
    pieces[0] += f" of {quantity(len(verdicts), 'grid cell')}"
    return "; ".join(pieces)

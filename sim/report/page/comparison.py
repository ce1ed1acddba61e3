"""Several runs in one table and one figure: what differs between them, and what they found.

Invariant: runs are compared by what they found out, attacks with attacks and audits with audits;
every share keeps its interval, and every setting that differs has a column.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from sim.attack.algorithms.registry import ATTACKS
from sim.config.schema import changes_no_result
from sim.errors import InputError
from sim.findings.assessment import ROWS, assess, audit_of, is_audit, is_plan, tables_of
from sim.findings.attacker_row import attacker_words
from sim.findings.release import defence_text
from sim.findings.verdicts import NO_BOUND
from sim.metrics.curves import axis_columns
from sim.numeric.text import format_percent, quantity
from sim.record.digests import as_written
from sim.record.run_folder import RunFolder
from sim.report.page.compared_runs import ENDS, NONE, Comparison, ShownMeasure
from sim.report.sentences import MEASURED
from sim.study.labels import level_text

NAME = "comparison"
"""Of the files of a comparison."""

_SHOWN_OTHERWISE = ("name", "parts", "grid", "study.kind", "utility", "defence", "plan")
"""Settings that the labels of runs, the axes or a column of their own show, or by which a plan
found what its audit attacks."""

_NAMED = 10
"""Runs of a kind that an error names."""

_OF_ATTACKS = (
    ShownMeasure("rank1", "best guess right"),
    ShownMeasure("matched_right", "matched, right"),
)
_OF_AUDITS = (
    ShownMeasure("succeeds", "succeeds"),
    ShownMeasure("mean", "mean risk"),
    ShownMeasure("highest", "highest risk"),
)


class Comparisons(NamedTuple):
    """Whatever can be compared of several runs, by the name of its files; and why others cannot."""

    kinds: Mapping[str, Comparison]
    left_out: Sequence[str]


def compare(runs: Sequence[RunFolder], names: Mapping[Path, str] | None = None) -> Comparison:
    """Put runs into one table.

    Parameters
    ----------
    runs : sequence of RunFolder
        Attacks, audits, plans that offer a release, or suites of these, whose parts are compared.
    names : dict of Path to str
        Of folders whose own names say nothing, by the folder.

    Raises
    ------
    InputError
        A run is none of these, or attacks and audits are mixed.
    """
    kinds, left_out = _by_kind(runs)
    if left_out:
        raise InputError(left_out[0])
    if not kinds:
        raise InputError("compare: no run was given; expected attacks, or audits")
    if len(kinds) > 1:
        raise InputError(
            "compare: expected attacks only, or audits only; give one kind at a time: "
            + "; ".join(_counted(some, kind) for kind, some in kinds.items())
        )
    (found,) = kinds.values()
    return _compare(found, names or {})


def comparisons(runs: Sequence[RunFolder]) -> Comparisons:
    """Put attacks into one table and audits into another, and leave out what is neither.

    Raises
    ------
    InputError
        The tables of a run cannot be read.
    """
    kinds, left_out = _by_kind(runs)
    named = {kind: NAME if len(kinds) == 1 else f"{NAME}_of_{kind}s" for kind in kinds}
    return Comparisons({named[k]: _compare(some, {}) for k, some in kinds.items()}, left_out)


def _by_kind(runs: Sequence[RunFolder]) -> tuple[dict[str, list[_Compared]], list[str]]:
    """Part attacks from audits, and say why other runs are not compared."""
    kinds: dict[str, list[_Compared]] = {"attack": [], "audit": []}
    left_out = []
    for run in runs:
        found = list(_compared(run))
        if not found:
            left_out.append(_why_not(run))
        for one in found:
            kinds["audit" if is_audit(one.run) else "attack"].append(one)
    return {kind: some for kind, some in kinds.items() if some}, left_out


def _counted(found: Sequence[_Compared], kind: str) -> str:
    """Count runs of a kind and name them, the first few of many."""
    more = ", …" if len(found) > _NAMED else ""
    names = ", ".join(str(one.run.path) for one in found[:_NAMED])
    return f"{quantity(len(found), kind)} ({names}{more})"


def _compare(found: Sequence[_Compared], names: Mapping[Path, str]) -> Comparison:
    """Put runs into one table, attacks or audits."""
    labels = _labels([_parts(one.named_by, names) for one in found])
    singles = [one.run for one in found]
    settings = [_settings(one) for one in singles]
    frames = []
    audits = is_audit(singles[0])
    rows_of = _of_audit if audits else _of_attack
    keys = dict.fromkeys(key for given in settings for key in given)
    differing = [key for key in keys if _differs(key, settings)]
    for one, label, given in zip(singles, labels, settings, strict=True):
        with as_written(one.path):
            frame = rows_of(one)
        own = {"run": label, **{key: given.get(key, NONE) for key in differing}}
        for place, (key, value) in enumerate(own.items()):
            frame.insert(place, key, value)
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    measures = _OF_AUDITS if audits else _OF_ATTACKS
    shown = {*_names(measures), "n"}
    axes = [name for name in table.columns if name not in shown and name not in differing]
    # Compare as text: pandas does not count None, and turns integers beside it into floats.
    judged = audits and (table["verdict"] != NO_BOUND).any()
    always = {"run", *(["verdict"] if judged else [])}
    varying = [name for name in axes if name in always or table[name].map(level_text).nunique() > 1]
    conditions = ("run", *differing, *(name for name in varying if name != "run"))
    verdicts = _bound_of_all(singles) if judged else ""
    of_grid = () if audits else tuple(name for name in varying if name != "run")
    return Comparison(table, conditions, measures, verdicts, of_grid)


def _bound_of_all(audits: Sequence[RunFolder]) -> str:
    """Say what the verdicts of audits are on; empty: on different bounds or measures."""
    asked = [run.config["audit"] for run in audits]
    (bound, measure), *others = dict.fromkeys((one["max_risk"], one["measure"]) for one in asked)
    if others:  # each has a column
        return ""
    return (
        f"verdict: of each attacker alone, against a bound of {format_percent(bound)} for "
        f"{MEASURED[measure]}"
    )


class _Compared(NamedTuple):
    run: RunFolder
    named_by: Path


def _compared(run: RunFolder) -> Iterator[_Compared]:
    """Yield the attacks and audits that a run consists of; of a plan, the audit it ends in."""
    if is_audit(run) or run.kind == "attack":
        yield _Compared(run, run.path / run.within)
    elif is_plan(run):
        audit = audit_of(run)
        yield from () if audit is None else (_Compared(audit, run.path / run.within),)
    else:
        for part in run.parts:
            yield from () if part.run is None else _compared(part.run)


def _why_not(run: RunFolder) -> str:
    what = "holds no attack and is no audit"
    return f"{run.path}: {'offers no release' if is_plan(run) else what}, so it is not compared"


def _parts(path: Path, names: Mapping[Path, str]) -> tuple[str, ...]:
    """Return the parts of a folder's path; a folder that has a name is the first of them."""
    whole = path.resolve()
    for folder, name in names.items():
        if whole.is_relative_to(folder.resolve()):
            return name, *whole.relative_to(folder.resolve()).parts
    return whole.parts


def _labels(parts: Sequence[tuple[str, ...]]) -> list[str]:
    """Name runs by the last parts of their folders that tell them apart.

    A run that is given twice has a number the second time.
    """
    distinct = len(set(parts))
    n = next(
        (
            n
            for n in range(1, max(map(len, parts)))
            if len({each[-n:] for each in parts}) == distinct
        ),
        max(map(len, parts)),
    )
    from_end = [each[-n:][::-1] for each in parts]
    # A folder that all runs share, below those that tell them apart, says nothing.
    telling = [
        place for place in range(n - 1, -1, -1) if len({x[place : place + 1] for x in from_end}) > 1
    ]
    labels = ["/".join(each[i] for i in telling or [0] if i < len(each)) for each in from_end]
    seen = Counter[str]()
    for place, label in enumerate(labels):
        seen[label] += 1
        labels[place] = label if seen[label] == 1 else f"{label} ({seen[label]})"
    return labels


def _differs(key: str, settings: Sequence[Mapping[str, str]]) -> bool:
    """Whether a setting tells runs apart.

    An option that some runs lack does so only if it differs between the others: whose option it is,
    such as a defence, is a setting too. How the same data were read does not.
    """
    if key.startswith("data.") and len({given["release"] for given in settings}) == 1:
        return False
    values = [given[key] for given in settings if key in given]
    return len(set(values)) > 1 or (len(values) < len(settings) and "." not in key)


def _settings(run: RunFolder) -> dict[str, str]:
    """What a run was asked for, by key; and the release, which may have changed since."""
    flat = dict(_flat(run.config))
    defence = run.config.get("defence") or {}
    flat["defence"] = " ".join(map(defence_text, defence, defence.values())) or "none"
    attack = ATTACKS.get(str((run.config.get("attack") or {}).get("name", "")))
    if attack is not None and not attack.matches_by_phi:
        flat.pop("attack.phi", None)  # it has no effect
    flat["release"] = str(run.record.get("release_fingerprint", ""))[:12]
    return flat


def _flat(config: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in config.items():
        key = f"{prefix}{name}"
        if key in _SHOWN_OTHERWISE or changes_no_result(key):
            continue
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{key}.")
        elif value != {}:
            yield key, value if isinstance(value, str) else json.dumps(value)


def _of_attack(run: RunFolder) -> pd.DataFrame:
    curves = run.tables["curves"]
    names = _names(_OF_ATTACKS)
    lacking = [name for name in names if name not in curves]
    if lacking:
        raise InputError(f"{run.path}: curves.parquet: has no {lacking[0]}; run the study again")
    return curves[[*axis_columns(curves), *names]].assign(n=curves["n_targets"])


def _of_audit(run: RunFolder) -> pd.DataFrame:
    rows = tables_of(assess(run))[ROWS]
    facts = rows["aux"].fillna("").replace("", NONE) if "aux" in rows else NONE
    found = rows[["verdict", *_names(_OF_AUDITS)]].assign(n=rows["attacked"])
    found.insert(0, "attacker", rows["attacker"].map(attacker_words))
    found.insert(1, "facts", facts)
    return found


def _names(measures: Sequence[ShownMeasure]) -> list[str]:
    """Columns of measures and of their intervals."""
    return [f"{measure.name}{end}" for measure in measures for end in ENDS]

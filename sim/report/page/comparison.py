"""Several runs in one table and one figure: what differs between them, and what they found.

Invariant: runs are compared by what they found out, attacks with attacks and audits with audits;
every share keeps its interval, every setting that differs has a column, and whatever tells two rows
apart names its axis or setting, unknown levels included.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from sim.attack.algorithms.registry import ATTACKS
from sim.axes.registry import AXES
from sim.config.schema import changes_no_result
from sim.errors import InputError
from sim.findings.assessment import ROWS, assess, audit_of, is_audit, is_plan, tables_of
from sim.findings.attacker_row import attacker_words
from sim.findings.release import defence_text
from sim.findings.verdicts import NO_BOUND
from sim.metrics.curves import axis_columns
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_percent, percents, quantity
from sim.plot.spec import Axis, Plot, percent, rows_of
from sim.record.digests import as_written
from sim.record.run_folder import RunFolder
from sim.report.page.notebook import preformatted
from sim.report.sentences import MEASURED, bound_text
from sim.report.table import NONE
from sim.report.text_table import aligned
from sim.study.labels import axis_head, level_short, level_text, level_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "comparison"
"""Of the files of a comparison."""

_CAPTION = "% [95% interval]; n: people attacked"
_ENDS = ("", "_low", "_high")

_SHOWN_OTHERWISE = ("name", "parts", "grid", "study.kind", "utility", "defence", "plan")
"""Settings that the labels of runs, the axes or a column of their own show, or by which a plan
found what its audit attacks."""

_AS_THEY_ARE = ("run", "attacker", "verdict", "defence")
"""Columns whose texts need no name."""

_MEASURES = {
    "attack": {"rank1": "best guess right", "matched_right": "matched, right"},
    "audit": {"succeeds": "succeeds", "mean": "mean risk", "highest": "highest risk"},
}
"""Heads of the measures of each kind of run."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs beside each other.

    Parameters
    ----------
    table : DataFrame
        A row per run and condition: ``run``, the settings that differ, the axes of the conditions,
        each measure with ``_low`` and ``_high``, ``n`` (people attacked).
    conditions : tuple of str
        The columns that tell rows apart.
    measures : mapping of str to str
        Heads of the columns of measures.
    verdicts : str
        What the verdicts are on; empty: there is none, or not on the same.
    """

    table: pd.DataFrame
    conditions: tuple[str, ...]
    measures: Mapping[str, str]
    verdicts: str = ""

    def figure(self) -> Figure:
        """Draw the measures with their intervals, a line for each row of the table."""
        from sim.report.figures.page import draw_plot

        names = self.labels()
        rows = [rows_of(self.table, n, x=names, panel=head) for n, head in self.measures.items()]
        return draw_plot(
            Plot("listing", "", pd.concat(rows), Axis(names=names[::-1]), percent("%"))
        )

    def labels(self) -> list[str]:
        """Name each row by what tells it apart, without the number of a job where that will do."""
        columns = [[_label(name, one) for one in self.table[name]] for name in self.conditions]
        by_run, others = (
            [", ".join(filter(None, words)) for words in zip(*some, strict=True)]
            for some in (columns, columns[1:])
        )
        are_jobs = self.table["run"].str.match(r"\d").all()
        return others if are_jobs and len({*others} - {""}) == len(by_run) else by_run

    def first(self, rows: int) -> str:
        """Return the first rows as text, under what their numbers are."""
        heads = [axis_head(n, report=True) if n in AXES.all() else n for n in self.conditions]
        lines = [[*heads, *self.measures.values(), "n"]]
        for row in row_dicts(self.table[:rows]):
            where = [_text(name, row[name]) for name in self.conditions]
            lines.append([*where, *(_share(row, name) for name in self.measures), f"{row['n']:,}"])
        caption = "; ".join(filter(None, [_CAPTION, self.verdicts]))
        return "\n".join([caption, *aligned(lines, left=len(heads))])

    def __str__(self) -> str:
        return self.first(len(self.table))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return str(preformatted(str(self)))


def _text(name: str, value: Any) -> str:
    return level_short(name, value) if name in AXES.all() and value != "" else level_text(value)


def _label(name: str, value: Any) -> str:
    """Return a setting in words that name it; empty: the run has no such setting."""
    text = level_text(value)
    if name in AXES.all():
        return level_words(name, value) if text else ""
    if name in _AS_THEY_ARE or text == NONE:
        return f"run {text}" if name == "run" and text[:1].isdigit() else text.strip(NONE)
    return f"{name}={text}"


def _share(row: Mapping[Any, Any], name: str) -> str:
    value, low, high = (row[f"{name}{end}"] for end in _ENDS)
    if pd.isna(value) or pd.isna(low):
        return NONE if pd.isna(value) else format_percent(value)
    text = percents(value, low, high)
    return f"{text[0]} [{text[1]}–{text[2]}]"


class _Compared(NamedTuple):
    run: RunFolder
    named_by: Path


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
    if left_out or not kinds:
        raise InputError(left_out[0] if left_out else "compare: expected attacks, or audits")
    if len(kinds) > 1:
        counts = " and ".join(quantity(len(some), kind) for kind, some in kinds.items())
        raise InputError(f"compare: expected attacks only, or audits only, not {counts}")
    ((kind, found),) = kinds.items()
    return _compare(kind, found, names or {})


def comparisons(runs: Sequence[RunFolder]) -> Comparisons:
    """Put attacks into one table and audits into another, and leave out what is neither.

    Raises
    ------
    InputError
        The tables of a run cannot be read.
    """
    kinds, left_out = _by_kind(runs)
    found = {
        NAME if len(kinds) == 1 else f"{NAME}_of_{kind}s": _compare(kind, some, {})
        for kind, some in kinds.items()
    }
    return Comparisons(found, left_out)


def _by_kind(runs: Sequence[RunFolder]) -> tuple[dict[str, list[_Compared]], list[str]]:
    """Part attacks from audits, and say which runs hold neither."""
    kinds: dict[str, list[_Compared]] = {}
    left_out = []
    for run in runs:
        found = list(_compared(run))
        for one in found:
            kinds.setdefault("audit" if is_audit(one.run) else "attack", []).append(one)
        if not found:
            left_out.append(f"{run.path}: has no attack and no audit, so it is not compared")
    return kinds, left_out


def _compared(run: RunFolder) -> Iterator[_Compared]:
    """Yield the attacks and audits that a run consists of; of a plan, the audit it ends in."""
    one = audit_of(run) if is_plan(run) else run
    if one is not None and (is_audit(one) or one.kind == "attack"):
        yield _Compared(one, run.path / run.within)
    elif not is_plan(run):
        for part in run.parts:
            yield from () if part.run is None else _compared(part.run)


def _compare(kind: str, found: Sequence[_Compared], names: Mapping[Path, str]) -> Comparison:
    """Put attacks, or audits, into one table."""
    singles, labels = (
        [one.run for one in found],
        _labels([_parts(o.named_by, names) for o in found]),
    )
    settings = [_settings(one) for one in singles]
    keys = dict.fromkeys(key for given in settings for key in given)
    differing = [key for key in keys if _differs(key, settings)]
    frames = []
    for one, label, given in zip(singles, labels, settings, strict=True):
        with as_written(one.path):
            frame = _rows_of_audit(one) if kind == "audit" else _rows_of_attack(one)
        own = pd.DataFrame(
            {"run": label, **{key: given.get(key, NONE) for key in differing}}, index=frame.index
        )
        frames.append(pd.concat([own, frame], axis=1))
    table = pd.concat(frames, ignore_index=True)
    judged = kind == "audit" and (table["verdict"] != NO_BOUND).any()
    always = {"run", *differing, *(["verdict"] if judged else [])}
    levels = [str(n) for n in table.columns if n not in {*_columns(kind), "n"}]
    # Compare as text: pandas does not count None, and turns integers beside it into floats.
    conditions = [n for n in levels if n in always or table[n].map(level_text).nunique() > 1]
    verdicts = _bound_of_all(singles) if judged else ""
    return Comparison(table, tuple(conditions), _MEASURES[kind], verdicts)


def _bound_of_all(audits: Sequence[RunFolder]) -> str:
    """Return what the verdicts of audits are on; empty: on what differs, which has a column."""
    bounds = {(one.config["audit"]["max_risk"], one.config["audit"]["measure"]) for one in audits}
    if len(bounds) > 1:
        return ""
    ((bound, measure),) = bounds
    return f"verdict: of each attacker, by a bound of {bound_text(bound)} on {MEASURED[measure]}"


def _parts(path: Path, names: Mapping[Path, str]) -> tuple[str, ...]:
    """Return the parts of a folder's path; a folder that has a name is the first of them."""
    whole = path.resolve()
    for folder, name in names.items():
        if whole.is_relative_to(folder.resolve()):
            return name, *whole.relative_to(folder.resolve()).parts
    return whole.parts


def _labels(parts: Sequence[tuple[str, ...]]) -> list[str]:
    """Name runs by the last folders that tell them apart; one given twice has a number.

    Examples
    --------
    >>> _labels([("a", "monday", "run"), ("a", "friday", "run"), ("a", "monday", "run")])
    ['monday', 'friday', 'monday (2)']
    """
    longest = max(map(len, parts))
    n = next(
        (n for n in range(1, longest) if len({p[-n:] for p in parts}) == len({*parts})), longest
    )
    ends = [each[-n:] for each in parts]
    places = zip(*(end[::-1] for end in ends), strict=False)
    alike = [*takewhile(lambda names: len({*names}) == 1, places)]
    shared = len(alike) if len({*ends}) > 1 else 0
    names = pd.Series(["/".join(end[: len(end) - shared]) for end in ends])
    times = names.groupby(names).cumcount() + 1
    return [f"{name} ({n})" if n > 1 else name for name, n in zip(names, times, strict=True)]


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
    """Return what a run was asked, by key; and the release, which may have changed since."""
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


def _rows_of_attack(run: RunFolder) -> pd.DataFrame:
    curves, columns = run.tables["curves"], _columns("attack")
    if lacking := [name for name in columns if name not in curves]:
        raise InputError(f"{run.path}: curves.parquet: has no {lacking[0]}; run the study again")
    return curves[[*axis_columns(curves), *columns]].assign(n=curves["n_targets"])


def _rows_of_audit(run: RunFolder) -> pd.DataFrame:
    rows = tables_of(assess(run))[ROWS]
    who = rows["attacker"].map(attacker_words)
    known = rows["aux"].fillna("") if "aux" in rows else ""
    told = pd.DataFrame({"attacker": who, "aux": known, "verdict": rows["verdict"]})
    return told.join(rows[_columns("audit")]).assign(n=rows["attacked"])


def _columns(kind: str) -> list[str]:
    return [f"{measure}{end}" for measure in _MEASURES[kind] for end in _ENDS]

"""Compares the results of a run with the papers' statements about its experiment.

Invariant: every statement about the experiment is included, with a verdict or the reason why there
is none; our number comes from the first of the run's tables that has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from sim.attack.algorithms.registry import attack_class
from sim.papers.papers import COLUMNS, EXPERIMENTS, PaperNumber, compare, numbers_for
from sim.record.run_folder import RunFolder, open_folder, study_of

RELATIONS = {"=": "", "about": "about ", "<": "below ", "<=": "at most ", ">": "above "}

_FRAMES = ("curves", "facts")
"""Tables with measures, in the order in which they are searched."""


@dataclass(frozen=True, slots=True)
class MeasureTable:
    """A table of measures, and the settings that all its rows share.

    Parameters
    ----------
    settings : Mapping
        As for `sim.papers.papers.compare`.
    part : str
        Name of the part of a suite; empty for the run itself.
    """

    frame: pd.DataFrame
    settings: Mapping[str, Any]
    part: str = ""


def comparison_of(run: RunFolder | Path) -> pd.DataFrame | None:
    """Compare a run with the papers' statements about its experiment.

    Parameters
    ----------
    run : RunFolder or Path
        A run, or a suite: its own tables come first, then those of its parts.

    Returns
    -------
    DataFrame or None
        As `sim.papers.papers.compare`, with ``part``, the part of a suite that has the number. None
        if no paper has this experiment.
    """
    run = open_folder(run) if isinstance(run, Path) else run
    if run.config["name"] not in EXPERIMENTS:
        return None
    return compare_all(list(measure_tables(run)), numbers_for(run.config["name"]))


def compare_all(sources: Iterable[MeasureTable], numbers: Iterable[PaperNumber]) -> pd.DataFrame:
    """Compare each number with the table that best matches its conditions.

    Parameters
    ----------
    sources : iterable of MeasureTable
        In order of preference.

    Returns
    -------
    DataFrame
        As for `comparison_of`; with all parts of a suite that match equally well.
    """
    sources = list(sources)
    found = [_best(sources, number) for number in numbers]
    if not found:
        return pd.DataFrame(columns=[*COLUMNS, "part"])
    return pd.concat(found, ignore_index=True)


def measure_tables(run: RunFolder, part: str = "") -> Iterator[MeasureTable]:
    """Yield the tables of a run that hold measures; a suite's own, then those of its parts.

    Parameters
    ----------
    part : str
        Name to give them.
    """
    for name in _FRAMES:
        if name in run.tables:
            yield MeasureTable(run.tables[name], settings_of(run.config), part)
    for entry in run.parts:
        if entry.run is not None:
            yield from measure_tables(entry.run, entry.name)


def settings_of(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that all cells of a run share, in the terms of `sim.papers.statements`.

    Parameters
    ----------
    config : dict
        The run's configuration, as in ``run.json``.

    Examples
    --------
    >>> attack = {"name": "scoring_rated", "phi": 1.5, "delta": 1.0, "max_length_share": None}
    >>> settings_of({"data": {"kind": "netflix"}, "attack": attack})["longest_records"]
    'kept'
    >>> settings_of({"data": {"kind": "table", "path": "some/ten_patients.csv"},
    ...     "study": {"kind": "kanonymity", "k": [2]}})
    {'data': 'ten_patients'}
    """
    # The generator imitates the counts of the Netflix data, so only the source distinguishes them.
    data = config["data"]
    known = {"netflix": "netflix_prize"}
    settings: dict[str, Any] = {"data": known.get(data["kind"], data["kind"])}
    if data["kind"] == "table" and Path(data["path"]).stem == "ten_patients":
        settings["data"] = "ten_patients"
    if config.get("parts") or study_of(config) != "attack":
        return settings
    attack = config["attack"]
    settings |= {"algorithm": attack["name"], "phi": attack["phi"]}
    return settings | attack_class(attack["name"]).conditions(attack)


def format_value(value: float, unit: str) -> str:
    """Format a number with its unit.

    Parameters
    ----------
    unit : str
        As `sim.papers.statements.PaperNumber.unit`.

    Examples
    --------
    >>> format_value(0.683, "share"), format_value(3, "bits"), format_value(480189, "records")
    ('68.3%', '3 bits', '480,189 records')
    >>> format_value(13.42, "bits"), format_value(0.0112, "share")
    ('13.42 bits', '1.12%')
    """
    if unit == "share":
        return f"{value:.2%}" if 0 < abs(value) < 0.05 else f"{value:.1%}"
    number = f"{value:,.0f}" if float(value).is_integer() else f"{value:,.2f}"
    return f"{number} {unit}"


def _best(sources: Iterable[MeasureTable], number: PaperNumber) -> pd.DataFrame:
    """Return the comparison of a number with the table that best matches its conditions."""
    found = [
        (source, compare(source.frame, [number], source.settings).assign(part=source.part))
        for source in sources
    ]
    if not found:
        return compare(pd.DataFrame(), [number]).assign(part="")
    ranks = [_rank(frame, source, number) for source, frame in found]
    best = min(ranks)
    chosen = [one for one, rank in zip(found, ranks, strict=True) if rank == best]
    own = [frame for source, frame in chosen if source.part == chosen[0][0].part]
    if best > _IS_COMPARABLE or not chosen[0][0].part:
        return own[0]
    firsts = {source.part: frame for source, frame in reversed(chosen)}
    return pd.concat(list(reversed(firsts.values())), ignore_index=True)


_IS_COMPARABLE = 1


def _rank(frame: pd.DataFrame, source: MeasureTable, number: PaperNumber) -> int:
    """0: a verdict; 1: a number of the same attack; 2: of another; 3: no such cell; 4: none."""
    if not frame["verdict"].str.startswith("not comparable").all():
        return 0
    if frame["ours"].notna().any():
        algorithm = source.settings.get("algorithm", number.algorithm)
        return 1 if not number.algorithm or algorithm == number.algorithm else 2
    return 3 if frame["verdict"].str.contains("no such cell").any() else 4

"""``standout export RUN --csv`` or ``mlflow=sqlite:///runs.db``: a run for other programs.

Invariant: only what is aggregate goes to a store of MLflow: parameters, metrics with the ends of
their intervals, the report, the figures, the summary and the assessment; no table with a row per
person.

MLflow is not needed otherwise (the extra ``mlflow``). It is told not to report its use to anybody
before it is imported.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import time
from typing import Any

import pandas as pd

from sim.cli.arguments import RUN_KEY, run_and_keys
from sim.errors import ConfigError, StandoutError
from sim.numeric.text import quantity, visible
from sim.record.digests import as_written, is_sealed
from sim.record.frames import write_csv
from sim.record.own_files import check_folder, existing_folder
from sim.record.run_folder import open_folder
from sim.record.sweep_record import is_sweep
from sim.report.summary_json import summary_of

USAGE = "standout export RUN_FOLDER --csv, or mlflow=sqlite:///runs.db"
_CSV = "--csv"

_KEYS = ("mlflow", "experiment")
_SQLITE = "sqlite:///"
_PUBLIC = ("report.html", "summary.json", "assessment.md", "assessment.json")
_LONGEST = 6000
"""Characters of a parameter; MLflow takes no more."""
_BATCH = 100
_NOT_IN_NAMES = re.compile(r"[^\w\-. /]")
_TAG = "standout.summary_sha256"


def export_command(arguments: Sequence[str]) -> None:
    """Write the tables of a finished run as csv, or the run into a store of MLflow, once.

    Parameters
    ----------
    arguments : sequence of str
        What follows ``standout export``: a run folder; ``--csv``, or ``mlflow`` (the store) and
        ``experiment``.

    Raises
    ------
    ConfigError
        An argument is wrong, the store is not a local one, or MLflow is not installed.
    InputError
        The folder holds no finished run, or it was changed.
    StandoutError
        MLflow cannot write.
    """
    if _CSV in arguments:
        _write_csv([one for one in arguments if one != _CSV])
        return
    folder, store, experiment = _asked(arguments)
    check_folder(folder)
    with as_written(folder):
        run = open_folder(folder)
        is_sealed(folder)  # raises an error if a finished run was changed
        summary = summary_of(run)
    mlflow = _mlflow()
    try:
        for line in _written(mlflow, store, experiment, folder, summary):
            print(visible(line))
    except mlflow.exceptions.MlflowException as error:
        raise StandoutError(f"{store}: MLflow cannot write to it: {error}") from None


def _write_csv(arguments: Sequence[str]) -> None:
    """Write the tables of a run, or of a sweep, into its folder ``csv``."""
    given = run_and_keys("export", arguments, (), USAGE)
    folder = existing_folder(given.get(RUN_KEY, ""), USAGE, "export")
    check_folder(folder)
    if not is_sweep(folder):
        open_folder(folder)  # raises an error if it is none
        is_sealed(folder)  # and if a finished run was changed
    tables = sorted(folder.glob("*.parquet"))
    for path in tables:
        write_csv(folder / "csv" / f"{path.stem}.csv", pd.read_parquet(path))
    print(f"tables   {visible(str(folder / 'csv'))} ({len(tables)})")


def _asked(arguments: Sequence[str]) -> tuple[Path, str, str]:
    given = run_and_keys("export", arguments, _KEYS, USAGE)
    if not given.get("run") or not given.get("mlflow"):
        raise ConfigError(f"export: expected a run folder, and what it is written to: {USAGE}")
    folder = existing_folder(given["run"], USAGE, "export")
    if not given["mlflow"].startswith(_SQLITE):
        raise ConfigError(
            f"mlflow: {given['mlflow']}: expected a file on this machine: mlflow=sqlite:///runs.db"
        )
    return folder, given["mlflow"], given.get("experiment") or "standout"


def _mlflow() -> Any:
    os.environ["MLFLOW_DISABLE_TELEMETRY"] = os.environ["DO_NOT_TRACK"] = "true"
    try:
        for name in ("sqlalchemy", "mlflow.entities"):
            importlib.import_module(name)
        return importlib.import_module("mlflow")
    except ImportError as error:
        raise ConfigError(
            f"export: needs MLflow, which is not installed ({error}); install "
            "mlflow-skinny, sqlalchemy and alembic (the extra mlflow of standout)"
        ) from None


def _written(
    mlflow: Any, store: str, experiment: str, folder: Path, summary: Mapping[str, Any]
) -> Iterator[str]:
    client = mlflow.MlflowClient(tracking_uri=store)
    digest = hashlib.sha256(json.dumps(summary, sort_keys=True).encode()).hexdigest()
    there = client.get_experiment_by_name(experiment)
    if there is None:
        # Beside the file of the store, and not in whatever folder this is run from.
        beside = Path(store.removeprefix(_SQLITE)).absolute()
        files = (beside.parent / f"{beside.stem}-artifacts" / experiment).as_uri()
        number = client.create_experiment(experiment, artifact_location=files)
    else:
        number = there.experiment_id
        known = client.search_runs([number], f"tags.`{_TAG}` = '{digest}'", max_results=1)
        if known:
            yield f"there already: run {known[0].info.run_id} of experiment {experiment} in {store}"
            return
    tags = {_TAG: digest, "standout.kind": summary["kind"], "standout.folder": str(folder)}
    tags["mlflow.note.content"] = "\n\n".join(summary["headline"])
    made = client.create_run(number, run_name=str(summary["name"]), tags=tags)
    run = made.info.run_id
    parameters, cut = parameters_of(summary)
    for some in _batches([*parameters.items()]):
        client.log_batch(run, params=[mlflow.entities.Param(*one) for one in some])
    now, metrics = int(1000 * time()), metrics_of(summary)
    for each in _batches([*metrics.items()]):
        client.log_batch(run, [mlflow.entities.Metric(*one, now, 0) for one in each])
    files_of = [folder / name for name in _PUBLIC if (folder / name).is_file()]
    for path in files_of:
        client.log_artifact(run, str(path))
    figures = folder / "figures"
    if figures.is_dir():
        client.log_artifacts(run, str(figures), "figures")
    client.set_terminated(run)
    yield f"run      {run} of experiment {experiment} in {store}"
    yield (
        f"written  {quantity(len(parameters), 'parameter')}, {quantity(len(metrics), 'metric')}, "
        f"{', '.join(path.name for path in files_of)}{' and figures' * figures.is_dir()}"
    )
    if cut:
        yield f"cut off after {_LONGEST:,} characters, and whole in summary.json: {', '.join(cut)}"
    left = summary["n_results"] - len(summary["results"])
    if left:
        yield f"left out: {quantity(left, 'row')} of results, which the tables of the run have"


def _batches(items: list[Any]) -> Iterator[list[Any]]:
    """Yield as many at a time as MLflow takes."""
    for first in range(0, len(items), _BATCH):
        yield items[first : first + _BATCH]


def parameters_of(summary: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """Return the configuration of a run, the seed and the data as text by key; and what is cut off.

    Examples
    --------
    >>> summary = {"asked": {"config": {"attack": {"phi": 1.5}}}, "seed": 1, "data": {"items": 3}}
    >>> parameters_of(summary)
    ({'attack.phi': '1.5', 'seed': '1', 'data.n_items': '3'}, [])
    """
    data = {f"n_{key}" if isinstance(n, int) else key: n for key, n in summary["data"].items()}
    given = [
        *_flat(summary["asked"]["config"]),
        ("seed", summary["seed"]),
        *_flat({"data": {key: value for key, value in data.items() if key != "rows"}}),
    ]
    texts = {
        _name(key): value if isinstance(value, str) else json.dumps(value) for key, value in given
    }
    cut = [key for key, text in texts.items() if len(text) > _LONGEST]
    return {key: text[:_LONGEST] for key, text in texts.items()}, cut


def metrics_of(summary: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers of a run by name, each with the ends of its interval.

    Examples
    --------
    >>> row = {"name": "insider", "conditions": {"attacker": "insider", "aux": "4/4"},
    ...     "measures": {"mean": {"estimate": 0.5, "low": 0.25}}}
    >>> metrics_of({"risk": {"estimate": 0.5, "who": "insider"}, "results": [row]})
    {'risk.estimate': 0.5, 'insider/mean': 0.5, 'insider/mean.low': 0.25}
    """
    found = {
        f"risk.{key}": float(value)
        for key, value in (summary["risk"] or {}).items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    names = [_row_name(row) for row in summary["results"]]
    for place, (row, name) in enumerate(zip(summary["results"], names, strict=True)):
        where = name if names.count(name) == 1 else f"{name} {place}"
        numbers: dict[str, Any] = {f"people.{k}": n for k, n in (row.get("people") or {}).items()}
        for measure, given in row["measures"].items():
            for end, number in given.items():
                numbers[measure if end == "estimate" else f"{measure}.{end}"] = number
        found |= {
            _name(f"{where}/{key}"): float(number)
            for key, number in numbers.items()
            if isinstance(number, (int, float)) and not isinstance(number, bool)
        }
    return found


def _row_name(row: Mapping[str, Any]) -> str:
    """Name a row by its name, or where that is the same for all, by its conditions."""
    levels = " ".join(f"{key} {level}" for key, level in row["conditions"].items())
    return (
        str(row["name"]) if "attacker" in row["conditions"] else f"{row['name']} {levels}".strip()
    )


def _name(text: str) -> str:
    return _NOT_IN_NAMES.sub("_", text)


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value

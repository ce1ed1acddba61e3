"""Standout from Python: open a release, study it, look at the result.

Whatever is not said keeps the default of ``conf/``, so a study from Python and the same study from
the command line give the same results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sim.attack.engine.algorithm import Algorithm
from sim.config.compose import composed, configured
from sim.defence.defence import Defence
from sim.defence.registry import DEFENCES
from sim.errors import ConfigError, GridError
from sim.extend.overrides import override
from sim.measurements.measurement import Measurement
from sim.measurements.registry import MEASUREMENTS
from sim.numeric.text import expected_among
from sim.record.digests import check_sealed
from sim.record.job_folders import opened
from sim.record.own_files import existing_folder
from sim.record.run_folder import RunFolder
from sim.report.page.comparison import Comparison
from sim.report.page.comparison import compare as compared
from sim.session.arguments import with_checked_arguments
from sim.session.check_asked import FILE, USUAL, Asked
from sim.session.check_run import check_runs
from sim.session.checked import Check
from sim.session.from_python import (
    chain_text,
    checked_options,
    given_twice,
    listed,
    name_of,
    options_of,
    run_asked,
    with_own,
)
from sim.session.keywords import with_known_keywords
from sim.session.publish import publish as written
from sim.session.release import Release, movielens, netflix, synthetic, table
from sim.session.result import Result
from sim.utility.measure import UtilityMeasure

__all__ = [
    "Release",
    "audit",
    "check",
    "compare",
    "experiment",
    "frontier",
    "load",
    "measure",
    "movielens",
    "nearest",
    "netflix",
    "plan",
    "publish",
    "run",
    "synthetic",
    "table",
]


@with_checked_arguments
def run(
    release: Release,
    attack: str | Algorithm | Mapping[str, Any] = "scoreboard_rh",
    *,
    defence: Sequence[str | Defence | Mapping[str, Any]] = (),
    utility: Sequence[str | UtilityMeasure | Mapping[str, Any]] = (),
    grid: Mapping[str, Sequence[Any]] | None = None,
    targets: int | str = 1000,
    seed: int = 1,
    workers: int | None = None,
    folder: str | Path | None = None,
    options: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Result:
    """Attack a release in every cell of a grid.

    Parameters
    ----------
    attack : str or Algorithm
        An attack by name, as of ``attack=``; or its name and options, ``{"name": "bayes", "keep":
        10}``; or an instance, whose class need not be in `sim.attack` or in a plug-in.
    defence : sequence of str, Defence or dict
        What the publisher does to the release first, in this order, by name, as instances, or by
        name and options: ``["jitter_time", {"name": "drop_items", "min_support": 5}]``. The
        adversary knows the truth.
    utility : sequence of str, UtilityMeasure or dict
        What the release is good for, measured before and after the defences: ``["ndcg"]``.
    grid : dict of str to list, optional
        Axes to change: ``{"aux": ["2/2", "6/8"], "date_noise": [3, None]}``.
    targets : int or "all"
        Records attacked per cell.
    seed : int
        Of targets, aux items and noise.
    workers : int, optional
        Ray scorers on this machine, or on the Ray that is already initialised; everything is done
        in this process if not given.
    folder : str or Path, optional
        Run folder; if not given, a temporary one, which is removed with the result.
    options : dict of str to object, optional
        Any other key of the configuration: ``{"attack.phi": 2.0, "adversary.wrong": "item"}``.
    keywords
        The same by the last part of a key, if no other ends so: ``phi`` for ``attack.phi``.
        Functions that run several attacks take ``attack``, ``defence`` and ``utility`` as well.

    Raises
    ------
    ConfigError
        A key or a value is wrong.
    GridError
        A cell cannot be run on this release.

    Examples
    --------
    >>> import tempfile
    >>> visits = pd.DataFrame({"who": [1, 1, 2, 2, 3], "where": [1, 2, 1, 3, 1]})
    >>> with tempfile.TemporaryDirectory() as cache:
    ...     release = table(visits, user="who", item="where", cache=cache)
    ...     result = run(release, "set_intersection", grid={"aux": ["2/2"]})
    >>> result.decisions["correct"].tolist()
    [True, True]
    """
    axes = {f"grid.{axis}": list(values) for axis, values in (grid or {}).items()}
    if twice := sorted(axes.keys() & (options or {}).keys()):
        raise given_twice(twice[0], "grid", "options")
    own = {"attack": attack, "defence": defence, "utility": utility}
    chosen, settings = with_own({}, {**axes, **(options or {})}, own)
    ways = _ways(settings, options)
    return run_asked(release, chosen, settings, targets, seed, workers, folder, keywords, ways)


def _ways(settings: Mapping[str, Any], options: Mapping[str, Any] | None) -> dict[str, str]:
    """The argument that each setting was given by, if not by options: the group of its key."""
    groups = {key: key.partition(".")[0] for key in settings if key not in (options or {})}
    return {key: "measurement" if group == "study" else group for key, group in groups.items()}


@with_checked_arguments
def measure(
    release: Release,
    measurement: str | Measurement,
    *,
    defence: Sequence[str | Defence | Mapping[str, Any]] = (),
    seed: int = 1,
    folder: str | Path | None = None,
    options: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Result:
    """Measure a release as a whole, without an attack.

    Parameters
    ----------
    measurement : str or Measurement
        A measurement by name, as of ``study=``; or an instance, whose class need not be in
        `sim.measurements` or in a plug-in.
    seed : int
        Of samples.
    defence, folder, options, keywords
        As for `run`.

    Raises
    ------
    ConfigError
        There is no such measurement, or a key or a value is wrong.
    GridError
        The release does not allow it.

    Examples
    --------
    >>> import tempfile
    >>> visits = pd.DataFrame({"who": [1, 1, 2, 2, 3], "where": [1, 2, 1, 3, 1]})
    >>> with tempfile.TemporaryDirectory() as cache:
    ...     release = table(visits, user="who", item="where", cache=cache)
    ...     measure(release, "lengths").tables["lengths"]["exactly"].tolist()[:2]
    [1, 2]
    """
    for word in ("targets", "attack", "utility"):
        if word in keywords:
            raise ConfigError(
                f"measure: {word}: no such keyword; a measurement attacks nobody: it looks at the "
                "whole release, or at a sample that options of its own set"
            )
    settings = dict(options or {})
    if isinstance(measurement, Measurement):
        MEASUREMENTS.add(type(measurement))
        settings = options_of(measurement, settings)
        measurement = measurement.kind
    else:
        measurement = name_of("study", measurement)
    chosen, settings = listed("defence", DEFENCES, {"study": measurement}, defence, settings)
    ways = _ways(settings, options)
    return run_asked(release, chosen, settings, 1000, seed, None, folder, keywords, ways)


@with_checked_arguments
def experiment(
    release: Release,
    name: str,
    *,
    targets: int | str = 1000,
    seed: int = 1,
    workers: int | None = None,
    folder: str | Path | None = None,
    options: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Result:
    """Run an experiment of the papers, or all of them.

    Parameters
    ----------
    name : str
        One of ``conf/experiment``: ``ns08_fig4``, ``all`` ...
    targets, seed, workers, folder, options, keywords
        As for `run`; ``attack``, ``defence`` and ``utility`` too, unless the experiment has its
        own.

    Returns
    -------
    Result
        Of a suite, with the results of its ``parts``.

    Raises
    ------
    ConfigError
        There is no such experiment, or a key or a value is wrong.
    GridError
        The release does not allow it.

    Examples
    --------
    >>> import tempfile
    >>> visits = pd.DataFrame({"who": [1, 1, 2, 2, 3], "where": [1, 2, 1, 3, 1]})
    >>> with tempfile.TemporaryDirectory() as cache:
    ...     release = table(visits, user="who", item="where", cache=cache)
    ...     experiment(release, "ns08_fig2_3").tables["lengths"]["exactly"].tolist()[:2]
    [1, 2]
    """
    chosen = {"experiment": name}
    return run_asked(release, chosen, options or {}, targets, seed, workers, folder, keywords)


@with_checked_arguments
def audit(
    release: Release,
    *,
    attackers: Sequence[str] | None = None,
    context: str | None = None,
    max_risk: float | None = None,
    measure: str | None = None,
    targets: int | str = "auto",
    seed: int = 1,
    workers: int | None = None,
    folder: str | Path | None = None,
    options: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Result:
    """Audit a release: who can be found in it, by whom, and from how many facts.

    Parameters
    ----------
    attackers : sequence of str, optional
        Some of ``conf/attacker``; all of them if not given.
    context : {"public", "recipients", "inside"}, optional
        Who is to receive the release.
    max_risk : float, optional
        The bound to compare the risk with.
    measure : {"highest", "percentile_99", "mean", "succeeds"}, optional
        What must be at most the bound.
    targets : int, "all" or "auto"
        Records attacked per grid cell; "auto": all, unless that takes long.
    seed, workers, folder, options, keywords
        As for `run`; ``attack``, ``defence`` and ``utility`` too: by name, as instances, or by name
        and options. With ``options={"audit.draws": 5}``, facts about each person are drawn five
        times, and their risk is the mean.

    Returns
    -------
    Result
        Of a suite, with its ``assessment``.

    Raises
    ------
    ConfigError
        There is no such attacker, or a key or a value is wrong.
    GridError
        No part can be run on the release.

    Examples
    --------
    >>> import tempfile
    >>> visits = pd.DataFrame({"who": [1, 1, 2, 2, 3], "where": [1, 2, 1, 3, 1]})
    >>> with tempfile.TemporaryDirectory() as cache:
    ...     release = table(visits, user="who", item="where", cache=cache)
    ...     found = audit(release, attackers=["insider"], max_risk=0.5).assessment
    >>> [row["verdict"] for row in found["rows"] if row["criterion"] == "singling_out"]
    ['exceeds']
    """
    given = {
        "attackers": None if attackers is None else list(attackers),
        "context": context,
        "max_risk": max_risk,
        "measure": measure,
    }
    settings = {f"audit.{key}": value for key, value in given.items() if value is not None}
    settings |= options or {}
    return run_asked(
        release, {"experiment": "audit"}, settings, targets, seed, workers, folder, keywords
    )


@with_checked_arguments
def frontier(
    release: Release,
    defences: Sequence[str | Sequence[str | Defence | Mapping[str, Any]]] | None = None,
    *,
    attackers: Sequence[str] | None = None,
    targets: int | str = 1000,
    seed: int = 1,
    workers: int | None = None,
    folder: str | Path | None = None,
    options: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Result:
    """Show what chains of defences protect, and what they cost.

    Parameters
    ----------
    defences : sequence, optional
        Chains, each as on the command line: ``"drop_items.min_support=2,5 drop_time"``; or as a
        list of defences, as ``defence`` of `run`. Those of ``conf/experiment/frontier.yaml`` if not
        given.
    attackers : sequence of str, optional
        Some of ``conf/attacker``; those of the experiment if not given.
    targets : int or "all"
        People attacked per grid cell.
    seed, workers, folder, options, keywords
        As for `run`; ``{"plan.utility": "popularity"}`` compares another utility than nDCG.

    Returns
    -------
    Result
        Of a suite; its table ``frontier`` has a row per chain.

    Raises
    ------
    ConfigError
        A text is no chain, or a key or a value is wrong.

    Examples
    --------
    >>> import tempfile
    >>> visits = pd.DataFrame({"who": [1, 1, 2, 2, 3, 3], "where": [1, 2, 1, 3, 1, 2]})
    >>> with tempfile.TemporaryDirectory() as cache:
    ...     release = table(visits, user="who", item="where", cache=cache)
    ...     found = frontier(release, ["drop_items.min_support=2"], options={"grid.aux": ["1/1"]})
    >>> found.tables["frontier"]["chain"].tolist()
    ['unchanged', 'drop_items.min_support=2']
    """
    settings = {**_of_chains(defences, attackers), **(options or {})}
    return run_asked(
        release, {"experiment": "frontier"}, settings, targets, seed, workers, folder, keywords
    )


@with_checked_arguments
def plan(
    release: Release,
    max_risk: float,
    defences: Sequence[str | Sequence[str | Defence | Mapping[str, Any]]] | None = None,
    *,
    attackers: Sequence[str] | None = None,
    measure: str | None = None,
    write: str | Path | None = None,
    seed: int = 1,
    workers: int | None = None,
    folder: str | Path | None = None,
    options: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> Result:
    """Choose the chain of defences that loses least and keeps a bound.

    Parameters
    ----------
    max_risk : float
        The bound, a probability.
    measure : {"highest", "percentile_99", "mean", "succeeds"}, optional
        What must be at most the bound; "mean" if not given.
    write : str or Path, optional
        A file that ends in ``.csv`` or ``.parquet``, to which the chosen release is written.
    defences, attackers
        As for `frontier`.
    seed, workers, folder, options, keywords
        As for `run`; ``{"plan.utility": "popularity"}`` compares another utility than nDCG.

    Returns
    -------
    Result
        Of a suite, with its ``assessment``; its table ``trials`` has a row per attack on a chain.

    Raises
    ------
    ConfigError
        A text is no chain, or a key or a value is wrong.
    StandoutError
        The file is there already, or cannot be written.
    """
    settings = {"plan.max_risk": max_risk, **_of_chains(defences, attackers)}
    if measure is not None:
        settings["audit.measure"] = measure
    if write is not None:
        settings["plan.write"] = str(write)
    settings |= options or {}
    return run_asked(
        release, {"experiment": "plan"}, settings, None, seed, workers, folder, keywords
    )


def _of_chains(
    defences: Sequence[str | Sequence[str | Defence | Mapping[str, Any]]] | None,
    attackers: Sequence[str] | None,
) -> dict[str, Any]:
    given = {
        "plan.defences": None if defences is None else [chain_text(one) for one in defences],
        "audit.attackers": None if attackers is None else list(attackers),
    }
    return {key: value for key, value in given.items() if value is not None}


@with_known_keywords
@with_checked_arguments
def publish(
    release: Release,
    out: str | Path,
    *,
    defence: Sequence[str | Defence | Mapping[str, Any]] = (),
    linkage: str | Path | None = None,
    identifiers: str = "new",
    seed: int = 1,
    options: Mapping[str, Any] | None = None,
) -> list[str]:
    """Write what some defences leave of the data as a table.

    Parameters
    ----------
    out : str or Path
        A file that ends in ``.csv`` or ``.parquet``, and is not there yet.
    defence : sequence of str, Defence or dict
        As for `run`.
    linkage : str or Path, optional
        Where to write whose the records are; only the owner can read it.
    identifiers : {"new", "kept"}
        New ones of records tell nothing of whose they are.
    seed : int
        Of new identifiers.
    options : dict of str to object, optional
        Options of defences: ``{"defence.drop_items.min_support": 5}``.

    Returns
    -------
    list of str
        What is left of the data, and what was written, in sentences.

    Raises
    ------
    ConfigError
        A key or a value is wrong.
    GridError
        A defence cannot be applied to the data.
    StandoutError
        A file is there already, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> visits = pd.DataFrame({"who": [1, 1, 2, 2, 3], "where": [1, 2, 1, 3, 1]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     release = table(visits, user="who", item="where", cache=folder)
    ...     told = publish(release, Path(folder) / "released.csv", defence=["drop_items"])
    ...     len(pd.read_csv(Path(folder) / "released.csv")), told[1]
    (3, 'After drop_items: 3 of 3 people; 1 of 3 items; 3 of 5 entries.')
    """
    chosen, settings = listed("defence", DEFENCES, {}, defence, options or {})
    overrides = [f"{group}={choice}" for group, choice in chosen.items()]
    overrides += [
        override(key, value) for key, value in {"seed": seed, **checked_options(settings)}.items()
    ]
    config = configured(composed(overrides))
    config.data = release.config
    where = None if linkage is None else Path(linkage).absolute()
    done = written(config, release.store, Path(out).absolute(), where, identifiers)
    return list(done.sentences)


@with_known_keywords
@with_checked_arguments
def load(folder: str | Path) -> Result:
    """Open a finished run again.

    Parameters
    ----------
    folder : str or Path
        Its run folder, made by the command line or from Python.

    Raises
    ------
    InputError
        The folder holds no finished run, or what it holds was changed.

    Examples
    --------
    >>> import tempfile
    >>> visits = pd.DataFrame({"who": [1, 1, 2, 2, 3], "where": [1, 2, 1, 3, 1]})
    >>> with tempfile.TemporaryDirectory() as place:
    ...     release = table(visits, user="who", item="where", cache=place)
    ...     made = measure(release, "lengths", folder=Path(place) / "run")
    ...     load(made.folder).facts.equals(made.facts)
    True
    """
    found = Result(Path(folder))
    check_sealed(Path(folder))
    return found


@with_known_keywords
@with_checked_arguments
def check(
    run: Result | str | Path,
    *,
    max_risk: float | None = None,
    measure: str | None = None,
    attackers: Sequence[str] | None = None,
    criterion: Sequence[str] = USUAL,
    released: str = FILE,
    file: str | Path | None = None,
) -> Check:
    """Check whether the risk of a run keeps a bound, from its tables, as ``standout check``.

    Parameters
    ----------
    run : Result, str or Path
        An audit, a plan or attacks; or the folder of one, or of a ``--multirun``, whose jobs are
        all checked.
    max_risk : float, optional
        The bound, from 0 to 1; that of the run if not given.
    measure : {"highest", "percentile_99", "mean", "succeeds"}, optional
        What must be at most the bound; that of the run if not given.
    attackers : sequence of str, optional
        Those of an audit that count; all if not given.
    criterion : sequence of str
        Of an audit: ``singling_out``, ``linkability``, ``inference``.
    released : {"file", "as_read"}
        What is released. Of the file, what was not read of it counts as not tested: columns, times
        of day, rows that were merged or left out.
    file : str or Path, optional
        The file that is to be released: it passes only if the run read it, or the plan wrote it.

    Returns
    -------
    Check
        True only if everything that was asked for was tested and is within the bound, so that
        ``assert sim.check(…)`` holds or fails as the command does; has ``passed``, ``reasons``,
        ``runs`` with their ``rows`` and numbers, ``exit_code`` and ``to_json()``.

    Raises
    ------
    ConfigError
        There is no bound, or an argument is wrong.
    InputError
        The folder holds no finished run, or it was changed, or attacks nobody; or there is no file.

    Examples
    --------
    >>> import tempfile
    >>> visits = pd.DataFrame({"who": [1, 1, 2, 2, 3], "where": [1, 2, 1, 3, 1]})
    >>> with tempfile.TemporaryDirectory() as cache:
    ...     release = table(visits, user="who", item="where", cache=cache)
    ...     found = check(run(release, aux=["2/2"], bayes_targets=0), max_risk=0.5)
    >>> found.passed, "exceeds" in found.reasons[0], found.runs[0].rows[0].records
    (False, True, 3)
    """
    folder = run.folder if isinstance(run, Result) else existing_folder(run, "that of a run")
    names = None if attackers is None else tuple(attackers)
    path = None if file is None else Path(file)
    asked = Asked(folder, max_risk, measure, tuple(criterion), names, released, path)
    return Check(tuple(check_runs(asked)))


@with_known_keywords
@with_checked_arguments
def compare(*runs: Result | str | Path | Sequence[Result | str | Path]) -> Comparison:
    """Put several runs into one table, with what differs between them as columns.

    Parameters
    ----------
    runs : Result, str or Path
        Attacks or audits, or suites of these; folders of a ``--multirun`` stand for its jobs. A
        list of them stands for what it holds. A run without a folder of its own is named by its
        place among them: ``run 2``.

    Returns
    -------
    Comparison
        Prints as the table of ``standout compare``; has ``table`` and ``figure()``.

    Raises
    ------
    InputError
        A run cannot be compared, or attacks and audits are mixed.

    Examples
    --------
    >>> import tempfile
    >>> visits = pd.DataFrame({"who": [1, 1, 2, 2, 3], "where": [1, 2, 1, 3, 1]})
    >>> with tempfile.TemporaryDirectory() as cache:
    ...     release = table(visits, user="who", item="where", cache=cache)
    ...     some = [run(release, phi=phi, aux=["2/2"], bayes_targets=0) for phi in (1, 2)]
    ...     compare(*some).conditions
    ('run', 'attack.phi')
    """
    single = (Result, str, Path)
    each = [one for run in runs for one in ([run] if isinstance(run, single) else run)]
    for one in each:
        if not isinstance(one, single):
            raise ConfigError(f"compare: {one!r}: expected a result or a path")
    found = list[RunFolder]()
    for run in each:
        if isinstance(run, Result):
            check_sealed(run.folder)
            found.append(run._run)
        else:
            found += opened([Path(run)])
    names = dict[Path, str]()
    for number, run in enumerate(each, 1):
        if isinstance(run, Result) and run.temporary_folder is not None:
            names.setdefault(run.temporary_folder, f"run {number}")
    return compared(found, names)


@with_known_keywords
@with_checked_arguments
def nearest(
    release: Release,
    metric: str = "presence",
    *,
    sample: int | None = None,
    seed: int = 1,
    value: float = 1.0,
    day: float = 14.0,
) -> pd.DataFrame:
    """Find each record's most similar other record, exactly (NS08 Fig. 1; NS07 Fig. 1).

    Parameters
    ----------
    metric : {"presence", "values", "values_and_dates", "hamming"}
        What two cells must agree in; or the Hamming distance of the sets of items, as a fraction
        of the record's own number of items.
    sample : int, optional
        Records drawn; all if not given.
    seed : int
        Of the sample.
    value, day : float
        Values and days at most this far apart agree.

    Returns
    -------
    DataFrame
        Columns ``record``, ``nearest`` (the user's own identifiers), and ``similarity`` or
        ``distance``.

    Raises
    ------
    ConfigError
        There is no such metric, the release lacks what it compares, or no record would be drawn.
    GridError
        The release has only one record, or some record has an item several times.

    Examples
    --------
    >>> import tempfile
    >>> visits = pd.DataFrame({"who": list("aabbc"), "where": [1, 2, 1, 2, 9]})
    >>> with tempfile.TemporaryDirectory() as cache:
    ...     nearest(table(visits, user="who", item="where", cache=cache))["similarity"].tolist()
    [1.0, 1.0, 0.0]
    """
    from sim.adversary.targets import draw_targets
    from sim.measurements import neighbours

    metrics: dict[str, Any] = {
        "presence": neighbours.PRESENCE,
        "values": neighbours.RecordSimilarity(value=value),
        "values_and_dates": neighbours.RecordSimilarity(value=value, day=day),
        "hamming": neighbours.Hamming(),
    }
    if metric not in metrics:
        raise ConfigError(f"metric: {metric!r}: {expected_among(metric, metrics)}")
    store = release.store
    has = {"values": store.scale.size > 0, "dates": store.manifest.n_days > 0}
    lacking = [part for part in metric.split("_and_") if not has.get(part, True)]
    if lacking:
        raise ConfigError(
            f"metric: {metric!r}: the release has no {' and no '.join(lacking)}; expected one of "
            "what it has, as presence or hamming"
        )
    if store.manifest.has_repeats:
        raise GridError(
            "nearest: some record has an item several times, and records are compared as sets of "
            "items; read the data with repeats='latest', so that each has an item once"
        )
    if sample is not None and sample < 1:
        raise ConfigError(f"sample: {sample}: expected a number of records, 1 or more")
    everyone = np.ones(store.manifest.n_records, np.bool_)
    records = draw_targets(everyone, sample, seed)
    found = neighbours.nearest(store, records, metrics[metric])
    column = "distance" if metric == "hamming" else "similarity"
    return pd.DataFrame(
        {
            "record": store.records.take(records).to_pandas(),
            "nearest": store.records.take(found.record).to_pandas(),
            column: getattr(found, column),
        }
    )

"""What a job would take, run by run, without beginning any of it: ``dry_run=true``.

Invariant: no cluster is started and no run folder written. The release itself is opened, and so
built if this is its first use, since without it nothing can be counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sim.config.schema import ATTACK, Config
from sim.defence.apply import defended
from sim.errors import GridError
from sim.release.store.store import Store
from sim.session.bayes_companion import companion_of
from sim.session.checks import attack_of, check_release, defences_of, targets_of
from sim.session.cost import Cost, cost_of, in_words
from sim.session.open_release import cache_of, open_release
from sim.session.people import grid_of
from sim.session.suite import Job, key_of
from sim.study.plan import make_plan


@dataclass(frozen=True, slots=True)
class Forecast:
    """What the runs of a job take.

    Parameters
    ----------
    runs : tuple of Cost or str
        What each takes, or why that cannot be told.
    seconds : float
        Of all that can be told.
    """

    runs: tuple[Cost | str, ...]
    seconds: float

    def __str__(self) -> str:
        parts = [str(run) for run in self.runs]
        if len(parts) > 1:
            unknown = sum(isinstance(run, str) for run in self.runs)
            but = f", and {unknown} runs of which that is not known" if unknown else ""
            parts.append(f"all together: about {in_words(self.seconds)}{but}")
        return "\n\n".join(parts)


def forecast(job: Job) -> Forecast:
    """Foresee a job and all its parts.

    Raises
    ------
    StandoutError
        Whatever the user can put right: what would stop the run stops this too.
    """
    stores: dict[str, Store] = {}
    runs: list[Cost | str] = []
    for name, config in _runs(job):
        key = key_of(config.data)
        if key not in stores:
            stores[key] = open_release(config.data)
        try:
            cost = _foreseen(config, stores[key], name)
        except GridError as error:
            if not runs and not job.parts:
                raise
            cost = f"{name}: left out: {error}"
        runs.append(cost)
    seconds = sum(run.seconds for run in runs if isinstance(run, Cost))
    return Forecast(tuple(runs), seconds)


def _runs(job: Job) -> Iterator[tuple[str, Config]]:
    """Every single run, by name, in the order they would be done."""
    if job.parts:
        for part in job.parts:
            yield from _runs(part)
        return
    config = job.config
    name = config.name if job.name in ("", config.name) else f"{config.name}, {job.name}"
    yield name, config
    companion = companion_of(config)
    if companion is not None:
        yield f"{name}, Bayes-optimal attacker", companion


def _foreseen(config: Config, store: Store, name: str) -> Cost | str:
    if config.study.kind != ATTACK:
        return f"{name}: measures {config.study.kind} of the release; not foreseen"
    cells = grid_of(config, cache_of(config.data))
    change = defended(store, defences_of(config))
    attack = attack_of(config.attack, cells, change.publisher)
    check_release(attack, cells, store.manifest)
    plan = make_plan(store, cells, attack, targets_of(config), config.seed)
    cluster = config.cluster
    return cost_of(
        store,
        plan,
        attack,
        0 if cluster.kind == "inline" else cluster.workers,
        shared_cores=cluster.kind != "address",
        title=f"{name}: {attack.name} on {store.manifest.source}"
        + (", before its defences" if change.stages else ""),
    )

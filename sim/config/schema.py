"""The types of the configuration.

Hydra checks names and types against these classes; `sim.session.checks` checks the rest. Values and
their comments live in ``conf/``; those of attacks, measurements, defences, measures of utility and
axes of the grid on their classes, from which the types here are made (`sim.extend.options`,
`sim.axes`).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, make_dataclass
from types import GenericAlias, UnionType
from typing import TYPE_CHECKING, Any, Optional, Union, get_args

from omegaconf import MISSING

from sim.extend.options import option, schema_of

if TYPE_CHECKING:
    from sim.axes.axis import Axis
    from sim.extend.plugins import Registry

# Hydra reads these annotations at run time and knows Optional, not "X | None".
# ruff: noqa: UP045

MOST_SEED = 2**64 - 1


@dataclass
class DataConfig:
    """The source of the release."""

    kind: str = MISSING
    cache: Optional[str] = MISSING


@dataclass
class MovieLensConfig(DataConfig):
    """MovieLens in any of its layouts."""

    path: str = MISSING
    # A name, or a number of minutes.
    time_bin: Any = MISSING


@dataclass
class NetflixConfig(DataConfig):
    """The Netflix Prize data in either layout."""

    path: str = MISSING


@dataclass
class TableConfig(DataConfig):
    """Any csv or parquet with named columns."""

    path: str = MISSING
    # A column, or a list of columns that are one together.
    user: Any = MISSING
    item: Any = MISSING
    value: Optional[str] = MISSING
    date: Any = MISSING
    date_unit: str = MISSING
    date_format: Optional[str] = MISSING
    decimal: str = MISSING
    delimiter: Optional[str] = MISSING
    encoding: Optional[str] = MISSING
    empty: str = MISSING
    max_unread: float = MISSING
    header: Any = MISSING  # true, false or null
    quotes: Optional[str] = MISSING
    multiline: bool = MISSING
    zeros: Optional[str] = MISSING
    placeholders: Any = MISSING  # a list of cells
    shape: Optional[str] = MISSING
    repeats: Optional[str] = MISSING
    value_bins: Any = MISSING
    time_bin: Any = MISSING


@dataclass
class SyntheticConfig(DataConfig):
    """A release made by the generator."""

    preset: str = MISSING
    seed: int = option(MISSING, minimum=0, maximum=MOST_SEED)


@dataclass
class AttackConfig:
    """An attack; its options are added by `choices`."""

    name: str = MISSING


@dataclass
class AdversaryConfig:
    """The adversary: its targets, and the source of its knowledge."""

    kind: str = MISSING


@dataclass
class AuxConfig(AdversaryConfig):
    """A sample of each target's own record."""

    wrong: str = MISSING
    draw: str = MISSING


@dataclass
class MentionsConfig(AdversaryConfig):
    """Public mentions of the targets, simulated."""

    precision: float = MISSING
    max_length: int = MISSING


@dataclass
class ElsewhereConfig(AdversaryConfig):
    """People of another site, simulated."""

    member_fraction: float = MISSING
    overlap_fraction: float = MISSING
    value_noise: float = MISSING
    date_noise: Any = MISSING  # days, or text with a unit
    min_items: int = MISSING


@dataclass
class PeopleConfig(AdversaryConfig):
    """People known from another table."""

    path: str = MISSING
    user: Any = MISSING
    item: Any = MISSING
    value: Optional[str] = MISSING
    truth: Optional[str] = MISSING


@dataclass
class MentionsFileConfig(PeopleConfig):
    """Real mentions."""


@dataclass
class ExternalConfig(PeopleConfig):
    """Another data set."""

    date: Any = MISSING
    values: str = MISSING
    min_items: int = option(MISSING, minimum=0)


@dataclass
class GridConfig:
    """The axes of the experiment; every combination is a grid cell.

    The axes, each a list of values, are added by `choices`.
    """


@dataclass
class SweepConfig(GridConfig):
    """Axes of samples of the targets' own records."""


@dataclass
class MentionsGridConfig(GridConfig):
    """Axes of simulated mentions."""


@dataclass
class PeopleGridConfig(GridConfig):
    """Axes of people known from elsewhere."""


ATTACK = "attack"
"""The study that attacks the release, in every cell of the grid."""


@dataclass
class StudyConfig:
    """The kind of study: `ATTACK`, or a measurement of the release as a whole.

    The options of a measurement are added by `choices`.
    """

    kind: str = ATTACK


@dataclass
class DefenceConfig:
    """A change by the publisher before the release; its options are added by `choices`."""


@dataclass
class UtilityConfig:
    """A measure of utility; its options are added by `choices`."""


@dataclass
class ClusterConfig:
    """The cluster that runs a study."""

    kind: str = MISSING
    workers: Optional[int] = option(MISSING, minimum=1, maximum=10_000)
    address: Optional[str] = MISSING
    wait: float = option(MISSING, minimum=0)


AUDIT = "audit"
"""The aggregate of a suite whose parts are attackers by name."""


@dataclass
class AuditConfig:
    """Whom an audit lets attack, and what its assessment compares the risk with."""

    attackers: list[str] = field(default_factory=list)
    context: Optional[str] = MISSING
    max_risk: Optional[float] = option(MISSING, minimum=0, maximum=1, example="0.05 for 5%")
    measure: str = MISSING
    known_facts: str = MISSING
    confidence: float = option(MISSING, minimum=0, maximum=1)
    draws: int = option(MISSING, minimum=1, maximum=10_000)


FRONTIER = "frontier"
"""The aggregate of a suite whose parts are audits of a release after chains of defences."""

PLAN = "plan"
"""The aggregate of a search for the chain of defences that loses least and keeps a bound."""


@dataclass
class PlanConfig:
    """Which chains of defences a frontier or a plan tries, and what decides between them."""

    defences: list[str] = field(default_factory=list)
    min_length: Optional[int] = option(MISSING, minimum=1)
    max_length: Optional[int] = option(MISSING, minimum=1)
    utility: str = MISSING
    max_risk: Optional[float] = option(MISSING, minimum=0, maximum=1, example="0.05 for 5%")
    write: Optional[str] = MISSING


ORIGINAL, RELEASED, BOTH = KNOWN_FACTS = ("original", "released", "both")
"""What the attackers of an audit know facts of: the original data, the file, or each in turn."""


@dataclass
class Config:
    """The whole configuration."""

    name: str = MISSING
    seed: int = option(MISSING, minimum=0, maximum=MOST_SEED)
    targets: Any = MISSING
    dry_run: bool = MISSING
    bayes_targets: Any = MISSING
    min_eligible: float = option(MISSING, minimum=0, maximum=1)
    parts: Any = MISSING
    aggregate: Optional[str] = MISSING
    audit: AuditConfig = field(default_factory=AuditConfig)
    plan: PlanConfig = field(default_factory=PlanConfig)
    study: StudyConfig = field(default_factory=StudyConfig)
    data: DataConfig = field(default_factory=DataConfig)
    attack: AttackConfig = field(default_factory=AttackConfig)
    adversary: AdversaryConfig = field(default_factory=AdversaryConfig)
    grid: GridConfig = field(default_factory=GridConfig)
    defence: dict[str, Any] = field(default_factory=dict)
    utility: dict[str, UtilityConfig] = field(default_factory=dict)
    cluster: ClusterConfig = field(default_factory=ClusterConfig)


_NO_RESULT = ("cluster", "dry_run", "data.cache")
"""Keys and groups that decide how something is executed, and where, and change no result."""


def changes_no_result(key: str) -> bool:
    """Whether a key decides only how a run is executed, and where its files lie.

    Examples
    --------
    >>> changes_no_result("cluster.workers"), changes_no_result("data.cache")
    (True, True)
    >>> changes_no_result("data.preset"), changes_no_result("data")
    (False, False)
    """
    return any(key == own or key.startswith(f"{own}.") for own in _NO_RESULT)


Choice = tuple[str, str, type[Any]]
"""Group, name and class."""

_IN_FILES: tuple[Choice, ...] = (
    ("data", "movielens", MovieLensConfig),
    ("data", "netflix", NetflixConfig),
    ("data", "table", TableConfig),
    ("data", "synthetic", SyntheticConfig),
    ("adversary", "aux", AuxConfig),
    ("adversary", "mentions", MentionsConfig),
    ("adversary", "mentions_file", MentionsFileConfig),
    ("adversary", "external", ExternalConfig),
    ("adversary", "elsewhere", ElsewhereConfig),
)
"""Choices whose values are files of ``conf/``."""

GROUPS = (
    *("study", "data", "defence", "utility", "attack", "grid", "adversary", "cluster"),
    *("attacker", "experiment"),
)
"""The groups in which one choice is made by name."""

NAMES = ("study.kind", "data.kind", "adversary.kind", "attack.name")
"""Values that a choice sets and that say no more than it: no keys."""

LISTS = ("defence", "utility")
"""The groups in which several are chosen, in an order; each choice has its own keys."""


def package(group: str, name: str) -> str:
    """Return what the keys of a choice begin with.

    Examples
    --------
    >>> package("attack", "bayes"), package("defence", "drop_items")
    ('attack', 'defence.drop_items')
    """
    return f"{group}.{name}" if group in LISTS else group


def chosen(group: str, name: str) -> str:
    """Return a choice as typed into a shell.

    Examples
    --------
    >>> print(chosen("attack", "bayes"), chosen("defence", "drop_items"))
    attack=bayes 'defence=[drop_items]'
    """
    return f"'{group}=[{name}]'" if group in LISTS else f"{group}={name}"


def choices() -> tuple[Choice, ...]:
    """List the class of every choice of the configuration.

    Raises
    ------
    ConfigError
        An attack, a measurement, a defence, a measure of utility or an axis cannot be used.
    """
    return _choices_of(*(tuple(registry.all().values()) for registry in registries().values()))


def registries() -> Mapping[str, Registry[Any]]:
    """Return the classes that plug-ins can add to, by the group in which they are chosen."""
    from sim.attack.algorithms.registry import ATTACKS
    from sim.axes.registry import AXES
    from sim.defence.registry import DEFENCES
    from sim.measurements.registry import MEASUREMENTS
    from sim.utility.registry import UTILITIES

    return {
        "study": MEASUREMENTS, "attack": ATTACKS, "defence": DEFENCES, "utility": UTILITIES,
        "grid": AXES,
    }  # fmt: skip


@functools.lru_cache(maxsize=2)  # asked for with every override; a notebook may add classes
def _choices_of(
    measurements: tuple[Any, ...],
    attacks: tuple[Any, ...],
    defences: tuple[Any, ...],
    utilities: tuple[Any, ...],
    axes: tuple[Any, ...],
) -> tuple[Choice, ...]:
    """List the choices in files, and those whose classes hold the values too."""
    from sim.axes.registry import in_order

    return (
        *_IN_FILES,
        ("study", ATTACK, StudyConfig),
        *(("study", cls.name_of(), _study_schema(cls)) for cls in measurements),
        *(("attack", cls.name_of(), _attack_schema(cls)) for cls in attacks),
        *(("defence", cls.name_of(), _defence_schema(cls)) for cls in defences),
        *(("utility", cls.name_of(), _utility_schema(cls)) for cls in utilities),
        *(("grid", grid, _grid_schema(base, tuple(in_order(axes, grid)))) for grid, base in _GRIDS),
    )


_GRIDS: tuple[tuple[str, Any], ...] = (
    ("sweep", SweepConfig),
    ("mentions", MentionsGridConfig),
    ("people", PeopleGridConfig),
)


@functools.cache
def _study_schema(cls: Any) -> type[Any]:
    # The key is the class itself: a notebook may define several classes of one name in turn.
    return schema_of(cls, StudyConfig, kind=cls.name_of())


@functools.cache
def _attack_schema(cls: Any) -> type[Any]:
    return schema_of(cls, AttackConfig, name=cls.name_of())


@functools.cache
def _defence_schema(cls: Any) -> type[Any]:
    return schema_of(cls, DefenceConfig)


@functools.cache
def _utility_schema(cls: Any) -> type[Any]:
    return schema_of(cls, UtilityConfig)


@functools.cache
def _grid_schema(base: Any, axes: tuple[Axis, ...]) -> type[Any]:
    fields = [
        (axis.name, _list_of(axis.value_type), field(default_factory=axis.defaults))
        for axis in axes
    ]
    return make_dataclass(f"{base.__name__}WithAxes", fields, bases=(base,))


def _list_of(kind: Any) -> Any:
    """Return the type of a list for OmegaConf, which knows `Optional[int]` but not `int | None`."""
    one_of: Any = Union
    return GenericAlias(list, one_of[get_args(kind)] if isinstance(kind, UnionType) else kind)


def register() -> None:
    """Register the choices with Hydra; those of files under the names that the files use.

    Raises
    ------
    ConfigError
        See `choices`.
    """
    from hydra.core.config_store import ConfigStore

    store = ConfigStore.instance()
    known = choices()
    if _registered == [(store, known)]:
        return
    store.store(name="schema", node=Config)
    for group, name, node in _IN_FILES:
        store.store(group=group, name=f"{name}_schema", node=node)
    for group, name, node in known[len(_IN_FILES) :]:
        store.store(group=group, name=name, node=node, package=package(group, name))
    _registered[:] = [(store, known)]


_registered: list[tuple[Any, tuple[Choice, ...]]] = []
"""The choices that were registered last; a plug-in may add to them."""

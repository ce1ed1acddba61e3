"""The types of the configuration. Values and their comments live in ``conf/``.

Each class mirrors one group of ``conf/``. Hydra checks names and types against these classes;
`sim.session.checks` checks what types cannot say.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any, Optional

from omegaconf import MISSING

# Hydra reads these annotations at run time and knows Optional, not "X | None".
# ruff: noqa: UP045


@dataclass
class DataConfig:
    """Where the release comes from."""

    kind: str = MISSING
    cache: Optional[str] = MISSING


@dataclass
class MovieLensConfig(DataConfig):
    """MovieLens in any of its layouts."""

    path: str = MISSING


@dataclass
class NetflixConfig(DataConfig):
    """The Netflix Prize data in either layout."""

    path: str = MISSING


@dataclass
class TableConfig(DataConfig):
    """Any csv or parquet with named columns."""

    path: str = MISSING
    user: str = MISSING
    item: str = MISSING
    value: Optional[str] = MISSING
    date: Optional[str] = MISSING
    date_unit: str = MISSING
    delimiter: Optional[str] = MISSING
    empty: str = MISSING


@dataclass
class SyntheticConfig(DataConfig):
    """A release made by the generator."""

    preset: str = MISSING
    seed: int = MISSING


@dataclass
class AttackConfig:
    """What every attack has."""

    name: str = MISSING
    phi: float = MISSING
    sigma: str = MISSING
    missing: str = MISSING
    entropy: bool = MISSING


@dataclass
class SimilarityConfig(AttackConfig):
    """An attack by attribute similarity."""

    similarity: str = MISSING
    rho0: float = MISSING
    d0: float = MISSING
    eps_value: float = MISSING
    eps_day: float = MISSING


@dataclass
class ScoreboardConfig(SimilarityConfig):
    """Scoreboard."""

    alpha: float = MISSING


@dataclass
class ScoreboardRHConfig(SimilarityConfig):
    """Scoreboard-RH."""

    weight: str = MISSING


@dataclass
class NeighbourhoodConfig(AttackConfig):
    """Neighbourhoods."""

    eps_value: Optional[float] = MISSING
    eps_day: Optional[float] = MISSING
    delta_value: Optional[float] = MISSING
    delta_day: Optional[float] = MISSING


@dataclass
class CorrelationConfig(AttackConfig):
    """Correlation."""

    alpha: float = MISSING
    beta: float = MISSING
    gamma: float = MISSING
    r0: float = MISSING
    d0: float = MISSING
    lam: float = MISSING


@dataclass
class ScoringConfig(AttackConfig):
    """Scoring."""

    longest_share: Optional[float] = MISSING


@dataclass
class ScoringRatedConfig(ScoringConfig):
    """Scoring with ratings."""

    delta: float = MISSING


@dataclass
class BayesConfig(AttackConfig):
    """The strongest attacker."""

    confidence: float = MISSING
    count: str = MISSING


@dataclass
class AdversaryConfig:
    """Whom the adversary is after, and where it knows them from."""

    kind: str = MISSING


@dataclass
class AuxConfig(AdversaryConfig):
    """A sample of each target's own record."""

    wrong: str = MISSING


@dataclass
class MentionsConfig(AdversaryConfig):
    """What the targets say in public, simulated."""

    held: float = MISSING
    spread: float = MISSING
    popularity: float = MISSING
    other_popularity: float = MISSING
    activity: float = MISSING
    longest: int = MISSING


@dataclass
class ElsewhereConfig(AdversaryConfig):
    """People of another site, simulated."""

    there: float = MISSING
    share: float = MISSING
    others: float = MISSING
    missing: float = MISSING
    value_noise: float = MISSING
    dates: str = MISSING
    punctual: float = MISSING
    date_noise: int = MISSING
    least: int = MISSING


@dataclass
class PeopleConfig(AdversaryConfig):
    """People known from another table."""

    path: str = MISSING
    item: str = MISSING
    value: Optional[str] = MISSING
    delimiter: Optional[str] = MISSING
    empty: str = MISSING
    truth: Optional[str] = MISSING
    truth_record: str = MISSING


@dataclass
class MentionsFileConfig(PeopleConfig):
    """Real mentions."""

    person: str = MISSING


@dataclass
class ExternalConfig(PeopleConfig):
    """Another data set."""

    user: str = MISSING
    date: Optional[str] = MISSING
    date_unit: str = MISSING
    values: str = MISSING
    least: int = MISSING


@dataclass
class GridConfig:
    """The axes of the experiment; every combination is a grid cell."""

    present: list[bool] = MISSING


@dataclass
class SweepConfig(GridConfig):
    """Axes of samples of the targets' own records."""

    aux: list[str] = MISSING
    date_noise: list[Optional[int]] = MISSING
    value_noise: list[Optional[float]] = MISSING
    popularity: list[Any] = MISSING
    missing: list[float] = MISSING
    record_length: list[Optional[float]] = MISSING
    first: list[Optional[int]] = MISSING


@dataclass
class MentionsGridConfig(GridConfig):
    """Axes of simulated mentions."""

    value_known: list[float] = MISSING
    hide_rarest: list[float] = MISSING
    decoys: list[int] = MISSING
    decoy_support: list[Any] = MISSING


@dataclass
class StudyConfig:
    """What is done: an attack, or a measurement of the release as a whole."""

    kind: str = MISSING


@dataclass
class LengthsConfig(StudyConfig):
    """Lengths of records."""

    ranges: list[int] = MISSING


@dataclass
class RareItemsConfig(StudyConfig):
    """Who holds rare items."""

    outside: list[int] = MISSING
    at_least: list[int] = MISSING


@dataclass
class ItemBitsConfig(StudyConfig):
    """Bits gained from one item."""

    eps_value: float = MISSING
    eps_day: int = MISSING


@dataclass
class NeighboursConfig(StudyConfig):
    """Nearest other records."""

    records: Any = MISSING
    by: list[str] = MISSING
    nearness: str = MISSING
    eps_value: float = MISSING
    eps_day: int = MISSING


@dataclass
class RecommenderConfig(StudyConfig):
    """What a recommender gains."""

    rmse: Optional[float] = MISSING
    folds: int = MISSING
    shrink_items: float = MISSING
    shrink_records: float = MISSING


@dataclass
class KAnonymityConfig(StudyConfig):
    """k-anonymity."""

    k: list[int] = MISSING
    items: list[Optional[int]] = MISSING


@dataclass
class PerturbConfig:
    """What the publisher does to the data before releasing them."""

    least_support: int = MISSING
    value_noise: float = MISSING
    date_noise: int = MISSING
    seed: int = MISSING


@dataclass
class ClusterConfig:
    """Where the work is done."""

    kind: str = MISSING
    workers: int = MISSING
    address: Optional[str] = MISSING
    shards: Optional[int] = MISSING
    timeout: float = MISSING
    cache: Optional[str] = MISSING
    copy: str = MISSING


@dataclass
class Config:
    """The whole configuration."""

    name: str = MISSING
    seed: int = MISSING
    targets: Any = MISSING
    dry_run: bool = MISSING
    strongest: int = MISSING
    parts: Any = MISSING
    joint: Optional[str] = MISSING
    study: StudyConfig = field(default_factory=StudyConfig)
    data: DataConfig = field(default_factory=DataConfig)
    attack: AttackConfig = field(default_factory=AttackConfig)
    adversary: AdversaryConfig = field(default_factory=AdversaryConfig)
    grid: GridConfig = field(default_factory=GridConfig)
    perturb: PerturbConfig = field(default_factory=PerturbConfig)
    cluster: ClusterConfig = field(default_factory=ClusterConfig)


CHOICES: tuple[tuple[str, str, type[Any]], ...] = (
    ("data", "movielens", MovieLensConfig),
    ("data", "netflix", NetflixConfig),
    ("data", "table", TableConfig),
    ("data", "synthetic", SyntheticConfig),
    ("adversary", "aux", AuxConfig),
    ("adversary", "mentions", MentionsConfig),
    ("adversary", "mentions_file", MentionsFileConfig),
    ("adversary", "external", ExternalConfig),
    ("adversary", "elsewhere", ElsewhereConfig),
    ("grid", "sweep", SweepConfig),
    ("grid", "mentions", MentionsGridConfig),
    ("grid", "people", GridConfig),
    ("study", "attack", StudyConfig),
    ("study", "lengths", LengthsConfig),
    ("study", "rare_items", RareItemsConfig),
    ("study", "item_bits", ItemBitsConfig),
    ("study", "neighbours", NeighboursConfig),
    ("study", "recommender", RecommenderConfig),
    ("study", "kanonymity", KAnonymityConfig),
    ("attack", "scoreboard", ScoreboardConfig),
    ("attack", "scoreboard_rh", ScoreboardRHConfig),
    ("attack", "neighbourhood", NeighbourhoodConfig),
    ("attack", "correlation", CorrelationConfig),
    ("attack", "set_intersection", AttackConfig),
    ("attack", "tf_idf", AttackConfig),
    ("attack", "scoring", ScoringConfig),
    ("attack", "scoring_rated", ScoringRatedConfig),
    ("attack", "bayes", BayesConfig),
    ("attack", "random", AttackConfig),
    ("attack", "longest", AttackConfig),
)
"""Group, choice and class of every part of the configuration."""

GROUPS = ("study", "data", "attack", "grid", "adversary", "cluster", "experiment")
"""What is chosen by name: the folders of ``conf/``, but for what is Hydra's."""


@functools.cache
def register() -> None:
    """Make the classes known to Hydra, under the names the files in ``conf/`` refer to."""
    from hydra.core.config_store import ConfigStore

    store = ConfigStore.instance()
    store.store(name="schema", node=Config)
    for group, name, node in CHOICES:
        store.store(group=group, name=f"{name}_schema", node=node)

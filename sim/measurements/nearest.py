"""Measures the distance to the nearest other record (NS08, Fig. 1 and definition 1; NS07, Fig. 1).

Similarity is Sim of NS08 section 3: items in common whose cells agree, over the items of either
record. Hamming distance is NS07's "Distance to nearest neighbor (as fraction of Hamming weight)" of
records as vectors of 0 and 1: the items that only one of the two holds, over those of the record
whose neighbour is sought. It may exceed 1, as that paper says.

Invariant: neighbours are exact, among all records. The records whose neighbours are sought may be a
sample; every share then has an interval. No table contains a record.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.adversary.targets import draw_targets
from sim.errors import ConfigError, GridError
from sim.extend.options import constant, option
from sim.findings.finding import Finding, Kind
from sim.measurements.measurement import FACTS, Measurement, Tables, numbers_of
from sim.measurements.neighbours import Hamming, Metric, RecordSimilarity, nearest
from sim.numeric.columns import SHARE, share, unmeasured
from sim.numeric.rows import row_dicts
from sim.release.store.manifest import Manifest
from sim.release.store.store import Store

Attributes = Literal["presence", "values", "dates", "values_and_dates"]
"""The attributes that must agree, in addition to the item."""

HALF = 0.5
"""NS08: no neighbour has a similarity above this."""

WITHIN = 0.7
"""NS07: no neighbour is within this fraction of the record's Hamming weight."""

EPSILONS = np.arange(20) / 20
"""ε of the (ε, δ)-sparsity."""

_STEPS = 100
"""Points of a curve for each unit of similarity or distance."""

_QUANTILES = {"lower_quartile": 25, "median": 50, "upper_quartile": 75}

NOBODY_SIMILAR = Kind("nobody_similar", f"people with no other above a similarity of {HALF:g}")
NOBODY_NEAR = Kind("nobody_near", f"people with no other within {WITHIN:g} of their own items")


@dataclass(frozen=True)
class Neighbours(Measurement):
    """Measures how similar, or how distant, the nearest other record is.

    Hamming distance compares items only. A missing value or day agrees with any.

    Examples
    --------
    >>> Neighbours(attributes=("presence",), metric="hamming").records
    1000
    """

    kind: ClassVar[str] = "neighbours"
    summary: ClassVar[str] = "similarity of the most similar other record"
    facts: ClassVar[str] = (
        "per `attributes`: share of records with `no_neighbour_above_half` or "
        "`no_neighbour_within_70`, quartiles"
    )
    tables: ClassVar[Mapping[str, str]] = {
        "ccdf": "share of records whose nearest record has at least this similarity, or at most "
        "this distance",
        "sparsity": "the ε and δ of NS08's definition 1",
    }
    figure: ClassVar[str] = "neighbours"
    kinds: ClassVar[tuple[Kind, ...]] = (NOBODY_SIMILAR, NOBODY_NEAR)

    records: int | None = option(
        1000,
        help="number of records, drawn uniformly, whose neighbours are searched",
        minimum=1,
        null="all records",
        all=True,
    )
    attributes: tuple[Attributes, ...] = option(
        ("presence", "values", "dates"),
        help="attributes that must agree in addition to the item",
        distinct=True,
    )
    metric: Literal["similarity", "hamming"] = option(
        "similarity",
        help="common items as a share of all, or differing items as a share of the record's own",
    )
    # Values and days at most this far apart agree: those of NS08 Figures 1 and 7.
    eps_value: float = constant(1.0, minimum=0)
    eps_day: int = constant(14, minimum=0)

    def check(self) -> None:
        """See `Options.check`."""
        if self.metric == "hamming" and self.attributes != ("presence",):
            raise ConfigError(
                f"study.attributes: {list(self.attributes)}: Hamming distance compares items only; "
                "set 'study.attributes=[presence]'"
            )

    @classmethod
    def findings(cls, facts: pd.DataFrame, study: Mapping[str, Any]) -> Iterator[Finding]:  # noqa: ARG003
        """See `Measurement.findings`."""
        hamming = "no_neighbour_within_70" in facts
        name = "no_neighbour_within_70" if hamming else "no_neighbour_above_half"
        kind = NOBODY_NEAR if hamming else NOBODY_SIMILAR
        shown = ("attributes", "records", "of_records", name, f"{name}_low", f"{name}_high")
        for row in row_dicts(facts[facts[name].notna()]):
            sampled = row["records"] if row["records"] < row["of_records"] else None
            numbers = numbers_of(row, *shown) | {"sampled": sampled}
            yield kind.with_numbers("measurement:neighbours", numbers)

    @classmethod
    def main_table(cls, facts: pd.DataFrame) -> pd.DataFrame:
        """Return the facts without what is the same in every row."""
        return facts.drop(columns=["eps_value", "eps_day", "records", "of_records"])

    def lacks(self, release: Manifest) -> str | None:
        """Return what the release lacks for all of the attributes; None if one can be compared."""
        if release.n_records < 2:
            return "two records"
        lacking = [_lacks(attributes, release) for attributes in self.attributes]
        return None if None in lacking else lacking[0]

    def measure(self, store: Store, seed: int) -> Tables:
        """Measure.

        Parameters
        ----------
        seed : int
            Of the sample.

        Returns
        -------
        Tables
            ``facts``: a row per ``attributes``, with ``no_neighbour_above_half`` (Hamming distance:
            ``no_neighbour_within_70``), and mean and quartiles of the nearest record's similarity
            or distance; null where the release has no values, or no days. ``ccdf``: per
            ``attributes``, the ``share`` of records whose nearest other record has at least this
            similarity or distance, with the ends of its interval, ``low`` and ``high``, null if
            all records were examined. ``sparsity``, for similarity only: per ``attributes``, the
            smallest δ, ``delta``, for which the release is (ε, δ)-sparse.

        Raises
        ------
        GridError
            The release holds one record only, or none of the attributes.
        """
        missing = self.lacks(store.manifest)
        if missing:
            raise GridError(
                f"study.attributes={list(self.attributes)}: needs {missing}, which the release "
                "lacks; ask for what it has"
            )
        everyone = np.ones(store.manifest.n_records, np.bool_)
        records = draw_targets(everyone, self.records, seed)
        exact = records.size == everyone.size
        facts, curves, sparse = [], [], []
        for attributes in self.attributes:
            figures = None
            if _lacks(attributes, store.manifest) is None:
                found = nearest(store, records, self._metric(attributes))
                hamming = self.metric == "hamming"
                figures = found.distance if hamming else found.similarity
            within = {"eps_value": self.eps_value, "eps_day": self.eps_day}
            counts = {"records": records.size, "of_records": everyone.size}
            facts.append({"attributes": attributes} | within | counts | self._facts(figures, exact))
            if figures is not None:
                curves.append(_curve(attributes, self._column, figures, exact))
                sparse.append(_sparsity(attributes, figures, exact))
        tables = {FACTS: pd.DataFrame(facts), "ccdf": pd.concat(curves, ignore_index=True)}
        if self.metric == "similarity":
            tables["sparsity"] = pd.concat(sparse, ignore_index=True)
        return tables

    @property
    def _column(self) -> str:
        return "distance" if self.metric == "hamming" else "similarity"

    def _metric(self, attributes: str) -> Metric:
        if self.metric == "hamming":
            return Hamming()
        return RecordSimilarity(
            value=self.eps_value if "values" in attributes else math.inf,
            day=self.eps_day if "dates" in attributes else math.inf,
        )

    def _facts(self, figures: NDArray[np.float64] | None, exact: bool) -> dict[str, Any]:
        """Summarise a curve; all null where there is none."""
        name, column = "no_neighbour_above_half", self._column
        if self.metric == "hamming":
            name = "no_neighbour_within_70"
        if figures is None:
            spread = (f"{column}_{word}" for word in ("mean", *_QUANTILES))
            return unmeasured([*(f"{name}{end}" for end in SHARE), *spread])
        far = figures > WITHIN if self.metric == "hamming" else ~(figures > HALF)
        found = np.percentile(figures, list(_QUANTILES.values())).tolist()
        return {
            **_share(name, int(np.count_nonzero(far)), figures.size, exact),
            f"{column}_mean": float(figures.mean()),
            **{f"{column}_{w}": value for w, value in zip(_QUANTILES, found, strict=True)},
        }


def _lacks(attributes: str, release: Manifest) -> str | None:
    """Return what a release lacks for one of `Attributes`; None for nothing."""
    needed = {"values": release.has_values, "dates": release.has_days}
    lacking = [what for what, there in needed.items() if what in attributes and not there]
    return " and ".join(lacking) or None


def _share(name: str, successes: int, n: int, exact: bool) -> dict[str, float]:
    """Return a proportion; its interval is null if all records were examined."""
    row = share(name, successes, n)
    return row | unmeasured([f"{name}_low", f"{name}_high"]) if exact else row


def _curve(attributes: str, column: str, figures: NDArray[np.float64], exact: bool) -> pd.DataFrame:
    """Share of records whose figure is at least x, on a grid that ends at 1 or beyond all."""
    last = max(math.ceil(float(figures.max()) * _STEPS), _STEPS)
    grid = np.arange(last + 1) / _STEPS
    counts = [int(np.count_nonzero(figures >= x)) for x in grid]
    return _shares(
        {"attributes": attributes, column: grid}, counts, figures.size, exact, "share", ""
    )


def _sparsity(attributes: str, figures: NDArray[np.float64], exact: bool) -> pd.DataFrame:
    """δ of each ε: the share of records with a neighbour above it (NS08, definition 1)."""
    counts = [int(np.count_nonzero(figures > epsilon)) for epsilon in EPSILONS]
    return _shares(
        {"attributes": attributes, "eps": EPSILONS}, counts, figures.size, exact, "delta", "delta_"
    )


def _shares(
    first: Mapping[str, Any], counts: list[int], n: int, exact: bool, name: str, ends: str
) -> pd.DataFrame:
    rows = pd.DataFrame([_share("p", count, n, exact) for count in counts])
    names = {"p": name, "p_low": f"{ends}low", "p_high": f"{ends}high"}
    return pd.DataFrame(dict(first) | {new: rows[old] for old, new in names.items()})

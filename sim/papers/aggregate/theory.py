"""The theorems of NS08, section 4, compared with Scoreboard on the release itself.

One part measures how sparse the release is; each of the others lets Scoreboard attack it with m
attributes right up to a tolerance, within which two cells also agree in the sparsity. The
attribute similarity is 0 or 1, so any ε serves for it; ε is then the failure probability of the
theorems: with θ the least similarity that at most a share ε of the records have a neighbour above,
the release is (θ, ε)-sparse, δ = 1 − θ, and a false match (similar at most θ) passes m attributes
with probability (1 − δ)^m at most.

What fails as printed is kept apart. Lemma 1 needs similarity over the record's own items, NS08
defines it over the items of either: a long record may agree with all of a short one and still be
dissimilar, so a bound may be violated; see ``kept``. And where a share ε of the records have
a true look-alike, these are lost besides (``promised_sound``).

Invariant: a promise is computed from the sparsity alone, never from the attack it is compared with.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sim import theory
from sim.errors import GridError
from sim.measurements.measurement import FACTS, Tables
from sim.numeric.rows import row_dicts
from sim.papers.aggregate.part import Part

LINEUPS = (2, 8)
"""k of the lineups asked for by theorem 3."""

LAMBDAS, GAMMAS = (2, 10), np.arange(1, 20) / 20
"""Subsets that theorem 5 is worked out for; Netflix said it had released less than a tenth."""

_ENDS = ("", "_low", "_high")


def aggregate(parts: Sequence[Part]) -> Tables:
    """Compare the theorems' bounds with measurements.

    Parameters
    ----------
    parts : sequence of Part
        A study of neighbours by similarity, and runs of Scoreboard named as its ``attributes``.

    Returns
    -------
    Tables
        ``facts``: a row per ``attributes``, ``m`` and ``present``: ``named``, the share of targets
        identified alone (absent targets: no single record is), and ``bits``, log2 of
        the set Scoreboard leaves, with the ends of their intervals; ``promised`` by theorems 2 and
        4 as printed, ``promised_sound``, ``promised_bits`` (theorem 3), and whether these are
        ``kept`` within the interval. ``promises``: the promises per ``attributes`` for every m.
        ``needed``: per ``attributes``, ε, θ, δ, what theorems 1 and 3 require, and the smallest
        number that was enough.
        ``samples``: theorem 5, the probability printed and the one that follows.

    Raises
    ------
    GridError
        The sparsity is missing, or there is no attack to compare with.
    """
    sparse = next((p for p in parts if p.record["config"]["study"]["kind"] == "neighbours"), None)
    attacks = [part for part in parts if part.record["config"]["study"]["kind"] == "attack"]
    if sparse is None or not attacks:
        raise GridError("theory: needs the sparsity of the release and a run of Scoreboard")
    table = sparse.table("sparsity")
    facts, needed, promises, samples = [], [], [], []
    for part in attacks:
        of_part = table[table["attributes"] == part.name]
        if of_part.empty:
            raise GridError(
                f"theory: part {part.name}: the sparsity is not measured by {part.name}; "
                "name the part as its study.attributes"
            )
        n = int(part.record["release"]["n_records"])
        epsilon = 1 - float(part.record["config"]["attack"]["alpha"])
        delta = _delta(of_part, epsilon)
        rows = _measured(part.name, part.table("curves"), n, epsilon, delta)
        row = _needed(part.name, n, epsilon, delta, rows)
        facts += rows
        needed.append(row)
        promises.append(_promises(part.name, n, epsilon, delta, row, rows))
        samples.append(_samples(part.name, n, of_part))
    return {
        FACTS: pd.DataFrame(facts),
        "needed": pd.DataFrame(needed),
        "promises": pd.concat(promises, ignore_index=True),
        "samples": pd.concat(samples, ignore_index=True),
    }


def _delta(sparsity: pd.DataFrame, epsilon: float) -> float:
    """1 − θ for the least θ > 0 with which the release is (θ, ε)-sparse; NaN if there is none."""
    enough = sparsity[(sparsity["delta"] <= epsilon) & (sparsity["eps"] > 0)]["eps"]
    return 1 - float(enough.min()) if len(enough) else math.nan


def _promise(n: int, epsilon: float, delta: float, m: Any) -> dict[str, Any]:
    """Return the theorems' bounds at each m; null for a release that is not sparse."""
    if math.isnan(delta):
        return dict.fromkeys(("promised", "promised_sound", "promised_bits"), math.nan)
    success = theory.theorem1_success(n, delta, m)
    return {
        "promised": success,
        "promised_sound": np.maximum(success - epsilon, 0.0),
        "promised_bits": theory.theorem3_bits(n, delta, m),
    }


def _measured(
    by: str, curves: pd.DataFrame, n: int, epsilon: float, delta: float
) -> list[dict[str, Any]]:
    """A row per number of attributes, for targets present and absent."""
    rows = []
    for cell in row_dicts(curves):
        correct, size = str(cell["aux"]).split("/")
        if correct != size:
            raise GridError(f"theory: grid.aux={cell['aux']}: the theorems let no attribute be off")
        present = bool(cell["present"])
        source = "matched_right" if present else "no_match"
        row = {
            "attributes": by,
            "m": int(size),
            "present": present,
            "n_targets": int(cell["n_targets"]),
        }
        row |= {"eligible": float(cell["eligible"])}
        row |= {f"named{end}": float(cell[f"{source}{end}"]) for end in _ENDS}
        row |= {f"bits{end}": _number(cell.get(f"bits{end}")) for end in _ENDS}
        promise = {
            name: float(value) for name, value in _promise(n, epsilon, delta, int(size)).items()
        }
        rows.append(row | promise | {"kept": _kept(row, promise)})
    return sorted(rows, key=lambda row: (not row["present"], row["m"]))


def _kept(row: dict[str, Any], promise: dict[str, float]) -> bool | None:
    """Whether the interval measured leaves room for what was promised; None without a promise."""
    if math.isnan(promise["promised"]):
        return None
    most = max(row["named"], row["named_high"])
    least = row["bits"] if math.isnan(row["bits_low"]) else row["bits_low"]
    few = math.isnan(least) or least <= promise["promised_bits"] + 1e-9
    return bool(most >= promise["promised_sound"] - 1e-9 and few)


def _needed(
    by: str, n: int, epsilon: float, delta: float, rows: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the attributes that the theorems require, and the fewest that were enough."""
    row: dict[str, Any] = {"attributes": by, "n_records": n, "epsilon": epsilon}
    row |= {"theta": 1 - delta, "delta": delta}
    known = not math.isnan(delta)
    row["theorem1"] = theory.theorem1_attributes(n, epsilon, delta) if known else math.nan
    for k in LINEUPS:
        row[f"theorem3_k{k}"] = theory.theorem3_attributes(n, k, delta) if known else math.nan
    enough = [r["m"] for r in rows if r["present"] and r["named"] >= 1 - epsilon]
    return row | {"enough": float(min(enough)) if enough else math.nan}


def _promises(
    by: str,
    n: int,
    epsilon: float,
    delta: float,
    needed: dict[str, Any],
    rows: list[dict[str, Any]],
) -> pd.DataFrame:
    """The promises up to where they are worth something, and to the last m measured."""
    far = [row["m"] for row in rows]
    if not math.isnan(needed["theorem1"]):
        far.append(math.ceil(needed["theorem1"]))
    m = np.arange(max(far) + 2)
    return pd.DataFrame({"attributes": by, "m": m} | _promise(n, epsilon, delta, m))


def _samples(by: str, n: int, sparsity: pd.DataFrame) -> pd.DataFrame:
    """Theorem 5 for the ε at which about half of the records have a neighbour."""
    inside = sparsity[(sparsity["delta"] > 0) & (sparsity["delta"] < 1)]
    if inside.empty or n < 2:
        return pd.DataFrame()
    half = inside.iloc[int(np.argmin(np.abs(inside["delta"].to_numpy() - 0.5)))]
    epsilon, delta = float(half["eps"]), float(half["delta"])
    return pd.DataFrame(
        [
            {"attributes": by, "eps": epsilon, "delta": delta, "lam": lam, "gamma": gamma}
            | {"delta_of_sample": theory.theorem5_sparsity(delta, gamma, lam)}
            | {"printed": 1 - gamma, "sound": theory.theorem5_sound(n, delta, gamma, lam)}
            for lam in LAMBDAS
            for gamma in GAMMAS.tolist()
        ]
    )


def _number(value: Any) -> float:
    return math.nan if value is None or pd.isna(value) else float(value)

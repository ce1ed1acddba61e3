"""Decisions from random scores by plain NumPy, with the scores, for the reference tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from reference import eccentricity, entropic, sigma_of, target_bits

from sim.metrics.attack_properties import AttackProperties

PROPERTIES = AttackProperties(n_records=12, phi=1.5, entropy=True)
A_SET = AttackProperties(n_records=12, phi=1.5, entropy=True, answers_with_set=True)


@dataclass(frozen=True)
class Case:
    """The scores of all records for one target."""

    scores: NDArray[np.float64]
    target: int
    present: bool
    candidates: NDArray[np.bool_]
    matching: NDArray[np.bool_]
    similarity: NDArray[np.float64]


def random_cases(
    seed: int, n: int, records: int = 12, absent: float = 0.2, a_set: bool = False
) -> list[Case]:
    """Cases with ties, few candidates, targets that are none, and empty sets."""
    rng = np.random.default_rng(seed)
    cases = []
    for _ in range(n):
        scores = rng.integers(0, rng.choice([2, 4, 40]), records).astype(np.float64)
        target = int(rng.integers(records))
        present = bool(rng.random() >= absent)
        candidates = rng.random(records) < rng.choice([0.3, 0.9, 1.0])
        candidates[target] &= present
        if not candidates.any():
            candidates[(target + 1) % records] = True
        matching = scores > rng.integers(-1, 4) if a_set else np.ones(records, np.bool_)
        similarity = np.round(rng.random(records), 1)
        similarity[target] = 1.0
        cases.append(Case(scores, target, present, candidates, matching, similarity))
    return cases


def decided(cases: Sequence[Case], cell: int = 0, entropy: bool = True) -> pd.DataFrame:
    """The rows of ``decisions.parquet`` about some cases."""
    rows: list[dict[str, Any]] = []
    for number, case in enumerate(cases):
        found = eccentricity(case.scores, case.candidates)
        sigma = sigma_of(case.scores, case.candidates)
        values = np.sort(case.scores[case.candidates])
        own = case.scores[case.target]
        is_candidate = bool(case.candidates[case.target])
        best = found.best if found.ties == 1 else None
        logs = entropic(case.scores, sigma, case.candidates)
        one = np.arange(case.scores.size) == case.target
        bits = target_bits(logs, one) if case.present and entropy else None
        rows.append(
            {
                "cell": cell,
                "target": number,
                "best": best,
                "best_score": values[-1],
                "second_score": values[-2] if values.size > 1 else None,
                "sigma": sigma,
                "eccentricity": None if np.isnan(found.value) else found.value,
                "matched": found.value > 1.5,
                "correct": case.present and best == case.target,
                "target_score": own if is_candidate else None,
                "true_rank": int((values >= own).sum()) if is_candidate else None,
                "ties": found.ties,
                "present": case.present,
                "above": int((values > own).sum()) if is_candidate else None,
                "candidates": values.size,
                "matching_set": int((case.candidates & case.matching).sum()),
                "entropy_bits": bits,
                "entropy_bits_other": None if bits is None else bits / 2,
                "entropy_all_bits": 1.0 if entropy else None,
                "posterior": None,
                "theta_similarity": case.similarity[best] if best is not None else None,
                "longest_ties": number % 3 if is_candidate else None,
                "person": None,
            }
        )
    frame = pd.DataFrame(rows)
    if len(frame):
        frame.loc[~frame["present"].astype(bool), "theta_similarity"] = None
    floats = ("eccentricity", "entropy_bits", "entropy_bits_other", "entropy_all_bits")
    return frame.astype(dict.fromkeys((*floats, "posterior", "theta_similarity"), "float64"))


def batches(frame: pd.DataFrame, order: Sequence[int], cuts: Sequence[int]) -> list[pd.DataFrame]:
    """The rows in another order, cut into batches."""
    pieces = np.split(np.array(order, np.int64), sorted(cuts))
    return [frame.iloc[piece] for piece in pieces]

"""Finds each record's nearest other record, exactly and at scale (NS08, Fig. 1; NS07, Fig. 1).

Invariant: results are bit for bit those of `tests/reference/records.py` by brute force; ties go to
the lowest record. Nothing depends on blocks, their order, or how work is split.
"""

from sim.measurements.neighbours.curve import ccdf
from sim.measurements.neighbours.metric import (
    PRESENCE,
    VALUES,
    VALUES_AND_DATES,
    Hamming,
    Metric,
    RecordSimilarity,
)
from sim.measurements.neighbours.nearest import Nearest, merge, nearest
from sim.theory import sparsity

__all__ = [
    "PRESENCE",
    "VALUES",
    "VALUES_AND_DATES",
    "Hamming",
    "Metric",
    "Nearest",
    "RecordSimilarity",
    "ccdf",
    "merge",
    "nearest",
    "sparsity",
]

"""How alike records are: each record's nearest other record, at scale (NS08, Fig. 1; NS07, Fig. 1).

Invariant: exact, bit for bit what `sim.reference.records` gives by brute force, with ties
going to the lowest record; nothing depends on blocks, their order, or how work is split.
"""

from sim.measurements.neighbours.curve import ccdf
from sim.measurements.neighbours.measure import (
    PRESENCE,
    VALUES,
    VALUES_AND_DATES,
    Hamming,
    Measure,
    RecordSimilarity,
)
from sim.measurements.neighbours.nearest import Nearest, merge, nearest
from sim.theory import sparsity

__all__ = [
    "PRESENCE",
    "VALUES",
    "VALUES_AND_DATES",
    "Hamming",
    "Measure",
    "Nearest",
    "RecordSimilarity",
    "ccdf",
    "merge",
    "nearest",
    "sparsity",
]

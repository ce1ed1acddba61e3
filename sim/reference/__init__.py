"""Reference implementations of every algorithm and decision, for small dense releases.

They read like the papers and are what the fast kernels are tested against. Invariant: no tricks,
no state, no code in common with the kernels.
"""

from sim.reference.algorithms import (
    additive_scores,
    correlation,
    correlation_matches,
    item_weights,
    matching_set,
    neighbourhood,
    scoreboard,
    scoreboard_rh,
)
from sim.reference.bayes import Adversary, bayes, rank_window, ranks
from sim.reference.curves import (
    EqualError,
    PhiCurve,
    equal_error,
    identification_rate,
    mu,
    phi_curve,
)
from sim.reference.decisions import (
    Eccentricity,
    Outcome,
    Top,
    eccentricity,
    is_match,
    outcome,
    sigma_of,
    success_at_one,
    theta_success,
)
from sim.reference.entropy import (
    distribution_bits,
    entropic,
    log_distribution,
    target_bits,
    uniform_over,
)
from sim.reference.events import bayes_events
from sim.reference.exact import bayes_exact
from sim.reference.identification import Identification, identification, rank
from sim.reference.mentions import (
    ABSENT_SUBSCORE,
    longest_record,
    not_overlong,
    random_guess,
    scoring,
    set_intersection,
    tf_idf,
)
from sim.reference.missing import bayes_missing
from sim.reference.published import Published, bayes_published
from sim.reference.records import (
    hamming_to_nearest,
    nearest_neighbour,
    record_similarity,
    similarity_matrix,
)
from sim.reference.similarity import (
    Base2,
    Exponential,
    Presence,
    Similarity,
    Steps,
    Threshold,
    column_similarity,
)
from sim.reference.tables import (
    PlainAux,
    PlainRelease,
    held_columns,
    overlaps,
    with_mean_values,
    without,
)
from sim.reference.true_lengths import true_lengths
from sim.reference.unseen import Unseen, unseen_of

__all__ = [
    "ABSENT_SUBSCORE",
    "Adversary",
    "Base2",
    "Eccentricity",
    "EqualError",
    "Exponential",
    "Identification",
    "Outcome",
    "PhiCurve",
    "PlainAux",
    "PlainRelease",
    "Presence",
    "Published",
    "Similarity",
    "Steps",
    "Threshold",
    "Top",
    "Unseen",
    "additive_scores",
    "bayes",
    "bayes_events",
    "bayes_exact",
    "bayes_missing",
    "bayes_published",
    "column_similarity",
    "correlation",
    "correlation_matches",
    "distribution_bits",
    "eccentricity",
    "entropic",
    "equal_error",
    "hamming_to_nearest",
    "held_columns",
    "identification",
    "identification_rate",
    "is_match",
    "item_weights",
    "log_distribution",
    "longest_record",
    "matching_set",
    "mu",
    "nearest_neighbour",
    "neighbourhood",
    "not_overlong",
    "outcome",
    "overlaps",
    "phi_curve",
    "random_guess",
    "rank",
    "rank_window",
    "ranks",
    "record_similarity",
    "scoreboard",
    "scoreboard_rh",
    "scoring",
    "set_intersection",
    "sigma_of",
    "similarity_matrix",
    "success_at_one",
    "target_bits",
    "tf_idf",
    "theta_success",
    "true_lengths",
    "uniform_over",
    "unseen_of",
    "with_mean_values",
    "without",
]

"""Reference implementations of every algorithm and decision, for small dense releases.

They read like the papers and are what the fast kernels are tested against. Invariant: no tricks,
no state, no code in common with the kernels.
"""

from reference.algorithms import (
    additive_scores,
    correlation,
    correlation_matches,
    item_weights,
    matching_set,
    neighbourhood,
    scoreboard,
    scoreboard_rh,
)
from reference.bayes import Adversary, bayes, rank_window, ranks
from reference.curves import (
    EqualError,
    PhiCurve,
    equal_error,
    identification_rate,
    mu,
    phi_curve,
)
from reference.decisions import (
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
from reference.entropy import (
    distribution_bits,
    entropic,
    log_distribution,
    target_bits,
    uniform_over,
)
from reference.events import bayes_events
from reference.exact import bayes_exact
from reference.identification import Identification, identification, rank
from reference.mentions import (
    ABSENT_SUBSCORE,
    longest_record,
    not_overlong,
    random_guess,
    scoring,
    set_intersection,
    tf_idf,
)
from reference.published import Published, bayes_published
from reference.records import (
    hamming_to_nearest,
    nearest_neighbour,
    record_similarity,
    similarity_matrix,
)
from reference.similarity import (
    Base2,
    Exponential,
    Presence,
    Similarity,
    Steps,
    Threshold,
    column_similarity,
)
from reference.tables import (
    PlainAux,
    PlainRelease,
    held_columns,
    overlaps,
    with_mean_values,
    without,
)

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
    "additive_scores",
    "bayes",
    "bayes_events",
    "bayes_exact",
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
    "uniform_over",
    "with_mean_values",
    "without",
]

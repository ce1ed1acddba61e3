"""Templates of `sim.findings.measurement`, and of the measurements of the package."""

from __future__ import annotations

TEMPLATES: dict[str, str] = {
    "first_measure": "{name:words}: {value:n}.",
    "record_lengths": "People have a median of {length_median:n} items, a mean of {length_mean:n} "
    "and at most {length_max:n}.",
    "rare_items_held": "{rate:%} of all people have {at_least:item} or more outside the "
    "{popularity:n} most popular.",
    "bits_of_item": "One item, known by its {known:words}, gives {bits:n} of the {bits_prior:n} "
    "bits that tell its holder from all others.",
    "nobody_similar": "{no_neighbour_above_half:%} of {of_records:person|people}"
    "[[ ({sampled:n} sampled)]] have nobody above a similarity of 0.5, by {attributes:words}.",
    "nobody_near": "{no_neighbour_within_70:%} of {of_records:person|people}"
    "[[ ({sampled:n} sampled)]] have nobody within 70% of their own number of items.",
    "k_of_release": "k is {k:n}, and {unique:%} of {n_records:person|people} are unique where "
    "{recoding} are released.",
    "fewest_unique": "The fewest are unique with {recoding}: {unique:%}, k = {k:n}.",
    "known_for_gain": "A recommender with an RMSE of {rmse:n} gains 1% if it knows the values of "
    "{records_for_1_percent:%} of people ({law} law, {weighing} weigh the same, {chosen}).",
    "unique_by_points": "{unique:%} of {n:person|people} with {points:item} or more are the only "
    "ones to fit {points:n} of these[[ with the {width}]], drawn at random"
    "[[; {worst_unique:%} of {worst_n:n} if the {worst_points:n} most telling are known]].",
    "times_not_measured": "Not measured with a finer time ({times}): read the data with {remedy}, "
    "if they have it.",
    "interpretation_closest": "{figure}: {agreeing:n} of {interpretations:interpretation} agree "
    "with all of the paper's numbers[[; the closest is {closest_interpretation}]]"
    "[[ (off by {miss:n})]].",
    "interpretation_surest": "{figure}, of which the paper states no number: right most often in "
    "its worst cell ({miss:%}) is {closest_interpretation}.",
}

"""Templates of `sim.findings.plan`."""

from __future__ import annotations

TEMPLATES: dict[str, str] = {
    "plan_offers": "Publish {name}: it keeps your bound of {bound:%} (upper end "
    "{counted:%}), attacked twice.",
    "plan_offers_unchanged": "Publish the data as they were read: they keep your bound of "
    "{bound:%} (upper end {counted:%}), attacked twice.",
    "plan_offers_nothing": "Nothing that was tried keeps the bound of {bound:%}: {count:n} of "
    "{of:n} releases exceed it[[, {untested:n} could not be tested]][[; {path} is not written]].",
    "counts_instead": "Counts can be published: how many people had each item[[ in each "
    "{period}]], of {fewest:n} or more; {kept:%} of all counts are shown.",
    "nearest_chain": "Nearest: {name} with {counted:%}[[, though an attack finds {found:%}]]"
    "[[, of the {people:n} of {of:n} people who are left]].",
    "equally_lossy": "{count:other chain} may keep the bound and lose as little: {names}.",
    "file_written": "Written to {path}: {cells:n} entries of {records:n} people, as attacked "
    "(SHA-256 {sha256}).",
    "offer_shows_counts": "{count:n} of {of:n} entries are repetitions, and nobody was tested who "
    "knows how often; {remedy} takes each item once.",
    "single_people_exceed": "It is no bound for each person: the highest risk is {highest:%}.",
    "few_facts_exceed": "{count:n} of {of:n} people have fewer than {facts:n} facts; they count "
    "as found and alone exceed the bound. Leave them out: {remedy}.",
    "few_facts_not_enough": "{count:n} of {of:n} people have fewer than {facts:n} facts and "
    "count as found, and the others exceed the bound too. Try fewer facts: {remedy}.",
    "few_facts_in_most": "After {count:n} of {of:n} chains, people with fewer than {facts:n} "
    "facts alone exceed the bound, as they count as found: {remedy}.",
    "many_items_exceed": "{count:n} of {of:n} people have nearly every item, so that no wrong "
    "fact can be made; they count as found and exceed the bound: {remedy}[[, or {instead}]].",
    "nobody_long_enough": "Nobody has {length:n} entries, which {count:chain|chains} asked for: "
    "{remedy}.",
    "events_not_modelled": "{count:n} of {of:n} chains have no model where people have an item "
    "several times; {remedy} takes each item once.",
    "chains_not_tested": "{count:n} of {of:n} chains could not be tested ({names}): "
    "{reason:meaning}.",
    "chains_not_applied": "{count:n} of {of:n} chains leave no release ({names})[[: {note}]].",
    "not_applied": "It cannot be applied to the data: {error}.",
    "nothing_left": "It leaves nothing of the data: {error}.",
    "records_too_short": "Nobody has as many entries as it asks for: {error}.",
    "same_releases": "Not tried, as others leave the same release: {count:chain}.",
    "use_lost": "Nothing is left of {label}[[: {note}]].",
    "utility_rose": "{label} is higher than before ({kept:%}), so it does not show what is lost: "
    "compare by {remedy}.",
    "utility_replaced": "Chains are compared by {label}, as {wanted} cannot be measured"
    "[[ ({note})]].",
    "utility_unknown": "What chains lose is not known[[: {wanted} cannot be measured]]"
    "[[ ({note})]]; the one with the lowest upper end comes first.",
    "frontier_keeps": "{count:n} of {of:n} releases keep the bound of {bound:%} in this sample; "
    "{name} comes first.",
    "frontier_keeps_none": "None of {of:n} releases keeps the bound of {bound:%} in this sample"
    "[[; {count:n} could not be tested]].",
    "frontier_without_bound": "{count:n} of {of:n} releases compared, against no bound.",
    "chains_dominated": "{count:n} of {of:n} chains are no better than another, in risk or loss.",
    "risk_reduced": "Where the risk falls to {factor:%} of the original's or less, {kept:%} of "
    "{label} is kept at best ({name}).",
    "risk_not_reduced": "No chain brings the risk down to {factor:%} of the original's.",
}

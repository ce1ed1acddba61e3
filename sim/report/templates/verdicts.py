"""Templates of `sim.findings.verdicts`: reasons, after the attackers that they are about if any."""

from __future__ import annotations

FACTS: dict[str, str] = {
    "item": "an item of a person",
    "value": "an item with its value",
    "date": "an item with its date",
    "pair": "two facts together",
    "single": "any single fact",
    "one_or_two": "any one or two facts without error",
}
"""Kinds of `sim.metrics.fact_risk`, and which of them were looked at."""

NOT_LOOKED_AT: dict[str, str] = {
    "": "",
    "no_table": "the run has no table of single facts",
    "length_known": "the attacker knows the length of a record as well",
    "several_records": "people have several records in the release",
    "entries_left_out": "entries were left out, and attackers know facts about these, too",
    "items_dropped": "items were dropped, and attackers know facts about these, too",
    "times_changed": "what the other times of a record say is weighed for drawn facts alone",
    "values_drawn": "values were changed at random",
    "wrong_facts": "two facts together, as some may be wrong",
    "too_many_pairs": "two facts together, as there are too many",
    "pairs_of_item": "two facts about the same item",
    "pairs_with_errors": "two facts with errors, nor for who is sure that both have none",
}
"""Codes of `sim.metrics.fact_risk`."""

TEMPLATES: dict[str, str] = {
    "attack_exceeds": "[[{attacker}: ]]An attack finds at least {rate:%} of the people attacked, "
    "the lower end of the interval.",
    "claims_exceed": "[[{attacker}: ]]An attack is right about at least {rate:%} of the people "
    "whom it claims to have found.",
    "draw_exceeds": "[[{attacker}: ]]A person's risk is {risk:%} in one of {draws:draw} of facts.",
    "upper_end_exceeds": "[[{attacker}: ]]The upper end of the interval counts, {high:%}.",
    "best_guess_exceeds": "[[{attacker}: ]]Whoever always names the likeliest record can expect to "
    "be right about {rate:%} of the people, and the upper end, {high:%}, counts.",
    "no_right_fact": "[[{attacker}: ]]None of the facts is right, so nothing is shown of the risk.",
    "sample_hides_highest": "[[{attacker}: ]]A sample of {count:person|people} does not show the "
    "highest risk[[ ({remedy})]].",
    "facts_not_looked_at": "[[{attacker}: ]]What a single fact reveals was not looked at: "
    "{not_for:unseen}.",
    "fact_leaves_more": "[[{attacker}: ]]Whoever knows {fact:fact} can be right with a probability "
    "of {risk:%}, and not all such facts were drawn[[ ({remedy})]].",
    "counted_as_found": "[[{attacker}: ]]People who cannot be attacked count as found: "
    "[[{short:n} with too few facts, ]][[{full:n} with nearly every item, ]]of {of:n}.",
    "guard_above_model": "[[{attacker}: ]]An attack that learns from other people finds {rate:%}, "
    "more than the model explains; whoever knows why may find still more.",
    "file_facts_untested": "[[{attacker}: ]]Facts of the file are not tested: {error}.",
    "baseline": "[[{attacker}: ]]A baseline looks at no facts, so it shows nothing of the risk.",
    "attacker_not_run": "[[{attacker}: ]]Could not be tried: {error}.",
    "no_target_released": "[[{attacker}: ]]Could not be tried: no target is in the release.",
    "kept_for": "[[{attacker}: ]]Kept for the facts drawn[[, and {looked_at:fact}]]"
    "[[ about {known:known}]][[; not for {not_for:unseen}]].",
}

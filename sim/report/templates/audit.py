"""Templates of `sim.findings.audit`."""

from __future__ import annotations

TEMPLATES: dict[str, str] = {
    "bound_exceeded": "Exceeds your bound of {bound:bound} on {measured} in {exceed} of {rows:row}"
    "[[; {open} not tested]].",
    "bound_not_tested": "Not known to keep your bound of {bound:bound} on {measured}: {open} of "
    "{rows:row} not tested.",
    "bound_kept": "Keeps your bound of {bound:bound} on {measured}, in all {rows:row}.",
    "nobody_tried": "No attacker could be tried on this release, so nothing is known of the risk.",
    "most_found": "Most people are found by the {name}: {rate:%} of {n:n}. No bound was given "
    "(--max-risk), so there is no verdict.",
    "risk": "{name}: finds {rate:%} of {n:n}; {verdict}.",
    "highest_person": "Highest risk of a person: {risk:%}[[; by facts not drawn, {more:%}]].",
    "facts_found": "With {facts:exact fact}, {rate:%} of {n:n} people are found.",
    "criteria_not_tested": "Not tested: {criteria}, and attackers who know more than these.",
    "attacker_left_out": "{who} was left out and not tested (audit.attackers).",
    "fewer_facts": "{attackers:attacker} had fewer facts than meant, as too few people have more; "
    "to test them: {remedy}.",
    "people_sampled": "{who}[[ ({facts})]]: a sample of {count:n} of {of:person|people} who can be "
    "attacked ({remedy}).",
    "too_few_facts": "{who}[[ ({facts})]]: {count:n} of {of:person|people} have too few facts, and "
    "count as found.",
    "nearly_every_item": "{who}[[ ({facts})]]: {count:n} of {of:person|people} hold nearly every "
    "item, and count as found.",
    "fact_not_drawn": "{who}[[ ({facts})]]: by {fact:fact} that was not drawn, the risk is "
    "{risk:%}.",
    "best_guess": "{who}[[ ({facts})]]: whoever always names the likeliest record is right about "
    "{rate:%}, and up to {high:%} counts.",
    "facts_drawn": "Facts about each person were drawn {draws:time} (audit.draws).",
    "confidence": "Found: the attacker names one record, at least {confidence:%} sure, and it is "
    "the person's (audit.confidence).",
}

"""Templates of `sim.findings.verdicts`: reasons, after the attackers that they are about if any."""

from __future__ import annotations

FACTS: dict[str, str] = {
    "single": "a single fact",
    "pair": "two facts together",
    "one_or_two": "one or two facts",
}
"""Facts of `sim.study.worst_case`, and which of them were scored."""

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
    "facts_not_looked_at": "[[{attacker}: ]]What single facts reveal was not tested[[, but "
    "for those of {entries:n} of {of:n} entries]].",
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
    "kept_for": "[[{attacker}: ]]Kept for the facts drawn[[, and any {looked_at:fact}]]"
    "[[ about {known:known}]][[, and {pairs:n}]][[ of {of:n} pairs of facts]].",
}

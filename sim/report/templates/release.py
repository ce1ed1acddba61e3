"""Templates of `sim.findings.release`."""

from __future__ import annotations

TEMPLATES: dict[str, str] = {
    "defence_applied": "{how:few} changed the release; attackers know how, not the draws.",
    "defence_unknown": "{how:few} changed the release; attackers assume it did not, and one who "
    "knows how may find more.",
    "defence_left": "After {name}: {people:n} of {people_before:n} people[[, in "
    "{records:record}]][[ ({unlinked:n} linked to nobody)]]; {items:n} of {items_before:n} "
    "items[[ ({ungrouped:n} without a group)]]; {count:n} of {of:n} entries.",
    "counts_published": "{count:n} of {of:entry|entries} are repetitions: who knows how often a "
    "person has an item was not tested; an audit with {remedy} does.",
    "counts_known": "Attackers know of {most:item} at most how often a person has it; who knows "
    "more may find more.",
    "facts_untested": "Who knows facts of the {name} data was not tested; {remedy} does.",
    "lengths_untested": "Who knows exactly how many entries a person had was not tested.",
    "own_facts": "{name} sets what attackers know, in place of what they are meant to: one who "
    "knows more was not tested.",
    "levels_left_out": "Left out: {levels} ({reason:words}[[; instead {instead}]]).",
    "level_replaced": "{who} knows {given} in place of {meant} ({reason:words}).",
    "items_alone": "Where the attacker knows neither values nor dates, records are scored by "
    "their items.",
    "noise_of_bins": "Errors of values of {levels} are of the lower end of a value's bin.",
    "noise_without_effect": "Errors of values of {level} change none: no two levels are so close.",
    "wrong_facts_of_values": "Wrong facts have a wrong value or date (adversary.wrong=auto).",
    "wrong_facts_of_items": "In {count:n} of {of:condition} with wrong facts, these are about "
    "items that the target does not hold (adversary.wrong=auto).",
    "phi_unused": "attack.phi has no effect with attack={name}, which matches by {rule}.",
    "errors_beyond_limit": "The right record may be ruled out: the {what} is up to {widest}, and "
    "{name}={limit}.",
    "nothing_changed": "Nothing was changed[[: {defences} has no effect on these data]]; the file "
    "holds what was read of them.",
    "defence_idle": "{name} changed nothing, as {setting} is too {size}.",
    "publication_written": "{name}: {records:record}, {items:item}, {count:entry|entries}.",
    "people_counts_written": (
        "{count:count|counts} of people by item[[ and {period}]]: of {fewest:n} people or more, "
        "rounded to {rounded:n}; {kept:%} of all counts are shown[[, and the items' order agrees "
        "with the true one by {rank}]]. No record is in it."
    ),
    "linkage_written": "{name}: whose the records are; keep it to yourself.",
    "file_alone": "Audited by itself, the file is attacked with facts of what it holds, not of "
    "the original.",
    "utility_measured": "Utility by {name}[[ ({better} is better)]]: {before:n}[[, then "
    "{after:n}]].",
    "utility_unmeasured": "Utility is not measured by {name}[[: {reason}]].",
}

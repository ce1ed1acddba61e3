"""Templates of `sim.findings.attack`."""

from __future__ import annotations

TEMPLATES: dict[str, str] = {
    "highest_found": "{name:attack} finds up to {rate:%}, from {known:known}"
    "[[; the strongest attacker {strongest:%}]].",
    "lowest_found": "The fewest are found from {known:known}: {rate:%} of {n:n}.",
    "most_people_found": "More people are found from {known:known}: {rate:%} of {eligible:n}.",
    "truth_unknown": "{name:attack} declares a match for {rate:%} of {n:n} people; whether it is "
    "right is unknown, since their true records are.",
    "absent_matched": "Of {n:n} people who are not in the release, {rate:%} are matched all the "
    "same, from {known:known}.",
    "targets_absent": "{count:n} of {of:n} people attacked are not in the release; found is of the "
    "others.",
    "too_few_facts_here": "{count:n} of {of:person|people} have too few facts to be attacked[[ "
    "with {known:known}]]; nothing is known of them.",
    "no_wrong_item_here": "{count:n} of {of:person|people} hold too many items to be attacked with "
    "wrong ones[[ ({known:known})]].",
    "targets_sampled": "{count:n} of {of:person|people} who can be attacked were, at random "
    "({remedy}).",
    "claims_too_much": "{name:attack} is too sure in {count:n} of {of:cell}: {claimed:%} claimed, "
    "{rate:%} right ({known:known}). Its model fails there, and others may find more.",
    "claims_too_little": "{name:attack} is not sure enough in {count:n} of {of:cell}: {claimed:%} "
    "claimed, {rate:%} right ({known:known}). The risk is higher than it says.",
    "tied_top": "{count:n} of {of:decision} had several records with the best score; a guess among "
    "t of them counts 1/t.",
    "no_spread": "{count:n} of {of:decision} had equal scores for all candidates (σ = 0), so no "
    "match.",
    "absent_items": "{count:n}[[ of {of:n}]] facts are about items that the release lacks; they "
    "add nothing.",
    "not_candidate": "{count:n} of {of:decision} were about a record that the attack excludes by "
    "its length[[ (attack.max_length_share={longest:set})]]: not found.",
    "equal_error": "Absent and present people have equal errors, {rate:%} at least, at φ = "
    "{phi:set3} ({known:known}).",
    "fact_part_not_read": "{name:attack} does not read {axes:axes}.",
    "strongest_above": "The strongest attacker finds more of the same people in {count:n} of "
    "{of:cell}, at most {strongest:%} compared with {rate:%} ({known:known}).",
    "strongest_below": "[[{attacker}: ]]The strongest attacker finds fewer"
    "[[ in {count:n} of {of:cell}]] ({strongest:%} compared with {rate:%}): its model fails here; "
    "take the larger number.",
    "strongest_overclaims": "[[{attacker}: ]]The strongest attacker is too sure"
    "[[ in {count:n} of {of:cell}]] ({claimed:%} claimed, {strongest:%} right): its model fails "
    "there; take the larger number.",
    "strongest_underclaims": "[[{attacker}: ]]The strongest attacker is right about {strongest:%} "
    "and only {claimed:%} sure: its model fails here, and risks are higher than it says.",
    "strongest_approximate": "[[{attacker}: ]]The strongest attacker counts wrong facts as "
    "independent, and is too sure of itself[[ ({remedy})]].",
    "strongest_unmodelled": "[[{attacker}: ]]The strongest attacker may miss people: {reason}.",
    "strongest_unaware": "[[{attacker}: ]]Attackers do not know how {defences} changed the "
    "release; one who does may find more.",
    "strongest_limited": "The strongest attacker attacked at most {targets:target} a cell.",
    "strongest_not_run": "[[{attacker}: ]]The strongest attacker was not run, and may find more "
    "({remedy}).",
    "strongest_has_no_model": "[[{attacker}: ]]The strongest attacker has no model of what is "
    "known here[[ ({axes})]]; another attack may find more[[ ({remedy})]].",
    "strongest_not_possible": "[[{attacker}: ]]The strongest attacker cannot be run: {error}; "
    "another attack may find more.",
    "strongest_not_compared": "[[{attacker}: ]]The strongest attacker was not run on the same "
    "people as this attack; it may find more.",
}

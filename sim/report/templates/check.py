"""Templates of `sim.findings.check`."""

from __future__ import annotations

TEMPLATES: dict[str, str] = {
    "no_bound_for_each": "The bound is on {measured}, and no bound for each person.",
    "facts_drawn_only": "By {facts} facts or more, the highest risk is that of the facts drawn "
    "({remedy}).",
    "confidence_set": "Found means named by an attacker at least {confidence:%} sure.",
    "bound_of_all": "Every risk keeps a bound of 100%.",
    "facts_of_one": "Attackers know {known} facts alone ({remedy}).",
    "own_attacker": "{who} is an attacker of your own, who knows what its file says"
    "[[: at most {facts:fact}]].",
    "judged_after_changes": "Judged is what {defences} leave, not the file that was read.",
    "attacker_not_judged": "{who} was not asked for, and not judged.",
    "file_not_compared": "Not compared with the file that is to be released ({remedy}).",
    "released_as_read": "This holds if only what was read is released, under new identifiers "
    "(standout publish).",
    "file_format_not_looked_at": "Judged are the rows as read, not how cells are written, their "
    "order, names of files, or the identifiers of people.",
    "fingerprint": "Attacked: data with the fingerprint {fingerprint}.",
    "plan_wrote": "The plan wrote {file}, SHA-256 {sha256}[[; {same}]].",
    "folder_unchanged": "Tables and records of the folder are as the run wrote them.",
    "attacks_only": "Of these attacks only: others, with other knowledge, were not tested.",
    "file_not_as_read": "The file holds more than was read: {what}. Publish what standout publish "
    "writes[[, or say released={as_read}]].",
    "other_file": "{file} is not what was attacked, byte for byte; audit it: {command}",
    "file_gone": "{file}, which the plan wrote, is not there: name where it is now ({remedy}).",
    "nothing_offered_to_check": "The plan offers no release: none that was tried keeps "
    "{bound:bound} on {measured}[[; a new plan: {remedy}]].",
}

"""Reasons within the findings of which they are a part, by their codes."""

from __future__ import annotations

REASONS: dict[str, str] = {
    "several_records": "it has no model of a release where people have several records",
    "value_noise_lacking": "the release has no values",
    "date_noise_lacking": "the release has no dates, or none as fine",
    "date_noise_too_wide": "that is more than a quarter of the time that the release spans",
    "decoys_lacking": "the release has fewer items",
    "present_lacking": "the release has one record only",
    "few_have_facts": "fewer than {least:%} of the records have {facts:n} entries or more"
    "[[, of the original and of the {released:n} released]]",
    "few_lack_items": "fewer than {least:%} of the records lack {wrong:item}, which wrong facts "
    "could be about",
    "few_hold_mentions": "too few records hold, and lack, more than {longest:item}",
    "no_target": "no record has enough of such items",
    "times_moved_then_coarsened": "it has no model of times that were moved, then made coarser",
}

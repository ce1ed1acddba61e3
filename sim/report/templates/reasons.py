"""Reasons within the findings of which they are a part, by their codes; an error is as it was."""

from __future__ import annotations

REASONS: dict[str, str] = {
    "several_records": "it has no model of a release where people have several records",
    "times_moved_then_coarsened": "it has no model of times that were moved, then made coarser",
}

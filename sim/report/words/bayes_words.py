"""Two attacks on the same targets, in sentences and as tables.

Invariant: every cell is counted in one sentence: the Bayes-optimal attacker's 95% interval lies
wholly below the other's, wholly above it, or overlaps it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sim.attack.algorithms.registry import is_published
from sim.numeric.text import format_estimate, format_percent, grid_cells
from sim.report.html_table import HtmlCell, HtmlColumn, HtmlTable, estimate_cell, number_cell
from sim.report.words.attack_words import claims_too_much

Row = Mapping[Any, Any]

_LISTED = 3
"""Maximum number of grid cells that a sentence names."""

_BOUND = "take the larger of the two figures as a lower bound on the risk"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Conclusions from comparing an attack with the Bayes-optimal attacker.

    Parameters
    ----------
    rows : sequence of Mapping
        For each grid cell ``knows`` (the attacker's knowledge in words) and ``places`` (the same as
        table cells, by column head); ``n_shared``, ``rank1``, ``best_rank1`` and ``best_claimed``
        (on the shared targets, from `sim.metrics.shared_targets`); ``all_rank1`` and ``n_all`` (on
        all targets of our run).
    name : str
        The attack.
    """

    rows: Sequence[Row]
    name: str

    @property
    def below(self) -> list[Row]:
        """Cells in which the Bayes-optimal attacker's interval lies wholly below."""
        return [row for row in self.rows if row["best_rank1_high"] < row["rank1_low"]]

    @property
    def above(self) -> list[Row]:
        """Cells in which it lies wholly above."""
        return [row for row in self.rows if row["best_rank1_low"] > row["rank1_high"]]

    @property
    def within(self) -> list[Row]:
        """Cells in which the intervals overlap."""
        return [row for row in self.rows if row not in (*self.below, *self.above)]

    @property
    def unfounded(self) -> list[Row]:
        """Further cells in which the claimed posterior exceeds the share of right guesses."""
        return [row for row in self.rows if row not in self.below and claims_too_much(_claims(row))]

    def sentences(self) -> Iterator[str]:
        """Yield the sentences, warnings first."""
        if self.below:
            yield self._failed()
        if self.unfounded:
            yield self._overconfident()
        if self.above:
            yield self._understated()
        if self.within:
            yield self._undecided()

    def _failed(self) -> str:
        left = len(self.below) - _LISTED
        more = f"; {left} more in the table" if left > 0 else ""
        each = "; ".join(
            f"with {row['knows']}, {_theirs(row)} of {_shared([row])}, compared with {_ours(row)} "
            f"for {self.name}"
            for row in self.below[:_LISTED]
        )
        return (
            "The assumptions of the Bayes-optimal attacker do not hold in this run: its model of "
            f"the facts or of the release is wrong here. In {self._of(self.below)} it identifies "
            f"fewer of the same targets than {self.name}, with non-overlapping 95% intervals "
            f"({each}{more}). Draw no conclusion from its figures; {_BOUND}."
        )

    def _overconfident(self) -> str:
        worst = max(self.unfounded, key=lambda row: float(row["best_claimed"] - row["best_rank1"]))
        return (
            f"In {self._of(self.unfounded)} the Bayes-optimal attacker is overconfident: with "
            f"{worst['knows']}, it claims a posterior of {_claimed(worst)}, but "
            f"{_theirs(worst)} of its guesses are right. Its assumptions do not hold there; "
            f"{_BOUND}."
        )

    def _understated(self) -> str:
        row = max(self.above, key=_gap)
        widest = "; the gap is widest there" if len(self.above) > 1 else ""
        which = "The published" if is_published(self.name) else "This"
        return (
            f"{which} attack understates the risk: in {self._of(self.above)} the "
            "Bayes-optimal attacker, given the same facts, identifies more of the same targets. "
            f"With {row['knows']}, it identifies {_theirs(row)} of {_shared([row])}, and "
            f"{self.name} {_ours(row)}{widest}."
        )

    def _undecided(self) -> str:
        row = max(self.within, key=lambda row: abs(_gap(row)))
        several = len(self.within) > 1 and _gap(row) != 0
        widest = f"; of these {len(self.within)} the difference is largest there" if several else ""
        return (
            f"In {self._of(self.within)} the 95% intervals of both attacks overlap. With "
            f"{row['knows']}, {self.name} identifies {_ours(row)} of {_shared([row])}, and the "
            f"Bayes-optimal attacker {_theirs(row)}{widest}. This does not show that "
            f"{self.name} finds everyone who can be found; {_BOUND}."
        )

    def brief(self) -> str:
        """Return the same in one line."""
        words = []
        if self.below:
            words.append(f"its assumptions do not hold in {self._of(self.below)}")
        if self.above:
            row = max(self.above, key=_gap)
            words.append(
                f"it identifies more in {self._of(self.above)} (widest gap: {_theirs(row)} "
                f"compared with {_ours(row)})"
            )
        if self.within:
            left = f"in {self._of(self.within)} " if words else ""
            words.append(f"{left}its 95% interval overlaps that of {self.name}")
        return f"the Bayes-optimal attacker, on {_shared(self.rows)}: {'; '.join(words)}"

    def table(self) -> HtmlTable:
        """Return both attacks side by side as a table."""
        columns = [
            *(HtmlColumn(head, numeric=False) for head in self.rows[0]["places"]),
            HtmlColumn(f"{self.name}, all targets"),
            HtmlColumn("targets (all)"),
            HtmlColumn(f"{self.name}, shared targets"),
            HtmlColumn("Bayes-optimal, shared targets"),
            HtmlColumn("posterior claimed"),
            HtmlColumn("targets (shared)"),
        ]
        cells = [
            [
                *row["places"].values(),
                estimate_cell(row, "all_rank1", share=True),
                number_cell(row["n_all"]),
                estimate_cell(row, "rank1", share=True),
                estimate_cell(row, "best_rank1", share=True),
                HtmlCell(_claimed(row), repr(float(row["best_claimed"]))),
                number_cell(row["n_shared"]),
            ]
            for row in self.rows
        ]
        return HtmlTable(
            "Best guess right: this attack and the Bayes-optimal one",
            columns,
            cells,
            "Compare the columns on the shared targets: both attacks had the same facts about "
            "these. Where the assumptions of the Bayes-optimal attacker hold, the posterior "
            "claimed agrees with the share of guesses that are right.",
        )

    def narrow(self) -> HtmlTable:
        """Return the same in percent for a terminal; the least important column comes last."""
        heads = (
            *(*self.rows[0]["places"], "shared", f"{self.name}, all", f"{self.name}, shared"),
            *("Bayes-optimal, shared", "claims"),
        )
        cells = [
            [
                *(HtmlCell(place.text) for place in row["places"].values()),
                number_cell(row["n_shared"]),
                *(
                    HtmlCell(_value(row, f"{key}rank1").replace("%", ""))
                    for key in ("all_", "", "best_")
                ),
                HtmlCell(_claimed(row).removesuffix("%")),
            ]
            for row in self.rows
        ]
        caption = "Best guess right, in percent, on all targets and on those that both attacked"
        return HtmlTable(caption, [HtmlColumn(head) for head in heads], cells)

    def _of(self, some: Sequence[Row]) -> str:
        return grid_cells(len(some), len(self.rows))


def _claimed(row: Row) -> str:
    return format_percent(row["best_claimed"])


def _claims(row: Row) -> dict[str, Any]:
    """What is claimed and right of the shared targets, all of whom are in the release."""
    ends = {"claimed_low": row["best_claimed_low"], "rank1_high": row["best_rank1_high"]}
    return {**ends, "n_present": row["n_shared"], "n_targets": row["n_shared"]}


def _gap(row: Row) -> float:
    return float(row["best_rank1"] - row["rank1"])


def _shared(rows: Sequence[Row]) -> str:
    least, most = (f(int(row["n_shared"]) for row in rows) for f in (min, max))
    count = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return f"the {count} targets that both attacked"


def _ours(row: Row) -> str:
    return _value(row, "rank1")


def _theirs(row: Row) -> str:
    return _value(row, "best_rank1")


def _value(row: Row, name: str) -> str:
    return format_estimate(row, name, share=True)

"""Two attacks on the same targets, in sentences and as tables.

Invariant: every cell is in one sentence: the Bayes-optimal attacker's 95% interval lies wholly
below the other's, wholly above, or overlaps it; none of them says that the other finds all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sim.report.html_table import HtmlCell, HtmlColumn, HtmlTable, measured, number
from sim.report.words.attack_words import claims_too_much

Row = Mapping[Any, Any]

_LISTED = 3
"""HtmlTable cells that a sentence names, at most."""

_BOUND = "take the larger of the two figures as a lower bound of the risk"


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What the comparison of an attack with the Bayes-optimal attacker comes to.

    Parameters
    ----------
    rows : sequence of Mapping
        Of each grid cell ``knows`` (what is known, in words) and ``places`` (the same as cells of
        a table, by their heads); ``n_shared``, ``rank1``, ``best_rank1`` and ``best_claimed`` (on
        the shared targets, as of `sim.metrics.shared_targets`); ``all_rank1`` and ``n_all`` (on all
        that our run attacked).
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
        """Further cells in which the attacker claims more than comes true."""
        return [row for row in self.rows if row not in self.below and claims_too_much(_claims(row))]

    def sentences(self) -> Iterator[str]:
        """Yield what is to be stated, warnings first."""
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
            f"with {row['knows']}, {_theirs(row)} of {_shared([row])} against {_ours(row)} for "
            f"{self.name}"
            for row in self.below[:_LISTED]
        )
        return (
            "The assumptions of the Bayes-optimal attacker do not hold on this run: its model of "
            f"how the facts or the release came about is wrong here. In {self._of(self.below)} it "
            f"identifies fewer of the same targets than {self.name}, its 95% interval wholly below "
            f"({each}{more}). Draw no conclusion from its figures; {_BOUND}."
        )

    def _overconfident(self) -> str:
        worst = max(self.unfounded, key=lambda row: float(row["best_claimed"] - row["best_rank1"]))
        return (
            f"In {self._of(self.unfounded)} the Bayes-optimal attacker claims more than comes "
            f"true: with {worst['knows']}, a posterior of {_claimed(worst)} for guesses of which "
            f"{_theirs(worst)} are right. Its assumptions do not hold there; {_BOUND}."
        )

    def _understated(self) -> str:
        row = max(self.above, key=_gap)
        widest = "; the gap is widest there" if len(self.above) > 1 else ""
        return (
            f"The published attack understates the risk: in {self._of(self.above)} the "
            "Bayes-optimal attacker, given the same facts, identifies more of the same targets. "
            f"With {row['knows']}, it identifies {_theirs(row)} of {_shared([row])}, {self.name} "
            f"{_ours(row)}{widest}."
        )

    def _undecided(self) -> str:
        row = max(self.within, key=lambda row: abs(_gap(row)))
        widest = "; the difference is largest there" if len(self.within) > 1 else ""
        return (
            f"In {self._of(self.within)} the 95% intervals of both attacks overlap. With "
            f"{row['knows']}, {self.name} identifies {_ours(row)} of {_shared([row])}, the "
            f"Bayes-optimal attacker {_theirs(row)}{widest}. On these targets the difference is "
            f"within the error, which does not show that {self.name} finds all that can be found; "
            f"{_BOUND}."
        )

    def brief(self) -> str:
        """Return the same in a line."""
        words = []
        if self.below:
            words.append(f"its assumptions do not hold in {self._of(self.below)}")
        if self.above:
            row = max(self.above, key=_gap)
            words.append(
                f"it identifies more in {self._of(self.above)} (the widest gap: {_theirs(row)} "
                f"against {_ours(row)})"
            )
        if self.within:
            left = f"in {self._of(self.within)} " if words else ""
            words.append(f"{left}no difference from {self.name} beyond the error")
        return f"the Bayes-optimal attacker, on {_shared(self.rows)}: {'; '.join(words)}"

    def table(self) -> HtmlTable:
        """Set both attacks side by side."""
        columns = [
            *(HtmlColumn(head, numeric=False) for head in self.rows[0]["places"]),
            HtmlColumn(f"{self.name}, all its targets"),
            HtmlColumn("its targets"),
            HtmlColumn(f"{self.name}, shared targets"),
            HtmlColumn("Bayes-optimal, shared targets"),
            HtmlColumn("posterior claimed"),
            HtmlColumn("shared targets"),
        ]
        cells = [
            [
                *row["places"].values(),
                measured(row, "all_rank1", share=True),
                number(row["n_all"]),
                measured(row, "rank1", share=True),
                measured(row, "best_rank1", share=True),
                HtmlCell(_claimed(row), repr(float(row["best_claimed"]))),
                number(row["n_shared"]),
            ]
            for row in self.rows
        ]
        return HtmlTable(
            "Best guess right: this attack and the Bayes-optimal one",
            columns,
            cells,
            "Compare the columns about the shared targets, which both attacked with the same "
            "facts. Where the assumptions of the Bayes-optimal attacker hold, the posterior "
            "claimed agrees with the share that is right.",
        )

    def narrow(self) -> HtmlTable:
        """Set the same for a terminal, in percent; what can be spared comes last."""
        heads = (
            *(*self.rows[0]["places"], "shared", f"{self.name}, all", f"{self.name}, shared"),
            *("Bayes-optimal, shared", "claims"),
        )
        cells = [
            [
                *(HtmlCell(place.text) for place in row["places"].values()),
                number(row["n_shared"]),
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
        if len(self.rows) == 1:
            return "the one grid cell"
        all_of_them = len(some) == len(self.rows)
        return f"{'all' if all_of_them else f'{len(some)} of'} {len(self.rows)} grid cells"


def _claimed(row: Row) -> str:
    """A mean of probabilities: no count, that none or all would be something else than nearly."""
    return f"{row['best_claimed']:.1%}"


def _claims(row: Row) -> dict[str, Any]:
    return {"claimed_low": row["best_claimed_low"], "rank1_high": row["best_rank1_high"]}


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
    return measured(row, name, share=True).text

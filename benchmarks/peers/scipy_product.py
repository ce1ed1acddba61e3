"""The best guess as products of sparse matrices; SciPy computes them on one core."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.peers.question import D0, RHO0, Answers, Formulations, Question


def formulations(question: Question) -> Formulations:
    """Return the matrix products to compare."""
    hot = _one_hot(question)

    def one_product() -> Answers:
        return _answers(hot.queries() @ hot.cells, question.n_records)

    def by_columns() -> Answers:
        scored = [_score(question, unit) for unit in range(question.n_units)]
        return Answers.of([_summed_up(s[s > 0], int(s.argmax())) for s in scored],
                          question.n_records)  # fmt: skip

    return {
        "one product: targets × (item, value or day) × records": one_product,
        "a product a target: the columns of its items × ones": by_columns,
    }


def _score(question: Question, unit: int) -> NDArray[np.float64]:
    known = question.of_unit(unit)
    stretches = [slice(question.start[i], question.start[i + 1]) for i in known["item"].tolist()]
    contributions = []
    for nth, part in enumerate(stretches):
        by_value, by_day = _tables(question, known, nth)
        contributions.append(
            by_value[question.cells["value"][part]] + by_day[question.cells["day"][part]]
        )
    rows = np.concatenate([question.cells["record"][part] for part in stretches])
    start = np.cumsum([0, *(g.size for g in contributions)])
    shape = (question.n_records, len(contributions))
    columns = sparse.csc_matrix((np.concatenate(contributions), rows, start), shape)
    return np.asarray(columns @ np.ones(len(contributions)))


class _one_hot:  # noqa: N801
    """Cells of the items asked for as ones in rows (item, value) and (item, day).

    Items without a fact are removed beforehand, to the peer's advantage.
    """

    def __init__(self, question: Question) -> None:
        self.question = question
        cells = question.cells
        self.values, self.days = int(cells["value"].max()) + 1, int(cells["day"].max()) + 1
        self.items = np.unique(question.facts["item"])
        here = np.concatenate(
            [np.arange(question.start[i], question.start[i + 1]) for i in self.items.tolist()]
        )
        width = self.values + self.days
        first = np.searchsorted(self.items, cells["item"][here]) * width
        row = np.concatenate(
            [first + cells["value"][here], first + self.values + cells["day"][here]]
        )
        column = np.tile(cells["record"][here], 2)
        shape = (self.items.size * width, question.n_records)
        self.cells = sparse.csr_matrix((np.ones(row.size), (row, column)), shape)

    def queries(self) -> Any:
        """The contribution of each row to each target's score."""
        question, width = self.question, self.values + self.days
        unit, nth = question.facts["unit"], np.searchsorted(self.items, question.facts["item"])
        contributions = [
            np.concatenate(_tables(question, question.facts, a)) for a in range(unit.size)
        ]
        column = nth[:, None] * width + np.arange(width)
        shape = (question.n_units, self.items.size * width)
        start = np.searchsorted(unit, np.arange(question.n_units + 1)) * width
        return sparse.csr_matrix((np.concatenate(contributions), column.ravel(), start), shape)


def _tables(
    question: Question, facts: dict[str, NDArray[Any]], nth: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The contribution of a fact by the value of a cell, and by its day."""
    cells = question.cells
    values = np.arange(int(cells["value"].max()) + 1)
    days = np.arange(int(cells["day"].max()) + 1)
    weight = facts["weight"][nth]
    by_value = weight * np.exp(-np.abs(values - facts["value"][nth]) / RHO0)
    return by_value, weight * np.exp(-np.abs(days - facts["day"][nth]) / D0)


def _answers(scores: Any, n_records: int) -> Answers:
    rows = []
    for begin, end in zip(scores.indptr[:-1], scores.indptr[1:], strict=True):
        score = scores.data[begin:end]
        rows.append(_summed_up(score, int(scores.indices[begin + score.argmax()])))
    return Answers.of(rows, n_records)


def _summed_up(score: NDArray[np.float64], record: int) -> tuple[float, ...]:
    second, best = np.partition(score, score.size - 2)[-2:]
    return best, second, record, score.sum(), (score * score).sum()

"""Recognises tables whose rows are no events of people, by a sample of their cells.

Invariant: whatever parsed the sample, only names and cells as text are looked at; what is found is
data, of which the callers make an error, one line long.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, pairwise

from sim.numeric.text import format_number
from sim.release.shape.column_cells import ColumnCells
from sim.release.shape.column_words import WORDS, has_word

HEADER, RAGGED, ZEROS, LISTS = "header", "ragged rows", "zeros", "lists"
FLAGS, THOUSANDS = "flags", "thousands"
SEVERAL, MELTED, WIDE = "columns of one kind", "melted", "wide"
ONE_ROW, ANSWERS, ORDERS, NO_NUMBERS = "one row a person", "answers", "orders", "no numbers"

_AS_ROWS = "data.shape=rows"
_REMEDIES = {
    HEADER: "set data.header=false, which names the columns column1, column2, and so on, or "
    "data.header=true if this line names them",
    RAGGED: "write one row for each event, with as many cells as the header",
    ZEROS: "set {value}data.zeros=drop to leave these rows out, or data.zeros=keep if a 0 is a "
    "value like any other",
    FLAGS: f"keep the rows that say yes, or set {_AS_ROWS} if each row counts",
    THOUSANDS: f"write the numbers without them, or set {_AS_ROWS} if these are decimals",
    LISTS: "set data.item={columns} data.shape=lists, which makes each part an entry, or "
    f"{_AS_ROWS} if a whole list is one item, or is not to be read",
    SEVERAL: "set 'data.item=[{columns}]' data.shape=columns, which makes each of them an entry, "
    f"or {_AS_ROWS} if only what is named is meant",
    MELTED: "keep the rows that are events (where the answer itself counts, with attribute and "
    f"answer as one cell), or set {_AS_ROWS} if each row is one",
    WIDE: "bring it into rows first (melt of pandas, Unpivot Columns of a spreadsheet) and leave "
    f"out those without a value, or set {_AS_ROWS} if only what is named is meant",
    ONE_ROW: "name the column whose people return, or bring answers that are columns into rows "
    f"first (melt), or set {_AS_ROWS} if nobody has more than one",
    ANSWERS: f"bring them into rows first (melt), or name data.user and data.item and set "
    f"{_AS_ROWS}",
    ORDERS: "join the table that names them, and set data.user to its column of people, or set "
    f"{_AS_ROWS} if nobody has several",
    NO_NUMBERS: "name a column of numbers, or leave data.value out",
}  # fmt: skip
_WORDS = {
    HEADER: "the first line looks like a row, not like names: {columns} is like the cells below it",
    RAGGED: "{count} of the first {whole} rows have another number of cells than the first line, "
    "as where a line is a list, or a column has no name",
    ZEROS: "column {columns} is 0 in {count} of the first {whole} rows, so that a row is no event",
    FLAGS: "column {columns} says no, or nothing, in {count} of the first {whole} rows, so that "
    "such a row is no event",
    THOUSANDS: "column {columns} has three digits after each point, in {count} of the first "
    "{whole} cells, as where points part thousands",
    LISTS: "column {columns} holds lists, in {count} of the first {whole} cells",
    SEVERAL: "{columns} are columns of one kind, so that a row holds several items",
    MELTED: "nearly everybody has a row for each {columns}, as in a melted table",
    WIDE: "{columns} are columns on one scale, as the items of a wide table",
    ONE_ROW: "column {columns} never repeats, in {count} rows: there is one row for each person, "
    "or it numbers the rows",
    ANSWERS: "there is one row for each {columns}, and the answers are columns, as in a survey",
    ORDERS: "column {columns} is named for orders, not for people, who may have several and seem "
    "to stand in another table",
    NO_NUMBERS: "column {columns} is a number in {count} of the first {whole} cells alone",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ShapeProblem:
    """A reason for which rows are not read as events.

    Parameters
    ----------
    kind : str
        One of the constants of this module.
    columns : tuple of str
        What it is about.
    count, whole : int
        How many rows or cells show it, of how many; 0 where nothing is counted.
    value : str
        A column that has to be named as well; empty if none.
    """

    kind: str
    columns: tuple[str, ...]
    count: int = 0
    whole: int = 0
    value: str = ""

    @property
    def line(self) -> str:
        """What is unclear, and what settles it."""
        words = _WORDS[self.kind].format(
            columns=_listed(self.columns),
            count=format_number(self.count),
            whole=format_number(self.whole),
        )
        whole = ",".join(self.columns)
        return f"{words}; {_REMEDIES[self.kind].format(value=self.value, columns=whole)}"


@dataclass(frozen=True)
class TableSample:
    """The first rows of a table, as text.

    Parameters
    ----------
    names : tuple of str
        The header.
    rows : sequence of sequence of str
        Cells, as many as each row has; empty where there is none.
    whole : bool
        Whether the table has no other rows.
    has_header : bool
        Whether the names stand in a first line that might be a row.
    keys : mapping of str to str or None
        Columns of one cell, which the names of folders give.
    """

    names: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    whole: bool = False
    has_header: bool = True
    keys: Mapping[str, str | None] = field(default_factory=dict)

    @cached_property
    def even(self) -> list[Sequence[str]]:
        """The rows with as many cells as there are names, but for copies of the header."""
        own = [*self.names]
        return [row for row in self.rows if len(row) == len(own) and [*row] != own]

    @cached_property
    def columns(self) -> dict[str, ColumnCells]:
        """The columns by their names; of equal names, the first."""
        found: dict[str, ColumnCells] = {}
        for place, name in enumerate(self.names):
            found.setdefault(name, ColumnCells(name, tuple(row[place] for row in self.even)))
        for name, cell in self.keys.items():
            found.setdefault(name, ColumnCells(name, (cell or "",) * len(self.even)))
        return found

    def joined(self, names: str | Sequence[str]) -> ColumnCells:
        """Return one column, or several as one."""
        listed = [names] if isinstance(names, str) else [*names]
        if len(listed) == 1:
            return self.columns[listed[0]]
        cells = zip(*(self.columns[name].every for name in listed), strict=True)
        return ColumnCells("+".join(listed), tuple("\x1f".join(parts) for parts in cells))


Roles = Mapping[str, str | Sequence[str]]
"""Columns by role: ``user``, ``item``, ``value``, ``date``, as far as they are chosen or clear."""

_FEWEST = 20  # rows that tell anything
_ROWS_A_PAIR = 4  # of two answers, rather than of a person and an item
_FILLED, _GRID = 0.5, 0.8  # of all pairs of a person and an item
_ZEROS_FILLED, _ZEROS_FLAG, _ZEROS_ALONE = 0.2, 0.05, 0.5
_LEVELS, _SHARED = 12, 5  # of the scale of a wide table, and its columns
_ALIKE = 0.5  # of the distinct cells of two columns of one kind
_KIND = re.compile(r"(.*?)[ _.\-]*(\d{1,3})$")
_ORDER = (
    *("order", "invoice", "basket", "receipt", "transaction", "purchase", "cart", "booking"),
    *("rechnung", "bestellung", "auftrag", "bon", "beleg", "kassenbon", "warenkorb", "buchung"),
    *("commande", "facture", "panier", "pedido", "factura", "compra", "ordine", "scontrino"),
)
_EVENTS = (
    *("bought", "purchased", "clicked", "click", "watched", "played", "plays", "visited", "used"),
    *("count", "quantity", "qty", "amount", "owned", "gekauft", "anzahl", "menge", "achat", "n"),
    *("label", "target", "positive", "interaction", "implicit", "y", "present", "attended"),
    *("acquistato", "comprado", "comprou", "acheté", "gekocht", "kupiono", "köpt", "anwesend"),
)


def header_problem(sample: TableSample) -> ShapeProblem | None:
    """Return that the header looks like a row; None if it does not.

    It does where a name is like the cells below it, and no name is unlike them.

    Examples
    --------
    >>> rows = [("7", "zoo", "3"), ("7", "spa", "1"), ("9", "zoo", "5")]
    >>> header_problem(TableSample(("8", "bar", "2"), rows)).columns
    ('8', '2')
    >>> header_problem(TableSample(("who", "where", "2"), rows))
    >>> header_problem(TableSample(("who", "1", "2", "3"), [("ann", "5", "4", "1")] * 3))
    """
    if not sample.has_header or not sample.even:
        return None
    numbers = [float(name) for name in sample.names if ColumnCells.is_number(name)]
    steps = {round(b - a, 9) for a, b in pairwise(numbers)}
    counted = len(steps) == 1 and (
        len(numbers) > 2 or steps == {1.0}
    )  # 0, 1, 2 or 2018, 2019: names by counting
    alike = []
    for column in sample.columns.values():
        how = column.likeness(column.name)
        if how < 0:
            return None
        if how > 0 and not (counted and ColumnCells.is_number(column.name)):
            alike.append(column.name)
    return ShapeProblem(HEADER, tuple(alike)) if alike else None


def ragged_problem(sample: TableSample) -> ShapeProblem | None:
    """Return that most rows have another number of cells than the header."""
    rows = [row for row in sample.rows if any(cell.strip() for cell in row)]
    torn = sum(len(row) != len(sample.names) for row in rows)
    if 2 * torn <= len(rows) or len(rows) < 2:
        return None
    return ShapeProblem(RAGGED, (), torn, len(rows))


def shape_problems(sample: TableSample, roles: Roles, zeros: str | None) -> Iterator[ShapeProblem]:
    """Yield why the rows of a table are no events under some roles, the surest first.

    Parameters
    ----------
    zeros : str or None
        What is done with rows whose value is 0, if anything was said.
    """
    columns = {role: sample.joined(names) for role, names in roles.items()}
    user, item, value = (columns.get(role) for role in ("user", "item", "value"))
    if user is not None and is_of_orders(user.name):
        yield ShapeProblem(ORDERS, (user.name,))
    for column in (user, item):
        if column is not None and (count := column.lists):
            yield ShapeProblem(LISTS, (column.name,), count, len(column.present))
    if "item" in roles:
        yield from _of_one_kind(sample, roles["item"])
    grid = None if user is None or item is None else Grid(user.every, item.every)
    if grid is not None and user is not None and item is not None:
        taken = {name for role in roles if role != "value" for name in _names(roles[role])}
        yield from _melted(sample, grid, item, taken)
        if zeros is None:
            yield from _zeros(sample, grid, value, taken)
    if user is not None and item is not None and _never_repeats(sample, user):
        yield ShapeProblem(ONE_ROW, (user.name,), len(user.present))
    elif user is not None and item is not None:
        few = _ROWS_A_PAIR * len(user.distinct) * len(item.distinct) <= len(sample.even)
        if few and (answers := _answers(sample)):
            yield ShapeProblem(ANSWERS, (answers,))
    if value is not None and (count := value.thousands) >= _FEWEST:
        yield ShapeProblem(THOUSANDS, (value.name,), count, len(value.present))
    if (
        value is not None
        and len(value.present) >= _FEWEST
        and 2 * value.numbers < len(value.present)
    ):
        yield ShapeProblem(NO_NUMBERS, (value.name,), value.numbers, len(value.present))


def unclear_problems(sample: TableSample, roles: Roles) -> Iterator[ShapeProblem]:
    """Yield what a table without a choice of columns seems to be, if its rows are no events.

    Parameters
    ----------
    roles : mapping
        The columns that are chosen or clear.
    """
    orders = [column for column in sample.columns.values() if is_of_orders(column.name)]
    repeat = [column.name for column in orders if column.repeats]
    if "user" not in roles and repeat and "item" in roles:
        yield ShapeProblem(ORDERS, (repeat[0],))
    if "item" not in roles:
        listed = [column for column in sample.columns.values() if column.lists]
        for column in listed[:1]:
            yield ShapeProblem(LISTS, (column.name,), column.lists, len(column.present))
        groups = _kinds(sample)
        if groups:
            yield ShapeProblem(SEVERAL, max(groups, key=len))
    yield from _grids(sample)
    if not {"user", "item"} <= roles.keys() and (answers := _answers(sample)):
        yield ShapeProblem(ANSWERS, (answers,))


def is_of_orders(name: str) -> bool:
    """Whether a column is named for orders, receipts or the like, and not for who made them.

    Examples
    --------
    >>> is_of_orders("order_id"), is_of_orders("InvoiceNo"), is_of_orders("customer_order_no")
    (True, True, False)
    """
    return has_word(name, _ORDER) and not has_word(name, WORDS["user"])


class Grid:
    """The pairs of two columns.

    Attributes
    ----------
    filled : float
        The share of all pairs of their cells that have a row.
    single : bool
        Whether hardly any pair has two.
    """

    def __init__(self, first: Sequence[str], second: Sequence[str]) -> None:
        pairs = [pair for pair in zip(first, second, strict=True) if all(pair)]
        n, m = len({one for one, _ in pairs}), len({other for _, other in pairs})
        distinct = len(set(pairs))
        self.sides = n, m
        self.filled = distinct / (n * m) if pairs else 0.0
        self.single = distinct >= 0.95 * len(pairs)
        self.tells = len(pairs) >= _FEWEST and min(n, m) > 2


def _zeros(
    sample: TableSample, grid: Grid, value: ColumnCells | None, taken: set[str]
) -> Iterator[ShapeProblem]:
    """Find a column of values that says 0 where there was no event."""
    others = [one for name, one in sample.columns.items() if name not in taken]
    over_all = grid.tells and grid.single and grid.filled >= _FILLED
    for column in [value] if value is not None else others:
        said = column.zeros if column.is_often_zero else column.noes
        kind, whole = ZEROS if column.is_often_zero else FLAGS, len(column.present)
        flags = set(column.present) <= {"0", "1"} or column.noes > 0
        if over_all and grid.filled >= _GRID and column.blanks >= _ZEROS_FILLED * len(column.raw):
            kind, said, whole = FLAGS, column.blanks, len(column.raw)
        if not said or whole < _FEWEST:
            continue
        least = _ZEROS_ALONE
        if over_all:
            least = _ZEROS_FLAG if flags and value is not None else _ZEROS_FILLED
        elif value is None and not has_word(column.name, _EVENTS):
            continue
        if said >= least * whole:
            also = "" if value is not None else f"data.value={column.name} "
            yield ShapeProblem(kind, (column.name,), said, whole, also)
            return


def _melted(
    sample: TableSample, grid: Grid, item: ColumnCells, taken: set[str]
) -> Iterator[ShapeProblem]:
    """Find a table of attributes and their values: everybody has each, and the rest is text."""
    if not (len(sample.even) >= _FEWEST and grid.single and grid.filled >= _GRID):
        return
    if not (grid.sides[0] >= _SHARED and grid.sides[1] > 1):
        return
    for name, column in sample.columns.items():
        if name in taken or not column.is_answer:
            continue
        within = defaultdict(set)
        for attribute, cell in zip(item.every, column.every, strict=True):
            within[attribute].add(cell)
        if 2 * sum(len(cells) > 1 for cells in within.values()) > len(within) and not (
            _depends(sample, column, taken - {item.name})
        ):
            yield ShapeProblem(MELTED, (item.name,))
            return


def _depends(sample: TableSample, column: ColumnCells, names: set[str]) -> bool:
    """Whether a column is the same in all rows of one of others, as a sex of a person."""
    for name in names & sample.columns.keys():
        of = defaultdict(set)
        for one, cell in zip(sample.columns[name].every, column.every, strict=True):
            of[one].add(cell)
        if sum(len(cells) > 1 for cells in of.values()) <= 0.1 * len(of):
            return True
    return False


def _of_one_kind(sample: TableSample, item: str | Sequence[str]) -> Iterator[ShapeProblem]:
    """Find the columns that are of one kind with that of the items."""
    own = {*_names(item)}
    for group in _kinds(sample):
        if own.intersection(group):
            yield ShapeProblem(SEVERAL, group)
            return
    wide = wide_columns(sample)
    if own.intersection(wide):
        yield ShapeProblem(WIDE, wide)


def _kinds(sample: TableSample) -> list[tuple[str, ...]]:
    """Return the groups of columns that are numbered, or that share most of their cells.

    Examples
    --------
    >>> rows = [(f"p{n}", f"D{n % 7}", f"D{n % 5}", "") for n in range(30)]
    >>> _kinds(TableSample(("who", "dx1", "dx2", "dx3"), rows))
    [('dx1', 'dx2', 'dx3')]
    """
    numbered: dict[str, list[ColumnCells]] = defaultdict(list)
    for name, column in sample.columns.items():
        if found := _KIND.fullmatch(name):
            numbered[found[1].lower()].append(column)
    groups = [one for stem, one in numbered.items() if stem not in ("", "column") and len(one) > 1]
    named = [one for one in sample.columns.values() if one.is_named]
    rest = [one for one in named if not any(one in group for group in groups)]
    while rest:
        first, *rest = rest
        alike = [first, *(one for one in rest if first.shares(one) >= _ALIKE)]
        rest = [one for one in rest if one not in alike]
        groups += [alike] if len(alike) > 2 else []
    return [
        tuple(one.name for one in group)
        for group in groups
        if all(one.is_coded or not one.present for one in group)
        and any(a.shares(b) >= _ALIKE for a, b in combinations(group, 2))
    ]


def wide_columns(sample: TableSample) -> tuple[str, ...]:
    """Return the columns that share one scale, as the items of a wide table do; else none."""
    filled = {name: set(one.present) for name, one in sample.columns.items() if one.present}
    held = Counter(cell for cells in filled.values() for cell in cells)
    shared = {cell for cell, n in held.items() if n >= _SHARED}
    alike = tuple(name for name, cells in filled.items() if cells <= shared)
    several = len(shared) <= _LEVELS and len(alike) >= _SHARED
    if several and 2 * len(alike) > len(sample.names):
        return alike
    counted: dict[str, list[str]] = defaultdict(list)
    for name, column in sample.columns.items():
        if column.is_numeric and (found := _KIND.fullmatch(name)):
            counted[found[1].lower()].append(name)
    longest = max((one for stem, one in counted.items() if stem not in ("", "column")),
                  key=len, default=[])  # fmt: skip
    measured = len(longest) > _SHARED and 2 * len(longest) > len(sample.names)
    return tuple(longest) if measured else ()


def _never_repeats(sample: TableSample, user: ColumnCells) -> bool:
    """Whether each row has a person of its own; of a part of a table, only if they are counted."""
    if len(user.present) < _FEWEST or user.repeats:
        return False
    return sample.whole or user.is_counted


def _grids(sample: TableSample) -> Iterator[ShapeProblem]:
    """Find two columns that have a row for each pair, and a third that says whether it counts."""
    able = [
        one
        for one in sample.columns.values()
        if one.repeats and not one.is_mostly_empty and not one.is_time and not one.has_decimals
    ]
    rows = len(sample.even)
    for first, second in combinations(able, 2):
        n, m = len(first.distinct), len(second.distinct)
        if min(n, m) < 3 or not 0.9 * n * m <= rows <= 1.1 * n * m:
            continue
        grid, taken = Grid(first.every, second.every), {first.name, second.name}
        if grid.filled >= _GRID and grid.single:
            item = min(first, second, key=lambda one: len(one.distinct))
            yield from _melted(sample, grid, item, taken)
            yield from _zeros(sample, grid, None, taken)


def _answers(sample: TableSample) -> str:
    """Return the column that numbers the rows of a survey; empty if it seems to be none."""
    keys = [one for one in sample.columns.values() if one.present and not one.repeats]
    keys = [one for one in keys if not one.is_time and not one.has_decimals]
    if len(sample.even) < 2 * _FEWEST or not keys or is_of_orders(keys[0].name):
        return ""
    others = [one for one in sample.columns.values() if one is not keys[0] and not one.is_time]
    few = [one for one in others if len(one.distinct) <= _LEVELS]
    return keys[0].name if len(few) > 2 and 2 * len(few) >= len(others) else ""


def _names(given: str | Sequence[str]) -> Sequence[str]:
    return [given] if isinstance(given, str) else given


_NAMED = 3


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"

"""What some cells of a column of text are like: numbers, times, lists, codes.

Invariant: only the cells tell, whatever parsed them; each property is a count or a share of them.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

_MISSING = frozenset(
    ("", "na", "n/a", "#n/a", "<na>", "nan", "nat", "none", "null", "(null)", "<null>", "\\n")
)
_MOST = 0.9  # of the cells, for a column to be of a kind
_NUMBER = re.compile(r"[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?")
_DATE = (
    r"(?:\d{4}[-/]\d{1,2}(?:[-/]\d{1,2})?|\d{4}\.\d{1,2}\.\d{1,2}"
    r"|\d{1,2}[-/. ](?:\d{1,2}|[^\W\d_]{3,9})[-/. ]\d{2,4})"
)
_CLOCK = r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[AaPp]\.?[Mm]\.?)?"
_TIME = re.compile(rf"{_DATE}(?:[T ,]+{_CLOCK}(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?)?|{_CLOCK}")
_DAY = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
_HOUR = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d")
_OF_DAY = re.compile(_CLOCK)
_PARTS = slice(0, 2), slice(2, 4)
_SECONDS = re.compile(r"(?:[89]\d{8}|1\d{9})(?:\d{3}|\d{6}|\d{9})?(?:\.0+)?")  # 1998 to 2033
_BRACKETS = re.compile(r"\s*[\[({<].*[\])}>]\s*", re.DOTALL)
_SEPARATORS = ("|", ";", ",", "\t", " ")
_IN_BRACKETS = (",", ";", "|", " ")
_LISTED, _MIXED, _KNOWN = 0.15, 0.4, 0.6
"""Of lists: the least share of the cells, and of parts that stand at several places, or recur."""
_FEW, _RARE = 5, 0.3
_NO = frozenset(
    ("0", "f", "n", "false", "no", "nein", "non", "não", "nao", "falso", "faux", "niet", "nie",
     "nej", "nei", "hayır", "нет", "absent")
)  # fmt: skip
_YES = frozenset(
    ("1", "t", "y", "j", "true", "yes", "ja", "oui", "sim", "sí", "si", "sì", "verdadero", "vrai",
     "tak", "da", "evet", "да", "present")
)  # fmt: skip
_MEASURED = re.compile(r"\d{1,2}:\d\d(:\d\d)?( ?[ap]m)?|[+-]?\d+[.,]\d{1,2}", re.IGNORECASE)
"""A time of day, or a number with decimals."""
_FIRST, _FEW_ROWS, _ROWS_A_VALUE = 2000, 100, 20
"""Of identifiers: the rows that tell, how many do, and those that one has on average at most."""
_OFTEN, _SCALE, _HIGHEST = 4, (2, 21), 100
"""Of a scale of values: rows for each level, the fewest and the most levels, the highest one."""
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+")
_LIKE = 200  # cells that a name is compared with


@dataclass(frozen=True)
class ColumnCells:
    """The cells of a column.

    Parameters
    ----------
    raw : sequence of str
        One for each row; empty where there is none.
    """

    name: str
    raw: Sequence[str]

    @cached_property
    def every(self) -> tuple[str, ...]:
        """The cells without blanks around them; empty where one stands for none."""
        cells = (cell.strip() for cell in self.raw)
        return tuple("" if cell.lower() in _MISSING else cell for cell in cells)

    @cached_property
    def present(self) -> tuple[str, ...]:
        """The cells that are not empty."""
        return tuple(cell for cell in self.every if cell)

    @cached_property
    def often(self) -> Counter[str]:
        """How often each different cell is there."""
        return Counter(self.present)

    @cached_property
    def distinct(self) -> frozenset[str]:
        """The different cells."""
        return frozenset(self.often)

    @property
    def repeats(self) -> bool:
        """Whether some cell is there twice."""
        return len(self.distinct) < len(self.present)

    @property
    def is_mostly_empty(self) -> bool:
        """Whether fewer than half of the rows have a cell."""
        return 2 * len(self.present) < len(self.raw)

    @staticmethod
    def is_number(cell: str) -> bool:
        """Whether a cell is a number, with a point or a comma."""
        return _NUMBER.fullmatch(cell.strip()) is not None

    @cached_property
    def numbers(self) -> int:
        """How many cells are numbers."""
        return sum(n for cell, n in self.often.items() if _NUMBER.fullmatch(cell))

    @cached_property
    def figures(self) -> tuple[float, ...]:
        """The numbers among the cells."""
        some = (cell for cell in self.present if _NUMBER.fullmatch(cell))
        return tuple(float(cell.replace(",", ".")) for cell in some)

    @property
    def is_numeric(self) -> bool:
        """Whether nearly all cells are numbers."""
        return self._most(self.numbers)

    @cached_property
    def has_decimals(self) -> bool:
        """Whether the cells are numbers, and some no whole ones."""
        broken = sum(not figure.is_integer() for figure in self.figures)
        return self.is_numeric and broken > 0.05 * len(self.present)

    @property
    def zeros(self) -> int:
        """How many cells are 0."""
        return sum(figure == 0 for figure in self.figures)

    @property
    def noes(self) -> int:
        """How many cells say no, where all say yes or no in words; else 0."""
        said = Counter(cell.lower() for cell in self.present)
        if self.is_numeric or not said.keys() <= _NO | _YES or not said.keys() & _YES:
            return 0
        return sum(n for cell, n in said.items() if cell in _NO)

    @property
    def blanks(self) -> int:
        """How many cells are empty, where the others are numbers or all the same; else 0."""
        one_kind = self.is_numeric or len(self.distinct) == 1
        return len(self.raw) - len(self.present) if one_kind and self.present else 0

    @property
    def thousands(self) -> int:
        """How many cells have points that part thousands, it seems; 0 where one cannot.

        It seems so where three digits follow every point, none begins with a 0, and numbers
        without a point are below 1,000.
        """
        with_points = [cell for cell in self.present if "." in cell]
        rest = [cell for cell in self.present if "." not in cell]
        if not all(_THOUSANDS.fullmatch(cell) for cell in with_points):
            return 0
        return len(with_points) if all(re.fullmatch(r"\d{1,3}", cell) for cell in rest) else 0

    @property
    def counts(self) -> bool:
        """Whether the cells are whole numbers from 0 on."""
        return self.is_numeric and not self.has_decimals and min(self.figures) >= 0

    @property
    def is_often_zero(self) -> bool:
        """Whether the cells are 0 or 1, or counts among which 0 is by far the most common."""
        if not self.counts:
            return False
        often = Counter(self.figures)
        next_most = max((n for figure, n in often.items() if figure), default=0)
        return often[0] >= 2 * next_most or often.keys() <= {0, 1}

    @property
    def is_counted(self) -> bool:
        """Whether each cell is one more than the one before, as the numbers of rows are."""
        if not self.is_numeric or len(self.figures) < len(self.present):
            return False
        steps = zip(self.figures, self.figures[1:], strict=False)
        return all(after - before == 1 for before, after in steps)

    @cached_property
    def is_time(self) -> bool:
        """Whether the cells are dates, times of day, or seconds since 1970.

        Examples
        --------
        >>> [ColumnCells("", [cell] * 9).is_time for cell in ("4/1/2016 1:00:00 AM", "12:30", "9")]
        [True, True, False]
        """
        text = sum(_TIME.fullmatch(cell) is not None for cell in self.present)
        if self._most(text):
            return True
        return self._fits(_DAY) or self._is_hours or self._is_seconds

    @cached_property
    def is_clock(self) -> bool:
        """Whether the cells are times of day without a date."""
        return self._is_hours or self._fits(_OF_DAY)

    @property
    def _is_hours(self) -> bool:
        """Whether the cells are such as 0836: many hours, and no minute above 59."""
        hours, minutes = ({cell[cut] for cell in self.distinct} for cut in _PARTS)
        return len(hours) >= _FEW and len(minutes) >= 2 * _FEW and self._fits(_HOUR)

    @property
    def _is_seconds(self) -> bool:
        """Whether the cells are seconds since 1970, which hardly repeat, unless of whole hours."""
        if not self._fits(_SECONDS):
            return False
        rare = len(self.distinct) >= _RARE * len(self.present)
        return rare or all(figure % 3600 == 0 for figure in self.figures)

    @property
    def is_measured(self) -> bool:
        """Whether the cells are numbers that tell how much: some negative, broken, or often 0."""
        if not self.is_numeric:
            return False
        often_zero = self.is_often_zero and self.zeros > 0.05 * len(self.figures)
        return self.has_decimals or min(self.figures) < 0 or often_zero

    @property
    def samples(self) -> tuple[str, ...]:
        """The first three different cells, as they stand in the table."""
        cells = (raw for raw, cell in zip(self.raw, self.every, strict=True) if cell)
        return tuple(islice(dict.fromkeys(cells), 3))

    @cached_property
    def likeness_to_ids(self) -> int:
        """How well the cells may be identifiers, from 3 to 0.

        Times of day and numbers with decimals are none. What has few values for so many rows, such
        as a branch or a sex, is hardly one; what never repeats may be the number of the row. A few
        rows do not tell.

        Examples
        --------
        >>> cells = ("a", "b") * 100, tuple(map(str, range(200))), ("x", *map(str, range(199))) * 2
        >>> [ColumnCells("", one).likeness_to_ids for one in cells]
        [1, 2, 3]
        >>> ColumnCells("", ("14:41", "9:05", "14:41")).likeness_to_ids
        0
        """
        some = self.present[:_FIRST]
        measured = sum(_MEASURED.fullmatch(cell) is not None for cell in some)
        if some and measured >= _MOST * len(some):
            return 0
        if len(some) < _FEW_ROWS:
            return 3
        distinct = len({*some})
        if _ROWS_A_VALUE * distinct < len(some):
            return 1
        return 3 if distinct < len(some) else 2

    @property
    def looks_like_values(self) -> bool:
        """Whether all cells are numbers on a short scale, such as 1 to 5, each often."""
        few, many = _SCALE
        often = len(self.present) >= _OFTEN * max(len(self.distinct), few)
        if not often or len(self.distinct) > many or self.numbers < len(self.present):
            return False
        return all(0 <= figure <= _HIGHEST for figure in self.figures)

    @property
    def has_decimal_commas(self) -> bool:
        """Whether some cells are numbers only if a comma is their decimal point.

        In 1,234 it may part the thousands.

        Examples
        --------
        >>> kinds = ("3,5", "4"), ("3.5",), ("1,234",)
        >>> [ColumnCells("", one).has_decimal_commas for one in kinds]
        [True, False, False]
        """
        return any(re.fullmatch(r"[+-]?\d+,(?!\d{3}$)\d+", cell) for cell in self.present)

    @property
    def is_coded(self) -> bool:
        """Whether the cells may be codes or names of items."""
        return (
            len(self.distinct) > 1 and self.repeats and not self.is_time and not self.has_decimals
        )

    @property
    def is_named(self) -> bool:
        """Whether the cells are codes of letters, too many for a scale."""
        return self.is_coded and not self.is_numeric and len(self.distinct) >= _FEW

    @property
    def is_answer(self) -> bool:
        """Whether the cells are text of which much recurs, as answers do."""
        recur = 3 * len(self.distinct) <= len(self.present)
        return recur and len(self.distinct) > 1 and not self.is_numeric and not self.is_time

    def shares(self, other: ColumnCells) -> float:
        """Return how much of the smaller vocabulary is in the other."""
        smaller = min(len(self.distinct), len(other.distinct))
        return len(self.distinct & other.distinct) / smaller if smaller else 0.0

    @property
    def lists(self) -> int:
        """How many cells hold several parts, where the column is one of lists; else 0.

        Parts of a list recur in other cells and at other places, unlike those of a name or address.

        Examples
        --------
        >>> baskets = ["milk|bread", "bread|eggs|milk", "eggs", "milk|eggs", "bread|milk"]
        >>> ColumnCells("", baskets).lists, ColumnCells("", ["[1, 2]", "[2, 9, 4]"]).lists
        (4, 2)
        >>> titles = ["Godfather, The (1972)", "Sting, The (1973)", "Heat (1995)"]
        >>> ColumnCells("", titles).lists, ColumnCells("", ["3,5", "2,5", "5,2"]).lists
        (0, 0)
        """
        return self._of_lists[0]

    @property
    def list_mark(self) -> str | None:
        """What stands between the parts of lists, where the column is one of these.

        Examples
        --------
        >>> ColumnCells("", ["[1; 2]", "[2; 9; 4]"]).list_mark
        ';'
        """
        return self._of_lists[1]

    @cached_property
    def _of_lists(self) -> tuple[int, str | None]:
        if not self.present or self.is_time or self.is_numeric:
            return 0, None
        inside = [cell.strip("[](){}<> \t") for cell in self.present if _BRACKETS.fullmatch(cell)]
        several = [cell for cell in inside if re.search(r"[,;| ]", cell)]
        if self._most(len(inside)) and len(several) >= _LISTED * len(self.present):
            often = Counter(mark for cell in several for mark in _IN_BRACKETS if mark in cell)
            return len(several), max(_IN_BRACKETS, key=lambda mark: often[mark])
        for mark in _SEPARATORS:
            cells = [cell for cell in self.distinct if mark in cell]
            count = sum(mark in cell for cell in self.present)
            if count >= _LISTED * len(self.present) and self._are_lists(cells, mark):
                return count, mark
        return 0, None

    def _are_lists(self, cells: Sequence[str], mark: str) -> bool:
        """Whether cells are lists with a sign between the parts."""
        places, often = defaultdict[str, set[int]](set), Counter[str]()
        split = [[part.strip() for part in cell.split(mark)] for cell in cells]
        if mark == " " and (len(cells) < _FEW or not all(_is_code(p) for s in split for p in s)):
            return False
        for parts in split:
            for place, part in enumerate(parts):
                places[part].add(place)
                often[part] += 1
        alone = self.distinct.difference(cells)
        total = sum(often.values())
        known = sum(n for part, n in often.items() if n > 1 or part in alone)
        mixed = sum(n for part, n in often.items() if len(places[part]) > 1 or part in alone)
        return known >= _KNOWN * total and mixed >= _MIXED * total

    def likeness(self, name: str) -> int:
        """Return whether a name is like the cells, 1, or unlike them, -1; 0 where they do not tell.

        Examples
        --------
        >>> cells = ColumnCells("", ["item 3", "item 14", "item 5"])
        >>> cells.likeness("item 38"), cells.likeness("item"), ColumnCells("", ["a"]).likeness("b")
        (1, -1, 0)
        """
        name, cells = name.strip(), self.present[:_LIKE]
        if not name or not cells or name.lower() in _MISSING:
            return 0
        few = ColumnCells(name, cells)
        if few.is_numeric:
            return 1 if self.is_number(name) else -1
        if few.is_time:
            return 1 if ColumnCells("", [name]).is_time else -1
        if self.present.count(name) > 1:
            return 1
        if self.is_number(name) and not few.numbers:
            return -1
        digits = sum(any(letter.isdigit() for letter in cell) for cell in cells)
        if not any(letter.isdigit() for letter in name):
            return -1 if few._most(digits) else 0
        same = sum(masked(cell) == masked(name) for cell in cells)
        long = len(name) >= 8 and all(len(cell) == len(name) for cell in cells)
        return int(2 * same > len(cells) or long)

    def _fits(self, form: re.Pattern[str]) -> bool:
        fits = sum(n for cell, n in self.often.items() if form.fullmatch(cell))
        return self._most(fits) and len(self.present) >= _FEW

    def _most(self, count: int) -> bool:
        return count >= _MOST * len(self.present) > 0


def masked(cell: str) -> str:
    """Return a cell with a 9 for each run of digits, and an a for each of letters.

    Examples
    --------
    >>> masked("item 38"), masked("D-4.x")
    ('a 9', 'a-9.a')
    """
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", cell))


def _is_code(part: str) -> bool:
    return any(letter.isdigit() for letter in part)

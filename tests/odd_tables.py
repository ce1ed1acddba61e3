"""Makes tables whose rows are no events, for tests of how they are recognised."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

Rows = Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Table:
    """A table as text, and the columns that a user may name."""

    names: Sequence[str]
    rows: Rows
    roles: dict[str, str] = field(default_factory=dict)
    separator: str = ","

    def write(self, folder: Path) -> Path:
        """Write it; without names, it has no header."""
        path = folder / ("t.tsv" if self.separator == "\t" else "t.csv")
        lines = [self.names, *self.rows] if self.names else self.rows
        texts = [self.separator.join(map(self._quoted, line)) + "\n" for line in lines]
        path.write_text("".join(texts), "utf-8", newline="\n")
        return path

    def _quoted(self, cell: Any) -> str:
        text = str(cell)
        return f'"{text}"' if self.separator in text else text


def rng() -> np.random.Generator:
    """Return the same random numbers for every table."""
    return np.random.default_rng(7)


def day(n: Any) -> str:
    """Return a date of 2023."""
    return str(np.datetime64("2023-01-01") + int(n))


def visits(who: str = "10{}", what: str = "item {}", when: Callable[[int], str] = day) -> Rows:
    """Return events of 40 people and 30 items, five each."""
    g = rng()
    return [
        (who.format(u), what.format(g.integers(30)), when(int(g.integers(200))))
        for u in range(40)
        for _ in range(5)
    ]


def pairs(yes: float = 0.1, most: int = 1, people: int = 30, items: int = 20) -> Rows:
    """Return a row for each pair, with 0 where there was no event."""
    g = rng()
    return [
        (f"P{u}", f"T{i}", int(g.integers(1, most + 1)) if g.random() < yes else 0)
        for u in range(people)
        for i in range(items)
    ]


def baskets(form: Callable[[list[int]], str]) -> Rows:
    """Return three baskets for each of 50 people."""
    g = rng()
    return [
        (f"c{u}", form([int(x) for x in g.permutation(40)[: g.integers(2, 6)]]))
        for u in range(50)
        for _ in range(3)
    ]


def codes(columns: int, code: str) -> Rows:
    """Return people with up to so many codes in a row, and a date."""
    g = rng()
    return [
        (f"p{u}", day(g.integers(300)),
         *(code.format(g.integers(20)) if k < g.integers(1, columns + 1) else ""
           for k in range(columns)))
        for u in range(60) for _ in range(2)
    ]  # fmt: skip


def answers(people: int = 60) -> Rows:
    """Return a row for each person, with answers as columns."""
    g = rng()
    return [
        (u, f"2014-08-27 11:{u % 60:02d}:00", g.integers(20, 60), g.choice(["m", "f"]),
         g.choice(["US", "UK", "DE"]), g.choice(["1-5", "6-25", "26-100"]),
         g.choice(["Yes", "No"]))
        for u in range(people)
    ]  # fmt: skip


def melted(people: int = 60) -> Rows:
    """Return a row for each person and attribute."""
    g = rng()
    return [
        (f"p{u}", name, value)
        for u in range(people)
        for name, value in (
            ("Age", g.integers(20, 60)),
            ("Gender", g.choice(["m", "f"])),
            ("Country", g.choice(["US", "UK", "DE"])),
            ("treated", g.choice(["Yes", "No"])),
        )
    ]


def orders() -> Rows:
    """Return the lines of 80 orders."""
    g = rng()
    return [(o, int(g.integers(50)), int(g.integers(2))) for o in range(80) for _ in range(5)]


def bracketed(parts: list[int]) -> str:
    """Return a list as Python writes it."""
    return str(sorted(parts))


def joined(mark: str, name: str) -> Callable[[list[int]], str]:
    """Return a way to write a list with a mark between the parts."""
    return lambda parts: mark.join(name.format(part) for part in parts)


REFUSED: dict[str, tuple[Table, str, str]] = {
    "no header": (Table((), visits()), "looks like a row", "data.header=false"),
    "no header, tabs": (
        Table((), visits("ab{}x", "{}", lambda n: str(1_300_000_000 + n)), separator="\t"),
        "looks like a row", "data.header=false",
    ),
    "no header, German dates": (
        Table((), visits("K-{}", "Buch {}", lambda n: f"{n % 28 + 1:02}.03.2021"), separator=";"),
        "looks like a row", "data.header=false",
    ),
    "zeros": (
        Table(("patron", "item", "bought"), pairs(), {"user": "patron", "item": "item"}),
        "is 0 in", "data.value=bought data.zeros=drop",
    ),
    "zeros as values": (
        Table(("patron", "item", "n"), pairs(),
              {"user": "patron", "item": "item", "value": "n"}),
        "is 0 in", "data.zeros=drop",
    ),
    "counts with zeros": (
        Table(("Kunde", "Artikel", "Anzahl"), pairs(0.3, 9),
              {"user": "Kunde", "item": "Artikel", "value": "Anzahl"}, ";"),
        "is 0 in", "data.zeros=drop",
    ),
    "brackets": (
        Table(("customer", "products"), baskets(bracketed),
              {"user": "customer", "item": "products"}),
        "holds lists", "data.shape=rows",
    ),
    "bars": (
        Table(("cliente", "productos"), baskets(joined("|", "sku{}")),
              {"user": "cliente", "item": "productos"}),
        "holds lists", "data.shape=rows",
    ),
    "semicolons": (
        Table(("Kunde", "Artikel"), baskets(joined(";", "Ware {}")),
              {"user": "Kunde", "item": "Artikel"}, "\t"),
        "holds lists", "data.shape=rows",
    ),
    "commas": (
        Table(("member", "titles"), baskets(joined(", ", "film {}")),
              {"user": "member", "item": "titles"}),
        "holds lists", "data.shape=rows",
    ),
    "diagnoses": (
        Table(("patid", "admdate", *(f"diag{k}" for k in range(1, 7))), codes(6, "D{}"),
              {"user": "patid", "item": "diag1"}),
        "columns of one kind", "data.shape=rows",
    ),
    "items": (
        Table(("customer", "day", "item_1", "item_2", "item_3"), codes(3, "{}"),
              {"user": "customer", "item": "item_2", "date": "day"}, ";"),
        "columns of one kind", "data.shape=rows",
    ),
    "codes by other names": (
        Table(("patient", "date", "primary", "secondary", "further"), codes(3, "I{}.9"),
              {"user": "patient", "item": "primary"}),
        "columns of one kind", "data.shape=rows",
    ),
    "order lines": (
        Table(("order_id", "product_id", "reordered"), orders(),
              {"user": "order_id", "item": "product_id"}),
        "named for orders", "data.user",
    ),
    "Bestellungen": (
        Table(("Bestellung-Nr", "Artikel", "x"), orders(),
              {"user": "Bestellung-Nr", "item": "Artikel"}, ";"),
        "named for orders", "data.user",
    ),
    "survey": (
        Table(("respondent_id", "Timestamp", "Age", "Gender", "Country", "no_employees", "help"),
              answers(), {"user": "respondent_id", "item": "Country"}),
        "one row for each", "data.shape=rows",
    ),
    "two answers": (
        Table(("respondent_id", "Timestamp", "Age", "Gender", "Country", "no_employees", "help"),
              answers(), {"user": "no_employees", "item": "Country"}),
        "as in a survey", "data.shape=rows",
    ),
    "Umfrage": (
        Table(("Nr", "Zeit", "Alter", "Geschlecht", "Land", "Firma", "Ja"), answers(),
              {"user": "Nr", "item": "Land"}, ";"),
        "one row for each", "data.shape=rows",
    ),
    "melted": (
        Table(("respondent_id", "variable", "value"), melted(),
              {"user": "respondent_id", "item": "variable", "value": "value"}),
        "as in a melted table", "data.shape=rows",
    ),
    "merkmale": (
        Table(("Teilnehmer", "Merkmal", "Wert"), melted(),
              {"user": "Teilnehmer", "item": "Merkmal"}, ";"),
        "as in a melted table", "data.shape=rows",
    ),
}  # fmt: skip
"""Tables that are refused, with a part of what is said, and the key that is named."""

"""Tables whose rows are no events of people are recognised and refused; ordinary ones are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples
from odd_tables import REFUSED, Table, answers, day, melted, pairs, rng, visits

import sim
from sim.config.compose import composed, configured
from sim.errors import ConfigError, InputError, StandoutError
from sim.extend.overrides import override
from sim.release.shape.column_cells import ColumnCells
from sim.release.shape.table_shape import (
    TableSample,
    header_problem,
    ragged_problem,
    shape_problems,
)
from sim.release.store.store import Store
from sim.session.description import Description, describe
from sim.session.open_release import open_release


def opened(path: Path, **keys: Any) -> Store:
    """Open a table by keys of ``data``, as the command line does."""
    typed = {"path": str(path), "cache": str(path.parent / "cache"), **keys}
    words = [override(f"data.{key}", value) for key, value in typed.items()]
    return open_release(configured(composed(["data=table", *words])).data)


def described(path: Path, **keys: Any) -> Description:
    """Describe a table, as the command line does."""
    typed = {"path": str(path), "cache": str(path.parent / "cache"), **keys}
    words = [override(f"data.{key}", value) for key, value in typed.items()]
    config = configured(composed(["data=table", *words])).data
    return describe(open_release(config), config)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("explicit", [False, True])
def test_rows_that_are_no_events_are_refused(name: str, explicit: bool, tmp_path: Path) -> None:
    """In one line that names a key, whether or not the columns are chosen; nothing is built."""
    table, said, key = REFUSED[name]
    if explicit and not table.roles:
        table = Table(table.names, table.rows, {"user": "10000", "item": "x"}, table.separator)
    path = table.write(tmp_path)
    with pytest.raises(StandoutError) as caught:
        opened(path, **(table.roles if explicit else {}))
    line = str(caught.value)
    assert "\n" not in line
    assert said in line or not explicit
    assert key in line or not explicit
    assert "experiment=audit" not in line
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("name", [name for name, case in REFUSED.items() if "shape" in case[2]])
def test_the_key_that_is_named_reads_them_as_they_are(name: str, tmp_path: Path) -> None:
    table, _, _ = REFUSED[name]
    roles = {role: column for role, column in table.roles.items() if role != "value"}
    assert opened(table.write(tmp_path), **roles, shape="rows", empty="drop").manifest.n_cells


def test_a_table_without_a_header_is_read_with_its_first_row(tmp_path: Path) -> None:
    path = Table((), visits()).write(tmp_path)
    found = described(path, header=False, user="column1", item="column2", date="column3")
    assert (found.people, found.rows) == (40, 200)
    taken = opened(path, header=True, user="100", item="item 28")
    assert taken.manifest.notes["rows"] == 199
    with pytest.raises(InputError, match=r"set header=False"):
        sim.table(path, user="100", item="item 28")


@pytest.mark.parametrize(
    ("names", "rows", "is_row"),
    [
        (("user", "item", "stars"), [("u1", "i2", "3")] * 9, False),
        (("0", "1", "2"), [("7", "8", "3"), ("7", "9", "5")] * 9, False),
        (("who", "2018", "2019", "2020"), [("ann", "5", "4", "1")] * 9, False),
        (("u7", "i9", "3"), [("u1", "i2", "3"), ("u2", "i2", "1")] * 9, True),
        (("196", "242", "3", "881250949"), [("186", "302", "3", "891717742")] * 9, True),
        (("ann", "zoo"), [("ann", "spa"), ("ann", "zoo"), ("bob", "zoo"), ("eve", "zoo")], True),
        (("ann", "zoo"), [("eve", "spa"), ("bob", "bar")], False),
        (("Kunde", "Datum"), [("K7", "01.02.2020")] * 9, False),
        (("id", "label"), [("a", "b"), ("id", "label"), ("id", "label")], False),
    ],
)
def test_a_first_line_that_is_like_the_others_is_a_row(
    names: tuple[str, ...], rows: list[tuple[str, ...]], is_row: bool
) -> None:
    assert (header_problem(TableSample(names, rows)) is not None) == is_row


@pytest.mark.parametrize("more", [",", ""])
@pytest.mark.parametrize("of_header", ["", ","])
def test_empty_cells_at_the_end_of_lines_are_no_column(
    tmp_path: Path, more: str, of_header: str
) -> None:
    """Of the rows, of the header, or of both."""
    rows = "".join(f"u{n % 7},i{n % 5},{n % 5 + 1}{more}\n" for n in range(60))
    (tmp_path / "t.csv").write_text(f"user,item,stars{of_header}\n{rows}")
    found = described(tmp_path / "t.csv", user="user", item="item", value="stars")
    assert (found.people, found.items, found.values) == (7, 5, (1, 2, 3, 4, 5))
    assert "columns that were not read" not in found.notes


def test_rows_of_other_lengths_are_refused_without_dropping_them(tmp_path: Path) -> None:
    """As of R, which leaves out the name of the row's, and of baskets that are lines."""
    lines = ["milk,bread", *(",".join(f"ware{(n * k) % 9}" for k in range(1, 3 + n % 4))
                             for n in range(60))]  # fmt: skip
    for text in ("user,item\n" + "".join(f"{n},u{n % 7},i{n % 5}\n" for n in range(60)),
                 "\n".join(lines) + "\n"):  # fmt: skip
        (tmp_path / "t.csv").write_text(text)
        for keys in ({}, {"user": "user", "item": "item"}):
            with pytest.raises(InputError) as caught:
                opened(tmp_path / "t.csv", **keys)
            assert "number of cells" in str(caught.value) or "looks like a row" in str(caught.value)
            assert "max_unread" not in str(caught.value)


@pytest.mark.parametrize("most", [1, 6])
def test_rows_with_a_zero_are_dropped_and_counted_or_kept(tmp_path: Path, most: int) -> None:
    rows = pairs(0.2, most)
    path = Table(("patron", "item", "bought"), rows).write(tmp_path)
    roles = {"user": "patron", "item": "item", "value": "bought"}
    none = sum(row[2] == 0 for row in rows)
    found = described(path, **roles, zeros="drop")
    assert (found.rows, found.zeros, found.cells) == (len(rows), none, len(rows) - none)
    assert 0.0 not in found.values
    (zeros,) = (one for one in found.findings if one.kind == "rows_of_zero")
    assert (zeros.numbers["count"], zeros.denominator) == (none, len(rows))
    kept = described(path, **roles, zeros="keep")
    assert (kept.zeros, kept.cells) == (0, len(rows))
    with pytest.raises(StandoutError, match="needs a column of values"):
        opened(path, user="patron", item="item", zeros="drop")


@pytest.mark.parametrize("order", ["as it is", "shuffled", "by item"])
def test_zeros_are_recognised_in_any_order_of_rows(tmp_path: Path, order: str) -> None:
    rows = list(pairs())
    if order == "shuffled":
        rows = [rows[k] for k in rng().permutation(len(rows))]
    elif order == "by item":
        rows.sort(key=lambda row: row[1])
    for keys in ({}, {"user": "a", "item": "b"}, {"user": "a", "item": "b", "value": "c"}):
        with pytest.raises(InputError, match="is 0 in"):
            opened(Table(("a", "b", "c"), rows).write(tmp_path), **keys)


def steps() -> Table:
    """Return what people walked, by the hour."""
    g = rng()
    rows = [
        (1503960366 + 911 * u, f"4/{1 + d}/2016 {h}:00:00 AM", int(g.gamma(1, 300) * g.integers(2)))
        for u in range(20) for d in range(10) for h in range(1, 10)
    ]  # fmt: skip
    return Table(("Id", "ActivityHour", "StepTotal"), rows)


def trips() -> Table:
    """Return rides, a column of which is nearly empty."""
    g = rng()
    rows = [
        (1372636858620000 + t, g.integers(9999) if t % 9 == 0 else "", 20000 + g.integers(40),
         1372636858 + 700 * t, g.integers(60))
        for t in range(600)
    ]  # fmt: skip
    return Table(("TRIP_ID", "ORIGIN_CALL", "TAXI_ID", "TIMESTAMP", "STAND"), rows)


def heart_rates() -> Table:
    """Return measurements with decimals, each at another time."""
    g = rng()
    rows = [(f"{u}", f"{h:02}:{g.integers(60):02}", f"{g.normal(70, 9):.1f}")
            for u in range(30) for h in range(20)]  # fmt: skip
    return Table(("Gerät", "Uhrzeit", "Puls"), rows, separator=";")


@pytest.mark.parametrize(
    ("table", "never"),
    [
        (steps(), ("StepTotal", "ActivityHour")),
        (trips(), ("ORIGIN_CALL", "TIMESTAMP", "TRIP_ID")),
        (heart_rates(), ("Uhrzeit", "Puls")),
    ],
    ids=["steps", "trips", "heart rates"],
)
def test_nothing_is_proposed_that_is_not_clear(
    table: Table, never: tuple[str, ...], tmp_path: Path
) -> None:
    """No measured number, no time and no column that is nearly empty; and no command."""
    with pytest.raises(StandoutError) as caught:
        opened(table.write(tmp_path))
    said = str(caught.value)
    assert "experiment=audit" not in said
    assert "not clear which column" in said
    assert all(name in said for name in table.names)
    for name in never:
        assert f"data.user={name}" not in said
        assert f"data.item={name}" not in said


def test_a_clock_is_no_date_beside_a_number_of_days(tmp_path: Path) -> None:
    g = rng()
    rows = [
        (g.integers(80), 26984851472 + k // 4, 1 + k // 10, g.integers(120),
         f"{g.integers(7, 22):02d}{g.integers(60):02d}")
        for k in range(1200)
    ]  # fmt: skip
    names = ("household_key", "BASKET_ID", "DAY", "PRODUCT_ID", "TRANS_TIME")
    path = Table(names, rows).write(tmp_path)
    with pytest.raises(StandoutError) as caught:
        opened(path)
    for word in ("user=household_key", "item=PRODUCT_ID", "date=DAY", "date_unit=days"):
        assert f"data.{word}" in str(caught.value)
    found = described(path, user="household_key", item="PRODUCT_ID", date="DAY", date_unit="days")
    assert (found.people, found.items) == (80, 120)


@pytest.mark.parametrize("quotes", [None, "none"])
def test_quotes_that_are_text_are_read_as_text(tmp_path: Path, quotes: str | None) -> None:
    rows = [f'u{n % 9}\t"Song {n % 20}" (live)\n' if n % 9 == 1 else f"u{n % 9}\tSong {n % 20}\n"
            for n in range(200)]  # fmt: skip
    (tmp_path / "t.tsv").write_text("user\ttrack\n" + "".join(rows))
    store = opened(tmp_path / "t.tsv", user="user", item="track", quotes=quotes)
    assert store.manifest.notes["rows"] == 200
    assert '"Song 1" (live)' in store.items.to_pylist()


def test_quotes_that_cannot_be_right_name_a_key_that_works(tmp_path: Path) -> None:
    rows = [f'u{n % 9},"Song {n}"{" live" * (n == 150)}\n' for n in range(200)]
    (tmp_path / "t.csv").write_text("user,track\n" + "".join(rows))
    with pytest.raises(InputError, match=r"set data.quotes=none$"):
        opened(tmp_path / "t.csv", user="user", item="track")
    store = opened(tmp_path / "t.csv", user="user", item="track", quotes="none")
    assert store.manifest.n_items == 200
    (tmp_path / "t.tsv").write_text(
        "user\ttrack\n" + "".join(f'u{n % 9}\t"a\tb {n % 20}"\n' for n in range(99))
    )
    assert "a\tb 3" in opened(tmp_path / "t.tsv", user="user", item="track").items.to_pylist()


def unset() -> Table:
    """Return ratings with placeholders for stars, dates and titles."""
    g = rng()
    rows = [
        (f"m{u}", "unknown" if g.random() < 0.1 else f"t{g.integers(60)}",
         99 if g.random() < 0.1 else g.integers(1, 6),
         "01/01/1900" if g.random() < 0.5 else f"{g.integers(13, 28)}/03/2020")
        for u in range(80) for _ in range(8)
    ]  # fmt: skip
    return Table(("member", "title", "stars", "watched"), rows)


def test_placeholders_are_counted_and_missing_where_the_user_says_so(tmp_path: Path) -> None:
    table = unset()
    path = table.write(tmp_path)
    roles = {"user": "member", "item": "title", "value": "stars", "date": "watched"}
    found = described(path, **roles)
    kinds = {one.numbers["role"]: one for one in found.findings if one.kind == "placeholders"}
    counted = [sum(str(row[k]) == cell for row in table.rows)
               for k, cell in ((1, "unknown"), (2, "99"), (3, "01/01/1900"))]  # fmt: skip
    assert kinds["dates"].numbers["count"] == counted[2]
    assert kinds["values"].numbers["count"] == counted[1]
    assert "items" in kinds
    assert kinds["values"].remedy == "data.placeholders=[99]"
    missing = described(path, **roles, placeholders=[99, "1900-01-01", "unknown"])
    assert "placeholders" not in {one.kind for one in missing.findings}
    assert missing.dropped == counted[0]
    assert missing.values == (1, 2, 3, 4, 5)
    assert missing.notes["rows without a date"] > 0.4 * len(table.rows)


@pytest.mark.parametrize(
    ("scale", "code", "is_one"),
    [
        ((1, 2, 3, 4, 5), -1, True),
        ((1, 5), 999, True),
        ((0, 50, 98), 99, False),
        ((-3, 3), -1, False),
    ],
)
def test_a_value_is_a_placeholder_only_apart_from_the_others(
    tmp_path: Path, scale: tuple[int, ...], code: int, is_one: bool
) -> None:
    rows = [(f"u{n % 20}", f"i{n % 37}", code if n % 8 == 0 else scale[n % len(scale)])
            for n in range(700)]  # fmt: skip
    path = Table(("user", "item", "score"), rows).write(tmp_path)
    found = described(path, user="user", item="item", value="score")
    assert ("placeholders" in {one.kind for one in found.findings}) == is_one


def test_advice_never_drops_most_rows(tmp_path: Path) -> None:
    """A column of text is no column of values, so that no row of it is dropped."""
    rows = [(f"u{n % 20}", f"i{n % 37}", "many" if n % 3 else 2) for n in range(300)]
    path = Table(("user", "item", "score"), rows).write(tmp_path)
    with pytest.raises(InputError, match="is a number in 100 of the first 300 cells alone") as one:
        opened(path, user="user", item="item", value="score")
    assert "max_unread" not in str(one.value)


@pytest.mark.usefixtures("no_drawings")
def test_what_was_read_is_shown(tmp_path: Path) -> None:
    path = Table(("who", "what", "when"), visits("person {}")).write(tmp_path)
    found = described(path, user="who", item="what", date="when")
    assert len(found.sample) == 3
    assert all(row["person"] == "pe…" and row["item"].startswith("item ") for row in found.sample)
    assert all(row["date"].startswith("2023-") for row in found.sample)
    assert "What we took as" in str(found)
    assert "person 1" not in str(found)
    release = sim.table(path, user="who", item="what", date="when", cache=str(tmp_path / "cache"))
    result = sim.audit(release, folder=tmp_path / "run", attackers=["insider"])
    assert "person = who   item = what   date = when (ISO dates)" in str(result)
    assert "pe…" in (tmp_path / "run" / "report.html").read_text("utf-8")


TITLES = ("Godfather, The (1972)", "Heat (1995)", "Paris, Texas", "Good, Bad and Ugly, The",
          "Berlin, Germany", "Doe, John", "Smith, John", "A|B test", "item 7; large")  # fmt: skip


@settings(max_examples=examples(40))
@given(st.data())
def test_ordinary_tables_are_not_refused(data: st.DataObject) -> None:
    """Events of sparse people and items, whatever else stands beside them."""
    g = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    rows = data.draw(st.sampled_from([60, 300, 1500]))
    people, items = rows // 6, rows // 4
    who = g.integers(people, size=rows)
    what = np.minimum(g.geometric(8 / items, size=rows), items)
    form = data.draw(st.sampled_from(["{}", "u{}", "{:06}", "ann{}@x.org"]))
    ids = data.draw(st.sampled_from(["{}", "i{}", "B00{}XY", "title {}", "listed"]))
    columns: dict[str, list[Any]] = {
        "user_id": [form.format(one) for one in who],
        "movie": [TITLES[k % len(TITLES)] if ids == "listed" else ids.format(k) for k in what],
    }
    roles = {"user": "user_id", "item": "movie"}
    values = {
        "rating": g.choice([0, 1, 2, 3, 4, 5], size=rows, p=[0.04, 0.06, 0.2, 0.3, 0.25, 0.15]),
        "half": g.integers(1, 11, size=rows) / 2,
        "count": g.geometric(0.4, size=rows),
        "liked": (g.random(rows) < 0.8).astype(int),
    }
    value = data.draw(st.sampled_from([None, *values]))
    if value is not None:
        columns[value], roles["value"] = [*map(str, values[value])], value
    beside = {
        "returned": lambda: (g.random(rows) < 0.03).astype(int),
        "genres": lambda: g.choice(["Action|Comedy", "Drama", "Comedy|Drama"], size=rows),
        "branch": lambda: g.choice(["north", "south"], size=rows),
        "row": lambda: np.arange(rows),
        "price": lambda: g.gamma(2, 2, size=rows).round(2),
        "note": lambda: np.full(rows, ""),
        "day": lambda: [day(n) for n in g.integers(300, size=rows)],
    }
    for name in data.draw(st.lists(st.sampled_from([*beside]), unique=True)):
        columns[name] = [*map(str, beside[name]())]
    sample = TableSample(tuple(columns), [*zip(*columns.values(), strict=True)], whole=True)
    assert header_problem(sample) is None
    assert ragged_problem(sample) is None
    assert [one.kind for one in shape_problems(sample, roles, None)] == []


@pytest.mark.parametrize("lines", [3, 20])
def test_small_tables_are_read(tmp_path: Path, lines: int) -> None:
    rows = [(n % 3, f"i{n % 2}", n % 2) for n in range(lines)]
    path = Table(("who", "what", "v"), rows).write(tmp_path)
    assert opened(path, user="who", item="what").manifest.n_records == 3


def test_dense_ratings_are_read() -> None:
    """Everybody rates everything, with a sex of people and a kind of items beside."""
    g = rng()
    rows = [(f"u{u}", f"joke {i}", str(g.integers(1, 6)), "mf"[u % 2], "ab"[i % 2])
            for u in range(40) for i in range(20)]  # fmt: skip
    sample = TableSample(("user", "joke", "stars", "sex", "kind"), rows, whole=True)
    roles = {"user": "user", "item": "joke", "value": "stars"}
    assert [*shape_problems(sample, roles, None)] == []
    assert [*shape_problems(sample, {"user": "user", "item": "joke"}, None)] == []


@pytest.mark.parametrize(
    ("cells", "are_lists"),
    [
        (["a|b", "b|c|a", "c", "b"], True),
        (["{1;2}", "{2;9;4}", "{7}"], True),
        (["3,5", "2,5", "5,2"], False),
        (["12 Main St, Rome", "3 High St, Rome", "9 Low St, Bonn"], False),
        (["10:30", "11:15"], False),
        (["101 102", "102 103 101", "103 101", "104 101", "102 104"], True),
        (["the cat", "cat the", "a cat"], False),
    ],
)
def test_lists_are_told_from_names(cells: list[str], are_lists: bool) -> None:
    assert bool(ColumnCells("", cells * 3).lists) == are_lists


def test_a_table_without_a_choice_is_told_by_its_kind(tmp_path: Path) -> None:
    for names, rows, said in (
        (("k", "t", "a", "s", "c", "n", "y"), answers(), "as in a survey"),
        (("k", "name", "content"), melted(), "as in a melted table"),
    ):
        with pytest.raises(InputError, match=said):
            opened(Table(names, rows).write(tmp_path))


@pytest.mark.parametrize("cell", ["9999-12-31", "31.12.9999", "1899-12-30", "0001-01-01"])
def test_a_date_that_stands_for_none_is_none_whatever_its_year(tmp_path: Path, cell: str) -> None:
    usual = "{0:02}.03.2024" if cell[2] == "." else "2024-03-{0:02}"
    rows = [
        (f"m{n % 9}", f"t{n % 7}", cell if n % 3 == 0 else usual.format(n % 28 + 1))
        for n in range(90)
    ]
    path = tmp_path / "seen.csv"
    path.write_text("member,title,seen\n" + "".join(f"{','.join(row)}\n" for row in rows))
    columns = {"user": "member", "item": "title", "date": "seen", "cache": tmp_path / "cache"}
    with pytest.raises(InputError, match="seen"):
        sim.table(path, **columns)
    release = sim.table(path, placeholders=[cell], repeats="cells", **columns)
    assert release.store.manifest.missing_days == 30


def test_what_never_repeats_numbers_the_rows_and_is_no_item(tmp_path: Path) -> None:
    path = tmp_path / "orders.csv"
    rows = "".join(f"{n},u{n // 4},2023-01-{n % 28 + 1:02}\n" for n in range(200))
    path.write_text("order_id,user_id,order_date\n" + rows)
    with pytest.raises(ConfigError) as caught:
        sim.table(path)
    assert "item" in str(caught.value)
    assert "item='COLUMN'" in caught.value.table[-1]


def events(path: Path, header: str, row: Any, rows: int = 900, sep: str = ",") -> Path:
    """A table whose rows are made of their number, a person, an item and a random number."""
    rng_ = np.random.default_rng(3)
    draws = zip(
        rng_.integers(0, 60, rows), rng_.integers(0, 40, rows), rng_.random(rows), strict=True
    )
    lines = [
        sep.join(map(str, row(n, int(u), int(i), float(x)))) for n, (u, i, x) in enumerate(draws)
    ]
    path.write_text("\n".join([header, *lines]) + "\n")
    return path


@pytest.mark.parametrize(
    ("header", "no", "yes"),
    [("user,item,clicked", "False", "True"), ("utente,articolo,acquistato", "no", "sì"),
     ("user,item,gekauft", "nein", "ja"), ("user,item,label", "0", "1")],
)  # fmt: skip
@pytest.mark.parametrize("named", [True, False])
def test_rows_that_say_no_in_words_are_no_events(
    tmp_path: Path, header: str, no: str, yes: str, named: bool
) -> None:
    path = events(
        tmp_path / "a.csv", header, lambda _, u, i, x: (u, f"N{i}", yes if x < 0.1 else no)
    )
    user, item, value = header.split(",")
    more = {"value": value} if named else {}
    with pytest.raises(InputError, match=value):
        sim.table(path, user=user, item=item, cache=tmp_path, **more)
    meant = {"zeros": "keep"} if no == "0" else {"shape": "rows"}
    assert sim.table(path, user=user, item=item, cache=tmp_path / "rows", **meant)


@pytest.mark.parametrize("value", ["x", "3"])
@pytest.mark.parametrize("named", [True, False])
def test_blanks_over_all_pairs_are_no_events(tmp_path: Path, value: str, named: bool) -> None:
    path = tmp_path / "a.csv"
    cells = [(u, i, value if (u * 7 + i) % 4 == 0 else "") for u in range(30) for i in range(20)]
    path.write_text("user,app,uses\n" + "".join(f"u{u},app{i},{v}\n" for u, i, v in cells))
    more = {"value": "uses"} if named and value == "3" else {}
    with pytest.raises(InputError, match="uses"):
        sim.table(path, user="user", item="app", cache=tmp_path, **more)


def test_zeros_that_come_late_are_counted_once_all_is_read(tmp_path: Path) -> None:
    path = tmp_path / "late.csv"
    rows = [(n % 500, n % 61, int(n < 11_000)) for n in range(30_000)]
    path.write_text("user,item,amount\n" + "".join(f"{u},i{i},{v}\n" for u, i, v in rows))
    columns = {"user": "user", "item": "item", "value": "amount", "repeats": "all"}
    with pytest.raises(InputError, match=r"amount is 0 in .*data\.zeros|zeros="):
        sim.table(path, cache=tmp_path, **columns)
    kept = sim.table(path, cache=tmp_path, zeros="drop", **columns)
    assert kept.store.scale.tolist() == [1.0]


def test_points_that_part_thousands_are_no_decimals(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    amount = lambda x: f"{1 + int(12 * x)}.{int(x * 997):03}" if x > 0.3 else int(x * 3000)  # noqa: E731
    events(path, "konto;kategorie;betrag", lambda _, u, i, x: (u, f"k{i}", amount(x)), sep=";")
    with pytest.raises(InputError, match="betrag"):
        sim.table(path, user="konto", item="kategorie", value="betrag", cache=tmp_path)
    weights = events(tmp_path / "b.csv", "who,what,kg", lambda _, u, i, x: (u, f"k{i}", f"{x:.3f}"))
    assert sim.table(weights, user="who", item="what", value="kg", cache=tmp_path)


def test_numbered_columns_of_measurements_are_wide(tmp_path: Path) -> None:
    path = tmp_path / "hours.csv"
    hours = ",".join(f"h{h:02}" for h in range(24))
    events(path, f"meter,date,{hours}", lambda n, u, i, x: (
        f"m{u}", f"2024-01-{n % 28 + 1:02}", *(round(x * (h + 1), 2) for h in range(24))
    ))  # fmt: skip
    with pytest.raises(InputError, match="h00"):
        sim.table(path, user="meter", item="h00", date="date", cache=tmp_path)


def test_a_date_may_name_its_zone(tmp_path: Path) -> None:
    path = events(
        tmp_path / "a.csv", "user_id,product_id,event_time",
        lambda n, u, i, _: (u, f"p{i}", f"2019-10-{n % 28 + 1:02} 10:16:{n % 60:02} UTC"),
    )  # fmt: skip
    release = sim.table(path, user="user_id", item="product_id", date="event_time", cache=tmp_path)
    assert release.store.manifest.n_days == 28


def test_a_minus_one_among_identifiers_is_found(tmp_path: Path) -> None:
    path = events(tmp_path / "a.csv", "who,what", lambda n, u, i, _: (u, -1 if n % 9 == 0 else i))
    release = sim.table(path, user="who", item="what", repeats="all", cache=tmp_path)
    assert "-1, which may stand for none" in str(release.describe())


def test_orders_are_not_taken_for_answers(tmp_path: Path) -> None:
    path = events(
        tmp_path / "a.csv", "order_id,user_id,order_number,weekday,hour",
        lambda n, u, i, _: (n, u, i % 9, n % 7, n % 11),
    )  # fmt: skip
    with pytest.raises(ConfigError) as caught:
        sim.table(path)
    assert "survey" not in str(caught.value)

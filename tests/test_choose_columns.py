"""A table whose columns are not chosen: they are listed, with a command that would fit."""

from __future__ import annotations

import io
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import sim
from sim.cli.describe import describe_command
from sim.cli.verbs import spelled_out
from sim.config.compose import composed, configured
from sim.config.schema import TableConfig
from sim.errors import ConfigError, InputError
from sim.extend.overrides import override
from sim.release.readers.date_formats import DateFormat
from sim.release.readers.peek import table_sample
from sim.release.readers.table_options import TableOptions
from sim.release.shape.column_cells import ColumnCells
from sim.release.shape.roles import likeliest_roles
from sim.release.store.store import Store
from sim.session.description import describe
from sim.session.open_release import open_release
from sim.session.reading import column_choice

pytestmark = pytest.mark.fast

ROWS = (
    'InvoiceNo;CustomerID;Stock;Invoice Date;Note\n'
    '1;17850;cup;21-07-2015;"a\nb"\n1;17850;mug;22-07-2015;\n2;9;cup;23-07-2015;c\n3;8;pot;1-8-2015;d\n'
)  # fmt: skip


def open_typed(path: Path, **keys: Any) -> Store:
    """Open a table by keys of ``data``, as the command line does."""
    typed = [override(f"data.{key}", value) for key, value in {"path": str(path), **keys}.items()]
    return open_release(configured(composed(["data=table", *typed])).data)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [";", ",", "\t", "~"])
def test_the_first_values_are_found(tmp_path: Path, encoding: str, delimiter: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(ROWS.replace(";", delimiter).encode(encoding))
    columns = table_sample(path, TableOptions()).columns
    assert {name: one.samples for name, one in columns.items()} == {
        "InvoiceNo": ("1", "2", "3"),
        "CustomerID": ("17850", "9", "8"),
        "Stock": ("cup", "mug", "pot"),
        "Invoice Date": ("21-07-2015", "22-07-2015", "23-07-2015"),
        "Note": ("a\nb", "c", "d"),
    }


def test_of_parquet_and_of_folders(tmp_path: Path) -> None:
    folder = tmp_path / "year=2015"
    folder.mkdir()
    frame = pd.DataFrame({"who": [1, 1, 2], "when": pd.to_datetime(["2015-07-21"] * 3)})
    frame.to_parquet(folder / "a.parquet", index=False)
    columns = table_sample(tmp_path, TableOptions()).columns
    assert {name: one.samples for name, one in columns.items()} == {
        "who": ("1", "2"),
        "when": ("2015-07-21 00:00:00",),
        "year": ("2015",),
    }


def test_columns_named_by_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("0,1,2015\na,b,5\na,c,5\n")
    table = configured(composed(["data=table", f"data.path={tmp_path / 'a.csv'}", "data.user=0",
                                 "data.item=[1,2015]"])).data  # fmt: skip
    assert isinstance(table, TableConfig)
    assert column_choice(table).chosen() == {"user": ("0",), "item": ("1", "2015")}
    table.cache = str(tmp_path / "cache")
    found = describe(open_release(table), table)
    assert (found.people, found.items) == (1, 2)


def test_the_error_lists_columns_and_a_command_that_opens_the_table(tmp_path: Path) -> None:
    path = tmp_path / "my visits.csv"
    path.write_text(ROWS)
    with pytest.raises(ConfigError) as error:
        open_typed(path, decimal=",")
    first, *table, command = str(error.value).split("\n")
    assert first.startswith("data.user and data.item: not given; expected columns of ")
    assert [line.split()[0] for line in table] == [
        *("InvoiceNo", "CustomerID", "Stock", "Invoice", "Note"),
    ]
    assert table[1].split()[1:] == ["17850", "9", "8"]
    words = shlex.split(command.removeprefix("to go on: "))
    assert words[:3] == ["standout", "audit", str(path)]
    assert words[3:] == [
        *(
            "data.user=CustomerID",
            "data.item=Stock",
            "data.date='Invoice Date'",
            "data.decimal=','",
            "data.multiline=true",
        ),
    ]
    columns = {"user": "CustomerID", "item": "Stock", "date": "Invoice Date"}
    release = sim.table(path, **columns, multiline=True, cache=str(tmp_path / "cache"))
    assert release.store.manifest.n_records == 3
    with pytest.raises(ConfigError, match=r"^data\.item: not given; expected columns of"):
        open_typed(path, user="CustomerID")
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match=r"cut\.parquet: is cut short, damaged or not parquet"):
        open_typed(tmp_path / "cut.parquet")


@pytest.mark.parametrize(
    ("bad", "expected"),
    [
        (["u1,,3,x"], ("data.empty=drop",)),
        (["u1,i2,5,x", "NA,i2,3,x"], ("data.empty=drop",)),
        (["u1,i2,3,"], ()),
    ],
)
def test_the_command_drops_what_the_first_rows_show(
    tmp_path: Path, bad: list[str], expected: tuple[str, ...]
) -> None:
    """The command that is suggested opens the table, with no other key than it needs."""
    path = tmp_path / "a.csv"
    rows = [f"u{n % 4},i{n % 3},{n % 5 + 1},x" for n in range(24)]
    path.write_text("\n".join(["user,item,rating,note", *rows, *bad, *rows, ""]))
    with pytest.raises(ConfigError) as error:
        open_typed(path)
    words = shlex.split(str(error.value).split("to go on: ")[1])[2:]
    assert tuple(word for word in words if word.endswith("=drop")) == expected
    describe_command([*words, f"data.cache={tmp_path / 'cache'}"])


def test_a_decimal_comma_is_named_beside_the_share_of_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for cell, comma in (("3,5", True), ("many", False)):
        path.write_text(f"user;item;rating\n1;2;4\n1;3;{cell}\n")
        with pytest.raises(InputError) as error:
            open_typed(path, user="user", item="item", value="rating", cache=str(tmp_path / "c"))
        assert "data.max_unread=0.01" in str(error.value)
        assert ("data.decimal=','" in str(error.value)) is comma


@pytest.mark.parametrize(("cells", "proposed"), [(("3,5", "4"), True), (("1,234", "7"), False)])
def test_a_decimal_comma_is_proposed_with_the_column(
    tmp_path: Path, cells: tuple[str, str], proposed: bool
) -> None:
    path = tmp_path / "a.csv"
    rows = [f"u{n % 4};i{n % 3};{cells[n % 2]}" for n in range(24)]
    path.write_text("\n".join(["user;item;rating", *rows, ""]))
    with pytest.raises(ConfigError) as error:
        open_typed(path)
    words = shlex.split(str(error.value).split("to go on: ")[1])
    assert "data.value=rating" in words
    assert ("data.decimal=','" in words) is proposed


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["userId", "movieId", "rating", "timestamp"],
         {"user": "userId", "item": "movieId", "value": "rating", "date": "timestamp"}),
        (["id", "thing"], {"user": "id", "item": "thing"}),
        (["Hour", "Year", "Month", "Day", "customer_key", "SKU"],
         {"user": "customer_key", "item": "SKU", "date": ["Year", "Month", "Day", "Hour"]}),
        (["date", "members"], {"user": "members", "item": "date"}),
        (["one"], {"user": "one", "item": "COLUMN"}),
    ],
)  # fmt: skip
def test_guesses(names: list[str], found: dict[str, object]) -> None:
    assert likeliest_roles([ColumnCells(name, ()) for name in names], {}) == found


@pytest.mark.parametrize(
    ("given", "advice"), [("error", ["data.empty=drop"]), ("keep", ["data.empty=drop_blank"])]
)
def test_a_command_that_fits_drops_rows_without_a_person(
    tmp_path: Path, given: str, advice: list[str]
) -> None:
    path = tmp_path / "a.csv"
    rows = "".join(f"ann{n % 40},bar,\n" for n in range(700))
    path.write_text(f"who,what,note\n{rows},bar,x\nbob,gym,y\n")
    with pytest.raises(ConfigError) as error:
        open_typed(path, empty=given)
    words = shlex.split(str(error.value).split("to go on: ")[1])[2:]
    assert words[1:] == ["data.user=who", "data.item=what", *advice]
    cache = f"data.cache={tmp_path / 'cache'}"
    config = configured(composed([*spelled_out("audit", words)[0], cache])).data
    assert isinstance(config, TableConfig)
    assert describe(open_release(config), config).dropped == 1
    path.write_text("who,what,note\nann,bar,\nbob,gym,x\n")
    with pytest.raises(ConfigError) as error:
        open_typed(path)
    assert "data.empty" not in str(error.value)


@pytest.mark.parametrize("name", ["rating", "amount"])
def test_a_column_that_is_mostly_empty_is_not_proposed_for_values(
    tmp_path: Path, name: str
) -> None:
    """By its name or by its content: it would change how repeats are read, and say little."""
    path = tmp_path / "a.csv"

    def said(filled: int) -> str:
        rows = [f"p{n % 9},i{n % 7},{n % 5 + 1 if n < filled else ''}" for n in range(200)]
        path.write_text("\n".join([f"person,place,{name}", *rows, ""]))
        with pytest.raises(ConfigError) as error:
            open_typed(path)
        return str(error.value)

    few = said(30)
    assert f"data.value={name}" not in few
    assert f"not proposed as data.value: {name}, which is empty in 170 of the first 200 rows" in few
    assert "(85.0%)" in few
    many = said(170)
    assert f"data.value={name}" in many
    assert "not proposed" not in many


def test_foreign_names_are_guessed_by_content(tmp_path: Path) -> None:
    """Dates that fit a format, numbers on a short scale; and it is said that this is a guess."""
    rows = [
        f"{day % 28 + 1}.11.2019;{day * 7 % 40};{day * 3 % 25};{day * day % 7 % 5 + 1}"
        for day in range(60)
    ]
    (tmp_path / "a.csv").write_text("\n".join(["Datum;Kunde;Artikel;Bewertung", *rows]))
    with pytest.raises(ConfigError) as error:
        open_typed(tmp_path / "a.csv")
    said = str(error.value)
    for each in ("user=Kunde", "item=Artikel", "value=Bewertung", "date=Datum"):
        assert f"data.{each}" in said.split("to go on: ")[1]
    assert "(data.value): it may be Bewertung, or none: then leave it out" in said


@pytest.mark.parametrize("name", ["fee", "Gebühr"])
def test_money_is_not_proposed_for_values(tmp_path: Path, name: str) -> None:
    """It looks like a rating where there are few amounts, and would change how repeats are read."""
    rows = [f"p{n % 9},i{n % 7},{n % 5}.50" for n in range(200)]
    (tmp_path / "a.csv").write_text("\n".join([f"person,place,{name}", *rows]))
    with pytest.raises(ConfigError) as error:
        open_typed(tmp_path / "a.csv")
    said = str(error.value)
    assert "which is money by its name, and on no scale" in said
    assert "data.value=" not in said


def test_a_file_alone_is_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its columns are recognised; where one is not clear, the command that is suggested has it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("who,what\n1,2\n1,3\n2,2\n")
    describe_command(["a.csv", "data.cache=cache"])
    assert "2 people" in capsys.readouterr().out
    (tmp_path / "a.csv").write_text("who,which\n1,2\n1,3\n2,2\n")
    with pytest.raises(ConfigError, match=r"standout describe a\.csv data\.user=who") as error:
        describe_command(["a.csv"])
    assert "or none" not in str(error.value)


def test_names_with_accents_are_quoted_in_the_command(tmp_path: Path) -> None:
    """For the shell and for Hydra."""
    path = tmp_path / "a.csv"
    path.write_text('Adhérent no,lieu visité,"jour, heure"\nann,zoo,2020-01-01\n', encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        open_typed(path)
    words = shlex.split(str(error.value).split("to go on: ")[1])[2:]
    config = configured(composed(spelled_out("audit", words)[0])).data
    assert isinstance(config, TableConfig)
    assert (config.user, config.item, config.date) == ("Adhérent no", "lieu visité", "jour, heure")


def test_a_column_of_few_values_is_no_identifier(tmp_path: Path) -> None:
    """Nor do a few impossible dates make a column of dates something else."""
    path = tmp_path / "loans.csv"
    rows = "".join(
        f"branch {n % 3};{n % 90};{n % 40};{31 if n % 50 == 7 else n % 28 + 1:02}.02.2025\n"
        for n in range(400)
    )
    path.write_text(f"Filiale;Leser-Nr;Signatur;R\u00fcckgabe\n{rows}", "utf-8")
    columns = table_sample(path, TableOptions()).columns
    found = likeliest_roles([*columns.values()], {})
    assert found == {"user": "Leser-Nr", "item": "Signatur", "date": "R\u00fcckgabe"}


def test_times_of_day_and_amounts_are_no_identifiers(tmp_path: Path) -> None:
    """Where the items are so few that their number does not tell them, these are not taken."""
    path = tmp_path / "scans.csv"
    rows = "".join(
        f"{n * 7 % 24}:{n * 11 % 60:02};{n % 300},50;P-{n % 90};hall {n % 5};"
        f"{n % 28 + 1:02}.02.2025\n"
        for n in range(1000)
    )
    path.write_text(f"Uhrzeit;Gezahlt;Nr;Halle;Datum\n{rows}", "utf-8")
    columns = table_sample(path, TableOptions()).columns
    found = likeliest_roles([*columns.values()], {})
    assert found == {"user": "Nr", "item": "Halle", "date": "Datum"}


@pytest.mark.parametrize("filled", ["", ";;"])
def test_a_title_above_the_header_is_told(tmp_path: Path, filled: str) -> None:
    """Its one cell is no column, nor are the empty ones with which a spreadsheet fills it up."""
    rows = "".join(f"p{n % 9};i{n % 7};{n % 5}\n" for n in range(50))
    path = tmp_path / "a.csv"
    path.write_text(f"Loans of 2023 - confidential{filled}\n\nwho;what;stars\n{rows}", "utf-8")
    with pytest.raises(InputError) as error:
        open_typed(path)
    assert str(error.value) == (
        f"{path}:1: seems to be a title, as most rows have 3 cells; delete the lines above the "
        "header, which seems to be line 3"
    )
    path.write_text(f"who;what;stars\n{rows}", "utf-8")
    with pytest.raises(ConfigError, match="to go on"):
        open_typed(path)


def test_a_wide_table_is_told(tmp_path: Path) -> None:
    """Its columns are the items, so no choice of columns fits."""
    museums = {f"museum {n}": [1, 3, None, 5] * 5 for n in range(7)}
    path = tmp_path / "survey.csv"
    pd.DataFrame({"form": range(1, 21), "born": range(1950, 1970), **museums}).to_csv(path)
    with pytest.raises(InputError) as caught:
        open_typed(path)
    said = str(caught.value)
    assert "museum 0, museum 1, museum 2 and 4 more" in said
    assert "\n" not in said
    (tmp_path / "rows.csv").write_text(ROWS)
    with pytest.raises(ConfigError) as caught:
        open_typed(tmp_path / "rows.csv")
    assert "standout audit" in caught.value.table[-1]


def test_few_cells_are_compared_with_formats_of_dates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each column until it is known to hold none; each way of writing once."""
    rows = range(1400)
    names = {"till": 3, "shelf": 4, "points": 5, "queue": 6, "pace": 7}
    table = pd.DataFrame({name: [(r * n) % 997 for r in rows] for name, n in names.items()})
    table["note"] = [f"{'seen ' * (r % 7)}at {r}, about {r / 7:.2f}" for r in rows]
    table["ends"] = [f"2015-03-{r % 28 + 1:02} {r % 24:02}:{r % 60:02}" for r in rows]
    table.to_csv(tmp_path / "a.csv", index=False)
    compared = list[str]()
    for name in ("has_shape", "seconds"):
        method = getattr(DateFormat, name)

        def counted(form: DateFormat, cell: str, method: Any = method) -> Any:
            compared.append(cell)
            return method(form, cell)

        monkeypatch.setattr(DateFormat, name, counted)
    with pytest.raises(ConfigError, match=r"data\.user"):
        open_typed(tmp_path / "a.csv")
    assert len(compared) < 50_000  # it was 7 million


def test_the_command_keeps_what_was_typed_and_foresees_cells_that_stand_for_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound and the seed; a role that is not clear is left to be named."""
    monkeypatch.chdir(tmp_path)
    rows = [f"c{n % 29},s{n % 11},{n % 27 + 1}.03.2021" for n in range(120)]
    rows[50:50] = ["unknown,s1,-", "c2,s1,-", "c3,s3,00.00.0000", "c4,s1,00.00.0000"]
    Path("a.csv").write_text("\n".join(["k,f,Kaufdatum", *rows, ""]))
    with pytest.raises(ConfigError) as error:
        spelled_out("audit", ["a.csv", "--max-risk", "0.2", "seed=3"])
    words = shlex.split(str(error.value).split("to go on: ")[1])
    none = "data.placeholders=[unknown,'-','00.00.0000']"
    assert words == [
        *("standout", "audit", "a.csv", "--max-risk", "0.2", "data.user=COLUMN"),
        *("data.item=COLUMN", "data.date=Kaufdatum", none, "seed=3"),
    ]
    given = [*words[2:5], "data.user=k", "data.item=f", *words[7:], "data.cache=cache"]
    read = configured(composed(spelled_out("audit", given)[0])).data
    found = describe(open_release(read), read)
    assert (found.rows, found.dropped, found.cells_without_date) == (124, 1, 3)


class Terminal(io.StringIO):
    """Somebody who answers."""

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_what_is_not_clear_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer settles its role; what then is clear is not asked for."""
    monkeypatch.chdir(tmp_path)
    rows = [f"p{n % 29},d{n * 7 % 23},m{n * 11 % 31},{n * n % 7 % 5 + 1}" for n in range(400)]
    Path("a.csv").write_text("\n".join(["patient,diagnosis,drug,severity", *rows, ""]))
    monkeypatch.setattr(sys, "stdin", Terminal("7\n2\n0\n"))
    monkeypatch.setattr(sys, "stderr", said := Terminal())
    assert spelled_out("describe", ["a.csv"])[0][1:] == [
        *("data=table", "data.path=a.csv", "data.user=patient", "data.item=drug"),
    ]
    assert re.findall(r"Which .*\?", said.getvalue()) == [
        *("Which column has the items?", "Which column has the values?"),
    ]
    assert "  2  drug: 31 different in 400 cells" in said.getvalue()
    monkeypatch.setattr(sys, "stdin", Terminal("\n"))
    with pytest.raises(ConfigError, match="stopped: no column was chosen"):
        spelled_out("describe", ["a.csv"])

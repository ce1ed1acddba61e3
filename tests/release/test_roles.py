"""Layouts of public data sets, made here: their columns are recognised, or it is asked which."""

from __future__ import annotations

import csv
import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.config.compose import composed, configured
from sim.config.schema import TableConfig
from sim.errors import ConfigError, InputError
from sim.extend.overrides import override
from sim.session.choose_columns import TableReading, with_columns

pytestmark = pytest.mark.fast

Draw = Callable[[int], int]
Row = Callable[[int, Draw], tuple[Any, ...]]


def day(n: int) -> dt.date:
    return dt.date(2021, 1, 1) + dt.timedelta(n)


def at(n: int) -> str:
    return (dt.datetime(2021, 1, 1) + dt.timedelta(minutes=7 * n)).isoformat(sep=" ")


CLEAR: dict[str, tuple[str, Row, dict[str, Any]]] = {
    "events of an app": (
        "user.id,user.country,item_id,at",
        lambda n, of: (c := of(60), ["DE", "FR", "US"][c % 3], f"song {of(90)}", at(n)),
        {"user": "user.id", "item": "item_id", "date": "at"},
    ),
    "check-ins": (
        "user,checkin_time,latitude,longitude,location_id",
        lambda n, of: (of(60), f"{day(of(300))}T0{of(9)}:{of(50) + 10}:00Z", 48 + of(999) / 1000,
                       11 + of(999) / 1000, of(90)),
        {"user": "user", "item": "location_id", "date": "checkin_time"},
    ),
    "plays": (
        "user-mboxsha1,musicbrainz-artist-id,artist-name,plays",
        lambda n, of: (f"{n // 20:x}f", f"m{n % 20 * 7}", f"artist {n % 20 * 7}", of(900) + 1),
        {"user": "user-mboxsha1", "item": "musicbrainz-artist-id", "value": "plays"},
    ),
    "listening history": (
        "ts,username,ms_played,conn_country,track_name,artist_name,track_uri",
        lambda n, of: (f"{day(of(300))}T0{of(9)}:{of(50) + 10}:00Z", f"u{(c := of(60))}",
                       of(300_000), ["DE", "FR"][c % 2], f"song {(k := of(120))}",
                       f"artist {k // 4}", f"track:{k:05}"),
        {"user": "username", "item": "track_name", "date": "ts"},
    ),
    "web shop events": (
        "timestamp,visitorid,event,itemid,transactionid",
        lambda n, of: (1433221332117 + 977 * n, of(80), ["view", "view", "addtocart"][of(3)],
                       of(150), "" if of(9) else n),
        {"user": "visitorid", "item": "itemid", "date": "timestamp"},
    ),
    "invoices": (
        "InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country",
        lambda n, of: (536365 + n // 4, f"8{(k := of(70)):03}A", f"LAMP {k}", of(12) + 1,
                       day(of(300)), of(900) / 100, (c := of(50)) + 12000, "UK" if c % 3 else "FR"),
        {"user": "CustomerID", "item": "StockCode", "date": "InvoiceDate"},
    ),
    "groceries": (
        "Member_number,Date,itemDescription",
        lambda n, of: (1000 + of(60), f"{of(13) + 15}-07-2015", f"item {of(40)}"),
        {"user": "Member_number", "item": "itemDescription", "date": "Date"},
    ),
    "ratings": (
        "userId,movieId,rating,timestamp",
        lambda n, of: (n // 20, of(90), (of(10) + 1) / 2, 1112486027 + 9973 * n),
        {"user": "userId", "item": "movieId", "value": "rating", "date": "timestamp"},
    ),
    "app logs": (
        "device_id,app_package,opened_at",
        lambda n, of: (f"{of(40):x}aa", f"com.app{of(60)}", at(n)),
        {"user": "device_id", "item": "app_package", "date": "opened_at"},
    ),
    "edits": (
        "rev_id,user,page_title,timestamp",
        lambda n, of: (n + 77, f"Editor{of(50)}", f"Page {of(80)}", f"{day(n % 90)}T10:00:00Z"),
        {"user": "user", "item": "page_title", "date": "timestamp"},
    ),
    "reviews": (
        "review_id,user_id,business_id,stars,date,text",
        lambda n, of: (f"r{n}", f"u{of(50)}", f"b{of(70)}", of(5) + 1, day(of(400)), f"nice {n}"),
        {"user": "user_id", "item": "business_id", "value": "stars", "date": "date"},
    ),
    "pharmacy": (
        "patient_id;dispensed;drug;drug_class;pharmacy_branch",
        lambda n, of: (of(60), day(of(200)), f"drug {(k := of(45))}", f"class {k % 6}", of(4)),
        {"user": "patient_id", "item": "drug", "date": "dispensed"},
    ),
    "stars of repositories": (
        "login,repo,starred_at",
        lambda n, of: (f"dev{of(60)}", f"org/r{of(60)}", f"{day(of(99))}T12:00:00Z"),
        {"user": "login", "item": "repo", "date": "starred_at"},
    ),
    "transactions": (
        "account_id,date,merchant,amount,balance",
        lambda n, of: (of(50), day(of(200)), f"shop {of(60)}", of(9000) / 100, -of(999) / 7),
        {"user": "account_id", "item": "merchant", "date": "date"},
    ),
}  # fmt: skip


ASKED: dict[str, tuple[str, Row, set[str]]] = {
    "check-ins with times of another form": (
        "userId,venueId,utcTimestamp",
        lambda n, of: (of(60), f"v{of(90)}", f"Tue Apr {of(20) + 10} 18:00:09 +0000 2012"),
        {"date"},
    ),
    "product reviews": (
        "overall,reviewTime,reviewerID,asin,unixReviewTime",
        lambda n, of: (of(5) + 1, f"{day(k := of(400)):%Y-%m-%d}", f"A{of(60)}", f"B0{of(80)}",
                       1400000000 + 86400 * k),
        {"value", "date"},
    ),
    "loans": (
        "patron_id,title,checkout_date,due_date",
        lambda n, of: (of(60), f"book {of(80)}", day(k := of(300)), day(k + 28)),
        {"date"},
    ),
    "calls": (
        "caller,callee,started,seconds",
        lambda n, of: (f"+49{of(50)}", f"+49{of(50)}", at(n), of(500)),
        {"user", "item"},
    ),
    "smart cards": (
        "card_no,station_in,station_out,entry_time",
        lambda n, of: (of(60), f"s{of(40)}", f"s{of(41)}", at(n)),
        {"item"},
    ),
    "admissions": (
        "subject_id,hadm_id,icd9_code",
        lambda n, of: ((k := of(60)), 100 + k * 3 + of(3), f"{of(80)}.1"),
        {"user", "item"},
    ),
    "catalogue": (
        "title,author,year,bought",
        lambda n, of: (f"t{of(90)}", f"writer {of(50)}", 1950 + of(60), day(of(300))),
        {"user"},
    ),
    "diagnoses and drugs": (
        "patient,diagnosis,drug,day",
        lambda n, of: (of(60), f"D{of(40)}", f"drug {of(50)}", day(of(300))),
        {"item"},
    ),
    "bicycles": (
        "ride_id,started_at,start_station_name,member_casual",
        lambda n, of: (f"r{n}", at(n), f"st {of(50)}", ["member", "casual"][of(2)]),
        {"user"},
    ),
    "visits in rows": (
        "visit_id,patient,variable,diag",
        lambda n, of: (n // 3, n // 12, f"diag{of(9) + 1}", f"D{of(60)}"),
        {"item"},
    ),
    "courses": (
        "student_id,course,grade",
        lambda n, of: (n // 12, f"c{n % 12 * 5}", of(5) + 1),
        {"value"},
    ),
}  # fmt: skip


def table(path: Path, header: str, row: Row) -> TableConfig:
    rng = np.random.default_rng(7)
    delimiter = ";" if ";" in header else ","
    rows = [row(n, lambda most: int(rng.integers(most))) for n in range(1200)]
    with path.open("w", newline="", encoding="utf-8") as file:
        file.write(header + "\n")
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)
    config = configured(composed(["data=table", override("data.path", str(path))])).data
    assert isinstance(config, TableConfig)
    return config


@pytest.mark.parametrize("name", CLEAR)
def test_clear_columns_are_recognised(name: str, tmp_path: Path) -> None:
    header, row, expected = CLEAR[name]
    config = table(tmp_path / "a.csv", header, row)
    reading = TableReading.of(config)
    assert (reading.roles.columns, reading.roles.unclear) == (expected, {})
    found = with_columns(config)
    roles = {role: getattr(found, role) for role in ("user", "item", "value", "date")}
    assert {role: column for role, column in roles.items() if column is not None} == expected


@pytest.mark.parametrize("name", ASKED)
def test_of_other_columns_it_is_asked_which(name: str, tmp_path: Path) -> None:
    header, row, unclear = ASKED[name]
    config = table(tmp_path / "a.csv", header, row)
    assert {*TableReading.of(config).roles.unclear} == unclear
    with pytest.raises(ConfigError, match="not clear which column has"):
        with_columns(config)


def test_events_of_orders_are_refused(tmp_path: Path) -> None:
    config = table(tmp_path / "a.csv", "order_id,product_id,add_to_cart_order",
                   lambda n, of: (n // 8, of(90), n % 8 + 1))  # fmt: skip
    with pytest.raises(InputError, match="order_id is named for orders, not for people"):
        with_columns(config)

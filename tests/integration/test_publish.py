"""``standout publish``: the release that was attacked, as a table, and nothing of whose it is."""

from __future__ import annotations

import shlex
import stat
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from sim.config.compose import composed, configured
from sim.release.store.export import same_release
from sim.session.open_release import open_release
from sim.session.publish import new_names, publish

pytestmark = pytest.mark.usefixtures("no_drawings")

DATA = ("data=synthetic", "data.preset=tiny", "data.cache=cache")
CUT = ("defence=[drop_items,cut_pseudonyms]", "defence.cut_pseudonyms.window=1000d",
       "defence.drop_items.min_support=90")  # fmt: skip


def test_what_is_published_is_attacked_as_it_is(standout: Any, place: Path) -> None:
    """Published, and brought again with its linkage table, it is attacked with the same result."""
    done = standout("publish", *DATA, *CUT, "out=r.parquet", "linkage=l.csv", "identifiers=kept")
    assert done.code == 0, done.err
    *_, alone, last = done.out.splitlines()
    itself = shlex.split(alone.removeprefix("To audit the file by itself: "))
    assert itself[:3] == ["standout", "experiment=audit", "data=table"]
    read = open_release(configured(composed([*itself[2:], "data.cache=cache"])).data).manifest
    assert (read.n_records, read.n_cells) == (
        pd.read_parquet(place / "r.parquet")["user"].nunique(),
        len(pd.read_parquet(place / "r.parquet")),
    )
    assert last.startswith("To audit it: standout experiment=audit data=synthetic data.preset=tiny")
    assert "'defence=[drop_items,cut_pseudonyms]' defence.cut_pseudonyms.window=1000d" in last
    assert stat.S_IMODE((place / "l.csv").stat().st_mode) == 0o600
    link = pd.read_csv(place / "l.csv")
    released = pd.read_parquet(place / "r.parquet")
    assert set(link["record"]) == set(released["user"])
    assert link["record"].is_unique
    assert link["person"].is_monotonic_increasing
    few = ("targets=5", "bayes_targets=0", "cluster=inline", "grid.aux=[2/2]")
    run = standout(*DATA, *CUT, *few, "hydra.run.dir=ours")
    assert run.code == 0, run.err
    external = ("defence=[external]", "defence.external.path=r.parquet",
                "defence.external.truth=l.csv")  # fmt: skip
    run = standout(*DATA, *external, *few, "hydra.run.dir=theirs")
    assert run.code == 0, run.err
    ours, theirs = (pd.read_parquet(place / f / "decisions.parquet") for f in ("ours", "theirs"))
    pd.testing.assert_frame_equal(ours, theirs)


def test_counts_of_people_are_written_in_place_of_records(standout: Any, place: Path) -> None:
    done = standout("publish", *DATA, "counts=none", "out=counts.csv")
    assert done.code == 0, done.err
    assert "No record is in it." in done.out
    counts = pd.read_csv(place / "counts.csv")
    assert counts.columns.tolist() == ["item", "people"]
    assert (counts["people"] >= 10).all()
    assert not (counts["people"] % 5).any()
    for more, said in (
        (("counts=year",), "counts: 'year': expected one of month, week, day, none"),
        (("counts=month", "linkage=l.csv"), "counts: has no records"),
        (("counts=month", "defence=[drop_time]"), "leave defence out"),
        (("counts=month", "out=counts.csv"), "is there already"),
    ):
        wrong = standout("publish", *DATA, "out=a.csv", *more)
        assert wrong.code == 2
        assert said in wrong.err


def test_new_identifiers_are_the_same_again_and_tell_nothing(standout: Any, place: Path) -> None:
    for name, more in (("a", ()), ("b", ()), ("c", ("seed=2",)), ("d", ("identifiers=kept",))):
        done = standout("publish", *DATA, f"out={name}.csv", f"linkage=l{name}.csv", *more)
        assert done.code == 0, done.err
    a, c, d = (pd.read_csv(place / f"{name}.csv") for name in "acd")
    assert (place / "a.csv").read_bytes() == (place / "b.csv").read_bytes()
    assert not a["user"].equals(c["user"])
    assert a["user"].is_monotonic_increasing
    link = pd.read_csv(place / "la.csv").set_index("record")["person"]
    assert link.sort_index().corr(pd.Series(link.sort_index().index, link.sort_index().index)) < 0.2
    a["user"] = a["user"].map(link)
    columns = list(a.columns)
    one, other = (t.sort_values(columns).reset_index(drop=True) for t in (a, d))
    pd.testing.assert_frame_equal(one, other)


def test_without_a_defence_it_is_said_what_reading_left_out(standout: Any, place: Path) -> None:
    """Every third row is a repetition with a time of day; the last line audits what was written."""
    visits = pd.DataFrame(
        {
            "who": [n % 12 for n in range(90)],
            "what": [f"i{n % 5}" for n in range(90)],
            "stars": [n % 4 + 1 for n in range(90)],
            "when": pd.date_range("2020-01-01 10:00", periods=90, freq="1h"),
            "city": "x",
        }
    )
    visits.to_csv(place / "visits.csv", index=False)
    columns = ("data.user=who", "data.item=what", "data.value=stars", "data.date=when")
    data = ("data=table", "data.path=visits.csv", *columns, "data.cache=cache", "seed=3")
    done = standout("publish", *data, "out=my file.csv")
    assert done.code == 0, done.err
    last = done.out.splitlines()[-1]
    audit = shlex.split(last.removeprefix("To audit it: "))
    assert audit[:3] == ["standout", "experiment=audit", "data=table"]
    assert f"data.path='{place / 'my file.csv'}'" in audit
    assert "seed=3" in audit
    assert not any("visits.csv" in word for word in audit)
    read = [word for word in audit[2:] if word.startswith("data")]
    original, written = (open_release(configured(composed(one)).data) for one in (data, read))
    assert same_release(
        original, new_names(configured(composed(data)), original, original), written
    )
    assert written.manifest.repeats == original.manifest.repeats
    found = {
        one.kind: one
        for one in publish(configured(composed(data)), original, place / "again.csv").findings
    }
    assert list(found) == [
        *("nothing_changed", "columns_unread", "rows_replaced", "times_cut", "publication_written"),
    ]
    assert (found["rows_replaced"].numbers["count"], found["rows_replaced"].denominator) == (30, 90)
    assert found["times_cut"].numbers["count"] == 86
    assert found["publication_written"].numbers["count"] == 60


def test_what_a_defence_left_is_found(place: Path) -> None:
    config = configured(composed([*DATA, *CUT]))
    done = publish(config, open_release(config.data), place / "r.csv", place / "l.csv")
    assert [one.kind for one in done.findings] == [
        *("defence_applied", "defence_applied", "defence_left", "defence_left"),
        *("publication_written", "linkage_written", "file_alone"),
    ]
    last = done.findings[3].numbers
    assert (last["people"], last["people_before"]) == (600, 600)
    assert isinstance(last["records"], int)
    assert last["records"] > 600
    assert done.findings[4].numbers["records"] == last["records"]


@pytest.mark.parametrize(
    "more",
    [
        (),
        ("data.item=what", "data.repeats=latest"),
        ("data.item=what", "data.date=when"),
        ("data.item=what", "data.date=when", "data.time_bin=hour"),
        ("data.item=what", "data.date=when", "data.time_bin=week", "data.repeats=first"),
        ("data.item=what", "data.value=stars", "data.repeats=sum"),
        ("data.item=[what,stars]", "data.value_bins=none", "data.empty=keep"),
    ],
)
def test_the_advised_audit_reads_the_written_cells(
    standout: Any, place: Path, more: tuple[str, ...]
) -> None:
    visits = pd.DataFrame(
        {
            "who": [n % 12 for n in range(90)],
            "what": [
                "NA" if n % 5 == 4 and "data.empty=keep" in more else n % 5 for n in range(90)
            ],
            "stars": [n % 4 + 1 for n in range(90)],
            "when": pd.date_range("2020-01-01 10:00", periods=90, freq="1h"),
        }
    )
    visits.to_csv(place / "visits.csv", index=False)
    item = () if more else ("data.item=what",)
    data = ("data=table", "data.path=visits.csv", "data.user=who", *item, *more, "data.cache=c")
    done = standout("publish", *data, "out=r.csv")
    assert done.code == 0, done.err
    words = shlex.split(done.out.splitlines()[-1])
    read = [word for word in words if word.startswith("data")]
    original, written = (open_release(configured(composed(one)).data) for one in (data, read))
    assert same_release(
        original, new_names(configured(composed(data)), original, original), written
    )
    assert written.manifest.has_values == original.manifest.has_values
    assert written.manifest.has_days == original.manifest.has_days
    assert written.manifest.time_bin == original.manifest.time_bin


def test_identifiers_that_are_kept_are_looked_at(place: Path) -> None:
    rows = [f"p{n}@example.org,item {n % 3}" for n in range(40)]
    (place / "mail.csv").write_text("\n".join(["who,what", *rows]))
    data = ("data=table", "data.path=mail.csv", "data.user=who", "data.item=what", "data.cache=c")
    config = configured(composed(data))
    for identifiers in ("kept", "new"):
        out = place / f"{identifiers}.csv"
        found = publish(config, open_release(config.data), out, None, identifiers).findings
        named = [one.numbers["count"] for one in found if one.kind == "people_named"]
        assert named == [40] * (identifiers == "kept")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "publish: expected data, defences and a file: standout publish data="),
        (DATA, "out: not given; expected standout publish"),
        ((*DATA, "out=r.xlsx"), "r.xlsx: expected a name that ends in .csv or .parquet"),
        ((*DATA, "out=there.csv"), "there.csv: is there already; choose another name"),
        ((*DATA, "out=r.csv", "linkage=r.csv"), "r.csv: is also out; choose another file"),
        ((*DATA, "out=r.csv", "identifiers=old"), "identifiers: 'old': expected one of new, kept"),
        (
            (*DATA, "out=r.csv", "targets=3"),
            "publish: targets=3: not a key of data or defence; leave it out; ",
        ),
        ((*DATA, "out=no/r.csv"), "no: no such folder; make it first"),
        (
            (*DATA, "out=r.csv", "defence=[external]", "defence.external.path=there.csv"),
            "defence=[external]: another tool has published it already; leave external out",
        ),
    ],
)
def test_what_cannot_be_published(
    standout: Any, place: Path, arguments: tuple[str, ...], message: str
) -> None:
    (place / "there.csv").write_text("kept\n")
    done = standout("publish", *arguments)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1
    assert (place / "there.csv").read_text() == "kept\n"
    assert not (place / "r.csv").exists()

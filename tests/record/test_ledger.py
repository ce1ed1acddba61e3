"""The ledger survives what a crash does to its end, and refuses to be another run's."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples

from sim.errors import ResumeError
from sim.record.ledger import NAME, Ledger, alone_in

pytestmark = pytest.mark.fast

HEADER = {"seed": 1, "asked": {"grid": {"aux": ["2/2"]}, "name": "study"}, "code": "abc"}
ENTRIES = [{"rows": 5, "decisions": "aa"}, {"rows": 6, "decisions": "bb"}, {"rows": 7}]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / NAME


def written(path: Path) -> bytes:
    with Ledger(path, HEADER) as ledger:
        for batch, entry in enumerate(ENTRIES):
            ledger.add(batch, entry)
    return path.read_bytes()


def test_what_is_added_is_there_again(path: Path) -> None:
    whole = written(path)
    with Ledger(path, HEADER) as ledger:
        assert ledger.done == dict(enumerate(ENTRIES))
        assert not ledger.finished
        ledger.finish({"batches": 3})
        assert ledger.finished
    with Ledger(path, HEADER) as ledger:
        assert ledger.finished
    assert path.read_bytes().startswith(whole)
    assert [json.loads(line) for line in path.read_bytes().splitlines()] == [
        {"header": HEADER},
        *({"batch": b, **e} for b, e in enumerate(ENTRIES)),
        {"finished": {"batches": 3}},
    ]


def test_a_line_is_on_the_disk_before_add_returns(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    synced: list[bytes] = []
    monkeypatch.setattr(os, "fsync", lambda file: synced.append(path.read_bytes()))
    written(path)
    assert synced == [
        b"".join(path.read_bytes().splitlines(keepends=True)[:n]) for n in (1, 2, 3, 4)
    ]


@settings(max_examples=examples(50))
@given(data=st.data())
def test_torn_anywhere_it_keeps_the_lines_before(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Cut after any byte: whole lines count, the torn one is gone, and the rest is done again."""
    path = tmp_path_factory.mktemp("torn") / NAME
    whole = written(path)
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:cut])
    lines = whole[:cut].count(b"\n")
    with Ledger(path, HEADER) as ledger:
        assert ledger.done == dict(enumerate(ENTRIES[: max(lines - 1, 0)]))
        for batch in range(max(lines - 1, 0), len(ENTRIES)):
            ledger.add(batch, ENTRIES[batch])
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "garbage",
    [
        b"\0" * 40,
        b"\0" * 40 + b"\n",
        b'{"batch": 2, "rows": 7',
        b'{"batch": 2, "rows": 7}',
        b"not json\n",
        b"5\n",
        b"[]\n",
        b"{}\n",
        b"\n",
        b"\xff\xfe\n",
    ],
)
def test_garbage_ends_what_counts(path: Path, garbage: bytes) -> None:
    lines = written(path).splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + garbage + lines[3])
    with Ledger(path, HEADER) as ledger:
        assert ledger.done == dict(enumerate(ENTRIES[:2]))
        ledger.add(2, ENTRIES[2])
    assert path.read_bytes() == b"".join(lines)


@pytest.mark.parametrize(
    "content", [b"\n", b"PAR1\nPAR1", b'{"batch": 0}\n', b"5\n", b'{"rows": 1}\n{"header": {}}\n']
)
def test_a_file_that_is_no_ledger_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(ResumeError, match=r"ledger\.jsonl:1: not the first line of a ledger"):
        Ledger(path, HEADER)
    assert path.read_bytes() == content


def changed(**more: Any) -> dict[str, Any]:
    return {**HEADER, **more}


@pytest.mark.parametrize(
    ("header", "named"),
    [
        (changed(seed=2), "seed was 1 and is 2"),
        (changed(code="abd"), "code was 'abc' and is 'abd'"),
        (
            changed(asked={"grid": {"aux": ["6/8"]}, "name": "study"}),
            "grid.aux was ['2/2'] and is ['6/8']",
        ),
        (changed(asked={"grid": {"aux": ["2/2"]}}), "name was 'study' and is no more"),
        (changed(more=True), "more is new since this run, and is True"),
    ],
)
def test_another_run_is_refused_and_named(path: Path, header: dict[str, Any], named: str) -> None:
    whole = written(path)
    with pytest.raises(ResumeError) as caught:
        Ledger(path, header)
    assert str(caught.value).startswith(f"{path}: cannot be resumed: {named}; ")
    assert path.read_bytes() == whole
    with Ledger(path, HEADER) as ledger:
        assert len(ledger.done) == len(ENTRIES)


def test_what_changed_in_a_long_list_is_named(path: Path) -> None:
    many = [f"key_{n}={n}" for n in range(6)]
    with Ledger(path, changed(overrides=many)) as ledger:
        ledger.add(0, {})
    with pytest.raises(
        ResumeError, match="had 'key_2=2', which is left out now, and has 'x=1' now; "
    ):
        Ledger(path, changed(overrides=["x=1", *many[3:], *many[:2]]))
    with pytest.raises(ResumeError, match="overrides had 'key_5=5', which is left out now; "):
        Ledger(path, changed(overrides=many[:5]))
    with pytest.raises(ResumeError, match=r"overrides was \['key_0=0', .* and is \['key_5=5', "):
        Ledger(path, changed(overrides=many[::-1]))


def test_a_run_that_computed_nothing_may_begin_anew_as_another(path: Path) -> None:
    """As after a first command that was wrong; not where a part of it has a ledger."""
    Ledger(path, HEADER).__exit__()
    part = path.parent / "part" / path.name
    part.parent.mkdir()
    part.touch()
    with pytest.raises(ResumeError, match="seed was 1 and is 2"):
        Ledger(path, changed(seed=2))
    part.unlink()
    with Ledger(path, changed(seed=2)) as ledger:
        ledger.add(0, {})
    with pytest.raises(ResumeError, match="seed was 2 and is 1"):
        Ledger(path, HEADER)
    assert path.read_bytes().count(b"header") == 1


def test_another_run_is_told_that_this_one_is_complete(path: Path) -> None:
    written(path)
    with Ledger(path, HEADER) as ledger:
        ledger.finish({})
    with pytest.raises(ResumeError, match=r"; the run is complete$"):
        Ledger(path, changed(seed=2))


def test_order_and_spelling_of_the_header_do_not_matter(path: Path) -> None:
    written(path)
    header = dict(reversed(HEADER.items())) | {
        "asked": {"name": "study", "grid": {"aux": ("2/2",)}}
    }
    with Ledger(path, header) as ledger:
        assert len(ledger.done) == len(ENTRIES)


def test_one_process_at_a_time(path: Path) -> None:
    """A second one is refused while the first is at work, and let in when it has died."""
    first = (
        "import time; from pathlib import Path; from sim.record.ledger import Ledger, alone_in;"
        f"path = Path({str(path)!r}); at_work = alone_in(path.parent); at_work.__enter__();"
        f"Ledger(path, {HEADER!r}).add(0, {ENTRIES[0]!r});"
        "print('open', flush=True); time.sleep(600)"
    )
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", first], stdout=subprocess.PIPE, cwd=root, text=True
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "open\n"
            refused = pytest.raises(ResumeError, match="another process is at work in this folder")
            with refused, alone_in(path.parent):
                pass
        finally:
            process.kill()
    with Ledger(path, HEADER) as ledger:
        assert ledger.done == {0: ENTRIES[0]}

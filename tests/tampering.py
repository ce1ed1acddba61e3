"""Changes to the files of a run folder, each of which somebody could make: by hand, or by accident.

A change is a name and a function that makes it in a copy of the folder. All are drawn from a seed.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from sim.record.digests import FILES, digests_of

Change = tuple[str, Callable[[Path], None]]

DEEP: Any = "x"
for _ in range(60):
    DEEP = [DEEP]
ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 2**64, 1e308, float("nan"), "", "x", "../x", "/etc/passwd", "\ud800"),
    *("a\x1b[31mb\u202e", "x" * 5000, [], {}, [None], {"a": 1}, [["a"]], DEEP),
)
"""Values of every type."""

Trail = tuple[str | int, ...]


def trails(tree: Any, at: Trail = ()) -> Iterator[Trail]:
    """Every key of a tree of JSON, the first two places of its lists."""
    inner: list[tuple[str | int, Any]] = []
    if isinstance(tree, dict):
        inner = list(tree.items())
    elif isinstance(tree, list):
        inner = list(enumerate(tree[:2]))
    for key, value in inner:
        yield (*at, key)
        yield from trails(value, (*at, key))


def with_value(tree: Any, trail: Trail, value: Any) -> Any:
    """The tree with another value at a place."""
    changed = json.loads(json.dumps(tree))
    holder = changed
    for key in trail[:-1]:
        holder = holder[key]
    holder[trail[-1]] = value
    return changed


def without(tree: Any, trail: Trail) -> Any:
    """The tree without a key."""
    changed = json.loads(json.dumps(tree))
    holder = changed
    for key in trail[:-1]:
        holder = holder[key]
    del holder[trail[-1]]
    return changed


def of_json(tree: Any) -> Iterator[tuple[str, str]]:
    """Every change of one key, in words, and the text of the file."""
    for trail in trails(tree):
        where = ".".join(map(str, trail))
        yield f"{where} deleted", json.dumps(without(tree, trail))
        for value in ODD:
            yield f"{where}={value!r:.30}", json.dumps(with_value(tree, trail, value))
    for value in ODD:
        yield f"all={value!r:.30}", json.dumps(value)


def of_record(folder: Path) -> Iterator[Change]:
    """Every change of one key of ``run.json``."""
    tree = json.loads((folder / "run.json").read_text())
    for words, text in of_json(tree):
        yield f"run.json {words}", written("run.json", text.encode())
    yield "run.json with a mark", written("run.json", b"\xef\xbb\xbf" + json.dumps(tree).encode())


def of_json_file(folder: Path, name: str) -> Iterator[Change]:
    """Every change of one key of any file of JSON."""
    for words, text in of_json(json.loads((folder / name).read_text())):
        yield f"{name} {words}", written(name, text.encode())


def of_ledger(folder: Path) -> Iterator[Change]:
    """Every change of a line of the ledger: gone, twice, torn, and each of its keys."""
    lines = (folder / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    for number, line in enumerate(lines):
        before, after = lines[:number], lines[number + 1 :]
        pieces = {
            "gone": b"",
            "twice": line * 2,
            "torn": line[: len(line) // 2],
            "torn, with an end": line[: len(line) // 2] + b"\n",
            "empty": b"\n",
            "bytes": b"\xff\x00\n",
        }
        for words, text in of_json(json.loads(line)):
            pieces[words] = text.encode() + b"\n"
        for words, piece in pieces.items():
            content = b"".join([*before, piece, *after])
            yield f"ledger.jsonl:{number + 1} {words}", written("ledger.jsonl", content)
    yield "ledger.jsonl in reverse", written("ledger.jsonl", b"".join(reversed(lines)))


def of_file(name: str) -> Iterator[Change]:
    """Whatever may become of any file."""

    def cut(folder: Path) -> None:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: len(content) // 2])

    def flipped(folder: Path) -> None:
        content = bytearray((folder / name).read_bytes())
        content[len(content) // 2] ^= 1
        (folder / name).write_bytes(content)

    def a_folder(folder: Path) -> None:
        (folder / name).unlink()
        (folder / name).mkdir()

    def a_link(folder: Path) -> None:
        (folder / name).unlink()
        (folder / name).symlink_to("/dev/zero")

    yield f"{name} gone", lambda folder: (folder / name).unlink()
    yield f"{name} empty", written(name, b"")
    yield f"{name} binary", written(name, bytes(range(256)) * 9)
    yield f"{name} in another format", written(name, b"[[[[{}]]]]\n")
    yield f"{name} cut", cut
    yield f"{name} with a bit flipped", flipped
    yield f"{name} a folder", a_folder
    yield f"{name} a link", a_link


def of_table(name: str, table: pa.Table) -> Iterator[Change]:
    """Every change of a column: gone, of another type, of nothing, endless, nested; and of rows."""
    tables = {
        "without rows": table.slice(0, 0),
        "twice": pa.concat_tables([table, table]),
        "without columns": table.select([]),
    }
    for place, column in enumerate(table.column_names):
        n = len(table)
        others = {
            "text": pa.array(["x"] * n),
            "null": pa.nulls(n),
            "nan": pa.array([float("nan")] * n),
            "endless": pa.array([1e308] * n),
            "huge": pa.array([2**63 - 1] * n),
            "negative": pa.array([-7] * n),
            "nested": pa.array([[["x"]]] * n, pa.list_(pa.list_(pa.string()))),
            "bytes": pa.array([b"\xff"] * n),
        }
        tables[f"{column} gone"] = table.remove_column(place)
        tables |= {
            f"{column} {what}": table.set_column(place, column, values)
            for what, values in others.items()
        }

    def made(changed: pa.Table) -> Callable[[Path], None]:
        return lambda folder: pq.write_table(changed, folder / name)

    for words, changed in tables.items():
        yield f"{name} {words}", made(changed)


def written(name: str, content: bytes) -> Callable[[Path], None]:
    """A change that writes a file."""

    def write(folder: Path) -> None:
        (folder / name).write_bytes(content)

    return write


def forged(folder: Path) -> None:
    """Replace the digests in the ledgers, the innermost first, as somebody could who wants to."""
    for ledger in sorted(folder.rglob("ledger.jsonl"), key=lambda path: -len(path.parts)):
        lines = ledger.read_text().splitlines()
        last = json.loads(lines[-1])
        if "finished" in last:
            last["finished"][FILES] = digests_of(ledger.parent)
            ledger.write_text("\n".join([*lines[:-1], json.dumps(last)]) + "\n")


def copies(folder: Path, place: Path, changes: list[Change], forge: bool = False) -> Iterator[str]:
    """Make each change in a copy of the folder, and yield it in words."""
    for words, change in changes:
        shutil.rmtree(place / "copy", ignore_errors=True)
        shutil.copytree(folder, place / "copy")
        try:
            change(place / "copy")
        except UnicodeEncodeError:
            continue
        if forge:
            forged(place / "copy")
        yield words


def some(changes: Iterator[Change], n: int, seed: int) -> list[Change]:
    """Some of the changes, the same for a seed."""
    every = list(changes)
    return every if len(every) <= n else random.Random(seed).sample(every, n)

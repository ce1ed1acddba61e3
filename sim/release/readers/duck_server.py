"""Runs DuckDB in processes of their own, each of which reads one text: a crash ends it alone.

Started as a script with a socket as its standard input; it imports nothing of the project, and
forks for each request once DuckDB is loaded.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
from typing import Any

import duckdb
import pyarrow as pa

_CONFIG: dict[str, Any] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "memory_limit": "1GB",
    "threads": 1,  # none but this one, until it has forked
}

_MOST_BYTES = 4 << 30
"""What a process may take in all."""

_MOST_REFUSED = 1_000_000
_NO_CELL = "\x01\x02\x03"  # what is written for null: nothing, so that no cell becomes null


def serve(line: socket.socket) -> None:
    """Fork for each request, which comes with a pipe to read from and one to write to."""
    base = duckdb.connect(config=_CONFIG)  # whose making takes longer than reading a small text
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        request, pipes, _, _ = socket.recv_fds(line, 1 << 16, 2)
        if not request:
            return
        if os.fork() == 0:
            try:
                line.close()
                _answer(base, json.loads(request), *pipes)
            finally:
                os._exit(0)
        for pipe in pipes:
            os.close(pipe)
        line.send(b".")


def _answer(base: duckdb.DuckDBPyConnection, asked: dict[str, Any], source: int, sink: int) -> None:
    """Write the rows as an Arrow stream; after it what was refused, or the error, as json."""
    os.dup2(source, 0)
    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_BYTES, _MOST_BYTES))
    columns = [(f"c{place}", pa.string()) for place in asked["columns"]]
    columns += [("lines", pa.int64())] if asked["multiline"] else []
    columns += [("problem", pa.int32())] if asked["pointers"] else []
    with os.fdopen(sink, "wb") as out:
        end: dict[str, Any] = {"refused": []}
        with pa.ipc.new_stream(out, pa.schema(columns)) as stream:
            try:
                _confine(base)
                rows = base.sql(_query(asked, [name for name, _ in columns]))
                for batch in rows.to_arrow_reader(asked["batch_rows"]):
                    stream.write_batch(batch)
                end["refused"] = _refused(base)
            except (duckdb.Error, pa.ArrowException, MemoryError) as error:
                end["error"] = f"{type(error).__name__}: {error}".partition("\n")[0]
        out.write(json.dumps(end).encode())


def _confine(base: duckdb.DuckDBPyConnection) -> None:
    """Let a database read its standard input, and nothing else."""
    base.execute("set temp_directory = ''")
    base.execute("set allowed_paths = ['/dev/stdin']")
    base.execute("set enable_external_access = false")
    base.execute(f"set threads = {min(4, os.cpu_count() or 1)}")
    base.execute("set lock_configuration = true")


def _query(asked: dict[str, Any], chosen: list[str]) -> str:
    """Return the statement that yields the columns asked for, as text."""
    every = [f"c{place}" for place in range(asked["fields"])]
    if asked["pointers"]:
        return _of_objects(_texts(asked, every, every), chosen, asked)
    if asked["multiline"]:
        chosen = [*chosen[:-1], f"{_lines(every, asked['delimiter'])} as lines"]
    return _texts(asked, every, chosen)


def _texts(asked: dict[str, Any], every: list[str], chosen: list[str]) -> str:
    """Return the statement that yields cells of delimited text."""
    given = {
        "delim": asked["delimiter"], "quote": asked["quote"], "escape": asked["quote"],
        "new_line": "\\n", "nullstr": _NO_CELL.replace(asked["delimiter"], ""),
    }  # fmt: skip
    texts = ", ".join(f"{key} = {_literal(text)}" for key, text in given.items())
    kinds = ", ".join(f"{name}: 'VARCHAR'" for name in every)
    return (
        f"select {', '.join(chosen)} from read_csv('/dev/stdin', auto_detect = false, "
        f"header = false, strict_mode = true, null_padding = false, {texts}, "
        f"columns = {{{kinds}}}, store_rejects = true, rejects_limit = {_MOST_REFUSED})"
    )


def _of_objects(lines: str, chosen: list[str], asked: dict[str, Any]) -> str:
    """Return the statement that yields fields of lines of JSON, and what is wrong with a line.

    That is -1 where it is no object, -2 where a key stands twice in it or in an object on the way
    to a field, and from 1 the first field that is an object, or a list that is not asked for; else
    0. DuckDB alone would take a field from the first of two keys.
    """
    pointers: list[str] = asked["pointers"]
    paths = f"[{', '.join(map(_literal, pointers))}]"
    above = {pointer[:at] for pointer in pointers for at, c in enumerate(pointer) if c == "/"}
    parents = f"[{', '.join(map(_literal, sorted(above)))}]"
    twice = " or ".join(
        f"len(keys[{k}]) > len(list_distinct(keys[{k}]))" for k in range(1, len(above) + 1)
    )
    single = ", ".join(
        "''" if place in asked["lists"] else f"kinds[{place + 2}]" for place in range(len(pointers))
    )
    nested = ", ".join(
        f"nullif(list_position({kinds}, '{kind}'), 0)"
        for kind, kinds in (("OBJECT", "kinds[2:]"), ("ARRAY", f"[{single}]"))
    )
    fields = ", ".join(
        f"coalesce(fields[{place}], '') as {name}" for place, name in enumerate(chosen[:-1], 1)
    )
    found = (
        f"select c0, json_type(text, ['', {paths[1:]}) as kinds, "
        f"json_keys(text, {parents}) as keys from (select c0, "
        f"if(json_valid(c0), c0, null) as text from ({lines}))"
    )
    judged = (
        f"select c0, case when coalesce(kinds[1], '') <> 'OBJECT' then -1 when {twice} then -2 "
        f"else coalesce(least({nested}), 0) end as problem from ({found})"
    )
    return (
        f"select {fields}, problem::integer as problem from (select problem, "
        f"json_extract_string(if(problem >= 0, c0, null), {paths}) as fields from ({judged}))"
    )


def _lines(cells: list[str], delimiter: str) -> str:
    """Count the lines of a row that are not empty; below 0 where a cell tears two rows apart.

    A stray quote swallows what follows, up to the next one: then the first and the last line of
    the cell have, by themselves, as many delimiters as a row.
    """
    ends = (_count(f"regexp_replace({cell}, '\\n+', chr(10), 'g')", "chr(10)") for cell in cells)
    mark = _literal(delimiter)
    torn = (
        f"contains({cell}, chr(10)) and {_count(f'split_part({cell}, chr(10), -1)', mark)} = {k} "
        f"and {_count(f'split_part({cell}, chr(10), 1)', mark)} = {len(cells) - 1 - k}"
        for k, cell in enumerate(cells)
    )
    return f"(1 + {' + '.join(ends)}) * if({' or '.join(torn)}, -1, 1)"


def _count(text: str, mark: str) -> str:
    return f"(length({text}) - length(replace({text}, {mark}, '')))"


def _literal(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def _refused(base: duckdb.DuckDBPyConnection) -> list[tuple[int, str, int, int]]:
    """Return of each row refused what `RefusedRow` of the other process holds."""
    found = base.execute(
        "select line_byte_position - 2, min(error_type::varchar) as kind, coalesce(if("
        "kind = 'MISSING COLUMNS', min(column_idx), max(column_idx)), 0), any_value(csv_line) "
        "from reject_errors group by 1 order by 1"
    )
    return [
        (at, kind, cells, sum(1 for line in (text or "").split("\n") if line) or 1)
        for at, kind, cells, text in found.fetchall()
    ]


if __name__ == "__main__":
    with socket.socket(fileno=os.dup(0)) as given:
        serve(given)

"""Finds what the metadata of parquet files hold that no usual program writes by itself.

Invariant: what describes the table is none, as long as it holds nothing else, and what is found is
named by its key, never repeated.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

import pyarrow as pa

_SHOWN = 60  # letters of a key

_SCHEMA, _PANDAS, _FIELD_ID = b"ARROW:schema", b"pandas", b"PARQUET:field_id"
_BY_WRITERS = (_SCHEMA, _PANDAS)

_LIBRARIES = ("pyarrow", "fastparquet")
_VERSION = re.compile(r"\d[\w.+]{0,40}")
_TYPE = re.compile(r"[A-Za-z][\w-]{0,30}(<[\w=<>:, ]{1,80}>)?(\[[\w/+:=, -]{1,40}\]){0,2}")
_SPARK_TYPE = re.compile(r"[a-z_]{3,30}(\(\d+(,\d+)?\))?")
_LEVEL = re.compile(r"__index_level_\d+__|None")
_OF_COLUMN = {"name", "field_name", "pandas_type", "numpy_type", "metadata"}
_DETAILS = {
    "encoding": re.compile(r"UTF-8"),
    "timezone": re.compile(r"[A-Za-z0-9_/+:-]{1,40}"),
    "num_categories": re.compile(r"\d+"),
    "ordered": re.compile(r"True|False"),
    "unit": re.compile(r"[a-z]{1,2}"),
    "precision": re.compile(r"\d+"),
    "scale": re.compile(r"-?\d+"),
}


def metadata_keys(file: Any, of_folders: Collection[str] = ()) -> tuple[str, ...]:
    """Return the keys of metadata that neither Arrow nor pandas nor Spark writes by itself.

    Those of a column are named after it, as ``column.key``.

    Parameters
    ----------
    file : pyarrow.parquet.ParquetFile
    of_folders : collection of str
        Columns of the table that the names of folders give, and not the file.
    """
    own, schemas = file.metadata.metadata or {}, [file.schema_arrow]
    names = {*file.schema_arrow.names, *of_folders}
    metadata = [own]
    found = list[bytes]()
    if _SCHEMA in own:
        schema = _decoded(own[_SCHEMA])
        if schema is None:
            found.append(_SCHEMA)
        else:
            schemas.append(schema)
            metadata.append(schema.metadata or {})
    for each in metadata:
        usual = (key for key in each if _by_spark(key, each[key], names))
        known = {*_BY_WRITERS, *usual}
        found += (key for key in each if key not in known)
    of_pandas = [each.get(_PANDAS) for each in metadata]
    keys = [*map(_text, found), *(key for one in of_pandas for key in _of_pandas(one, names))]
    for field in (field for schema in schemas for field in schema):
        own_keys = (key for key in field.metadata or {} if key != _FIELD_ID)
        keys += (f"{field.name}.{_text(key)}" for key in own_keys)
    return tuple(dict.fromkeys(key[:_SHOWN] for key in keys))


def _by_spark(key: bytes, value: bytes, names: Collection[str]) -> bool:
    """Whether Spark writes this by itself: its version, and the types of columns without comments.

    Source: `ParquetUtils` and `SPARK_VERSION_METADATA_KEY` of Spark 3.
    """
    if key == b"org.apache.spark.version":
        return _VERSION.fullmatch(_text(value)) is not None
    if key != b"org.apache.spark.sql.parquet.row.metadata":
        return False
    found = _object(value) or {}
    fields = found.get("fields")
    return (
        isinstance(fields, list)
        and found.keys() == {"type", "fields"}
        and found["type"] == "struct"
        and all(
            isinstance(one, dict)
            and one.keys() == {"name", "type", "nullable", "metadata"}
            and str(one["name"]) in names
            and _SPARK_TYPE.fullmatch(str(one["type"])) is not None
            and isinstance(one["nullable"], bool)
            and one["metadata"] == {}
            for one in fields
        )
    )


def _object(value: bytes) -> dict[str, Any] | None:
    """Return the JSON object that a value is; None where it is something else."""
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _decoded(value: bytes) -> Any:
    """Return the Arrow schema that a file keeps; None where the value holds something else."""
    try:
        return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(value)))
    except (pa.ArrowException, ValueError, OSError):
        return None


def _of_pandas(value: bytes | None, names: Collection[str]) -> Iterator[str]:
    """Yield the keys within the metadata of pandas that hold more than a description of a table.

    Source: https://pandas.pydata.org/docs/development/developer.html
    """
    if value is None:
        return
    found = _object(value)
    if found is None:
        yield _text(_PANDAS)
        return
    for key, content in found.items():
        holds_more = _HOLDS_MORE.get(key)
        if bool(content) if holds_more is None else holds_more(content, names):
            yield f"pandas.{key}"


def _is_named(name: Any, names: Collection[str]) -> bool:
    return name is None or str(name) in names or _LEVEL.fullmatch(str(name)) is not None


def _index_holds_more(content: Any, names: Collection[str]) -> bool:
    """Whether an index has a name of its own, which is none of a column."""
    return not isinstance(content, list) or any(
        one.keys() != {"kind", "name", "start", "stop", "step"}
        or one["kind"] != "range"
        or not _is_named(one["name"], names)
        or not all(isinstance(one[key], int) for key in ("start", "stop", "step"))
        if isinstance(one, dict)
        else not _is_named(one, names)
        for one in content
    )


def _columns_hold_more(content: Any, names: Collection[str]) -> bool:
    """Whether columns are described that are not there, or more is said of some than their type."""
    return not isinstance(content, list) or any(
        not isinstance(one, dict)
        or not one.keys() <= _OF_COLUMN
        or not all(_is_named(one.get(key), names) for key in ("name", "field_name"))
        or not all(_TYPE.fullmatch(str(one.get(key))) for key in ("pandas_type", "numpy_type"))
        or _details_hold_more(one.get("metadata"))
        for one in content
    )


def _details_hold_more(content: Any) -> bool:
    if content is None:
        return False
    return not isinstance(content, dict) or any(
        key not in _DETAILS or (value is not None and not _DETAILS[key].fullmatch(str(value)))
        for key, value in content.items()
    )


def _creator_holds_more(content: Any, names: Collection[str]) -> bool:  # noqa: ARG001
    return (
        not isinstance(content, dict)
        or content.keys() != {"library", "version"}
        or content["library"] not in _LIBRARIES
        or not _VERSION.fullmatch(str(content["version"]))
    )


def _version_holds_more(content: Any, names: Collection[str]) -> bool:  # noqa: ARG001
    return content is not None and not _VERSION.fullmatch(str(content))


_HOLDS_MORE: dict[str, Callable[[Any, Collection[str]], bool]] = {
    "index_columns": _index_holds_more,
    "column_indexes": _columns_hold_more,
    "partition_columns": _index_holds_more,
    "columns": _columns_hold_more,
    "creator": _creator_holds_more,
    "pandas_version": _version_holds_more,
}


def _text(key: bytes) -> str:
    return key.decode(errors="replace")

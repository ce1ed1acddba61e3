"""The rows of a JSON text: objects on lines of their own, one after the other, or in one list.

Invariant: each object of a text becomes one line, in order; what is neither an object nor between
two of them stops the reading, or is a line that is refused.
"""

from __future__ import annotations

import codecs
import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sim.errors import InputError
from sim.release.readers.archives import TextInput
from sim.release.readers.table_options import TableOptions
from sim.release.readers.text_layout import TextLayout
from sim.release.readers.textfile import LONGEST_ROW, LineBlock, OpenText, reading

_BEGIN = re.compile(rb"(\xef\xbb\xbf)?\s*(\{\s*[\"}]|\[\s*[\[{\]])")
_HEAD_BYTES = 1 << 19
_DEEPEST = 10
_SPACE = " \t\r\n"
_BETWEEN = re.compile(f"[{_SPACE}]*")
_LONGEST_WORD = 20
"""More letters than a number's sign and point, a word or an escape have before they are read."""
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)  # numbers as they are written
_LINE_ENDS = str.maketrans("\r\n", "  ")
_NO_TEXT = "\x01"  # which no JSON holds, so that each line is one cell


def json_head(text: TextInput, options: TableOptions) -> LineBlock | None:
    """Return the beginning of a text if it is JSON and no delimiter is asked for; else None.

    Raises
    ------
    InputError
        It cannot be read.
    """
    for opened in text.texts() if options.delimiter is None else ():
        with reading(opened.label):
            data = opened.stream.read(_HEAD_BYTES)
            while len(data) < _HEAD_BYTES and (more := opened.stream.read(_HEAD_BYTES)):
                data += more
        return LineBlock(opened.label, 1, data) if _BEGIN.match(data) else None
    return None


class JsonSample:
    """The objects at the beginning of a text.

    Attributes
    ----------
    in_lines : bool
        Whether each is a line.
    pointers : dict of str to str
        Of the fields, by name: that of a field within others has a point between the names.

    Raises
    ------
    InputError
        The text is no table.
    """

    def __init__(self, head: LineBlock) -> None:
        self._label = head.label
        text = head.data.removeprefix(codecs.BOM_UTF8).decode("utf-8", "replace").lstrip()
        lines = text.split("\n")
        self.in_lines = text.startswith("{") and any(
            isinstance(_value(line), dict) for line in [line for line in lines if line.strip()][:2]
        )
        if self.in_lines:
            objects = [value for line in lines if isinstance(value := _value(line), dict)]
        else:
            objects = self._one_after_the_other(text)
        if len(objects) == 1 and not text.startswith("["):
            for name, value in objects[0].items():
                if isinstance(value, list) and any(isinstance(one, dict) for one in value):
                    raise self._holding(name)
        self.pointers: dict[str, str] = {}
        self._rows = [self._fields(one, "", "") for one in objects]
        if not self.pointers:
            raise InputError(
                f"{self._label}:1: is JSON without rows; expected an object a row, on lines of "
                "their own or in one list"
            )

    def rows(self) -> list[list[str]]:
        """Return the cells of all fields."""
        return [[row.get(name, "") for name in self.pointers] for row in self._rows]

    def layout(self, keys: Mapping[str, str | None]) -> TextLayout:
        """Return the layout of the text, given the columns that the names of folders give."""
        given = {name: value or "" for name, value in keys.items()}
        pointers = [*self.pointers.values()]
        return TextLayout(
            _NO_TEXT, [*self.pointers], 0, given, quoted=False,
            pointers=pointers, in_lines=self.in_lines,
        )  # fmt: skip

    def _one_after_the_other(self, text: str) -> list[dict[str, Any]]:
        at = _after_space(text, 1 if text.startswith("[") else 0)
        objects = list[dict[str, Any]]()
        with contextlib.suppress(ValueError, RecursionError):
            while at < len(text) and text[at] != "]":
                value, at = _DECODER.raw_decode(text, at)
                objects += [value] if isinstance(value, dict) else []
                at = _after_space(text, at)
                at = _after_space(text, at + 1) if text.startswith(",", at) else at
        if (
            not objects
            and text.startswith("{")
            and (found := re.search(r'"([^"]*)"\s*:\s*\[\s*\{', text))
        ):
            raise self._holding(found[1])
        return objects

    def _holding(self, name: str) -> InputError:
        return InputError(
            f"{self._label}:1: is one JSON object, whose rows seem to be its list {name!r}; write "
            f"that list alone, as jq does by '.[{json.dumps(name)}]'"
        )

    def _fields(self, of: dict[str, Any], name: str, pointer: str) -> dict[str, str]:
        """Return the cells of an object by the names of its fields, and note these."""
        found = dict[str, str]()
        for key, value in of.items():
            whole = name + key
            path = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
            if isinstance(value, dict) and value and path.count("/") < _DEEPEST:
                found |= self._fields(value, f"{whole}.", path)
            elif self.pointers.setdefault(whole, path) == path:
                found[whole] = _cell(value)
            else:
                raise InputError(
                    f"{self._label}:1: has two fields that are called {whole}, one of them within "
                    "another; rename one"
                )
        return found


def json_blocks(opened: OpenText, block_bytes: int) -> Iterator[LineBlock]:
    r"""Yield the values of a list, or those one after the other, each as a line.

    Raises
    ------
    InputError
        The text is no JSON, or is cut short.

    Examples
    --------
    >>> import io
    >>> text = OpenText("a", io.BytesIO(b'[{"u": 1},\n {"u":\n2}]'), lambda: 0)
    >>> [block.data for block in json_blocks(text, 4)]
    [b'{"u": 1}\n', b'{"u": 2}\n']
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    held, row, is_list, closed, whole = "", 0, False, False, False
    begun = False
    while not whole:
        with reading(opened.label):
            fresh = opened.stream.read(max(block_bytes, len(held)))
        whole = not fresh
        try:
            held += decoder.decode(fresh, final=whole)
        except UnicodeDecodeError as error:
            raise InputError(f"{opened.label}: row {row + 1}: is not UTF-8 text") from error
        if not begun:
            held = held.removeprefix("\ufeff").lstrip(_SPACE)
            begun, is_list = bool(held), held.startswith("[")
            held = held[1:] if is_list else held
        at, lines, spread = 0, list[str](), "\n" in held or "\r" in held
        while not closed:
            start = _after_space(held, at)
            if start == len(held):
                break
            if is_list and held[start] == "]":
                closed, at = True, start + 1
                break
            if is_list and row and held[start] != ",":
                raise _no_json(opened.label, row + 1, "expected a comma")
            if is_list and row:
                start = _after_space(held, start + 1)
            end = _end_of(held, start, row + 1, opened.label, whole=whole)
            if end is None:
                break
            value = held[start:end]
            lines.append(value.translate(_LINE_ENDS) if spread else value)
            row, at = row + 1, end
        held = held[at:]
        if closed and held.strip(_SPACE):
            raise _no_json(opened.label, row + 1, "text follows the end of the list")
        if lines:
            data = ("\n".join(lines) + "\n").encode()
            yield LineBlock(opened.label, row + 1 - len(lines), data)
    if is_list and not closed:
        raise _no_json(opened.label, row + 1, "the file ends in the middle of its list")


def _end_of(held: str, start: int, row: int, label: str, *, whole: bool) -> int | None:
    """Return where a value ends; None if more of the text must be read to tell.

    Raises
    ------
    InputError
        It is no JSON.
    """
    try:
        end = _DECODER.raw_decode(held, start)[1]
    except json.JSONDecodeError as error:
        if error.pos + _LONGEST_WORD < len(held) and not error.msg.startswith("Unterminated"):
            raise _no_json(label, row, error.msg[:1].lower() + error.msg[1:]) from error
        if whole:
            raise _no_json(label, row, "the file ends in the middle of it") from error
        if len(held) - start > LONGEST_ROW:
            raise _no_json(label, row, f"has no end within {LONGEST_ROW:,} bytes") from error
        return None
    except RecursionError as error:
        raise _no_json(label, row, "holds too many objects within another") from error
    return end if whole or end < len(held) else None  # a number may go on


def _no_json(label: str, row: int, reason: str) -> InputError:
    return InputError(
        f"{label}: row {row}: cannot be read as JSON: {reason}; fetch or export the file again"
    )


def _after_space(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    assert found is not None
    return found.end()


def _value(line: str) -> Any:
    """Return what a line holds; None if it is no JSON."""
    try:
        return _DECODER.decode(line)
    except (ValueError, RecursionError):
        return None


def _cell(value: Any) -> str:
    """Return a value as the text of a cell."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)

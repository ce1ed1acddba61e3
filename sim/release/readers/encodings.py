"""Turns text of any encoding into UTF-8, which all readers above work on.

Invariant: a stream decoded is the text of the whole input in UTF-8, line for line; which encoding
was found does not depend on how much is read at once. What is UTF-8 already passes through as it
is, byte for byte.
"""

from __future__ import annotations

import codecs
import io
from dataclasses import dataclass
from typing import IO, Any

import numpy as np

from sim.errors import ConfigError, InputError
from sim.release.readers.textfile import ASCII, BLOCK_BYTES, Encoding

WINDOW = BLOCK_BYTES
"""Bytes read at a time until the encoding is known: the first that are not all ASCII decide."""

RECOGNISED = " (recognised)"
"""What follows the name of an encoding that was found out."""

GUESSED = f"Windows-1252{RECOGNISED}"
"""The name of the encoding that is taken where text is not UTF-8, and may be another."""

_FEW = 0.2  # of the letters that are not ASCII, at most this share stand three or more in a row
_UNDEFINED = (0x81, 0x8D, 0x8F, 0x90, 0x9D)  # in Windows-1252
_NO_TEXT = bytes([*range(9), *range(14, 27), *range(28, 32)])  # control characters but blanks
_WIDE = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@dataclass(frozen=True, slots=True)
class Decoding:
    """How the bytes of an input become text.

    Parameters
    ----------
    asked : str or None
        The encoding, by a name that Python knows; None finds it out.
    key : str
        The setting, as messages call it.

    Raises
    ------
    ConfigError
        There is no such encoding of text.

    Examples
    --------
    >>> Decoding("utf9")
    Traceback (most recent call last):
    sim.errors.ConfigError: data.encoding: 'utf9': no known encoding; expected one such as ...
    """

    asked: str | None = None
    key: str = "data.encoding"

    def __post_init__(self) -> None:
        if self.asked is None:
            return
        try:
            # Of Python's codecs, this takes only those of text.
            io.TextIOWrapper(io.BytesIO(), encoding=self.asked)
        except (LookupError, ValueError):
            raise ConfigError(
                f"{self.key}: {self.asked!r}: no known encoding; expected one such as utf-8, "
                "utf-16, windows-1252, latin-1 or shift_jis"
            ) from None


class DecodedStream:
    """A stream of bytes, as UTF-8.

    Parameters
    ----------
    stream : binary file object
        Decompressed.
    label : str
        What error messages call it.
    """

    def __init__(self, stream: IO[bytes], label: str, decoding: Decoding) -> None:
        self._stream, self._label, self._key = stream, label, decoding.key
        self._held = b""
        self._line = 1
        self._decoder: Any = None
        self._name = ""
        self._known = False
        self._decided_at = 0
        if decoding.asked is not None:
            self._settle(decoding.asked, recognised=False)

    @property
    def encoding(self) -> Encoding:
        """What was found out so far."""
        return Encoding(self._name or ASCII, self._decided_at)

    def read(self, size: int) -> bytes:
        """Return about `size` bytes of UTF-8; none at the end alone.

        Raises
        ------
        InputError
            The bytes are not text of the encoding, or it cannot be found out.
        """
        while not self._held:
            fresh = _read_full(self._stream, WINDOW if not self._known else size)
            if not self._known:
                self._find_out(fresh)
            if self._decoder is not None:
                self._held = self._decoded(fresh)
            elif self._known:
                return fresh
            else:
                self._held = fresh
            if not fresh:
                break
        data, self._held = self._held[:size], self._held[size:]
        return data

    def _settle(self, name: str, *, recognised: bool) -> None:
        """Decode from here on; UTF-8 passes through."""
        self._known = True
        canonical = codecs.lookup(name).name
        self._name = f"{_TITLES.get(canonical, canonical)}{RECOGNISED if recognised else ''}"
        if canonical != "utf-8":
            self._decoder = codecs.getincrementaldecoder(name)()

    def _find_out(self, window: bytes) -> None:
        wide = _wide(window) if self._line == 1 else ""
        if wide:
            self._settle(wide, recognised=True)
        elif window.isascii():
            self._line += window.count(b"\n")
        elif window.startswith(codecs.BOM_UTF8) or _mostly_utf8(window):
            self._settle("utf-8", recognised=True)
        else:
            high = next(place for place, byte in enumerate(window) if byte >= 0x80)
            line = self._line + window.count(b"\n", 0, high)
            if _western(window):
                self._decided_at = line
                self._settle("cp1252", recognised=True)
                return
            if window.translate(None, delete=_NO_TEXT) != window:
                raise InputError(
                    f"{self._label}:{line}: holds bytes that no text in a usual encoding has; of a "
                    "spreadsheet, save the sheet of rows as a csv file"
                )
            raise InputError(
                f"{self._label}:{line}: is neither UTF-8 nor Windows-1252 text; set {self._key} to "
                "its encoding, such as windows-1251, shift_jis or gb18030"
            )

    def _decoded(self, fresh: bytes) -> bytes:
        try:
            text: str = self._decoder.decode(fresh, final=not fresh)
            data = text.encode()
        except UnicodeError as error:
            good = ""
            if isinstance(error, UnicodeDecodeError):
                good = error.object[: error.start].decode(error.encoding, "ignore")
            raise InputError(
                f"{self._label}:{self._line + good.count(chr(10))}: is not "
                f"{self.encoding.words.removesuffix(RECOGNISED)} text ({_reason(error)}); set "
                f"{self._key} to its encoding"
            ) from error
        self._line += data.count(b"\n")
        return data


_TITLES = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16, little-endian",
    "utf-16-be": "UTF-16, big-endian",
    "cp1252": "Windows-1252",
    "iso8859-1": "Latin-1",
}


def _reason(error: UnicodeError) -> str:
    return error.reason if isinstance(error, UnicodeDecodeError) else "a half of a character"


def _read_full(stream: IO[bytes], size: int) -> bytes:
    """Read as many bytes as asked for, unless the stream ends."""
    data = stream.read(size)
    while data and len(data) < size and (more := stream.read(size - len(data))):
        data += more
    return data


def _wide(window: bytes) -> str:
    """The encoding of two bytes a letter that a text begins with, or nothing."""
    for mark, name in _WIDE:
        if window.startswith(mark):
            return name
    head = np.frombuffer(window[: len(window) & ~1][:4096], np.uint8)
    if head.size < 4:
        return ""
    low, high = (head[place::2] == 0 for place in (0, 1))
    # Delimiters, digits and line ends are ASCII in a table of any language.
    if not low.any() and high.mean() >= 0.3:
        return "utf-16-le"
    return "utf-16-be" if not high.any() and low.mean() >= 0.3 else ""


def _mostly_utf8(window: bytes) -> bool:
    """Whether more letters are UTF-8 than are not; one cut off at the end is neither."""
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(window)
    bad = text.count("\ufffd")
    return bad == 0 or sum(letter > "\x7f" for letter in text) - bad > bad


def _western(window: bytes) -> bool:
    """Whether single letters that are not ASCII stand among ASCII ones, all of Windows-1252."""
    text = np.frombuffer(window, np.uint8)
    if np.isin(text, _UNDEFINED).any():
        return False
    high = np.concatenate([[False], text >= 0x80, [False]])
    edges = np.flatnonzero(high[1:] != high[:-1])
    lengths = edges[1::2] - edges[::2]
    return bool(lengths[lengths >= 3].sum() <= _FEW * lengths.sum())

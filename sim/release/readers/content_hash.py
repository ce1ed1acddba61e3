"""Fingerprints a source by its bytes and options, independent of their location."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from sim.files.digest import sha256
from sim.release.readers.textfile import reading

_SCHEME = "standout-source-7"  # changes when the same bytes are read differently, or more is noted


def content_hash(
    layout: str, options: Mapping[str, str | None], files: Sequence[tuple[str, Path]]
) -> str:
    """Return the SHA-256 (hex) of some files and of how they are read.

    Parameters
    ----------
    layout : str
        How the files are read.
    options : mapping
        Every option that changes the rows.
    files : sequence of (name, path)
        The name counts only where there are several files: it tells them apart and orders them.

    Raises
    ------
    InputError
        A file cannot be read.

    Examples
    --------
    >>> content_hash("a", {}, []) == content_hash("b", {}, [])
    False
    """
    digests = []
    for name, path in sorted(files):
        with reading(str(path)):
            digest = sha256(path)
        digests.append([name if len(files) > 1 else "", digest])
    identity = [_SCHEME, layout, dict(options), digests]
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()

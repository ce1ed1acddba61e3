"""Fingerprints a source by its bytes and options, independent of their location."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from sim.files.digest import sha256
from sim.release.readers.archives import is_compressed
from sim.release.readers.textfile import reading

_SCHEME = "standout-source-15"  # changes when the same bytes are read differently, or more is noted


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
        The name counts where there are several files, which it tells apart and orders, and where a
        file is compressed, since it may hold a name of its own.

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
        counts = len(files) > 1 or is_compressed(path)
        digests.append([name if counts else "", digest])
    identity = [_SCHEME, layout, dict(options), digests]
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()

"""What was drawn, in tests: all its columns by name, and with some of them changed."""

from __future__ import annotations

import dataclasses
from typing import Any

from numpy.typing import NDArray

from sim.adversary.aux import Drawn


def columns(drawn: Drawn) -> dict[str, NDArray[Any]]:
    """Every column of the aux, the candidates and the truth, by name."""
    parts = (drawn.aux, drawn.candidates, drawn.truth)
    return {f.name: getattr(part, f.name) for part in parts for f in dataclasses.fields(part)}


def changed(drawn: Drawn, **changes: Any) -> Drawn:
    """The same with some columns changed."""
    parts: dict[str, Any] = {}
    for name in ("aux", "candidates", "truth"):
        part = getattr(drawn, name)
        here = {f.name: changes.pop(f.name) for f in dataclasses.fields(part) if f.name in changes}
        parts[name] = dataclasses.replace(part, **here)
    assert not changes
    return dataclasses.replace(drawn, **parts)

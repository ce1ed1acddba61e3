"""The source of a preset, by its name."""

from __future__ import annotations

from sim.errors import ConfigError
from sim.numeric.text import expected_among
from sim.release.synthetic.events.presets import EVENTS
from sim.release.synthetic.events.source import EventSource
from sim.release.synthetic.presets import PRESETS
from sim.release.synthetic.source import SyntheticSource
from sim.release.synthetic.sparse import SparseSource
from sim.release.synthetic.sparse_presets import SPARSE

NAMES = (*PRESETS, *EVENTS, *SPARSE)


def named_source(preset: str, seed: int) -> SyntheticSource | EventSource | SparseSource:
    """Return the source of a preset of ratings, of events, or of a hypersparse release.

    Raises
    ------
    ConfigError
        There is no such preset, or its seed is negative.

    Examples
    --------
    >>> named_source("tiny_visits", 1).name
    "synthetic release 'tiny_visits', seed 1"
    """
    if preset in EVENTS:
        return EventSource(EVENTS[preset], seed)
    if preset in PRESETS:
        return SyntheticSource(PRESETS[preset], seed)
    if preset in SPARSE:
        return SparseSource(SPARSE[preset], seed)
    raise ConfigError(f"data.preset: {preset!r}: {expected_among(preset, NAMES)}")

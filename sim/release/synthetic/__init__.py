"""Synthetic releases that resemble the real ones: heavy tails, tastes, sessions, habits.

The real Netflix and MovieLens 2006 tables cannot be redistributed. These sources make tables with
the same marginals (spec, section 7) from a preset and a seed. Invariant: a row depends on
the preset, the seed and its record only, not on blocks, workers or earlier rows.

Numba keeps compiled kernels by the date of their own file, not of the files they call: after a
change to `randomness`, `plan` or `draw`, delete this folder's ``__pycache__``.

Releases of events, in which cells repeat, are in `sim.release.synthetic.events`.
"""

from sim.release.synthetic.events import EVENTS, EventSource
from sim.release.synthetic.named import named_source
from sim.release.synthetic.preset import Preset
from sim.release.synthetic.presets import PRESETS
from sim.release.synthetic.source import SyntheticSource

__all__ = ["EVENTS", "PRESETS", "EventSource", "Preset", "SyntheticSource", "named_source"]

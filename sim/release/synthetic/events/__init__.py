"""Synthetic releases of events: visits to places by the hour, purchases by the day.

A person returns to where they have been, the more often the more often they have been there, and
finds something new with a probability that falls with what they know already: exploration and
preferential return (Song, Koren, Wang and Barabási, "Modelling the scaling properties of human
mobility", 2010), between home and work for visits, in baskets for purchases. Invariant: a record's
rows depend on the preset, the seed and the record only, not on blocks, workers or earlier rows.

Numba keeps compiled kernels by the date of their own file, not of the files they call: after a
change to `draws`, delete this folder's ``__pycache__``.
"""

from sim.release.synthetic.events.presets import EVENTS
from sim.release.synthetic.events.source import EventSource

__all__ = ["EVENTS", "EventSource"]

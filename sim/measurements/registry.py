"""The registry of measurements: those of `sim.measurements`, and those of plug-ins."""

from __future__ import annotations

from sim.extend.plugins import Registry
from sim.measurements.measurement import Measurement

MEASUREMENTS: Registry[Measurement] = Registry(
    Measurement, "sim.measurements", "standout.measurements"
)

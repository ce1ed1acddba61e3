"""Every measure of utility by its name: those of `sim.utility`, and those of plug-ins."""

from __future__ import annotations

from sim.extend.plugins import Registry
from sim.utility.measure import UtilityMeasure

UTILITIES: Registry[UtilityMeasure] = Registry(UtilityMeasure, "sim.utility", "standout.utilities")

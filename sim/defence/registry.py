"""Every defence by its name: those of `sim.defence`, and those of plug-ins."""

from __future__ import annotations

from sim.defence.defence import Defence
from sim.extend.plugins import Registry

DEFENCES: Registry[Defence] = Registry(Defence, "sim.defence", "standout.defences")

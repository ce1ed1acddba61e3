"""The mean entropy (NS08, Figs. 6 and 11)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from sim.plot.spec import Axis, Data, FigureSpec, Page
from sim.report.figures.cells import Level, Measure, cell_pages


def pages(data: Data) -> Iterator[Page]:
    """Yield the entropy of every cell that has one, and log2 N."""
    curves = data.tables["curves"]
    drawn = curves[curves["bits"].notna()]
    highest = drawn[["bits_prior", "bits_high"]].to_numpy(np.float64)
    top = max(float(np.nanmax(highest)), 0.1) if highest.size else 0.1
    yield from cell_pages(
        drawn,
        data,
        title="Bits of uncertainty that remain about a target",
        measures=[Measure("bits", "mean")],
        compared=[Level("bits_prior", "without any knowledge: log2 N", "--")],
        scale=1.0,
        unit=" bits",
        y=Axis(
            "entropy (bits)",
            (-0.03 * top, 1.06 * top),
            ticks=np.arange(0, 1.06 * top, _step(top)).tolist(),
        ),
    )


def _step(top: float) -> float:
    """Return 1, 2 or 5 times a power of ten, so that there are five to ten steps."""
    rough = top / 5
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * step for step in (1.0, 2.0, 5.0, 10.0) if power * step >= rough * 0.999)


SPEC = FigureSpec(
    "Bits of uncertainty that remain about a target, out of log2 N.",
    pages,
    needs=[("curves", "bits")],
)

"""Draws a figure of the catalogue from tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from sim.plot.spec import Data
from sim.report.figures.catalogue import figure_spec
from sim.report.figures.page import draw_page


def draw(name: str, tables: Mapping[str, pd.DataFrame], **given: Any) -> list[Figure]:
    """Return the pages of a figure."""
    return [draw_page(page) for page in figure_spec(name).pages(Data(tables=tables, **given))]

"""The colours, markers and line styles of all figures."""

from __future__ import annotations

from typing import Any

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's palette, made for colour-blind readers; its yellow is too faint on paper."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
"""One marker and one line style per colour, so that nothing depends on colour alone."""

INK = "#262626"
FAINT = "#8C8C8C"

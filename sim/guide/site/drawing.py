"""Draws the arrows of a Mermaid graph as an SVG, so that the site needs neither script nor network.

Layers as of Sugiyama, Tagawa and Toda (1981): a node stands below all that point to it, and in each
layer where those are on average. Arrows are straight; nodes lie over those that pass below them.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

from matplotlib.figure import Figure

_BLOCK = re.compile(r"^```mermaid\ngraph TD\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ARROW = re.compile(r"^\s*(\w+) --> (\w+)\s*$", re.MULTILINE)
_SWEEPS = 8
_WIDE, _HIGH = 1.5, 0.62
"""Inches for each node and layer."""
_EDGE = 0.22
"""From the middle of a node to its upper and lower edge, in layers."""


def with_drawings(page: str) -> str:
    r"""Put a drawing in the place of each Mermaid graph of a page.

    Examples
    --------
    >>> text = with_drawings("before\n\n```mermaid\ngraph TD\n  a --> b\n```\n")
    >>> "mermaid" in text, "<svg" in text
    (False, True)
    """
    return _BLOCK.sub(lambda block: _html(_ARROW.findall(block[1])), page)


def layers(arrows: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Return the nodes from top to bottom, each below all that point to it.

    Examples
    --------
    >>> layers([("a", "b"), ("b", "c"), ("a", "c"), ("a", "d")])
    [['a'], ['b', 'd'], ['c']]
    """
    nodes = list(dict.fromkeys(name for arrow in arrows for name in arrow))
    depth = dict.fromkeys(nodes, 0)
    for _ in nodes:
        for above, below in arrows:
            depth[below] = max(depth[below], depth[above] + 1)
    if any(depth[below] <= depth[above] for above, below in arrows):
        raise ValueError("the arrows of the drawing go round in a circle")
    found: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for name in nodes:
        found[depth[name]].append(name)
    return found


def _places(arrows: Sequence[tuple[str, str]]) -> dict[str, tuple[float, float]]:
    rows = layers(arrows)
    near: dict[str, list[str]] = {}
    for above, below in arrows:
        near.setdefault(above, []).append(below)
        near.setdefault(below, []).append(above)
    widest = max(map(len, rows))
    across: dict[str, float] = {}
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            row.sort(key=lambda name: _mean([across[one] for one in near[name] if one in across]))
            for place, name in enumerate(row):
                across[name] = (place + 0.5) * widest / len(row)
    return {name: (across[name], -float(depth)) for depth, row in enumerate(rows) for name in row}


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def _html(arrows: Sequence[tuple[str, str]]) -> str:
    places = _places(arrows)
    wide = max(x for x, _ in places.values()) + 0.5
    high = 1 - min(y for _, y in places.values())
    figure = Figure(figsize=(_WIDE * wide, _HIGH * high))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, wide), ylim=(0.5 - high, 0.5))
    axes.axis("off")
    for above, below in dict.fromkeys(arrows):
        style = {"arrowstyle": "-|>", "color": "0.45", "lw": 0.8, "shrinkA": 0, "shrinkB": 0}
        (x, y), (to_x, to_y) = places[above], places[below]
        axes.annotate("", (to_x, to_y + _EDGE), (x, y - _EDGE), arrowprops=style)
    for name, (x, y) in places.items():
        box = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": "0.3", "lw": 0.8}
        axes.text(x, y, name, ha="center", va="center", fontsize=9, color="black", bbox=box)
    written = io.StringIO()
    figure.savefig(written, format="svg", metadata={"Date": None}, transparent=True)
    svg = written.getvalue()
    svg = svg[svg.index("<svg") :].replace("\n\n", "\n")
    named = "; ".join(f"{above} imports {below}" for above, below in dict.fromkeys(arrows))
    fits = 'role="img" style="max-width:100%;height:auto"'
    svg = svg.replace("<svg", f'<svg {fits} aria-label="{named}"', 1)
    return f"```{{raw}} html\n<figure>\n{svg.strip()}\n</figure>\n```"

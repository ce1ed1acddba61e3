"""The modules of the benchmarks, which are not installed and lie at the root of the repository."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def module(name: str) -> Any:
    """One of them; nothing else of the root is found by its name afterwards."""
    sys.path.insert(0, str(ROOT))
    try:
        return importlib.import_module(f"benchmarks.{name}")
    finally:
        sys.path.remove(str(ROOT))

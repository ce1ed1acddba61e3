"""Standout measures how identifiable the people in a sparse dataset are.

The public names are those of `sim.api`; they are loaded when first used, so that importing the
package stays quick.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sim.api import (
        Release,
        audit,
        experiment,
        frontier,
        measure,
        movielens,
        nearest,
        netflix,
        plan,
        publish,
        run,
        synthetic,
        table,
    )
    from sim.session.result import Result

__all__ = [
    "Release",
    "Result",
    "audit",
    "experiment",
    "frontier",
    "measure",
    "movielens",
    "nearest",
    "netflix",
    "plan",
    "publish",
    "run",
    "synthetic",
    "table",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'sim' has no attribute {name!r}")
    if name == "Result":
        from sim.session.result import Result

        return Result
    from sim import api

    return getattr(api, name)

"""Standout measures how identifiable the people in a sparse dataset are.

The public names are those of `sim.api`; they are loaded when first used, so that importing the
package stays quick.
"""

from typing import TYPE_CHECKING, Any

from sim.files.caches import replace_unwritable_caches

if TYPE_CHECKING:
    from sim.api import (
        Release,
        audit,
        check,
        compare,
        experiment,
        frontier,
        load,
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
    from sim.errors import StandoutError
    from sim.session.result import Result

__all__ = [
    "Release",
    "Result",
    "StandoutError",
    "audit",
    "check",
    "compare",
    "experiment",
    "frontier",
    "load",
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

replace_unwritable_caches()  # before Numba looks for one


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("standout")
    if name not in __all__:
        raise AttributeError(f"module 'sim' has no attribute {name!r}")
    if name == "Result":
        from sim.session.result import Result

        return Result
    if name == "StandoutError":
        from sim.errors import StandoutError

        return StandoutError
    from sim import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]

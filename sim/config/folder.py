"""Where the files of ``conf/`` lie."""

from __future__ import annotations

from pathlib import Path

from sim.errors import ConfigError

_PACKAGE = Path(__file__).resolve().parents[1]


def conf() -> Path:
    """Return the folder of configurations: in the package once installed, beside it in a checkout.

    A folder and no package, so that no module ``conf`` is installed, which others might have too.

    Examples
    --------
    >>> (conf() / "config.yaml").is_file()
    True
    """
    installed = _PACKAGE / "conf"
    return installed if installed.is_dir() else _PACKAGE.parent / "conf"


def check_own(folder: str | None) -> None:
    """Check that a folder of configurations of one's own names none that there is already.

    Parameters
    ----------
    folder : str or None
        Of ``--config-dir``; None: not given.

    Raises
    ------
    ConfigError
        It does: the one that is there already would be taken.
    """
    if folder is None:
        return
    for path in sorted(Path(folder).glob("*/*.yaml")):
        if (conf() / path.relative_to(folder)).is_file():
            raise ConfigError(
                f"{path}: there is {path.parent.name}={path.stem} already, which would be taken in "
                "its place; choose another name"
            )

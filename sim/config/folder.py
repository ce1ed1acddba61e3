"""Where the files of ``conf/`` lie."""

from __future__ import annotations

from pathlib import Path

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

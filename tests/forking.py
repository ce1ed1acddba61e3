"""Run commands of the packages, each in a fork of this process, which has imported the packages.

``python tests/forking.py`` reads a command a line, as JSON: its words, its folder, more of the
path, whether it draws, and the two files for what it prints; it answers with the exit code. See
`overlaying.Commands`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any

import sim.cli.run  # noqa: F401
from sim.cli.main import main


def asked(commands: Sequence[str]) -> Any:
    """Return, in a fork, each command; in this process nothing, at the end of them."""
    for line in commands:
        process = os.fork()
        if not process:
            return json.loads(line)
        _, status = os.waitpid(process, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()
    return None


if __name__ == "__main__" and (given := asked(sys.stdin)):  # type: ignore[arg-type]
    for stream, name in enumerate((os.devnull, *given["printed"])):
        os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC), stream)
    os.chdir(given["at"])
    sys.path[1:1] = given["path"]
    sys.argv = ["standout", *given["words"]]
    if not given["draws"]:
        from sim.report.page import html
        from sim.session import suite

        suite.draw_run = lambda folder: []
        html.drawings_of = lambda run: ()
    main()

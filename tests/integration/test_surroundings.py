"""Where the program is started: without a home, on another terminal, in a folder that is gone."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from sim.cli.main import main

ROOT = Path(__file__).parents[2]
JOB = ("targets=5", "cluster=inline", "grid.aux=[1/1]", "bayes_targets=0", "hydra.run.dir=run")
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
_JSON = "format=json"


def as_other_users() -> Sequence[str]:
    """The command that gives up writing wherever permissions forbid it, which root may."""
    if os.getuid() != 0:
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("root may write anywhere, and setpriv is not installed")
    return ("setpriv", "--bounding-set=-dac_override")


@pytest.mark.skipif(os.name != "posix", reason="permissions are of POSIX")
def test_loops_are_compiled_where_neither_the_home_nor_the_program_can_be_written(
    tmp_path: Path,
) -> None:
    home, program, temporary = (tmp_path / name for name in ("home", "program", "tmp"))
    home.mkdir()
    temporary.mkdir()
    shutil.copytree(ROOT / "sim", program / "sim", ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (home, program, *(path for path in program.rglob("*") if path.is_dir())):
        folder.chmod(0o555)
    look = (
        "import os, pathlib; import sim.release.store.sorting; "
        "folder = pathlib.Path(os.environ['XDG_CACHE_HOME']); "
        "print(oct(folder.stat().st_mode), os.environ['MPLCONFIGDIR'] > str(folder))"
    )
    found = subprocess.run(
        [*as_other_users(), sys.executable, "-c", look],
        env={"HOME": str(home), "TMPDIR": str(temporary), "PYTHONPATH": str(program)},
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert (found.returncode, found.stdout) == (0, "0o40700 True\n"), found.stderr
    (line,) = found.stderr.splitlines()
    assert line.startswith(f"standout: {home / '.cache'}: cannot be written, so caches lay in")
    assert list(temporary.iterdir()) == []


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "visits.csv"
    rows = [f"{n % 9},Žlutý → {n % 7}\n" for n in range(63)]
    path.write_text("".join(["who,what\n", *rows]), encoding="utf-8")
    return path


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437"])
def test_text_is_printed_in_any_encoding(
    encoding: str, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Letters that it lacks are replaced; JSON needs none."""
    data = (str(table), "data.user=who", "data.item=what", f"data.cache={tmp_path / 'cache'}")
    for words in (["--help"], ["guide", "spec"], ["describe", *data], ["describe", *data, _JSON]):
        printed = io.TextIOWrapper(io.BytesIO(), encoding)
        monkeypatch.setattr(sys, "stdout", printed)
        monkeypatch.setattr(sys, "argv", ["standout", *words])
        main()
        printed.seek(0)
        text = printed.read()
        assert len(text) > 100
    assert text.isascii()
    assert json.loads(text)["people"] == 9


def test_a_run_ends_well_in_a_locale_of_ascii(table: Path, tmp_path: Path) -> None:
    """What it writes is UTF-8 all the same."""
    data = ("data=table", f"data.path={table}", "data.user=who", "data.item=what")
    found = subprocess.run(
        [sys.executable, "-m", "sim", *data, f"data.cache={tmp_path}/cache", *JOB],
        env={**os.environ, "PYTHONPATH": str(ROOT), **ASCII},
        capture_output=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert found.stdout.isascii()
    for path in (tmp_path / "run").rglob("*"):
        if path.suffix in (".json", ".log", ".html", ".md"):
            path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("begin", "said"),
    [
        ('rmdir "$PWD"', "the working folder was deleted; "),
        ("mkdir žluť && cd žluť", "the name of the working folder cannot be read in this locale; "),
    ],
)
def test_a_folder_that_is_gone_or_cannot_be_named_is_said(
    begin: str, said: str, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    program = [sys.executable, "-P", "-c", "from sim.cli.main import main; main()", *JOB]
    found = subprocess.run(
        ["sh", "-c", f'{begin} && exec "$@"', "sh", *program],
        env={**os.environ, "PYTHONPATH": str(ROOT), **ASCII},
        capture_output=True, text=True, cwd=here, check=False,
    )  # fmt: skip
    assert (found.returncode, found.stdout) == (2, "")
    (line,) = found.stderr.splitlines()
    assert line.startswith(f"standout: error: {said}")

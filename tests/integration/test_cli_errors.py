"""Whatever the user can put right is one line on standard error, exit code 2, and no results."""

from __future__ import annotations

import gzip
import json
import os
import resource
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from making import deep
from studying import RESULTS, results

from sim.record.run_record import UNFINISHED

TABLE = ("data=table", "data.path=t.csv", "data.user=who", "data.item=what")
RATED = (*TABLE, "data.value=stars", "data.date=day")
MADE = ("data.preset=tiny",)
DISK = (*MADE, "targets=40", "grid.aux=[2/2]", "cluster=inline")
HEAD = "who,what,stars,day\n"
ROWS = "".join(
    f"p{p},i{i},{1 + (p + i) % 5},2020-01-{1 + i:02d}\n" for p in range(9) for i in range(5)
)
U_DATA = "".join(
    f"{u}\t{i}\t{1 + (u + i) % 5}\t{880000000 + u * i}\n" for u in range(6) for i in range(5)
)


@pytest.fixture
def fails(no_figures: None, standout: Any, place: Path, store_cache: Path) -> Callable[..., str]:
    """Run a command that must fail in the way all must; give what it says after the name."""

    def run(*arguments: str) -> str:
        common = ["cluster=inline", "targets=all", f"data.cache={store_cache}", "hydra.run.dir=run"]
        given = {a.partition("=")[0] for a in arguments}
        kept = [c for c in common if c.partition("=")[0] not in given]
        found = standout(*kept, *arguments)
        assert found.code == 2
        assert found.out == ""
        assert found.err.startswith("standout: error: ")
        assert found.err.count("\n") == 1
        assert found.err.endswith("\n")
        left = {path.name for path in (place / "run").rglob("*") if path.is_file()}
        assert not left & {*RESULTS, "ledger.jsonl"}
        return str(found.err).removeprefix("standout: error: ").removesuffix("\n")

    return run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sed=1"], "sed: not a key of the configuration; did you mean seed?"),
        (
            ["plan.max_risk=0,2"],
            "plan.max_risk=0,2: holds a comma; a number has a point, plan.max_risk=0.2; or add",
        ),
        (
            ["plan.min_length=0,5"],
            "plan.min_length=0,5: holds a comma; a decimal number has a point, and plan.min_length "
            "takes a whole one; or add --multirun to run each",
        ),
        (
            ["data=table", "data.user=PLZ,Geburtsjahr"],
            "data.user=PLZ,Geburtsjahr: holds a comma; people who are several columns together "
            "are 'data.user=[PLZ,Geburtsjahr]'; or add --multirun to run each",
        ),
        (["+extra=1"], "extra: unknown key"),
        (["+grid.extra=[1]"], "grid.extra: unknown key"),
        (["~seed"], "seed: not given; standout help study says what it may be"),
        (["~grid"], "grid: adversary=aux needs another; set grid=sweep"),
        (["data.path=x"], "data.path: not an option of data=synthetic; leave data.path out, or"),
        *(
            (
                [f"experiment={key}", f"{key}.max_risk={value}"],
                f"{key}.max_risk: {shown}: expected a number from 0 to 1, such as 0.05 for 5%",
            )
            for key in ("audit", "plan")
            for value, shown in (("5%", "'5%'"), ("5", "5.0"))
        ),
        (
            ["experiment=audit", "audit.max_risk=9"],
            "audit.max_risk: 9.0: expected a number from 0 to 1, such as 0.09 f",
        ),
        (["seed=abc"], "seed: 'abc': expected a whole number from 0 to 18446744073709551615"),
        (["seed=1.5"], "seed: 1.5: expected a whole number from 0 to 18446744073709551615"),
        (["seed=null"], "seed: null: expected a whole number from 0 to 18446744073709551615"),
        (["targets=0"], "targets: 0: expected a whole number of at least 1, all, or auto"),
        (["targets=true"], "targets: True: expected a whole number of at least 1, all, or auto"),
        (["attack.phi="], "attack.phi: '': expected a number of at least 0"),
        (
            ["grid.date_noise=few"],
            "grid.date_noise: 'few': expected a list, such as 'grid.date_noi",
        ),
        (["data.cache=,"], "data.cache=,: unexpected ','; to use it as text: "),
        (["--hlep"], "--hlep: unknown option; did you mean --help?; see standout --help"),
        (["--multirun", "seed=2"], "seed=2: stands apart; expected all keys before or after"),
        (["--cfg"], "argument --cfg/-c: expected one argument; see standout --hydra-help"),
        (["attack.phi=-1"], "attack.phi: -1.0: expected a number of at least 0"),
        (["grid.aux=[8/6]"], "grid.aux: '8/6': expected right facts/facts, like 6/8"),
        (["grid.aux=[[2/2]]"], "grid.aux: "),
        (["grid.aux=2/2"], "grid.aux: '2/2': expected a list, such as 'grid.aux=[2/2]'"),
        (["grid.value_noise=[[1]]"], "grid.value_noise: [1]: expected 0 or more"),
        (["grid.popularity=[{a:1}]"], "grid.popularity: {'a': 1}: expected no mapping"),
        (
            ["data=visits.csv"],
            "data: 'visits.csv': expected one of movielens, netflix, synthetic, table; a file of "
            "yours is data=table data.path=visits.csv",
        ),
        (
            ["experiment=plan", "plan.max_risk=1", "plan.write=setup.cfg", "dry_run=true"],
            "plan.write: ",
        ),
        (
            ["cluster=inline", "cluster.workers=3"],
            "cluster.workers: 3: cluster=inline does everything in one process: choose ",
        ),
        (["data=table"], "data.path: not given; standout help data says what it may be"),
        (
            ["cluster=address"],
            "cluster.address: not given; standout help cluster says what it may be",
        ),
        (["a=["], "a=[: expected a ] for every [; see standout --help"),
        (["a=[b=c]"], "a=[b=c]: no viable alternative at input '[b='; quote each text in it"),
        (["=3"], "Config group override must be a string or a list"),
        (["hydra.run.dir=/proc/run"], "/proc/run: cannot be created ("),
        (["hydra.run.dir=/dev/null/run"], "/dev/null/run: cannot be created ("),
        (["data.cache=/proc/stores"], "/proc/stores: cannot be used as a cache ("),
        (["data.cache=/dev/null"], "/dev/null: cannot be used as a cache ("),
        (["grid.aux=[2/2,900/900]"], "grid cell 2 (aux=900/900 "),
        (["grid.popularity=[300]"], "grid cell 0 (aux=2/2 "),
        (
            [
                *("grid.aux=[0/1]", "grid.date_noise=[null]", "grid.value_noise=[null]"),
                "adversary.wrong=value",
            ],
            "grid cell 0 (aux=0/1 ",
        ),
        (
            ["cluster=address", "cluster.address=127.0.0.1:1"],
            "cluster.address=127.0.0.1:1: does not answer (Connection refused); start the head",
        ),
        (
            ["cluster=address", "cluster.address=ray://127.0.0.1:1"],
            "cluster.address=ray://127.0.0.1:1: does not answer (Connection refused)",
        ),
        (
            ["cluster=address", "cluster.address=here"],
            "cluster.address=here: expected host:port, or auto",
        ),
        (
            ["cluster=address", "cluster.address=here:"],
            "cluster.address=here:: expected host:port, or auto",
        ),
        (
            ["cluster=address", "cluster.address=127.0.0.1:700000"],
            "cluster.address=127.0.0.1:700000: ",
        ),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, list) else "",
)
def test_what_is_typed_wrong(fails: Callable[..., str], arguments: list[str], message: str) -> None:
    assert fails(*MADE[: not arguments[0].startswith("data=")], *arguments).startswith(message)


@pytest.mark.parametrize("name", ["", " x", "..", "a/b", "../../evil", "a\\b", "a\nb", "x" * 101])
def test_a_name_that_is_no_folders(standout: Any, place: Any, name: str) -> None:
    """Hydra would make the folder before the configuration is checked."""
    found = standout(f"name='{name}'")
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert found.err.startswith("standout: error: name: ")
    assert not list(place.iterdir())


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        (None, TABLE, "t.csv: no such file or folder"),
        (HEAD, TABLE, "t.csv: holds no rows"),
        (HEAD + ROWS, ("data.user=whom",), "t.csv:1: "),
        (HEAD + "a,b,4,2020-01-01\na,c,four,2020-01-01\n", (), "t.csv:3: column stars: 'four' is"),
        (HEAD + "a,b,4,2020-13-01\n", (), "t.csv:2: column day: '2020-13-01'"),
        (HEAD + "a,b,4,2020-01-01\na,,4,2020-01-01\n", (), "t.csv:3: column what: is empty"),
        (HEAD + 'a,"b,4,2020-01-01\n', (), "t.csv:2: a quote is never closed"),
        (
            HEAD.encode() + b"a,b\xff,4,2020-01-01\n",
            ("data.encoding=utf-8",),
            "t.csv: holds no rows but 1 that cannot be read",
        ),
        (HEAD + "a,b,4,1/2/2020\n", (), "t.csv:2: column day: '1/2/2020' may be 2020-02-01 ("),
        (gzip.compress((HEAD + ROWS).encode(), mtime=0)[:-20], (), "t.csv: "),
        (HEAD + ROWS, ("data.item=who",), "t.csv: column 'who' is chosen both as user and as item"),
        (
            HEAD + "a,b,4,1970-01-01\na,c,4,2199-01-01\n",
            (),
            "table t.csv (text delimited by comma): dates span 83642 days, the most is 65535;",
        ),
    ],
)
def test_tables(
    fails: Callable[..., str],
    place: Path,
    content: str | bytes | None,
    arguments: tuple[str, ...],
    message: str,
) -> None:
    """The file, the line and the column are named; the path as it was found."""
    if content is not None:
        (place / "t.csv").write_bytes(content.encode() if isinstance(content, str) else content)
    changed = {a.partition("=")[0] for a in arguments}
    said = fails(*(a for a in RATED if a.partition("=")[0] not in changed), *arguments)
    assert said.removeprefix(f"{place}/").startswith(message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("data.value=null", "grid.value_noise=[1]"), "or set 'grid.value_noise=[null]'"),
        (("data.date=null", "grid.date_noise=[3]"), "or set 'grid.date_noise=[null]'"),
    ],
)
def test_what_the_release_lacks(
    fails: Callable[..., str], place: Path, change: tuple[str, ...], message: str
) -> None:
    (place / "t.csv").write_text(HEAD + ROWS)
    kept = [a for a in RATED if a.partition("=")[0] != change[0].partition("=")[0]]
    assert fails(*kept, *change, "grid.aux=[2/2]").endswith(message)


@pytest.mark.parametrize(
    ("kind", "name", "content", "message"),
    [
        ("netflix", "nowhere", None, "nowhere: no such file or folder"),
        ("netflix", "README", "hello\n", "{place}: holds no Netflix Prize ratings; expected"),
        (
            "movielens",
            "u.data",
            U_DATA + "7\t1\t6\t880000000\n",
            "u.data:31: column rating: '6' is",
        ),
        ("netflix", "mv_0000001.txt", "5,3,2005-09-06\n", "mv_0000001.txt:1"),
    ],
)
def test_ratings(
    fails: Callable[..., str], place: Path, kind: str, name: str, content: str | None, message: str
) -> None:
    path = place
    if content is None:
        path = place / name
    else:
        (place / name).write_text(content)
    said = fails(f"data={kind}", f"data.path={path}")
    expected = message.format(place=place)
    assert said.startswith(expected if expected.startswith("/") else f"{place}/{expected}")


PEOPLE = ("adversary=external", "grid=people", "adversary.path=o.csv", "adversary.user=who",
          "adversary.item=what", "bayes_targets=0")  # fmt: skip


@pytest.mark.parametrize(
    ("truth", "more", "message"),
    [
        ("a,p1\nb,p2\n", ["adversary.value=stars"], "o.csv: column stars: 9 is off the scale of "),
        ("a,p1\nb,p99\n", [], "w.csv: column record: 'p99' is no record of the data; expected "),
        ("a,p8\nb,p99\nc,p98\n", [], "w.csv: column record: 'p99' is no record of the data, nor"),
        ("a,p1\nb,p1\n", [], "w.csv: record 'p1' is said to be that of 'a' and of 'b'; keep the"),
        ("a,p1\na,p2\n", [], "w.csv: who 'a' has two records, 'p1' and 'p2'; keep the right one"),
    ],
)
def test_what_is_said_about_others(
    fails: Callable[..., str], place: Path, truth: str, more: list[str], message: str
) -> None:
    (place / "t.csv").write_text(HEAD + ROWS)
    (place / "o.csv").write_text("who,what,stars\na,i1,4\na,i2,9\nb,i3,3\nc,i1,3\n")
    (place / "w.csv").write_text("who,record\n" + truth)
    said = fails(*RATED, *PEOPLE, "adversary.truth=w.csv", *more)
    assert said.removeprefix(f"{place}/").startswith(message)


def test_a_file_that_may_not_be_read(fails: Callable[..., str], place: Path) -> None:
    (place / "t.csv").write_text(HEAD + ROWS)
    (place / "t.csv").chmod(0)
    if os.access(place / "t.csv", os.R_OK):
        pytest.skip("this user may read everything")
    assert "t.csv: " in fails(*RATED)


def test_a_cache_whose_store_is_damaged(
    standout: Any, fails: Callable[..., str], place: Path
) -> None:
    assert standout("describe", *MADE, "data.cache=own").code == 0
    (block,) = (place / "own").glob("*/block-00000/item_row.npy")
    content = bytearray(block.read_bytes())
    content[-1] ^= 1
    block.write_bytes(content)
    said = fails(*MADE, "data.cache=own")
    assert "item_row.npy: does not match its checksum; delete the folder" in said
    block.write_bytes(content[:-1])
    assert "item_row.npy: missing, or not the" in fails(*MADE, "data.cache=own")


@pytest.mark.parametrize("change", [{"scale": [1.0, 2.0]}, {"first_day": 0}, {"files": {}}])
def test_a_cache_whose_manifest_was_edited(
    standout: Any, fails: Callable[..., str], place: Path, change: dict[str, Any]
) -> None:
    """It would change what comes out, and nothing would show it."""
    assert standout("describe", *MADE, "data.cache=own").code == 0
    (path,) = (place / "own").glob("*/manifest.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    said = fails(*MADE, "data.cache=own")
    assert said.startswith(f"{path}: does not match the digest in it")
    assert said.endswith("; delete the folder of the store, and it is built again")


def test_several_failed_jobs_are_a_line_each(standout: Any, place: Path) -> None:
    found = standout(
        "--multirun", *MADE, "targets=0,none", "cluster=inline", "hydra.sweep.dir=runs"
    )
    assert found.code == 2
    lines = found.err.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("standout: error: targets: ") for line in lines)


def test_the_log_has_the_error_too(fails: Callable[..., str], place: Path) -> None:
    said = fails(*MADE, "targets=0")
    assert said in (place / "run" / "standout.log").read_text()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the run lies to which nothing happened, once it was made."""
    return tmp_path_factory.mktemp("kept") / "whole"


FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


@FULL
@pytest.mark.parametrize(
    "name",
    [
        f"{UNFINISHED}/.run.json.partial", f"{UNFINISHED}/parts/.aux-000002.arrow.partial",
        f"{UNFINISHED}/.decisions.parquet.partial", ".run.json.partial",
        *deep(
            f"{UNFINISHED}/parts/.decisions-000000.arrow.partial", ".aux.parquet.partial",
            f"{UNFINISHED}/.curves.parquet.partial",
        ),
    ],
)  # fmt: skip
def test_a_full_disk(
    no_figures: None, standout: Any, place: Path, store_cache: Path, whole: Path, name: str
) -> None:
    """Whichever file finds it full; with room again, the run is taken up and nothing is lost."""
    job = (*DISK, f"data.cache={store_cache}")
    run, full = place / "run", place / "run" / name
    full.parent.mkdir(parents=True, exist_ok=True)
    full.symlink_to("/dev/full")
    found = standout(*job, "hydra.run.dir=run")
    assert found.code == 2
    begun = name != f"{UNFINISHED}/.run.json.partial"
    again = f"standout resume {run}" if begun else "run it again"
    place_of = run / UNFINISHED if UNFINISHED in name else run
    said = f"{place_of}: the disk is full; free some space, then: {again}"
    assert found.err == f"standout: error: {said}\n"
    full.unlink(missing_ok=True)
    assert standout(*(("resume", "run") if begun else (*job, "hydra.run.dir=run"))).code == 0
    if not whole.exists():
        assert standout(*job, f"hydra.run.dir={whole}").code == 0
    assert results(run) == results(whole)


@FULL
def test_a_disk_without_room_for_figures(standout: Any, place: Path, store_cache: Path) -> None:
    full = place / "run" / "figures" / ".best_guess.png.partial"
    full.parent.mkdir(parents=True)
    full.symlink_to("/dev/full")
    found = standout(*DISK, f"data.cache={store_cache}", "hydra.run.dir=run")
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert "best_guess.png: the figure cannot be written (No space left on device)" in found.err
    full.unlink(missing_ok=True)
    assert standout("resume", "run").code == 0
    drawn = {path.name for path in full.parent.iterdir()}
    assert "best_guess.png" in drawn
    assert not [name for name in drawn if name.startswith(".")]
    assert json.loads((place / "run" / "run.json").read_text())["status"] == "complete"


@FULL
def test_a_log_that_cannot_be_written(standout: Any, place: Path, store_cache: Path) -> None:
    found = standout(
        *MADE, "targets=0", "hydra.job_logging.handlers.file.filename=/dev/full",
        "hydra.run.dir=run",
    )  # fmt: skip
    assert found.code == 2
    assert found.err.count("\n") == 1


@pytest.mark.parametrize(
    ("most", "told"),
    [
        (2_000, "the disk of the run folder is full; free some space, and run it again"),
        (30_000, "the disk is full; free some space, then: standout resume "),
    ],
)
def test_files_that_may_not_grow(
    standout: Any, place: Path, store_cache: Path, most: int, told: str
) -> None:
    """A limit of the process, as batch systems set; in a process of its own."""
    assert standout("describe", *MADE, f"data.cache={store_cache}").code == 0
    job = [*MADE, "targets=all", "cluster=inline", f"data.cache={store_cache}", "hydra.run.dir=run"]
    done = subprocess.run(
        [sys.executable, "-m", "sim", *job],
        cwd=place,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_a_reader_that_has_read_enough_causes_no_traceback() -> None:
    command = f"{sys.executable} -m sim --help | head -n 1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.startswith("Standout ")
    assert done.stderr == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    ("to", "code", "told"),
    [
        (">/dev/full", 2, "standout: error: standard output: cannot be written, the disk is full;"),
        (">&-", 0, ""),
        *(("nothing 2>&-", 2, ""), ("nothing 2>/dev/full", 2, "")),
    ],
)
def test_an_output_that_takes_nothing(to: str, code: int, told: str) -> None:
    """What has no place to go is not said elsewhere, and the exit code stays what it is."""
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m sim help {to}"],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code
    assert done.stderr.startswith(told)
    assert done.stderr.count("\n") == bool(told)
    assert done.stdout == "" or code == 0


@FULL
def test_a_run_whose_result_cannot_be_printed(place: Path, store_cache: Path) -> None:
    """It is not the disk of the run folder that is full: the run is whole."""
    job = shlex.join([*DISK, f"data.cache={store_cache}", "hydra.run.dir=run"])
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m sim {job} >/dev/full"],
        cwd=place, env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    said = "standout: error: standard output: cannot be written, the disk is full; "
    assert done.stderr.splitlines()[-1].startswith(said)
    assert done.stderr.endswith("; the results are in run\n")
    assert "Error executing job" not in done.stderr
    assert json.loads((place / "run" / "run.json").read_text())["status"] == "complete"

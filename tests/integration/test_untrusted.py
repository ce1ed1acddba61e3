"""A run folder may come from anyone: it is data, and neither runs nor writes anything elsewhere."""

from __future__ import annotations

import json
import os
import pickle
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from studying import results

import sim

SMALL = ("data.preset=tiny", "targets=20", "cluster=inline", "grid.aux=[2/2]", "bayes_targets=0")
PARTS = "parts={near: ['grid.date_noise=[3]'], far: ['grid.date_noise=[14]']}"


class Payload:
    """Writes a file where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


@pytest.fixture
def payload(place: Path) -> str:
    """A pickle that leaves ``ran`` behind when somebody loads it."""
    (place / "payload.pkl").write_bytes(pickle.dumps(Payload(place / "ran")))
    return str(place / "payload.pkl")


@pytest.fixture
def hostile(place: Path) -> Callable[..., Path]:
    """A run folder with a record of one's own making."""

    def make(name: str = "run", **more: Any) -> Path:
        folder = place / name
        folder.mkdir(parents=True, exist_ok=True)
        record = {
            "status": "running",
            "overrides": list(SMALL),
            "working_directory": str(place),
            "config": {"name": "study"},
            **more,
        }
        (folder / "run.json").write_text(json.dumps(record), encoding="utf-8")
        return folder

    return make


@pytest.fixture
def refused(standout: Any, place: Path) -> Callable[..., str]:
    """See that both commands refuse a folder in one line, and leave everything as it was."""

    def check(folder: Path, *commands: str) -> str:
        for command in commands or ("resume", "report"):
            before = contents(place)
            found = standout(command, folder.name)
            assert (found.code, found.out) == (2, "")
            assert found.err.count("\n") == 1
            assert contents(place) == before
        return str(found.err).removeprefix("standout: error: ").removesuffix("\n")

    return check


def contents(place: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(place)): path.read_bytes() if path.is_file() else b""
        for path in place.rglob("*")
    }


@pytest.mark.parametrize(
    "override",
    [
        "+hydra.callbacks.e={_target_:pandas.read_pickle,filepath_or_buffer:PAYLOAD}",
        "parts={a: ['+hydra.callbacks.e={_target_:pandas.read_pickle}']}",
        "data.path='${oc.env:HOME}'",
        "--experimental-rerun=PAYLOAD",
        "seed=1\nhydra.run.dir=x",
    ],
)
def test_what_a_record_cannot_ask_for(
    hostile: Callable[..., Path],
    refused: Callable[..., str],
    place: Path,
    payload: str,
    override: str,
) -> None:
    """Each override is one of our own keys with a plain value, as `test_own_overrides` shows."""
    text = override.replace("PAYLOAD", payload)
    said = refused(hostile(overrides=[*SMALL, text]))
    assert said.removeprefix(f"{place}/").startswith("run/run.json: overrides: ")
    key = text.partition("=")[0]
    assert key.split("\n")[0] in said
    assert not (place / "ran").exists()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"overrides": "seed=1"}, "overrides: expected a list of text"),
        ({"overrides": [1]}, "overrides: expected a list of text"),
        ({"overrides": {"seed": 1}}, "overrides: expected a list of text"),
        ({"config": []}, "config: expected keys and values"),
        ({"parts": [1]}, "parts: expected a list of parts"),
        ({"parts": [{"name": "a"}]}, "parts: a: expected its name and its status"),
        *(
            (
                {"parts": [{"name": "a", "folder": folder, "status": "complete"}]},
                "part a: its folder lies outside the run",
            )
            for folder in ("../../evil", "/etc", "..", ".", "a/../../b", "", None)
        ),
        ({"bayes": {"folder": "../other"}}, "bayes: its folder lies outside the run"),
        ({"bayes": {"folder": "/etc"}}, "bayes: its folder lies outside the run"),
        ({"bayes": "x"}, "bayes: its folder lies outside the run"),
    ],
)
def test_what_a_record_cannot_be(
    hostile: Callable[..., Path], refused: Callable[..., str], more: dict[str, Any], said: str
) -> None:
    folder = hostile(**more)
    assert refused(folder).endswith(f"{folder.name}/run.json: {said}")


def test_a_record_of_endless_depth(
    hostile: Callable[..., Path], refused: Callable[..., str]
) -> None:
    folder = hostile()
    (folder / "run.json").write_text("[" * 100_000, encoding="utf-8")
    assert "run.json: cannot be read (" in refused(folder)


@pytest.mark.parametrize("start", ["relative", "/no/such/place", 5, None])
def test_where_it_was_begun(
    hostile: Callable[..., Path], refused: Callable[..., str], start: object
) -> None:
    refused(hostile(working_directory=start), "resume")


def test_the_process_stays_where_it_is(
    standout: Any, place: Path, store_cache: Path, no_figures: None, monkeypatch: Any
) -> None:
    """Python, Numba and matplotlib take modules and settings from their working directory."""
    there = place / "there"
    there.mkdir()
    (there / "t.csv").write_text(
        "who,what\n" + "".join(f"{p},{i}\n" for p in range(9) for i in range(5) if (p + i) % 3)
    )
    monkeypatch.chdir(there)
    job = ("data=table", "data.path=t.csv", "data.user=who", "data.item=what", "cluster=inline")
    grid = (
        "grid.aux=[1/1]",
        "grid.date_noise=[null]",
        "grid.value_noise=[null]",
        "bayes_targets=0",
    )
    job = (*job, "attack=set_intersection")
    folder = place / "run"
    assert standout(*job, *grid, f"data.cache={store_cache}", f"hydra.run.dir={folder}").code == 0
    (folder / "ledger.jsonl").unlink()
    monkeypatch.chdir(place)
    seen: list[Path] = []
    monkeypatch.setattr("sim.session.session.git_revision", lambda: seen.append(Path.cwd()))
    found = standout("resume", "run")
    assert found.code == 0, found.err
    assert seen == [place]
    assert json.loads((folder / "run.json").read_text())["working_directory"] == str(there)


@pytest.mark.parametrize(
    "overrides",
    [
        ["cluster=address", "cluster.address=203.0.113.5:6379"],
        ["cluster=address", "++cluster.address=ray://203.0.113.5:1"],
        ["parts={a: ['cluster=address', 'cluster.address=\"127.0.0.1:1\"']}"],
    ],
)
def test_a_cluster_that_only_a_file_names(
    hostile: Callable[..., Path], refused: Callable[..., str], overrides: list[str]
) -> None:
    """It would be sent the data, and could run code here."""
    kept = [o for o in SMALL if not o.startswith("cluster")]
    said = refused(hostile("it's", overrides=[*kept, *overrides]), "resume")
    assert "run.json: cluster.address: " in said
    command = shlex.split(said.partition("if it is yours: ")[2])
    assert command[:2] == ["standout", "resume"]
    assert command[2].endswith("/it's")
    assert command[3].startswith("cluster.address=")


def test_a_cluster_that_is_typed(
    hostile: Callable[..., Path], refused: Callable[..., str], standout: Any, store_cache: Path
) -> None:
    kept = [o for o in SMALL if not o.startswith("cluster")]
    evil = ["cluster=address", "cluster.address=203.0.113.5:6379", f"data.cache={store_cache}"]
    hostile(overrides=[*kept, *evil])
    found = standout("resume", "run", "cluster.address=127.0.0.1:1")
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert "cluster.address=127.0.0.1:1: does not answer" in found.err


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the run lies that several tests start from."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def finished(
    standout: Any, place: Path, kept: Path, store_cache: Path, no_figures: None, monkeypatch: Any
) -> Path:
    if not (kept / "run").exists():
        monkeypatch.chdir(kept)
        assert (
            standout(*SMALL, f"data.cache={store_cache}", f"hydra.run.dir={kept / 'run'}").code == 0
        )
        monkeypatch.chdir(place)
    shutil.copytree(kept / "run", place / "run")
    return place / "run"


@pytest.mark.parametrize(
    "name",
    [
        ".run.json.partial",
        "ledger.jsonl",
        "standout.log",
        "report.html",
        "figures",
        "figures/deep.png",
    ],
)
def test_links_are_not_followed(
    finished: Path, refused: Callable[..., str], place: Path, name: str
) -> None:
    """A file of somebody's would be overwritten, or a folder of theirs filled."""
    mine = place / "mine"
    if name == "figures":
        mine.mkdir()
    else:
        mine.write_text("of great value")
    link = finished / name
    link.unlink(missing_ok=True)
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(mine)
    assert refused(finished).removeprefix(f"{place}/").startswith(f"run/{name}: is a link; ")


def test_nor_are_pipes_read(finished: Path, refused: Callable[..., str]) -> None:
    os.mkfifo(finished / "curves.extra")
    assert "curves.extra: neither a file nor a folder; remove it" in refused(finished)


def test_a_folder_that_is_reached_by_a_link(standout: Any, finished: Path, place: Path) -> None:
    before = results(finished)
    (place / "link").symlink_to(finished.rename(place / "elsewhere"))
    assert standout("resume", "link").code == 0
    assert results(place / "elsewhere") == before


@pytest.mark.parametrize(
    "lines",
    [
        ['{"header": []}'],
        ['{"header": {"seed": {"a": {}}}}'],
        ["{HEADER}", '{"batch": []}'],
        ["{HEADER}", '{"batch": {}}'],
        ["{HEADER}", '{"batch": 0}'],
        ["{HEADER}", '{"batch": 0, "decisions": 5, "aux": null}'],
        ["{HEADER}", '{"batch": 0, "decisions": "../../x", "aux": "x"}'],
        ["{HEADER}", '{"batch": true}', '{"finished": 1}'],
        ["{HEADER}", "[" * 100_000],
    ],
)
def test_a_ledger_of_ones_own_making(standout: Any, finished: Path, lines: list[str]) -> None:
    """It is done again, or refused in one line."""
    before = results(finished)
    ledger = finished / "ledger.jsonl"
    header = ledger.read_text().splitlines()[0]
    ledger.write_text("\n".join(line.replace("{HEADER}", header) for line in lines) + "\n")
    found = standout("resume", "run")
    if found.code:
        assert (found.code, found.err.count("\n")) == (2, 1)
        assert "ledger.jsonl" in found.err
    else:
        assert results(finished) == before


def test_parts_typed_by_the_user(standout: Any, place: Path, payload: str) -> None:
    for part in ("hydra.run.dir=/x", "+hydra.callbacks.e={_target_:pandas.read_pickle}", "-m"):
        found = standout(*SMALL, f"parts={{a: ['{part}']}}", "hydra.run.dir=run")
        assert (found.code, found.err.count("\n")) == (2, 1)
        assert found.err.startswith("standout: error: parts.a: ")
        assert part.partition("=")[0] in found.err
    assert not (place / "run" / "run.json").exists()


def test_a_pickled_job_is_not_run(standout: Any, place: Path, payload: str) -> None:
    """Hydra has a flag for it."""
    for flag in (["--experimental-rerun", payload], [f"--exp={payload}"]):
        found = standout(*flag)
        assert (found.code, found.err.count("\n")) == (2, 1)
        assert found.err.startswith("standout: error: --experimental-rerun: ")
    assert not (place / "ran").exists()


def test_what_the_environment_filled_in_is_not_asked_for_again(
    standout: Any, place: Path, store_cache: Path, no_figures: None, monkeypatch: Any
) -> None:
    monkeypatch.setenv("CACHE", str(store_cache))
    job = [o for o in SMALL if o != "bayes_targets=0"]
    assert standout(*job, "data.cache=${oc.env:CACHE}", PARTS, "hydra.run.dir=run").code == 0
    monkeypatch.delenv("CACHE")
    run = sim.load("run")
    near = run.parts["near"]
    assert near.bayes is not None
    for one in (run, near, near.bayes):
        assert f"data.cache={store_cache}" in one.record["overrides"]
    again = standout("resume", "run")
    assert again.code == 0, again.err
    assert "already complete" in again.err


def test_ray_does_not_look_for_modules_where_the_data_lie(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gives its workers the folder that it is started in, before all others."""
    import ray

    from actors import cluster

    started: list[Path] = []
    monkeypatch.setattr(ray, "init", lambda **_: started.append(Path.cwd()))
    cluster._start(1, None, None)
    cluster._join("127.0.0.1:1")
    assert started == [Path(cluster.__file__).parents[1]] * 2
    assert Path.cwd() == place

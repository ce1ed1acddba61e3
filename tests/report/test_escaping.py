"""No name from a file becomes part of the page: not from the data, nor from a run folder."""

import base64
import csv
import hashlib
import json
import re
import shlex

import pytest
from making import random_rows
from reporting import Page, run_at

from sim.extend.overrides import override
from sim.report.page.html import write_report
from sim.report.words.reproduce import command_of

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'>&lt;{{ 7*7 }}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A measurement and an attack of a table whose every name is hostile."""
    place = tmp_path_factory.mktemp("evil")
    columns = [f"{name} {EVIL}" for name in ("who", "what", "stars", "day")]
    path = place / f"{EVIL.replace('/', '')}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for record, item, value, day in random_rows(3, 40, 20, 300):
            writer.writerow([f"{EVIL}{record}", f"{item}{EVIL}", value, day])
    keys = dict(zip(("user", "item", "value", "date"), columns, strict=True))
    opened = [override(f"data.{key}", name) for key, name in keys.items()]
    parts = (
        "parts={attack: ['grid.aux=[2/2]','grid.date_noise=[3]'], bits: ['experiment=ns08_fig7']}"
    )
    return run_at(
        place / "run",
        *("data=table", override("data.path", str(path)), *opened, "data.date_unit=days"),
        *(
            f"data.cache={place / 'cache'}",
            "cluster=inline",
            "targets=10",
            "bayes_targets=5",
            parts,
        ),
    ).folder


def check(folder):
    """See that the page has the tags that it should, and none from a name."""
    text = write_report(folder).read_text(encoding="utf-8")
    page = Page(text)
    assert len(page.named("script")) == 1
    assert not [name for tag in page.tags for name in tag[1] if name.startswith("on")]
    assert all(image["src"].startswith("data:image/") for image in page.named("img"))
    assert "alert(1)" in page.said()
    assert "{{ 7*7 }}" in page.said()
    (script,) = re.findall("<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = next(m["content"] for m in page.named("meta") if "http-equiv" in m)
    assert f"script-src 'sha256-{digest}';" in policy


def test_names_in_the_data(folder):
    check(folder)
    check(folder / "bits")


def spoilt(value, name=""):
    """The same record with hostile text wherever there is text that is shown as it is."""
    if isinstance(value, dict):
        return {key: spoilt(one, key) for key, one in value.items()}
    if isinstance(value, list):
        return [spoilt(one, name) for one in value]
    kept = {"overrides", "status", "folder", "kind", "aggregate", "aux", "begun", "time_bin"}
    return value + EVIL if isinstance(value, str) and name not in kept else value


@pytest.mark.parametrize("part", ["", "attack", "bits", "attack/bayes"])
def test_names_in_a_record(folder, part):
    path = folder / part / "run.json"
    before = path.read_text(encoding="utf-8")
    record = json.loads(before)
    changed = spoilt(record)
    changed["config"]["attack"]["name"] = record["config"]["attack"]["name"]
    changed["release_fingerprint"] = record["release_fingerprint"]
    changed["name"] = EVIL
    for entry in changed.get("parts", ()):
        entry["folder"] = entry["name"].removesuffix(EVIL)
    changed["release"]["notes"] = {EVIL: EVIL}
    changed["machine"] = changed["versions"] = {EVIL: EVIL}
    path.write_text(json.dumps(changed), encoding="utf-8")
    try:
        check(folder)
    finally:
        path.write_text(before, encoding="utf-8")


@pytest.mark.parametrize("name", ["a'; rm -rf ~ #", "$(id)", "`id`", "a\n; id", "\x03 id\r", "!x"])
def test_what_is_pasted_is_one_word(name):
    """A terminal takes a control character for a key, whatever quotes it stands in."""
    made = command_of({"overrides": ["seed=1", override("data.path", name)]})
    assert made.isprintable()
    if name.isprintable():
        assert shlex.split(made)[1:] == ["seed=1", override("data.path", name)]
    else:
        assert made.startswith("standout seed=1 $'data.path=")

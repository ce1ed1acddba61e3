"""No name from a file becomes part of the page: not from the data, nor from a run folder."""

import base64
import dataclasses
import hashlib
import re
import shlex

import pandas as pd
import pytest
from reporting import CHAPTERS, SCREEN, Page, folder_of, screens

from sim.extend.overrides import override
from sim.record.run_folder import open_folder
from sim.report.commands import command_of
from sim.report.page.html import page_of
from sim.report.page.notebook import notebook_html

EVIL = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'>&lt;{{ 7*7 }}\u202e"


def spoilt(value):
    """Return a value with hostile text wherever there is text."""
    if dataclasses.is_dataclass(value):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return dataclasses.replace(value, **{name: spoilt(one) for name, one in fields.items()})
    if isinstance(value, dict):
        return {f"{key}{EVIL}": spoilt(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [spoilt(one) for one in value]
    return value + EVIL if isinstance(value, str) else value


@pytest.fixture
def folder(tmp_path):
    """A suite whose names are hostile, of a part with a report."""
    name = EVIL.replace("/", "")
    config = {"name": "own", "study": {"kind": "own"}, "data": {"kind": "synthetic"}}
    tables = {"facts": pd.DataFrame({"x": [1.0]}), name: pd.DataFrame({"x": [1.0]})}
    (folder_of(tmp_path / "part", config, tables) / "report.html").touch()
    parts = [
        {"name": EVIL, "folder": "part", "status": "complete"},
        {"name": "none", "folder": "none", "status": "impossible", "error": EVIL},
    ]
    record = {
        "overrides": [override("data.path", EVIL)],
        "begun": EVIL,
        "machine": spoilt({"a": "b"}),
    }
    record |= {"versions": {"standout": EVIL}, "rows_as_read": [spoilt({"person": "a"})] * 3}
    suite = config | {"name": EVIL, "parts": {EVIL: []}}
    return folder_of(tmp_path, suite, tables, parts=parts, **record)


@pytest.mark.parametrize("shown", ["page", "notebook"])
def test_no_name_becomes_part_of_the_page(folder, shown):
    with screens(spoilt(SCREEN), spoilt(CHAPTERS)):
        run = open_folder(folder)
        text = page_of(run) if shown == "page" else notebook_html(run, EVIL)
    page = Page(text)
    assert len(page.named("script")) == (shown == "page")
    assert not page.named("img")
    assert not [name for tag in page.tags for name in tag[1] if name.startswith("on")]
    assert page.said().count("alert(1)") > 20
    assert "{{ 7*7 }}" in page.said()
    assert "\u202e" not in text


def test_the_policy_knows_the_script_of_the_page_alone(folder):
    with screens():
        text = page_of(open_folder(folder))
    (script,) = re.findall("<script>(.*?)</script>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = next(m["content"] for m in Page(text).named("meta") if "http-equiv" in m)
    assert f"script-src 'sha256-{digest}';" in policy


@pytest.mark.parametrize("name", ["a'; rm -rf ~ #", "$(id)", "`id`", "a\n; id", "\x03 id\r", "!x"])
def test_what_is_pasted_is_one_word(name):
    """A terminal takes a control character for a key, whatever quotes it stands in."""
    made = command_of({"overrides": ["seed=1", override("data.path", name)]})
    assert made.isprintable()
    if name.isprintable():
        assert shlex.split(made)[1:] == ["seed=1", override("data.path", name)]
    else:
        assert made.startswith("standout seed=1 $'data.path=")

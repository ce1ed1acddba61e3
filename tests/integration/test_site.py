"""The site: all pages of the guide, the API and a sample report, and nothing from the network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import matplotlib as mpl
import pytest
from making import lend_kernels

import sim
from sim.guide import pages

pytestmark = pytest.mark.deep


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built anew by the command of ``make site``, without a warning."""
    folder = tmp_path_factory.mktemp("site") / "site"
    cache = lend_kernels(tmp_path_factory.mktemp("cache"))
    done = subprocess.run(
        [sys.executable, "-m", "sim.guide.site", folder],
        env=os.environ | {"XDG_CACHE_HOME": str(cache), "MPLCONFIGDIR": mpl.get_cachedir()},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    return folder


def test_it_has_every_page_and_the_way_to_it(site: Path) -> None:
    index = (site / "index.html").read_text(encoding="utf-8")
    for name in set(pages()) - {"index"}:
        assert (site / f"{name}.html").is_file()
        assert f'class="reference internal" href="{name}.html"' in index
    assert index.count('href="site/api.html"') == 2  # among the links, and in the navigation


def test_the_sample_report_is_one_click_away(site: Path) -> None:
    assert 'href="sample/report.html"' in (site / "index.html").read_text(encoding="utf-8")
    report = (site / "sample" / "report.html").read_text(encoding="utf-8")
    assert "Who could be found?" in report
    assert "insider" in report


def test_the_api_is_that_of_the_docstrings(site: Path) -> None:
    api = (site / "site" / "api.html").read_text(encoding="utf-8")
    for name in sim.__all__:
        assert f'id="sim.{name}"' in api, name
        first = (getattr(sim, name).__doc__ or "").splitlines()[0]
        words = re.sub(r"[^\w ]", "", first)
        assert words in re.sub(r"[^\w ]", "", unescape(re.sub(r"<[^>]+>", "", api))), name


def test_the_drawing_of_the_rooms_is_a_picture(site: Path) -> None:
    """With a label for each arrow, for those who cannot see it."""
    text = (site / "architecture.html").read_text(encoding="utf-8")
    assert "graph TD" not in text
    picture = text[text.index("<svg role") :].partition("</svg>")[0]
    assert "cli imports session" in picture


def test_every_link_within_it_leads_somewhere(site: Path) -> None:
    checked = 0
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for link in re.findall(r'(?:href|src)="([^"#?]+)', text):
            if not re.match(r"\w+:", link):
                checked += 1
                assert (path.parent / unquote(link)).exists(), (path.name, link)
    assert checked > 500


def test_nothing_is_loaded_from_the_network(site: Path) -> None:
    loading = r'<(?:script|img|iframe|link)\b[^>]*(?:src|href)="(?:https?:)?//'
    for path in site.rglob("*.html"):
        assert not re.search(loading, path.read_text(encoding="utf-8")), path
    for path in site.rglob("*.css"):
        assert not re.search(r"@import|url\(\s*['\"]?(?:https?:)?//", path.read_text("utf-8")), path


def test_it_can_be_searched_from_a_disk(site: Path) -> None:
    """The index is a script, which a browser runs from a file too."""
    assert "calibr" in (site / "searchindex.js").read_text(encoding="utf-8")


def test_no_path_of_the_machine_is_in_it(site: Path) -> None:
    here = str(Path(__file__).parents[2])
    for path in (*site.rglob("*.html"), *site.rglob("*.js")):
        text = path.read_text(encoding="utf-8")
        assert here not in text, path
        assert str(site.parent) not in text, path

"""The report in a real browser, where there is one: figures show, tables sort, no complaint."""

import base64
import hashlib
import os
import re
import shutil
import subprocess

import pandas as pd
import pytest
from reporting import folder_of

from sim.report.page.html import write_report

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--enable-logging=stderr", "--v=0", "--virtual-time-budget=5000"),
)

PROBE = """<script>addEventListener("load", () => {
  const seen = document.body.dataset;
  seen.widths = Array.from(document.images, (image) => image.naturalWidth).join(" ");
  const table = document.querySelectorAll("table")[0];
  const column = Array.from(table.tHead.rows[0].cells).findIndex(
    (head) => head.textContent === "records");
  const button = table.tHead.rows[0].cells[column].querySelector("button");
  button.focus();
  seen.focused = document.activeElement === button;
  button.click();
  seen.sorted = table.tHead.rows[0].cells[column].getAttribute("aria-sort");
  seen.order = Array.from(table.tBodies[0].rows, (row) => row.cells[column].textContent).join(" ");
});</script></body>"""


@pytest.fixture(scope="module")
def browser():
    for name in (os.environ.get("STANDOUT_BROWSER", ""), *BROWSERS):
        found = shutil.which(name) if name else None
        if found:
            return found
    pytest.skip("no Chromium: install one, or set STANDOUT_BROWSER to its path")


@pytest.fixture
def page(tmp_path):
    facts = pd.DataFrame({"of": ["a", "b", "c"], "records": [20, 3, 100]})
    counts = {"n_records": 9, "length_median": 2.0, "length_mean": 2.5, "length_max": 4}
    lengths = pd.DataFrame({"x": [1, 2, 3], "exactly": [4, 3, 2], "at_least": [9, 5, 2]})
    beyond = pd.DataFrame({"items": [3], "records": [0]})
    config = {"name": "ns08_fig2_3", "seed": 1, "study": {"kind": "lengths", "ranges": [3]}}
    folder = folder_of(
        tmp_path / "run",
        {**config, "data": {"kind": "synthetic"}},
        {"facts": facts.assign(**counts), "lengths": lengths, "beyond": beyond},
    )
    path = write_report(folder)
    text = path.read_text(encoding="utf-8")
    # The page's policy lets no script run but its own; the probe has to be made known to it.
    (probe,) = re.findall("<script>(.*)</script>", PROBE, re.DOTALL)
    known = base64.b64encode(hashlib.sha256(probe.encode()).digest()).decode()
    text = text.replace("script-src ", f"script-src 'sha256-{known}' ", 1)
    path.write_text(text.replace("</body>", PROBE), encoding="utf-8")
    return path


def test_a_browser_shows_it_all_and_has_nothing_to_complain_of(browser, page, tmp_path):
    done = subprocess.run(
        [browser, *QUIET, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert [line for line in done.stderr.splitlines() if ":CONSOLE" in line] == []
    body = re.search(r"<body[^>]*>", done.stdout)
    assert body
    seen = dict(re.findall(r'data-(\w+)="([^"]*)"', body[0]))
    assert seen["widths"].split()
    assert all(int(width) > 0 for width in seen["widths"].split())
    assert seen["focused"] == "true"
    assert seen["sorted"] == "ascending"
    assert seen["order"].split() == ["3", "20", "100"]

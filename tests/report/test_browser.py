"""The report in a real browser, where there is one: it fits, sorts and prints."""

import base64
import hashlib
import os
import re
import shutil
import subprocess

import pytest
from reporting import lengths_folder, screens

from sim.report.page.html import write_report

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--window-size=1280,800", "--enable-logging=stderr", "--v=0", "--virtual-time-budget=5000"),
)

PROBE = """<script>addEventListener("load", () => {
  const seen = document.body.dataset;
  const images = Array.from(document.images);
  seen.widths = images.map((image) => image.naturalWidth).join(" ");
  seen.bottom = Math.max(...images.map((image) => image.getBoundingClientRect().bottom));
  const table = document.querySelector("details table");
  const button = table.tHead.rows[0].cells[0].querySelector("button");
  seen.order = [1, 2].map(() => {
    button.click();
    return Array.from(table.tBodies[0].rows, (row) => row.cells[0].textContent).join(" ");
  }).join(", ");
  seen.sorted = table.tHead.rows[0].cells[0].getAttribute("aria-sort");
  dispatchEvent(new Event("beforeprint"));
  const open = () => document.querySelectorAll("details[open]").length;
  seen.printed = open() === document.querySelectorAll("details").length;
  dispatchEvent(new Event("afterprint"));
  seen.folded = open() === 0;
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
    with screens():
        path = write_report(lengths_folder(tmp_path / "run"))
    text = path.read_text(encoding="utf-8")
    # The page's policy lets no script run but its own; the probe has to be made known to it.
    (probe,) = re.findall("<script>(.*)</script>", PROBE, re.DOTALL)
    known = base64.b64encode(hashlib.sha256(probe.encode()).digest()).decode()
    text = text.replace("script-src ", f"script-src 'sha256-{known}' ", 1)
    path.write_text(text.replace("</body>", PROBE), encoding="utf-8")
    return path


def test_a_browser_shows_it_all_and_has_nothing_to_complain_of(browser, page, tmp_path):
    done = subprocess.run(
        [
            browser,
            *QUIET,
            f"--user-data-dir={tmp_path / 'profile'}",
            "--dump-dom",
            page.as_uri(),
        ],
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
    assert float(seen["bottom"]) < 800
    assert seen["order"] == "3 20 100, 100 20 3"
    assert seen["sorted"] == "descending"
    assert seen["printed"] == seen["folded"] == "true"

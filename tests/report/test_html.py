"""The report: complete, escaped, readable without scripts or a network, about nobody."""

import base64
import itertools
import json
import re
import shlex
import shutil

import pandas as pd
import pytest
from reporting import ODD, Page, odd_table, run_at

from sim.errors import StandoutError
from sim.papers.papers import EXPERIMENTS, numbers_for
from sim.record.run_folder import open_folder
from sim.report.page.html import page_of, write_report

GRID = ("grid.aux=[2/2,3/4]", "grid.date_noise=[3]", "grid.value_noise=[0]")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    return odd_table(tmp_path_factory.mktemp("odd"))


@pytest.fixture(scope="module")
def attack(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("attack")
    return run_at(folder, *table, "name=ns08_fig4", *GRID, "bayes_targets=20").folder


@pytest.fixture(scope="module")
def measurement(table, tmp_path_factory):
    return run_at(tmp_path_factory.mktemp("measured"), *table, "experiment=ns08_fig2_3").folder


@pytest.fixture(scope="module")
def suite(table, tmp_path_factory):
    parts = (
        "parts={ns08_fig4: ['experiment=ns08_fig4','grid.aux=[2/2]'], "
        "ns08_table_rare: ['experiment=ns08_table_rare','study.outside=[5,10]'], "
        "ns08_fig8: ['experiment=ns08_fig8'], certain: ['attack=bayes','grid.aux=[2/2]']}"
    )
    folder = tmp_path_factory.mktemp("suite")
    return run_at(folder, *table, "bayes_targets=0", "grid.date_noise=[3]", parts).folder


@pytest.fixture(scope="module", params=["attack", "measurement", "suite"])
def folder(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def page(folder):
    return Page(write_report(folder).read_text(encoding="utf-8"))


def test_nothing_comes_from_elsewhere(page):
    for _, attrs in page.tags:
        for name in ("src", "href", "srcset", "action", "data"):
            link = attrs.get(name)
            if link is not None:
                assert link.startswith(("data:", "#")) or re.fullmatch(r"[\w/]+\.html", link), link
    policy = next(m["content"] for m in page.named("meta") if "http-equiv" in m)
    assert policy.startswith("default-src 'none'")
    assert not re.search(r"url\(|@import", page.said("style"))


def test_what_helps_to_find_the_way(page):
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(set(ids)) == len(ids)
    for _, attrs in page.tags:
        if "aria-labelledby" in attrs:
            assert attrs["aria-labelledby"] in ids
        if attrs.get("href", "").startswith("#"):
            assert attrs["href"][1:] in ids
    assert page.named("html")[0]["lang"] == "en"
    assert page.named("title")
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    outside = levels.index(1)
    assert levels.count(1) == 1
    assert all(below <= above + 1 for above, below in itertools.pairwise(levels[outside:]))


def test_tables_and_figures_can_be_read_by_all(page):
    assert len(page.named("caption")) == len(page.named("table")) > 0
    assert all(attrs.get("scope") in ("col", "row") for attrs in page.named("th"))
    assert len(page.named("img")) == len(page.named("figcaption")) > 0
    for image in page.named("img"):
        assert len(image["alt"]) > 40
        kind, data = re.match(r"data:image/(png|svg\+xml);base64,(.*)", image["src"]).groups()
        if kind != "png":  # whose width is that of the page, whichever was embedded
            points = re.search(rb'width="([0-9.]+)pt"', base64.b64decode(data))[1]
            assert abs(int(image["width"]) - float(points) * 96 / 72) <= 1


def test_every_name_is_escaped(folder, page):
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert ODD in page.said()
    assert ODD not in text
    assert "{{" not in text.replace("{{ 7*7 }}", "")


def test_no_person_is_named(folder):
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "person" in text
    assert not re.search(r"person(<|&lt;)i", text)


def test_the_same_files_give_the_same_page(folder, tmp_path):
    first = write_report(folder).read_bytes()
    assert write_report(folder).read_bytes() == first
    # Elsewhere too: of a measurement without its figures, which are then drawn again.
    without = ["figures"] if (folder / "facts.parquet").is_file() else []
    other = tmp_path / "other"
    shutil.copytree(folder, other, ignore=shutil.ignore_patterns("*.log", "*.jsonl", *without))
    (other / "report.html").unlink()
    assert write_report(other).read_bytes() == first


def test_the_headline_says_the_most_and_the_numbers_are_the_runs_own(attack):
    said = Page((attack / "report.html").read_text(encoding="utf-8")).said("p")
    curves = pd.read_parquet(attack / "curves.parquet")
    most = curves.loc[curves["rank1"].idxmax()]
    facts = most["aux"].replace("/", " of ")
    assert f"With {facts} facts right, exact values and dates within 3 days, " in said
    interval = f"[95% interval {most['rank1_low']:.1%}–{most['rank1_high']:.1%}]"
    found = f"identifies {most['rank1']:.1%} {interval} of all 60 records (20 sampled)."
    assert f"the attacker's best guess (Scoreboard-RH) {found}" in said
    assert "The attack declares a correct match at φ = 1.5 for" in said
    cells = r"The release: .*, 60 records × \d+ items, \d+ cells, dates from \S+ to \S+\."
    assert re.search(cells, said)


def test_the_bayes_optimal_attacker_is_compared(attack, suite):
    caption = "Best guess right: this attack and the Bayes-optimal one"
    page = Page((attack / "report.html").read_text(encoding="utf-8"))
    bayes = pd.read_parquet(attack / "bayes" / "curves.parquet")
    assert caption in page.said("caption")
    assert f"{bayes['rank1'].iloc[0]:.1%}" in page.said("td")
    # A sibling in the suite serves as well, where it knows the same of the same release.
    together = Page(page_of(open_folder(suite)))
    assert caption in together.said("caption")
    alone = Page(page_of(open_folder(suite / "ns08_fig4")))
    assert caption not in alone.said("caption")
    assert "The Bayes-optimal attacker was not run" in alone.said("p")


def test_every_statement_of_the_papers_is_there(attack):
    page = Page((attack / "report.html").read_text(encoding="utf-8"))
    said = page.said("th")
    for number in numbers_for("ns08_fig4"):
        assert f"{number.paper} {number.figure}: {number.what}" in said
    assert page.said("td").count("not comparable: ") == len(numbers_for("ns08_fig4"))


def test_how_to_make_it_again(folder, page):
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    commands = [shlex.split(text) for tag, text in page.texts if tag == "code"]
    assert ["standout", *record["overrides"]] in commands
    said = page.said("dd")
    assert record["release_fingerprint"] in said
    assert record["code"] in said
    assert record["versions"]["numpy"] in said


def test_what_numbers_rest_on(attack, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(attack, folder)
    curves = pd.read_parquet(folder / "curves.parquet")
    counts = {"tied_top": 1, "sigma_zero": 2, "absent_items": 3, "not_candidate": 4}
    curves = curves.assign(eligible=[0.5, 0.25], n_eligible=[30, 15], **counts)
    curves.to_parquet(folder / "curves.parquet")
    said = Page(page_of(open_folder(folder))).said("li")
    assert "2 or more facts (50.0% of 60) or 4 or more facts (25.0%)" in said
    counted = (
        re.findall(r"(\d+) of 40 decisions", said),
        re.findall(r"not in the release: (\d+)", said),
    )
    assert counted == (["2", "4", "8"], ["6"])
    assert "synthetic" not in said
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    record["config"]["data"] = {"kind": "synthetic"}
    (folder / "run.json").write_text(json.dumps(record), encoding="utf-8")
    assert "The data are synthetic" in Page(page_of(open_folder(folder))).said("li")


def test_a_suite_has_its_contents_and_all_experiments_with_their_status(suite):
    page = Page(write_report(suite).read_text(encoding="utf-8"))
    assert "Contents" in page.said("h2")
    assert len([a for a in page.named("a") if a["href"].startswith("#run-")]) == 1 + 4
    reason = json.loads((suite / "run.json").read_text(encoding="utf-8"))["parts"][2]["reason"]
    assert reason
    assert page.said().count(reason) >= 2
    cells = page.said("td", "th")
    assert "All experiments of the papers" in page.said("caption")
    assert cells.count("not part of this suite") == len(EXPERIMENTS) - 3
    assert cells.count("not possible on this release: grid cell") == 1
    total = sum(len(numbers_for(n)) for n in ("ns08_fig4", "ns08_table_rare", "ns08_fig8"))
    assert f"None of the papers' {total} statements" in page.said("p")
    assert "3 of 4 parts were run; 1 " in page.said("p")


def test_a_report_that_cannot_be_written_leaves_nothing_behind(attack, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(attack, folder, ignore=shutil.ignore_patterns("report.html"))
    (folder / "report.html").mkdir()
    with pytest.raises(StandoutError, match=r"report\.html: is a folder, and no file; remove it"):
        write_report(folder)
    assert not list(folder.glob("*.part")) + list(folder.glob(".*.part"))


def test_tables_about_people_are_not_shown(attack, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(attack, folder)
    pd.DataFrame({"record": ["ann"], "score": [1.0]}).to_parquet(folder / "own.parquet")
    pd.DataFrame({"bin": ["short"], "score": [1.0]}).to_parquet(folder / "summed_up.parquet")
    page = Page(page_of(open_folder(folder)))
    assert "Summed up" in page.said("caption")
    assert "ann" not in page.said().split()
    assert "own.parquet" in page.said("code")


def test_small_groups_of_people_are_left_out(attack, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(attack, folder)
    lengths, rarest = (
        pd.read_parquet(folder / f"risk_by_{of}.parquet") for of in ("length", "rarest")
    )
    assert len(lengths) > 1
    sizes = [9, *[10] * (len(lengths) - 1)]
    lengths.assign(n=sizes).to_parquet(folder / "risk_by_length.parquet")
    rarest.assign(n=9).to_parquet(folder / "risk_by_rarest.parquet")
    page = page_of(open_folder(folder))
    assert "1 group of fewer than 10 people is left out here" in page
    assert f"{len(rarest)} groups of fewer than 10 people are left out here" in page

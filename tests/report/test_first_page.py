"""The first page: in everyday words, with its denominators, and with everything left out on it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from auditing import RECORDS, audited, table_of
from reporting import Page, run_at
from sim.report.page.assessment import markdown
from studying import configured

import sim
from sim.assessment.assessment import FACTS_PART, assess
from sim.cli.publish import publish_command
from sim.guide import page as page_of_guide
from sim.numeric.text import format_percent
from sim.record.run_folder import RunFolder, open_folder
from sim.release.store.accounts import UNREADABLE
from sim.report.page.html import page_of
from sim.report.page.text import brief_of, text_of
from sim.report.words.assessment import Chapter
from sim.report.words.enough_facts import enough_facts, finds_more
from sim.report.words.plain.attackers import attack_of
from sim.report.words.plain.audit import found_sentences, verdict_sentence
from sim.report.words.plain.commands import audit_command, plan_command
from sim.report.words.plain.data import rows_read
from sim.report.words.plain.first import first_page
from sim.report.words.plain.impact import impact
from sim.report.words.plain.page import FOUND, NEXT, PASTE, UNTESTED
from sim.report.words.plain.page import page_of as page_of_chapters
from sim.report.words.plan import left_of, plan_sentences

pytestmark = pytest.mark.usefixtures("no_drawings")

TRADE = re.compile(r"φ|σ|\b(aux|cells?|eccentricity|posterior|eligible|rank-1)\b", re.IGNORECASE)
"""Symbols and words that a first page has not."""

DATA = ("data=synthetic", "data.preset=tiny", "cluster=inline")
CHAINS = (
    "audit.known_facts=original",  # so that one is offered
    "plan.defences=[drop_time,'drop_time drop_values sample_cells.share=0.1']",
    "audit.attackers=[insider,well_informed]",
    "utility=[cells]",
    "plan.utility=cells",
)
RUNS = {
    "attack": ("experiment=ns08_fig5", "targets=60", "bayes_targets=30", "grid.popularity=[0,50]"),
    "defended": (
        *("targets=60", "bayes_targets=0", "grid.aux=[2/2,6/8]"),
        *("defence=[drop_time,sample_cells]", "defence.sample_cells.share=0.5"),
    ),
    "mentions": ("attack=scoring", "adversary=mentions", "grid=mentions", "targets=60"),
    "audit": (
        *("experiment=audit", "targets=60", "audit.max_risk=0.3", "audit.measure=mean"),
        "audit.attackers=[acquaintance,public_profile,other_service]",
    ),
    "no bound": (),
    "frontier": ("experiment=frontier", "targets=60", "plan.max_risk=0.4", *CHAINS),
    "plan": ("experiment=plan", "plan.max_risk=0.9", *CHAINS),
    "no plan": ("experiment=plan", "plan.max_risk=0.00001", *CHAINS),
}


made: dict[str, Path] = {}


def without_bound(run: RunFolder) -> RunFolder:
    config = {**run.config, "audit": {**run.config["audit"], "max_risk": None}}
    return RunFolder(run.path, {**run.record, "config": config})


@pytest.fixture(scope="module", params=RUNS)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sim.session.session.draw_run", lambda folder, most=None: [])
        patch.setattr("sim.session.session.write_report", lambda folder: folder)
        if request.param == "no bound":  # the audit before it, without its bound
            return without_bound(open_folder(made["audit"]))
        folder = tmp_path_factory.mktemp("run")
        made[request.param] = folder
        cache = tmp_path_factory.getbasetemp() / "cache-of-first-pages"
        run_at(folder, *DATA, f"data.cache={cache}", *RUNS[request.param])
    return open_folder(folder)


def texts(run: RunFolder) -> Iterator[str]:
    """Everything that stands on the first page."""
    page = first_page(run)
    assert page is not None
    yield from (*page.answer, page.data)
    for chapter in page.chapters:
        yield from (chapter.title, *chapter.sentences, *chapter.items)


def test_the_words_are_those_of_everyday(run: RunFolder) -> None:
    for text in texts(run):
        assert not TRADE.search(text), text
        assert "  " not in text
        assert not re.search(r"\bNone\b(?! of)", text)
        assert "nan" not in re.findall(r"\w+", text)


def test_what_a_reader_asks_is_answered_in_order(run: RunFolder) -> None:
    page = first_page(run)
    assert page is not None
    titles = [chapter.title for chapter in page.chapters]
    assert titles in ([FOUND, UNTESTED, NEXT, PASTE], [UNTESTED, NEXT, PASTE])
    assert "bound" in " ".join(page.answer)
    assert not page.answer[0].startswith("No bound was given")
    (paste,) = (chapter for chapter in page.chapters if chapter.title == PASTE)
    paragraph = " ".join(paste.sentences)
    for words in ("Assumptions:", "Not tested:", "does not prove", "seed", "The data: "):
        assert words in paragraph
    # Of a plan it is about what is offered, whose line is another than that of the data.
    assert page.data in paragraph or run.config["aggregate"] == "plan"
    assert not re.search(r"\b(above|below|detailed part|this report|this page)\b", paragraph)
    assert paste.is_quote


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_what_finds_most_people_comes_first(run: RunFolder, share: float) -> None:
    """An attacker with few facts is not the answer where more of them find more people."""
    if run.config.get("aggregate") != "audit":
        return
    found = assess(run)
    assert found.facts is not None
    ends = dict.fromkeys(("at_most", "at_most_low", "at_most_high"), share)
    found = replace(found, facts=found.facts.assign(**ends))
    assert found.most_found is not None
    more = share > found.most_found.most_found[0].estimate
    (most,) = (k for k, one in enumerate(found_sentences(found)) if "most people are" in one)
    facts = [k for k, one in enumerate(found_sentences(found)) if "enough to find" in one]
    assert [k < most for k in facts] == [more] * int(share)
    fixed = found_sentences(found)[most].startswith("Of the attackers with a fixed number of facts")
    assert fixed == finds_more(found) == more


def test_every_percentage_has_its_denominator(run: RunFolder) -> None:
    """Of counted people: the count and the whole stand before the percentage."""
    found = [t for text in texts(run) for t in re.findall(r"(\S+ of (?:the )?\S+[^()]*)\(\d", text)]
    if run.kind == "attack" or run.config.get("aggregate") == "audit":
        assert found
    for text in texts(run):
        for before in re.findall(r"([^.;:(]*)\([\d.]+%; 95% interval", text):
            assert re.search(r"(\d|less than 1|almost \S+) of the [\d,]+( \w+){1,2} $", before), (
                text
            )


def test_what_is_left_out_is_on_the_first_screen(run: RunFolder) -> None:
    page = Page(page_of(run))
    text = page_of(run)
    first = text[: text.index(">In detail</h2>")]
    for sentence in [*(run.record.get("left_out") or [])]:
        assert sentence["reason"] in first
    if run.record.get("defences"):
        assert "The release was changed first" in first
        assert "The release was changed first" in text_of(run).partition("In detail")[0]
    assert "synthetic" in first
    assert page.said("p")


def test_the_terminal_and_the_file_say_the_same(run: RunFolder) -> None:
    page = first_page(run)
    assert page is not None
    screen = " ".join(text_of(run).partition("In detail")[0].split())
    for text in (*page.answer, page.data, *(i for c in page.without(PASTE) for i in c.items)):
        assert " ".join(text.split()) in screen
    if run.kind == "suite" and run.config["aggregate"] != "frontier":
        found = None if not assessed(run) else assess(run)
        if found is not None:
            written = markdown(run, found)
            assert written.index("## The answer") < written.index("# In detail")
            assert "\n> " in written


def assessed(run: RunFolder) -> bool:
    return run.config.get("aggregate") == "audit"


def test_counts_are_those_of_the_tables(run: RunFolder) -> None:
    if run.kind != "attack":
        pytest.skip("of attacks: an audit's are compared below")
    curves = run.tables["curves"]
    page = first_page(run)
    assert page is not None
    best = curves.loc[curves["rank1"].idxmax()]
    assert f"({format_percent(best['rank1'])}; 95% interval" in " ".join(page.answer)
    assert f"of the {int(best['n_present']):,} people attacked" in " ".join(page.answer)


def test_the_verdict_is_that_of_the_assessment(run: RunFolder) -> None:
    if not assessed(run):
        pytest.skip("of audits")
    found = assess(run)
    if found.bound is None:
        assert verdict_sentence(found).startswith("No bound was given (audit.max_risk)")
    for bound, begins in ((1.0, "The risk keeps"), (0.0, "The risk exceeds")):
        said = verdict_sentence(assess(run, bound, "succeeds"))
        tested = {row.problem for row in found.rows} == {""} and not found.missing
        if bound == 0.0 or tested:
            assert said.startswith(begins), said
        assert format_percent(bound) in said


def test_the_glossary_explains_the_terms_that_are_used(run: RunFolder) -> None:
    text = page_of(run)
    _, _, glossary = text.partition("<h2>Glossary</h2>")
    terms = re.findall(r"<dt>([^<]*)</dt>", glossary.partition("<h2>Sources")[0])
    assert terms
    body = re.sub(r"<[^>]*>", " ", text.partition("<h2>Glossary</h2>")[0]).lower()
    for term in terms:
        names = [re.sub(r" \(.*\)", "", name) for name in term.split(", ")]
        assert any(name.lower() in body for name in names), term
    if run.config.get("aggregate") == "frontier":
        assert "eccentricity" not in " ".join(terms)


def test_a_command_is_one_line_of_the_program(run: RunFolder) -> None:
    page = first_page(run)
    assert page is not None
    for chapter in page.chapters:
        for command in chapter.commands:
            assert shlex.split(command)[0] == "standout"


def test_the_bound_of_a_plan_is_one_for_the_measure_of_the_audit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By itself, a plan would compare the mean with a bound that was meant for each person."""
    assert configured("experiment=plan", "plan.max_risk=0.5").audit.measure == "mean"
    run = open_folder(made["audit"])
    for measure in ("highest", "mean"):
        config = {**run.config, "audit": {**run.config["audit"], "measure": measure}}
        overrides = [one for one in run.record["overrides"] if not one.startswith("audit.measure")]
        other = RunFolder(run.path, {**run.record, "overrides": overrides, "config": config})
        (told,) = (one for one in first_page(other).chapters if one.title == NEXT)  # type: ignore[union-attr]
        assert f" plan.write=FILE.csv audit.measure={measure} " in told.commands[-1]
        assert "the data so changed to a file named in place of FILE.csv" in told.sentences[0]
        assert ("is one on the highest risk of a person" in told.sentences[0]) is (
            measure == "highest"
        )
        # Nor is a bound for each person likely to be kept where one fact finds most people.
        said = "A single fact with its date finds 100.0% of the people attacked, so a release with"
        assert (said in told.sentences[0]) is (measure == "highest")
        monkeypatch.setattr("sim.report.words.plain.audit.found_by_one_dated_fact", lambda _: 0.1)
        (told,) = (one for one in first_page(other).chapters if one.title == NEXT)  # type: ignore[union-attr]
        assert "A single fact" not in told.sentences[0]
        monkeypatch.undo()


def test_how_few_facts_are_enough_is_among_the_first_sentences(tmp_path: Path) -> None:
    """Two of four people hold an item that nobody else holds, and two facts find all four."""
    records = [(1, 2), (1, 3), (2, 9), (3, 8)] + [(4, 5, 6)] * 2
    found = audited(table_of(records), tmp_path / "run", attackers=["insider"], max_risk=0.5)
    table = found.tables["facts_until_found"]
    counts = table["n"].cumsum().tolist()
    (first, second) = table["facts"].tolist()[:2]
    run = open_folder(tmp_path / "run")
    page = first_page(run)
    assert page is not None
    said = page.answer[3]
    few = "A single fact is" if first == 1 else f"{first} facts are"
    assert said.startswith(f"{few} enough to find {counts[0]} of the 6 people attacked (")
    assert f"and up to {second} are enough for {counts[1]} of the 6 people (" in said
    assert said in brief_of(run).replace("\n", " ")
    assert said in found.assessment["summary"]
    (paste,) = (one for one in page.chapters if one.title == PASTE)
    assert said in " ".join(paste.sentences)
    # Where fewer facts were not tried.
    fewer = assess(run)
    assert fewer.facts is not None
    some = replace(fewer, facts=fewer.facts.assign(facts=fewer.facts["facts"] + 7))
    assert f"{first + 7} facts, the fewest that were tried, are enough" in " ".join(
        enough_facts(some)
    )
    # Where the release was made of other data, and all of six were attacked, or some.
    curves = attack_of(run, FACTS_PART).tables["curves"]
    for eligible, attacked, of in (
        (6, 6, "They are all who have as many facts, of 9 in the release."),
        (8, 8, "They are those in the release of the 8 people of the original data who have"),
        (8, 7, "They are those in the release of a random sample of the 8 people of the original"),
    ):
        curves["n_released"], curves["n_eligible"], curves["n_targets"] = 9, eligible, attacked
        assert of in " ".join(enough_facts(assess(run)))


def test_where_nobody_is_found_it_is_said_of_whom_and_what_it_leaves_open(tmp_path: Path) -> None:
    """Of five people with the same record, none can be told from the others."""
    given = {"attackers": ["insider", "acquaintance"], "options": {"grid.aux": ["2/2"]}}
    found = audited(table_of([(1, 2, 3)] * 5), tmp_path / "run", **given)
    run = open_folder(tmp_path / "run")
    assert {row.most_found[0].estimate for row in assess(run).rows} == {0.0}
    page = first_page(run)
    assert page is not None
    (high,) = {format_percent(row.most_found[0].high) for row in assess(run).rows}
    assert page.answer[0].startswith(
        "On average and at most, the attacker “insider” with 2 facts is 20.0% sure"
    )
    assert page.answer[1] == (
        f"No attacker that was tried finds anybody: 0 of the 5 people attacked (0.0%; 95% interval "
        f"0.0%–{high}) for “insider” with 2 facts and “acquaintance” with 2 facts. This is no "
        f"promise that nobody can be found: the intervals reach up to {high}, and other facts or "
        "other attackers may find people."
    )
    assert "nobody is found: 0 of the 5 people attacked" in page.answer[2]
    exceeded = found_sentences(assess(run, 0.1, "mean"))[1]
    assert exceeded.startswith(
        "No attacker that was tried names the right person, and no other, with a confidence of "
        "50.0% or more: 0 of"
    )
    assert " The bound is exceeded all the same. This is no promise" in exceeded
    assert "The most people are found" not in str(found)
    assert found.assessment["summary"][1].startswith(
        "No attacker that was run names a right record"
    )


def test_where_records_are_alike_the_risk_is_that_of_a_guess_among_them(
    tmp_path: Path,
) -> None:
    """Of couples with equal records nobody is found, and half of the guesses are right."""
    couples = [(k, k + 1, k + 2) for k in range(0, 60, 3) for _ in range(2)]
    given = {"attackers": ["insider"], "options": {"grid.aux": ["2/2"]}}
    audited(table_of(couples), tmp_path / "run", **given)
    said = " ".join(found_sentences(assess(open_folder(tmp_path / "run"))))
    assert "the attacker “insider” with 2 facts is 50.0% sure of the right person" in said
    assert "Whoever always names" not in said
    assert "Of records that are equally likely, none counts as found." in said


def test_it_is_said_which_people_of_another_service_are_in_the_release() -> None:
    run = open_folder(made["audit"])
    (row,) = (row for row in assess(run).rows if row.attacker == "other_service")
    assert row.absent_are_others
    assert row.attacked + row.absent == 60
    page = first_page(run)
    assert page is not None
    items = next(one.items for one in page.chapters if one.title == FOUND)
    (item,) = (one for one in items if one.startswith("“other service”"))
    assert (
        f"Of the people whom it looks for, {row.attacked} are in the release and {row.absent} "
        "are not."
    ) in item
    (paste,) = (one for one in page.chapters if one.title == PASTE)
    whom = f"{row.attacked} who are in the release and {row.absent} who are not for “other service”"
    assert whom in " ".join(paste.sentences)
    (other,) = (one for one in items if one.startswith("“acquaintance” knows 4"))
    assert "(the same people, their records removed)" in other


def test_chains_that_lose_as_much_as_what_is_offered_are_named() -> None:
    """By hand: the other chains keep as much of the utility, or one of them less."""
    run = open_folder(made["plan"])
    trials = run.tables["trials"]
    chain = trials.loc[trials["decision"] == "offered", "chain"].iloc[0]
    upper = trials.groupby("chain")["counted"].last().map(format_percent)
    few = trials.groupby("chain")["targets"].last().astype(int)
    others = [name for name in ("unchanged", "drop_time") if name != chain]
    assert len(others) == 2

    def said(others_are: str = "in reserve", **kept: float) -> list[str]:
        share = trials["chain"].map(kept).fillna(0.5)
        some = trials.assign(kept=share, decision=trials["decision"].replace("dropped", others_are))
        vars(run)["tables"] = {**dict(run.tables), "trials": some}
        page = first_page(run)
        assert page is not None
        found = [one for one in page.answer if "as much of the utility" in one]
        assert [one for one in plan_sentences(run) if "as much of the utility" in one] == found
        return found

    (both,) = said()
    names = "; ".join(
        f"{name} (upper end {upper[name]} of a sample of at most {few[name]})" for name in others
    )
    assert both.startswith(f"2 others lose as much of the utility that is compared: {names}. ")
    assert "no change at all is preferred" in both
    (one,) = said(unchanged=0.4)
    assert one.startswith("Another one loses as much of the utility that is compared: drop_time (")
    assert said(unchanged=0.4, drop_time=0.6) == []
    dropped = trials.groupby("chain")["decision"].last() == "dropped"
    assert bool(said(others_are="dropped")) is not bool(dropped[others].all())


def test_what_reading_left_out_is_no_cost_that_is_hidden() -> None:
    """Nothing is lost of what was read; the file had more rows."""
    run = open_folder(made["plan"])
    row = run.tables["trials"].iloc[-1].to_dict()
    cells = run.record["release"]["n_cells"]
    for merged in (0, 7):
        read = {**run.record["release"], "n_duplicates": merged, "notes": {}}
        other = RunFolder(run.path, {**run.record, "release": read, "read": None})
        (said,) = left_of(other, {**row, "chain": "drop_time"}, None)
        more = f" Reading the data had left out 7 of {cells + 7:,} rows before."
        assert said.endswith(more) == bool(merged)


def test_people_without_a_row_left_are_said_not_to_be_counted() -> None:
    for dropped in (0, 1):
        release = {"n_cells": 9, "notes": {"rows": 9 + dropped, UNREADABLE: dropped}}
        record = {"release": release, "config": {"data": {"kind": "table"}}}
        (said,) = rows_read(record)
        gone = " People all of whose rows were dropped are not among the people who are counted."
        assert said.endswith(gone) == bool(dropped)


def test_who_looks_for_a_dpia_finds_its_paragraphs() -> None:
    for name in ("audit", "report", "files", "glossary"):
        assert "(DPIA)" in page_of_guide(name) or "| DPIA |" in page_of_guide(name)
    assert "(DPIA)" in PASTE
    run = open_folder(made["audit"])
    assert f"# {PASTE}\n" in markdown(run, assess(run))


def test_a_data_frame_in_a_command_is_explained() -> None:
    command = "standout experiment=plan 'data.path=data frame.parquet'"
    (told,) = page_of_chapters([], "", [Chapter(NEXT, ["Do this."], commands=[command])]).chapters
    assert "save it by to_parquet('data frame.parquet', index=False)" in told.sentences[-1]
    twice = {"overrides": ["data=table", "data.user=a", "seed=1", "data=table", "data.user=b"]}
    assert audit_command(twice) == "standout experiment=audit data=table data.user=b seed=1"


def test_rows_that_were_merged_are_in_the_paragraph() -> None:
    """It stands alone, away from the report that says so."""
    record = dict(open_folder(made["attack"]).record)
    record["release"] = {**record["release"], "n_duplicates": 5000, "notes": {"rows": 9000}}
    said = " ".join(impact(record, "", [], ["nothing"]))
    assert "The measured risk is too low" in said


@pytest.mark.parametrize(
    ("less", "words"), [(0.0, "The best use"), (0.01, "Chance may explain the")]
)
def test_what_finds_fewer_is_not_called_the_best_use(less: float, words: str) -> None:
    """Of an attacker with a wrong model, or of other targets, by chance."""
    run = open_folder(made["attack"])
    assert run.bayes is not None
    ours, theirs = run.tables["curves"], run.bayes.tables["curves"]
    for name in ("rank1", "rank1_low", "rank1_high", "claimed_low"):
        theirs[name] = ours["rank1"] - less if name == "rank1" else ours.get(name, 0.0)
    page = first_page(run)
    assert page is not None
    assert words in " ".join(page.answer)
    assert ("The best use of the same facts" in " ".join(page.answer)) == (less == 0)


def test_the_best_use_is_not_claimed_where_its_own_posteriors_are_wrong() -> None:
    run = open_folder(made["attack"]).bayes
    assert run is not None
    curves = run.tables["curves"]
    before = first_page(run)
    assert before is not None
    assert before.answer[0].startswith("An attacker who makes the best use of the facts finds")
    worst = curves.index[0]
    curves.loc[worst, ["claimed", "claimed_low"]] = 0.9, 0.8
    curves.loc[worst, ["rank1", "rank1_high"]] = 0.5, 0.6
    page = first_page(run)
    assert page is not None
    assert page.answer[0].startswith("The Bayes-optimal attacker, whose assumptions do not hold")
    assert "it is 90.0% sure of its best guesses on average, of which 50.0% are right" in " ".join(
        page.answer
    )
    assert any(
        "the best use of the same facts" in one for part in page.chapters for one in part.items
    )
    # As many may be right as some of the targets are not in the release.
    curves["n_targets"] = 2 * curves["n_present"]
    page = first_page(run)
    assert page is not None
    assert page.answer[0].startswith("An attacker who makes the best use of the facts finds")


def test_a_plan_begins_with_whom_it_did_not_try(monkeypatch: pytest.MonkeyPatch) -> None:
    """An attacker who knows how often a person has an item may find everybody."""
    unknown = "Attackers who know how often a person has an item."
    for counts in ([], ["COUNTED"]):
        where = "sim.report.words.plain.plan.counts_published"
        monkeypatch.setattr(where, lambda record, counts=counts: iter(counts))
        page = first_page(open_folder(made["plan"]))
        assert page is not None
        first = page.answer[0]
        assert first.startswith("Against the attackers that were tried, with at most ")
        assert ("and no knowledge of how often a person has an item, this" in first) == bool(counts)
        check = "However, a check of this release does not pass: the attackers who are named next"
        assert page.answer[1].startswith(check) == bool(counts)
        assert [*page.answer[2 : 2 + len(counts)]] == counts
        (untested,) = (chapter for chapter in page.chapters if chapter.title == UNTESTED)
        assert (unknown in untested.items) == bool(counts)


def test_the_data_are_named_as_they_are_now(tmp_path: Path) -> None:
    """Not by the first path ever read, which the store keeps."""
    frame = pd.DataFrame({
        "who": [f"p{n // 9}" for n in range(270)],
        "what": [f"i{(n * 7 + n // 9) % 40}" for n in range(270)],
    })  # fmt: skip
    texts = []
    for name in ("first.csv", "second.csv"):
        frame.to_csv(tmp_path / name, index=False)
        result = run_at(
            tmp_path / name.partition(".")[0], "data=table", f"data.path={tmp_path / name}",
            "data.user=who", "data.item=what", f"data.cache={tmp_path / 'cache'}",
            "cluster=inline", "targets=5", "bayes_targets=0", "grid.aux=[2/2]",
        )  # fmt: skip
        texts.append((result.folder / "report.html").read_text(encoding="utf-8"))
        record = json.loads((result.folder / "run.json").read_text(encoding="utf-8"))
        assert name in record["release"]["source"]
    assert "first.csv" in texts[0]
    assert "first.csv" not in texts[1]
    assert f"<dd>{tmp_path / 'second.csv'}</dd>" in texts[1]


def test_an_attacker_with_fewer_facts_than_meant_is_told_first(tmp_path: Path) -> None:
    """Two of twelve records have four items and none has more, so that two facts are given."""
    given = {"attackers": ["insider", "acquaintance", "well_informed"], "max_risk": 0.5}
    found = audited(table_of(RECORDS), tmp_path / "run", **given)
    said = " ".join(str(found).split())
    answer = said.partition(f"{FOUND}:")[0]
    words = "are meant to know 4 facts, and had only 2 here, since too few people have 4"
    assert f"“insider” and “acquaintance” {words} (fewer than 50.0% of the records have" in answer
    assert words in " ".join((tmp_path / "run" / "assessment.md").read_text("utf-8").split())
    page = first_page(open_folder(tmp_path / "run"))
    assert page is not None
    (following,) = (one for one in page.chapters if one.title == NEXT)
    assert "tests “insider” and “acquaintance” with 4 facts, on those" in str(following.sentences)
    for whose, aux in (("insider,acquaintance", "4/4"), ("well_informed", "3/4")):
        (command,) = (one for one in following.commands if f"'audit.attackers=[{whose}]'" in one)
        assert f"'grid.aux=[{aux}]'" in command
    (untested,) = (one for one in page.chapters if one.title == UNTESTED)
    assert (
        "“insider” and “acquaintance” with 4 facts, where each had only 2: what one who knows 4 "
        "finds of those who have them (2 people) is not known."
    ) in untested.items
    assert (
        "“well informed” is meant to know 8 facts, and had only 2 here, since nobody in the "
        "release has 8. One who knows 4, the most that anybody has, may find far more of those who "
        "have them (2 people), and was not tested."
    ) in answer
    most = "“well informed” with 4 facts, the most that anybody has, where it had only 2: what one"
    assert any(one.startswith(most) for one in untested.items)
    checked = sim.check(found, max_risk=1.0)
    assert words in " ".join(checked.runs[0].notes)
    assert not checked.passed
    assert "insider, 4 facts: not tested (too few people have 4, so it was given 2" in str(checked)
    nobody = "the most that anybody has: not tested (nobody in the release has 8, so it was given 2"
    assert f"well informed, 4 facts, {nobody}" in str(checked)
    assert "insider with 4 facts" in checked.runs[0].summary
    assert "well informed with 4 facts" in checked.runs[0].summary
    assert words in str(checked)


def test_every_number_of_facts_that_was_not_tested_is_named(tmp_path: Path) -> None:
    """Six of twenty people have two items and more, and nobody was tested with two facts."""
    records = [(who,) for who in range(14)] + [(who, who + 1) for who in range(4)]
    records += [range(5), range(5, 10)]
    given = {"attackers": ["insider", "well_informed"], "max_risk": 1.0}
    found = audited(table_of(records), tmp_path / "run", **given)
    answer, _, after = " ".join(str(found).split()).partition(f"{FOUND}:")
    assert (
        "may find far more of those who have them (2 people), and was not tested; nor was one who "
        "knows 2 facts, which 6 people have."
    ) in answer
    assert (
        "One who knows 5, the most that anybody has, may find far more of those who have them (2 "
        "people), and was not tested; nor was one who knows 2 facts, which 6 people have, or 4, "
        "which 2 people have."
    ) in answer
    assert "is not known, nor what one finds who knows 2 facts, which 6 people have." in after
    checked = sim.check(found, max_risk=1.0)
    row = "insider, 2 or 4 facts: not tested (too few people have 4, so it was given 1; "
    assert row in str(checked)
    assert "tests those who have 2 (6 people) or 4 (2 people), and counts the" in str(checked)
    assert "with 2, 4 or 5 facts" in checked.runs[0].summary
    assert not checked.passed
    page = first_page(open_folder(tmp_path / "run"))
    assert page is not None
    (following,) = (one for one in page.chapters if one.title == NEXT)
    for whose, aux in (("insider", "2/2,4/4"), ("well_informed", "2/2,3/4,4/5")):
        (command,) = (one for one in following.commands if f"'audit.attackers=[{whose}]'" in one)
        assert f"'grid.aux=[{aux}]'" in command
        typed = {"attackers": [whose], "aux": aux.split(","), "max_risk": 1.0}
        asked = audited(table_of(records), tmp_path / whose, **typed)
        assert sim.check(asked, max_risk=1.0).passed  # all that was named has been tested


def test_what_was_asked_of_the_grid_goes_on_into_a_plan() -> None:
    given = ["experiment=audit", "data=synthetic", "grid.aux=[4/4]", "audit.max_risk=0.2"]
    config = {"audit": {"measure": "highest"}}
    assert "'grid.aux=[4/4]'" in plan_command({"overrides": given, "config": config}, 0.2)


def test_as_many_facts_as_meant_are_not_called_fewer(tmp_path: Path) -> None:
    """Everybody has the same four items: 6 of 8 facts become 3 of 4, and then all 4 are right."""
    found = audited(table_of([range(4)] * 20), tmp_path / "run", attackers=["well_informed"])
    (part,) = (one for one in open_folder(tmp_path / "run").parts if one.name == "well_informed")
    assert part.run is not None
    lowered = [one for one in part.run.record["left_out"] if "aux" in one["instead"]]
    assert [one["instead"]["aux"] for one in lowered] == ["3/4", "4/4"]
    said = " ".join(str(found).split())
    assert "is meant to know" not in said  # nobody knows more than everything
    assert sim.check(found, max_risk=1.0).passed


def test_couples_whom_nobody_finds_have_their_risk_stated_first(tmp_path: Path) -> None:
    """Of two equal records none is found, and yet the attacker is half sure of each."""
    couples = [[4 * (n // 2) + item for item in range(4)] for n in range(40)]
    found = audited(table_of(couples), tmp_path / "run", attackers=["insider"])
    risk = (
        "On average and at most, the attacker “insider” with 4 facts is 50.0% sure of the right "
        "person (mean and highest risk of a person, of 40 attacked)."
    )
    run = open_folder(tmp_path / "run")
    detail = found.assessment["summary"]
    first = first_page(run)
    assert first is not None
    for sentences in (first.answer, detail):
        assert sentences[0] == risk
        assert any("No attacker" in one for one in sentences[1:])
    said, brief = (" ".join(text.split()) for text in (str(found), brief_of(run)))
    assert said.removeprefix("Read as: person = who, item = what. ").startswith(risk)
    assert risk in brief
    (paste,) = (one for one in first.chapters if one.title == PASTE)
    paragraph = " ".join(paste.sentences)
    assert paragraph.index(risk) < paragraph.index("No attacker that was tried finds anybody")
    bounded = audited(table_of(couples), tmp_path / "b", attackers=["insider"], max_risk=1.0)
    assert f"{risk} The risk keeps the bound" in " ".join(str(bounded).split())


def test_the_risk_follows_whom_the_attacker_finds(tmp_path: Path) -> None:
    """Where most people are found, the mean and the highest risk come second."""
    alone = [[4 * n + item for item in range(4)] for n in range(20)]
    audited(table_of(alone), tmp_path / "run", attackers=["insider"])
    first = first_page(open_folder(tmp_path / "run"))
    assert first is not None
    assert first.answer[0].startswith("The most people are found by the attacker “insider”")
    risk = "On average and at most, the attacker “insider” with 4 facts is 100.0%"
    assert first.answer[1].startswith(risk)


def test_whoever_counts_can_be_tested(tmp_path: Path) -> None:
    """By the last command of a release that shows how often a person has an item."""
    rows = [
        f"{who},{what},2026-01-{day:02}"
        for who, items in enumerate(RECORDS)
        for day, what in enumerate(items * (1 + who % 3), 1)
    ]
    (tmp_path / "rows.csv").write_text("\n".join(["who,what,day", *rows, ""]))
    data = (
        f"data.path={tmp_path / 'rows.csv'}",
        "data.user=who",
        "data.item=what",
        "data.date=day",
    )
    given = (
        *("experiment=audit", "data=table", *data, "data.repeats=all", "cluster=inline"),
        "audit.attackers=[insider]",
    )
    run_at(tmp_path / "run", *given, f"data.cache={tmp_path / 'cache'}")
    (chapter,) = (
        one for one in first_page(open_folder(tmp_path / "run")).chapters if one.title == NEXT
    )
    assert chapter.sentences[-1].startswith(
        "The last command tests an attacker who knows how often"
    )
    *_, counting = map(shlex.split, chapter.commands)
    assert "data.repeats=count" in counting
    run_at(tmp_path / "counts", *counting[1:], "cluster=inline", f"data.cache={tmp_path / 'cache'}")
    page = first_page(open_folder(tmp_path / "counts"))
    assert not any("knows exactly how often" in text for text in page.answer)
    assert any("(a value is how often the person has the item)" in text for text in page.answer)

    plan = ["plan.max_risk=1", "plan.defences=[drop_time]", "plan.utility=cells"]
    of_one = ("utility=[cells]", f"data.cache={tmp_path / 'cache'}")
    run_at(tmp_path / "plan", "experiment=plan", *given[1:], *plan, *of_one)
    offered = first_page(open_folder(tmp_path / "plan"))
    assert "no knowledge of how often a person has an item, this keeps" in offered.answer[0]
    (chapter,) = (one for one in offered.chapters if one.title == NEXT)
    assert "each item once for each person" in chapter.sentences[0]
    once, writes, counting = map(shlex.split, chapter.commands)
    publish_command([*writes[2:-1], f"out={tmp_path / 'FILE.csv'}"])
    assert "data.path=FILE.csv" in counting
    of_file = [one.replace("FILE.csv", str(tmp_path / "FILE.csv")) for one in counting[1:]]
    run_at(tmp_path / "published", *of_file, "cluster=inline")
    published = open_folder(tmp_path / "published")
    assert published.record["release"]["repeats"] == "count"
    assert published.config["audit"]["max_risk"] == 1
    assert not any("knows exactly how often" in text for text in first_page(published).answer)
    run_at(tmp_path / "once", *once[1:], "cluster=inline")
    page = first_page(open_folder(tmp_path / "once"))
    assert "facts about a person, this keeps the bound that was given" in page.answer[0]
    assert not any("how often" in text for text in page.answer)
    # Of which there is no model with repeats; with each item once there is.
    plan[:2] = "plan.max_risk=0.5", "plan.defences=['drop_time sample_cells.share=0.6']"
    plan += ["plan.min_length=2", "audit.known_facts=original"]
    run_at(tmp_path / "sampled", "experiment=plan", *given[1:], *plan, *of_one)
    none = first_page(open_folder(tmp_path / "sampled"))
    assert "it is not known whether they do: they could not be tested" in none.answer[0]
    (chapter,) = (one for one in none.chapters if one.title == NEXT)
    assert "several times" in chapter.sentences[0]
    (once,) = map(shlex.split, chapter.commands)
    assert "plan.min_length=2" in once  # as many people have two different items
    run_at(tmp_path / "sampled_once", *once[1:], "cluster=inline")
    page = first_page(open_folder(tmp_path / "sampled_once"))
    assert "could not be tested" not in page.answer[0]


def test_guests_and_times_lead_on(tmp_path: Path) -> None:
    """Without the guests, of whom there are more than regulars, and by the day for now."""
    rows = [(f"r{who}", f"i{n % 4}", f"2026-03-{n + 1:02} 09:{who:02}")
            for who in range(12) for n in range(6)]  # fmt: skip
    rows += [(f"g{who}", "i0", f"2026-03-01 10:{who:02}") for who in range(20)]
    text = "\n".join(["who,what,when", *(",".join(row) for row in rows), ""])
    (tmp_path / "visits.csv").write_text(text)
    given = [
        *("experiment=audit", "data=table", f"data.path={tmp_path / 'visits.csv'}"),
        *("data.user=who", "data.item=what", "data.date=when", "cluster=inline"),
        *(f"data.cache={tmp_path / 'cache'}", "audit.attackers=[insider]", "audit.max_risk=0.05"),
    ]
    regulars = ["defence=[drop_records]", "defence.drop_records.min_length=4"]
    run_at(tmp_path / "all", *given)
    run_at(tmp_path / "regulars", *given, *regulars)
    for name, many in (("all", True), ("regulars", False)):
        page = first_page(open_folder(tmp_path / name))
        assert page is not None
        told = " ".join(page.answer)
        suspicions = open_folder(tmp_path / name).record["suspicions"]
        (short,) = [one for one in suspicions if one["kind"] == "people_of_one_entry"] or [None]
        assert (short is not None) == many
        assert short is None or (short["numbers"]["count"], short["denominator"]) == (20, 32)
        assert "The data hold more: the times of day of 92 of 92 rows. An attacker who" in told
        (chapter,) = (one for one in page.chapters if one.title == NEXT)
        said, (*begins, counts) = " ".join(chapter.sentences), chapter.commands
        assert "data.repeats=count" in counts
        assert "drop_records" not in counts
        assert ("with nobody left out, as records have fewer entries so" in said) != many
        assert ("standout guide audit says how to judge the two apart" in said) == many
        assert "Of 92 rows, 92 have a time that was read by the day only. The command with " in said
        timed = next(shlex.split(one) for one in begins if "data.time_bin=1" in one)
        assert set(regulars) <= set(timed) or many
        assert ("writes the records that were left" in said) != many
    writes, plans = map(shlex.split, chapter.commands[:2])
    publish_command([*writes[2:-1], f"out={tmp_path / 'FILE.csv'}"])
    assert "to a file named in place of OFFER.csv" in said
    of_file = [re.sub("=([A-Z]+[.]csv)", f"={tmp_path}/\\1", one) for one in plans[1:]]
    run_at(tmp_path / "plan", *of_file, "cluster=inline", "plan.max_risk=1", *SMALL_PLAN)
    assert open_folder(tmp_path / "plan").record["release"]["n_records"] == 12
    assert (tmp_path / "OFFER.csv").is_file()


SMALL_PLAN = ("plan.defences=[drop_time]", "plan.utility=cells", "utility=[cells]")


def test_what_looks_wrong_about_the_data_is_said_before_any_result_is_used(tmp_path: Path) -> None:
    """Whoever goes straight to the audit has not seen what `describe` suspects."""
    swapped = table_of(RECORDS).rename(columns={"who": "product", "what": "customer"})
    cache = str(tmp_path / "cache")
    release = sim.table(swapped, user="product", item="customer", cache=cache)
    found = sim.audit(release, folder=tmp_path / "run", attackers=["insider"], aux=["1/1"])
    said = " ".join(str(found).split())
    words = "Look at this before you rely on the results: People (product) and items (customer)"
    assert [one["kind"] for one in found.record["suspicions"]] == ["roles_swapped"]
    assert words in said.partition(f"{FOUND}:")[0]
    assert words in " ".join(sim.check(found, max_risk=0.9).runs[0].notes)
    summary = json.loads((tmp_path / "run" / "summary.json").read_text("utf-8"))
    assert any(one.startswith(words) for one in summary["warnings"])

"""Which chains come nearest to a bound, by all that is known of them."""

from __future__ import annotations

import pandas as pd

from sim.assessment.frontier import Point, tables_of
from sim.assessment.rows import Estimate
from sim.assessment.verdicts import EXCEEDS, Verdict
from sim.report.words.frontier import nearest

RECORDS = 1213


def point(chain: str, risk: float, counted: float, found: Estimate, people: int) -> Point:
    return Point(
        part=chain, chain=chain, in_words=f"does {chain}", attacker="insider", facts="1/1",
        risk=Estimate(risk, risk, risk, risk), counted=counted, counted_of="insider, 1 fact",
        found=found, verdict=Verdict(EXCEEDS), people=people,
    )  # fmt: skip


def said_of(*points: Point) -> str:
    rows: pd.DataFrame = tables_of(points, 0.01, "mean")["frontier"]
    (said,) = nearest(rows, RECORDS)
    return said


NOBODY = Estimate(0.0, 0.0, 0.004, 0.004)
TWO_OF_THREE = Estimate(0.667, 0.094, 0.992, 0.992)


def test_a_low_risk_is_not_the_lowest_where_an_attack_finds_more() -> None:
    few, others = point("a", 0.041, 1.0, TWO_OF_THREE, 3), point("b", 0.06, 1.0, NOBODY, 900)
    for points in ((few, others), (others, few)):
        assert said_of(*points).endswith(
            "the risk is lowest after b (does b): 6.0% [95% interval 6.0%–6.0%] (attacker insider, "
            "1 of 1 facts)."
        )
    # With nothing better, it is said what the attack finds, and of how many.
    assert said_of(few, point("c", 0.2, 1.0, NOBODY, 900)).endswith(
        "lowest after a (does a): 4.1% [95% interval 4.1%–4.1%] (attacker insider, 1 of 1 facts), "
        "though an attack that was run finds 66.7% [95% interval 9.4%–99.2%], of the 3 of 1,213 "
        "people who are left."
    )


def test_people_are_counted_where_fewer_than_one_in_ten_are_left() -> None:
    for people, words in ((1, "the 1 of 1,213 people who is"), (121, "the 121 of"), (122, "")):
        said = said_of(point("a", 0.041, 1.0, NOBODY, people))
        assert (f", of {words}" in said) if words else (" of the 122" not in said)


def test_the_nearest_are_sorted_by_what_was_found_too() -> None:
    few, others = point("a", 0.02, 0.05, TWO_OF_THREE, 3), point("b", 0.06, 0.08, NOBODY, 900)
    for points in ((few, others), (others, few)):
        assert said_of(*points).endswith(
            "The nearest: b (does b), with 8.0% (insider, 1 fact); a (does a), with 5.0% (insider, "
            "1 fact), though an attack that was run finds 66.7% [95% interval 9.4%–99.2%], of the "
            "3 of 1,213 people who are left."
        )


def test_what_an_attack_finds_of_all_is_the_risk_itself() -> None:
    everybody = Estimate(1.0, 1.0, 1.0, 1.0)
    said = said_of(point("a", 0.04, 0.5, everybody, 900), point("b", 1.0, 1.0, NOBODY, 900))
    assert said.endswith("the upper end is 100%. So is the risk itself, of the people attacked.")

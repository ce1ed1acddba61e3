"""What the papers state, as data.

Invariant: only what the text of a paper, or a reproduction's stored result, says is here. A curve
that was only drawn has no number; a statement made in words alone has the value None.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

Relation = Literal["=", "about", "<", "<=", ">"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperNumber:
    """One statement of a paper.

    Parameters
    ----------
    id : str
        Unique name.
    experiment : str
        The experiment it belongs to.
    paper : str
        ``NS08``, ``NS07``, ``F06``, ``slides``, or ``reproduction``.
    section, figure : str
        Where it is stated; empty where the text names none.
    what : str
        What was measured, in words.
    value : float or None
        None where the paper gives words only.
    unit : str
        ``share`` (a proportion, 0 to 1), ``bits``, ``records`` ...
    measure : str
        The column of results that it compares with.
    conditions : Mapping
        The grid axes the statement fixes: ``aux``, ``date_noise`` (None: no dates),
        ``value_noise``, ``popularity`` ... An axis the paper leaves open is not in it.
    relation : str
        The truth is the value, about it, or on one side of it.
    data : str
        The release it was measured on: ``netflix_prize``, ``movielens_2006``, ``ten_patients``.
    algorithm : str
        The attack; empty where there is none.
    phi : float or None
        The φ of the match; None where φ plays no part.
    targets : int or None
        Size of the sample, where it is stated.
    note : str
        What a reader of a comparison should know.

    Examples
    --------
    >>> number = next(n for n in NUMBERS if n.id == "ns08_fig4_2of2_3d")
    >>> number.value, number.measure, number.conditions["date_noise"]
    (0.68, 'rank1', 3)
    """

    id: str
    experiment: str
    paper: str
    section: str
    figure: str
    what: str
    value: float | None = None
    unit: str = "share"
    measure: str
    conditions: Mapping[str, Any] = field(default_factory=dict)
    relation: Relation = "="
    data: str = "netflix_prize"
    algorithm: str = ""
    phi: float | None = None
    targets: int | None = None
    note: str = ""


# Per place of a paper: what its statements have in common, then each of them. A key that is not a
# field of PaperNumber is a condition; "none" is None; `id` gets the place's name in front.
_TEXT = """
[ns08_fig1]
at = {paper = "NS08", section = "3", figure = "Fig. 1", measure = "no_neighbour_above_half"}
by = "presence"
what = "records without a neighbour of similarity above 0.5"
note = "Presence of items only; said to hold for the vast majority."
say = [{id = ""}]

[ns08_fig2_3]
at = {paper = "NS08", section = "5", figure = ""}
note = "Also said: thousands of records hold more than 1,000 items; a step at 20 items."
say = [
  {id = "records", what = "records", value = 480189, unit = "records", measure = "n_records"},
  {id = "cells", what = "cells", value = 100480507, unit = "cells", measure = "n_cells"},
]

[ns08_fig4]
at = {paper = "NS08", section = "5", figure = "Fig. 4", algorithm = "scoreboard_rh"}
what = "records named right as the best guess"
measure = "rank1"
say = [
  {id = "2of2_3d", value = 0.68, aux = "2/2", date_noise = 3, value_noise = 0, popularity = 0},
  {id = "6of8_14d", value = 0.99, aux = "6/8", date_noise = 14, value_noise = 0, popularity = 0},
]

[ns08_fig4_spark]
at = {experiment = "ns08_fig4", paper = "reproduction", section = "", figure = "Fig. 4"}
what = "records named right as the best guess"
measure = "rank1"
algorithm = "scoreboard_rh"
value_noise = 0
popularity = 0
targets = 1000
note = "A public Spark reproduction's stored results on the real release."
say = [
  {id = "2of2_3d", value = 0.680, aux = "2/2", date_noise = 3},
  {id = "2of2_14d", value = 0.432, aux = "2/2", date_noise = 14},
  {id = "3of4_3d", value = 0.906, aux = "3/4", date_noise = 3},
  {id = "3of4_14d", value = 0.773, aux = "3/4", date_noise = 14},
  {id = "6of8_3d", value = 0.996, aux = "6/8", date_noise = 3},
  {id = "6of8_14d", value = 0.986, aux = "6/8", date_noise = 14},
]

[ns08_fig4_spark_matched]
at = {experiment = "ns08_fig4", paper = "reproduction", section = "", figure = "Fig. 4"}
what = "records matched, and right"
measure = "matched_right"
algorithm = "scoreboard_rh"
phi = 1.5
value_noise = 0
popularity = 0
targets = 1000
note = "A public Spark reproduction's stored results on the real release."
say = [
  {id = "2of2_3d", value = 0.255, aux = "2/2", date_noise = 3},
  {id = "2of2_14d", value = 0.154, aux = "2/2", date_noise = 14},
  {id = "3of4_3d", value = 0.544, aux = "3/4", date_noise = 3},
  {id = "3of4_14d", value = 0.422, aux = "3/4", date_noise = 14},
  {id = "6of8_3d", value = 0.907, aux = "6/8", date_noise = 3},
  {id = "6of8_14d", value = 0.826, aux = "6/8", date_noise = 14},
]

[ns08_fig5]
at = {paper = "NS08", section = "5", figure = "Fig. 5", algorithm = "scoreboard_rh", phi = 1.5}
what = "right answers, target present or absent"
measure = "right"
note = "Said to be right with high probability in both cases."
say = [{id = ""}]

[ns08_fig6]
at = {paper = "NS08", section = "5", figure = "Fig. 6", unit = "bits"}
algorithm = "scoreboard_rh"
value_noise = 0
popularity = 0
say = [
  {id = "2of2_3d", value = 3, relation = "about", aux = "2/2", date_noise = 3, \
measure = "bits_unresolved", what = "bits missing for the 32% not named at once"},
  {id = "6of8", value = 1, relation = "<", aux = "6/8", measure = "bits", what = "bits missing", \
note = "A fraction of a bit; the text does not say at which date noise."},
]

[ns08_fig6_prior]
at = {experiment = "ns08_fig6", paper = "NS08", section = "5", figure = "Fig. 6", unit = "bits"}
what = "bits missing without any aux"
measure = "bits_prior"
say = [{id = "", value = 19, relation = "about"}]

[ns08_fig6_reproduced]
at = {experiment = "ns08_fig6", paper = "reproduction", section = "", figure = "Fig. 6"}
what = "bits missing for those not named at once"
measure = "bits_unresolved"
algorithm = "scoreboard_rh"
unit = "bits"
note = "No public reproduction is known to come near the paper's 3 bits."
say = [{id = "", value = 13.4, aux = "2/2", date_noise = 3, value_noise = 0, popularity = 0}]

[ns08_table_rare]
at = {paper = "NS08", section = "5", figure = ""}
note = "NS07, section 3, has the same table."
what = "records holding at least so many items outside the most supported"
say = [
  {id = "100_1", value = 1.00, popularity = 100, measure = "at_least_1"},
  {id = "100_5", value = 0.97, popularity = 100, measure = "at_least_5"},
  {id = "100_10", value = 0.93, popularity = 100, measure = "at_least_10"},
  {id = "500_1", value = 0.99, popularity = 500, measure = "at_least_1"},
  {id = "500_5", value = 0.90, popularity = 500, measure = "at_least_5"},
  {id = "500_10", value = 0.80, popularity = 500, measure = "at_least_10"},
  {id = "1000_1", value = 0.97, popularity = 1000, measure = "at_least_1"},
  {id = "1000_5", value = 0.83, popularity = 1000, measure = "at_least_5"},
  {id = "1000_10", value = 0.70, popularity = 1000, measure = "at_least_10"},
]

[ns08_fig8]
at = {paper = "NS08", section = "5", figure = "Fig. 8", algorithm = "scoreboard_rh"}
what = "records named right as the best guess"
measure = "rank1"
date_noise = "none"
value_noise = 0
say = [
  {id = "6of8_500", value = 0.84, aux = "6/8", popularity = 500},
  {id = "2of2", aux = "2/2", note = "Two items are said to be no longer enough."},
]

[ns08_fig9]
at = {paper = "NS08", section = "5", figure = "Fig. 9", algorithm = "scoreboard_rh"}
what = "effect of leaving out the most supported items"
measure = "rank1"
note = "Said not to be dramatic; caption and table disagree about the items drawn."
say = [{id = ""}]

[ns08_fig11]
at = {paper = "NS08", section = "5", figure = "Fig. 11", algorithm = "scoreboard_rh"}
what = "bits missing in the worst case drawn, as a share of those without aux"
measure = "bits_share"
note = "Caption and table disagree about the parameters."
say = [{id = "", value = 0.5, relation = "<"}]

[ns08_fig12]
at = {paper = "NS08", section = "5", figure = "Fig. 12", algorithm = "scoreboard_rh"}
what = "success with the record's length known within 50%, against without"
measure = "length_gain"
note = "In some of the cases drawn."
say = [{id = "", value = 2, unit = "times", relation = ">"}]

[ns08_imdb]
at = {paper = "NS08", section = "5", figure = "", algorithm = "scoreboard_rh", unit = "σ"}
measure = "eccentricity"
note = "About 50 people of another site; NS07, section 4, has the same two matches."
say = [
  {id = "first", whose = "first", value = 28, relation = "about", \
what = "eccentricity of the first match"},
  {id = "second", whose = "second", value = 15, relation = "about", \
what = "eccentricity of the second match"},
  {id = "others", whose = "others", value = 2, relation = "<=", \
what = "eccentricity of nearly all others"},
]

[ns07_fig1]
at = {paper = "NS07", section = "1", figure = "Fig. 1", measure = "no_neighbour_within_70"}
by = "presence"
what = "records without a neighbour within 70% of their Hamming weight"
note = "Presence of items only; said to hold for the vast majority."
say = [{id = ""}]

[ns07_fig2]
at = {paper = "NS07", section = "3", figure = "Fig. 2", algorithm = "neighbourhood", targets = 100}
what = "records with no more candidates than so many"
date_noise = 3
value_noise = 0
popularity = 0
say = [
  {id = "2of2_n1", value = 0.64, aux = "2/2", measure = "mu_1"},
  {id = "2of2_n8", value = 0.89, aux = "2/2", measure = "mu_8"},
  {id = "6of8_n1", value = 0.96, aux = "6/8", measure = "mu_1"},
]

[ns07_fig3]
at = {paper = "NS07", section = "3", figure = "Fig. 3", algorithm = "neighbourhood", targets = 100}
what = "records with no more candidates than so many"
date_noise = 14
value_noise = 1
popularity = 100
say = [
  {id = "6of8_n1", value = 0.80, aux = "6/8", measure = "mu_1"},
  {id = "2of2_n8", value = 0.50, aux = "2/2", measure = "mu_8", relation = "about", \
note = "Almost half."},
]

[ns07_fig4]
at = {paper = "NS07", section = "3", figure = "Fig. 4", algorithm = "neighbourhood", targets = 100}
what = "records with no more candidates than so many"
date_noise = "none"
note = "The text does not say how exactly the values are known."
say = [
  {id = "6of6_100_n8", value = 0.69, aux = "6/6", popularity = 100, measure = "mu_8"},
  {id = "6of8_500_n1", value = 0.46, aux = "6/8", popularity = 500, measure = "mu_1"},
]

[ns07_rmse]
at = {paper = "NS07", section = "5", figure = "", measure = "records_for_1_percent"}
what = "records to be known for an RMSE of 0.89 to fall by 1%"
note = "By arithmetic: a hundredth of a star, every record weighing the same, and the RMSE itself, \
not its square, falling in proportion."
weighing = "records"
chosen = "at random"
law = "linear"
percent_of = "a value unit"
say = [{id = "", value = 0.0112, rmse = 0.89}]

[f06_fig4_set_intersection]
at = {experiment = "f06_fig4", paper = "F06", section = "4.1", figure = "Fig. 4"}
what = "people identified among so many"
data = "movielens_2006"
targets = 133
algorithm = "set_intersection"
say = [
  {id = "k1", value = 0.07, measure = "k1"},
  {id = "k5", value = 0.12, measure = "k5"},
  {id = "k10", value = 0.14, measure = "k10"},
  {id = "k100", value = 0.23, measure = "k100"},
]

[f06_fig4_tf_idf]
at = {experiment = "f06_fig4", paper = "F06", section = "4.2", figure = "Fig. 4"}
what = "people identified among so many"
data = "movielens_2006"
targets = 133
algorithm = "tf_idf"
say = [
  {id = "k1", value = 0.20, measure = "k1"},
  {id = "k5", value = 0.32, measure = "k5"},
  {id = "k10", value = 0.35, measure = "k10"},
  {id = "k100", value = 0.50, measure = "k100"},
]

[f06_fig4_scoring]
at = {experiment = "f06_fig4", paper = "F06", section = "4.3", figure = "Fig. 4"}
what = "people identified among so many"
data = "movielens_2006"
targets = 133
algorithm = "scoring"
longest_records = "left out"
say = [
  {id = "k1", value = 0.31, measure = "k1"},
  {id = "k5", value = 0.44, measure = "k5"},
  {id = "k10", value = 0.52, measure = "k10"},
  {id = "k100", value = 0.57, measure = "k100"},
]

[f06_fig4_scoring_fuzzy]
at = {experiment = "f06_fig4", paper = "F06", section = "4.4", figure = "Fig. 4"}
what = "people identified among so many"
data = "movielens_2006"
targets = 133
algorithm = "scoring_rated"
value_tolerance = 1
value_known = 1
say = [
  {id = "k1", value = 0.47, measure = "k1"},
  {id = "k5", value = 0.50, measure = "k5"},
  {id = "k10", value = 0.53, measure = "k10"},
  {id = "k100", value = 0.68, measure = "k100"},
]

[f06_fig4_scoring_exact]
at = {experiment = "f06_fig4", paper = "F06", section = "4.4", figure = "Fig. 4"}
what = "people identified among so many"
data = "movielens_2006"
targets = 133
algorithm = "scoring_rated"
value_tolerance = 0
value_known = 1
say = [
  {id = "k1", value = 0.59, measure = "k1"},
  {id = "k5", value = 0.68, measure = "k5"},
  {id = "k10", value = 0.72, measure = "k10"},
  {id = "k100", value = 0.81, measure = "k100"},
]

[f06_scoring]
at = {experiment = "f06_fig4", paper = "F06", section = "4.3", figure = "", algorithm = "scoring"}
data = "movielens_2006"
targets = 133
measure = "k1"
say = [
  {id = "heavy", value = 0.22, longest_records = "kept", \
what = "people identified, with the longest records among the candidates"},
  {id = "flat", value = 0.20, weights = "flat", \
what = "people identified, every item held weighing the same"},
]

[f06_nested]
at = {experiment = "f06_fig4", paper = "F06", section = "4.5", figure = "", algorithm = "scoring"}
data = "movielens_2006"
longest_records = "left out"
say = [
  {id = "k10_of_k100", value = 0.91, measure = "k10_of_k100", \
what = "of the people identified among 100, those identified among 10"},
  {id = "k1_of_k100", value = 0.54, measure = "k1_of_k100", \
what = "of the people identified among 100, those identified at once"},
]

[f06_fig3]
at = {experiment = "f06_fig3_5", paper = "F06", section = "4.1", figure = "Fig. 3"}
algorithm = "set_intersection"
data = "movielens_2006"
targets = 133
say = [
  {id = "misdirected", value = 0.20, measure = "misdirected", \
what = "people whose mentions fit other records, not their own"},
  {id = "no_one", value = 0.31, measure = "no_one_possible", \
what = "people whose mentions fit no record"},
]

[f06_fig5]
at = {experiment = "f06_fig3_5", paper = "F06", section = "4.5", figure = "Fig. 5"}
what = "people identified, of those with 8 mentions or more"
algorithm = "scoring"
data = "movielens_2006"
measure = "k1_mentions_8"
longest_records = "left out"
say = [{id = "", value = 0.60}]

[f06_fig6]
at = {experiment = "f06_fig6_7", paper = "F06", section = "5.1", figure = "Fig. 6"}
what = "items dropped, the rarest first, when no one is identified any more"
algorithm = "scoring"
data = "movielens_2006"
measure = "items_dropped_k1_nil"
say = [{id = "", value = 0.88}]

[f06_fig7]
at = {experiment = "f06_fig6_7", paper = "F06", section = "5.1", figure = "Fig. 7"}
what = "ratings dropped with the rarest items, when no one is identified any more"
algorithm = "scoring"
data = "movielens_2006"
measure = "cells_dropped_k1_nil"
say = [{id = "", value = 0.28}]

[f06_fig8]
at = {paper = "F06", section = "6.1", figure = "Fig. 8", algorithm = "scoring"}
what = "people identified after hiding the rarest of their mentions"
data = "movielens_2006"
measure = "k1"
targets = 133
note = "Hiding 10% or 20% of the mentions is said often not to help."
say = [{id = ""}]

[f06_fig9]
at = {paper = "F06", section = "6.2", figure = "Fig. 9", algorithm = "scoring"}
what = "people identified after mentioning popular items that they have not rated"
data = "movielens_2006"
measure = "k1"
targets = 133
note = "Mentioning items rated once only is said to have no effect."
say = [
  {id = "0", value = 0.31, decoys = 0},
  {id = "5", value = 0.13, decoys = 5, decoy_support = "top"},
]

[slides_kanon]
at = {paper = "slides", section = "K-anonymity", figure = "", unit = "records", measure = "k"}
what = "k of the worked table of ten patients"
data = "ten_patients"
recoding = "suppressed and generalised"
say = [{id = "", value = 2}]
"""


def _parse(text: str) -> tuple[PaperNumber, ...]:
    """Read the statements, in the order of the text."""
    names = {entry.name for entry in fields(PaperNumber)}
    numbers = []
    for place, block in tomllib.loads(text).items():
        shared = {key: value for key, value in block.items() if key not in ("at", "say")}
        for said in block["say"]:
            given = {"experiment": place, **block["at"], **shared, **said}
            given["id"] = "_".join(part for part in (place, said["id"]) if part)
            conditions = {
                key: None if value == "none" else value
                for key, value in given.items()
                if key not in names
            }
            stated = {key: value for key, value in given.items() if key in names}
            numbers.append(PaperNumber(**stated, conditions=conditions))
    return tuple(numbers)


NUMBERS = _parse(_TEXT)
"""All statements, paper by paper."""

"""k-anonymity: the slides' ten patients, and small tables counted by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples

from sim.errors import ConfigError
from sim.measurements.kanonymity import (
    SUPPRESSED,
    class_sizes,
    k_anonymity,
    record_class_sizes,
    suppress,
    suppress_rows,
    to_groups,
    to_intervals,
)

pytestmark = pytest.mark.fast

QUASI = ["age", "gender", "state"]


@pytest.fixture
def patients() -> pd.DataFrame:
    rows = [
        ("Ramsha", 30, "Female", "Tamil Nadu", "Hindu", "Cancer"),
        ("Yadu", 24, "Female", "Kerala", "Hindu", "Viral infection"),
        ("Salima", 28, "Female", "Tamil Nadu", "Muslim", "TB"),
        ("Sunny", 27, "Male", "Karnataka", "Parsi", "No illness"),
        ("Joan", 24, "Female", "Kerala", "Christian", "Heart-related"),
        ("Bahuksana", 23, "Male", "Karnataka", "Buddhist", "TB"),
        ("Rambha", 19, "Male", "Kerala", "Hindu", "Cancer"),
        ("Kishor", 29, "Male", "Karnataka", "Hindu", "Heart-related"),
        ("Johnson", 17, "Male", "Kerala", "Christian", "Heart-related"),
        ("John", 19, "Male", "Kerala", "Christian", "Viral infection"),
    ]
    return pd.DataFrame(rows, columns=["name", "age", "gender", "state", "religion", "disease"])


def slides(table: pd.DataFrame) -> pd.DataFrame:
    return to_intervals(suppress(table, ["name", "religion"]), "age", [20, 30])


def test_the_slides_table_is_2_anonymous(patients: pd.DataFrame) -> None:
    """Classes of age, gender, state after the slides' recoding:

    20-30 f Tamil Nadu: Ramsha, Salima = 2; 20-30 f Kerala: Yadu, Joan = 2; 20-30 m Karnataka:
    Sunny, Bahuksana, Kishor = 3; <= 20 m Kerala: Rambha, Johnson, John = 3. So k = 2, with name
    and religion too, as these are suppressed.
    """
    recoded = slides(patients)
    assert class_sizes(recoded, QUASI).tolist() == [2, 2, 2, 3, 2, 3, 3, 3, 3, 3]
    assert k_anonymity(recoded, QUASI) == 2
    assert k_anonymity(recoded, ["name", "religion", *QUASI]) == 2


def test_the_raw_table_is_not_anonymous(patients: pd.DataFrame) -> None:
    """Yadu and Joan share (24, f, Kerala), Rambha and John (19, m, Kerala); all others stand alone.

    With the name, everyone does.
    """
    assert class_sizes(patients, QUASI).tolist() == [1, 2, 1, 1, 2, 1, 2, 1, 1, 2]
    assert k_anonymity(patients, QUASI) == 1
    assert k_anonymity(patients, ["name"]) == 1


def test_the_sensitive_column_undoes_it(patients: pd.DataFrame) -> None:
    """Within 20-30 f Kerala the diseases differ: counted as quasi-identifier, k falls to 1."""
    assert k_anonymity(slides(patients), [*QUASI, "disease"]) == 1


def test_states_generalised_away(patients: pd.DataFrame) -> None:
    """With one country: 20-30 f = 4, 20-30 m = 3, <= 20 m = 3, so k = 3."""
    country = dict.fromkeys(["Tamil Nadu", "Kerala", "Karnataka"], "India")
    assert k_anonymity(to_groups(slides(patients), "state", country), QUASI) == 3


def test_suppressing_rows_reaches_k(patients: pd.DataFrame) -> None:
    """3-anonymity by rows alone removes the two classes of two: four rows of ten."""
    recoded = slides(patients)
    kept = suppress_rows(recoded, QUASI, 3)
    assert kept["disease"].tolist() == patients["disease"].iloc[[3, 5, 6, 7, 8, 9]].tolist()
    assert k_anonymity(kept, QUASI) == 3
    assert suppress_rows(recoded, QUASI, 4).empty


def test_recoding_leaves_the_table_alone(patients: pd.DataFrame) -> None:
    before = patients.copy(deep=True)
    slides(patients)
    pd.testing.assert_frame_equal(patients, before)


def test_missing_is_like_missing_only() -> None:
    """Classes: {NaN, NaN}, {'a'}, {'*'}: a suppressed entry is not a missing one."""
    table = pd.DataFrame({"x": [None, "a", SUPPRESSED, np.nan]})
    assert class_sizes(table, ["x"]).tolist() == [2, 1, 1, 2]
    ages = to_intervals(pd.DataFrame({"x": [np.nan, 5.0, np.nan]}), "x", [10])
    assert class_sizes(ages, ["x"]).tolist() == [2, 1, 2]


def test_no_quasi_identifier_makes_all_alike() -> None:
    assert k_anonymity(pd.DataFrame({"x": [1, 2, 3]}), []) == 3


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda t: k_anonymity(t, ["aeg"]), "no column 'aeg'; it has 'age', 'sex'"),
        (lambda t: k_anonymity(t.iloc[:0], ["age"]), "without rows"),
        (lambda t: to_intervals(t, "sex", [20]), "'sex' does not hold numbers"),
        (lambda t: to_intervals(t, "age", [30, 20]), "edges of 'age' must ascend"),
        (lambda t: to_intervals(t, "age", []), "edges of 'age' must ascend"),
        (lambda t: to_groups(t, "sex", {"m": "any"}), "no group for f in column 'sex'"),
        (lambda t: suppress(t, ["name"]), "no column 'name'"),
    ],
)
def test_what_cannot_be_done_says_so_in_one_line(call, says: str) -> None:  # type: ignore[no-untyped-def]
    table = pd.DataFrame({"age": [17, 30], "sex": ["m", "f"]})
    with pytest.raises(ConfigError, match=says) as caught:
        call(table)
    assert "\n" not in str(caught.value)


def test_sparse_records_by_hand() -> None:
    """Records {0:5, 2:3}, {0:5, 2:4}, {2:3}, {0:5, 2:3}, {}, {}.

    With values 0 and 3 are alike; items alone add 1 to them; the two empty ones are alike.
    In steps of two, 3 and 4 still differ (1 and 2); in steps of ten all values are alike.
    """
    starts = np.array([0, 2, 4, 5, 7, 7, 7])
    item = np.array([0, 2, 0, 2, 2, 0, 2])
    value = np.array([5, 3, 5, 4, 3, 5, 3])
    assert record_class_sizes(starts, item, value).tolist() == [2, 1, 1, 2, 2, 2]
    assert record_class_sizes(starts, item).tolist() == [3, 3, 1, 3, 2, 2]
    assert record_class_sizes(starts, item, value // 2).tolist() == [2, 1, 1, 2, 2, 2]
    assert record_class_sizes(starts, item, value // 10).tolist() == [3, 3, 1, 3, 2, 2]


def test_python_objects_are_refused() -> None:
    with pytest.raises(ValueError, match="Python objects"):
        record_class_sizes(np.array([0, 1]), np.array(["a"], dtype=object))


records = st.lists(st.dictionaries(st.integers(0, 3), st.integers(1, 2), max_size=3), max_size=12)


@given(records)
@settings(max_examples=examples(60))
def test_sparse_records_agree_with_counting_and_with_the_table(cells: list[dict[int, int]]) -> None:
    keys = [tuple(sorted(record.items())) for record in cells]
    starts = np.cumsum([0, *map(len, keys)])
    flat = [pair for key in keys for pair in key]
    item = np.array([i for i, _ in flat], dtype=np.int64)
    value = np.array([v for _, v in flat], dtype=np.float64)
    counted = Counter(keys)
    expected = [counted[key] for key in keys]
    assert record_class_sizes(starts, item, value).tolist() == expected
    table = pd.DataFrame([{f"i{i}": r.get(i) for i in range(4)} for r in cells])
    if len(cells):
        assert class_sizes(table, list(table.columns)).tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 40), st.sampled_from("ab")), min_size=1, max_size=20))
@settings(max_examples=examples(60))
def test_coarser_never_lowers_k(rows: list[tuple[int, str]]) -> None:
    table = pd.DataFrame(rows, columns=["x", "y"])
    fine = k_anonymity(table, ["x", "y"])
    halves = k_anonymity(to_intervals(table, "x", [10, 20, 30]), ["x", "y"])
    coarse = k_anonymity(to_intervals(table, "x", [20]), ["x", "y"])
    gone = k_anonymity(suppress(table, ["x"]), ["x", "y"])
    assert fine <= halves <= coarse <= gone <= k_anonymity(table, [])

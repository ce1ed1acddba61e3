"""Which numbers a float does not tell apart, and that every reader counts the same."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import table_source

from sim.release.readers.parquet_cells import values
from sim.release.readers.rounding import count_rounded, is_rounded
from sim.release.store.accounts import MORE_DIGITS

LONG = [
    "3",
    "3.00000000000000000001",
    "9007199254740993",
    "9007199254740992",
    "0.30000000000000004",
]
"""Two of these are rounded."""


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(16, 40))
def test_a_float_is_itself_however_many_digits_are_written(x: float, digits: int) -> None:
    assert not is_rounded(repr(x))
    assert not is_rounded(f"{x:.{digits}e}")
    assert not is_rounded(str(Decimal(x)))
    assert not is_rounded(f"{x:.{digits}f}".replace(".", ","), ",") or abs(x) < 1


@given(st.integers(1, 10**25 - 1), st.integers(-30, 30), st.sampled_from(["{}", " {}", "-{}"]))
def test_of_numbers_with_as_many_digits_one_alone_is_a_float(
    number: int, exponent: int, form: str
) -> None:
    """Of all with these digits, a float tells the nearest; 15 digits are always told apart."""
    number -= number % 10 == 0  # the last digit counts
    text = form.format(f"{number}e{exponent}")
    written = Fraction(text.strip())
    held = Fraction(float(text))
    unit = Fraction(10) ** exponent
    nearest = abs(written - held) * 2 <= unit
    if len(str(number)) <= 15:
        assert nearest
    assert is_rounded(text) == (not nearest)


@given(st.lists(st.sampled_from(LONG), min_size=1, max_size=30))
def test_all_readers_count_the_same(texts: list[str]) -> None:
    expected = sum(text in LONG[1:3] for text in texts)
    assert count_rounded(pa.array([*texts, None])) == expected
    assert count_rounded(pa.array([text.replace(".", ",") for text in texts]), ",") == expected


@pytest.mark.parametrize("block_bytes", [16, 1 << 20])
def test_files_of_all_kinds_say_how_many_values_were_rounded(
    tmp_path: Path, block_bytes: int
) -> None:
    frame = pd.DataFrame({"who": [*"abcde"], "what": "x", "stars": LONG})
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_csv(tmp_path / "odd.csv", index=False, quoting=1)
    frame.to_parquet(tmp_path / "text.parquet", index=False)
    exact = frame.assign(stars=[Decimal(text) for text in LONG])
    exact.to_parquet(tmp_path / "decimal.parquet", index=False)
    for path in sorted(tmp_path.iterdir()):
        source = table_source(path, "who", "what", value="stars", block_bytes=block_bytes)
        read = [x for chunk in source.chunks() for x in chunk.value.tolist()]  # type: ignore[union-attr]
        assert read == [float(text) for text in LONG], path.name
        assert source.notes()[MORE_DIGITS] == 2, path.name


def test_whole_numbers_that_are_floats_are_not_rounded(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    for numbers, rounded in (([2**53, 2**60, None], None), ([2**63 + 1, 5, 2**53 + 1], 2)):
        stars = pa.array(numbers, pa.uint64())
        pq.write_table(pa.table({"who": ["a"] * 3, "what": ["x"] * 3, "stars": stars}), path)
        source = table_source(path, "who", "what", value="stars")
        assert len([*source.chunks()]) == 1
        assert source.notes().get(MORE_DIGITS) == rounded


@given(st.lists(st.decimals(-(10**12), 10**12, places=4), min_size=1, max_size=20))
def test_a_decimal_is_the_float_that_its_text_is(numbers: list[Decimal]) -> None:
    """Arrow's own conversion is often off by one in the last place."""
    cells = pa.array(numbers, pa.decimal128(20, 4))
    assert values(cells).tolist() == [float(number) for number in numbers]

"""A header below the first one is found by every reader, whatever the order of its names."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples
from tables import table_source

from sim.errors import InputError
from sim.release.readers.second_headers import SecondHeaders

NAMES = ["userId", "film title", "Käufer", "stars"]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (["userId", "film title", "Käufer", "stars"], "repeats"),
        (["user_id", "FILM_TITLE", "käufer", "Stars"], "repeats"),
        (["UserId", " Film Title", " KÄUFER", " stars"], "repeats"),
        (["userId", "film title ", ' "Käufer"', "Stars:"], "repeats"),
        (["film title ", "USERID ", "Käufer", "stars"], "a second header"),
        (["\ufeffuserId", "film title", "Käufer", "stars"], "repeats"),
        (["userId", "film title", "stars", "Käufer"], "a second header"),
        (["film-title", "user.id", "x", "5"], "a second header"),
        (["userId", "film title", "x", "5"], "a second header"),
        (["userId", "x", "film title", "5"], ""),
        (["userId", "Alien", "Käufer", "stars"], ""),
        (["user", "film title", "Käufer", "stars"], ""),
        (["", "", "", ""], ""),
    ],
)
def test_the_names_of_people_and_items_make_a_header(row: list[str], problem: str) -> None:
    said = SecondHeaders(NAMES, NAMES[:2]).problem(dict(zip(NAMES, row, strict=True)))
    assert said.startswith(problem)
    assert bool(said) == bool(problem)


def test_where_one_column_names_them_all_cells_must_be_names() -> None:
    """An item may be called as its column is."""
    headers = SecondHeaders(["title", "stars"], ["title"])
    assert headers.problem({"title": "stars", "stars": "Title"})
    assert not headers.problem({"title": "Title", "stars": "4"})


CELLS = st.sampled_from(["who", "what", "Who", "WHAT", "stars", " what", "a", "b", "4"])


@settings(max_examples=examples(150))
@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=4), st.integers(0, 4), st.booleans())
def test_none_is_missed(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str, str, str]], before: int, drop: bool,
) -> None:  # fmt: skip
    """Whatever stands in a column that is not read."""
    names = ["who", "what", "stars"]
    path = tmp_path_factory.mktemp("joined") / "a.csv"
    lines = [",".join(row) for row in [names, *[("x", "y", "1")] * before, *rows]]
    path.write_text("\n".join(lines) + "\n")
    headers = SecondHeaders(names, names[:2])
    problems = [headers.problem({"who": row[0], "what": row[1]}) for row in rows]
    source = table_source(path, "who", "what", max_unread=float(drop))
    stop = [p for p in problems if p and (p.startswith("a second") or not drop)]
    if stop or before + problems.count("") == 0:
        with pytest.raises(InputError) as caught:
            [*source.chunks()]
        assert (stop or ["holds no rows"])[0] in str(caught.value)
    else:
        assert sum(len(chunk) for chunk in source.chunks()) == before + problems.count("")

"""The house style: the same bytes every time, whole files only, colours that can be told apart."""

import re

import matplotlib as mpl
import pytest

from sim.errors import StandoutError
from sim.plot.palette import COLOURS, LINES, MARKERS
from sim.report.figures.style import house_style, new_figure, save


def drawn():
    with house_style():
        figure = new_figure(3, 2)
        axes = figure.subplots()
        axes.plot([0, 1], [0, 1], marker="o", label="a $line$ of 5%")
        axes.set_title("$5 and $6")
        figure.legend(loc="outside lower center")
    return figure


def test_the_same_picture_gives_the_same_bytes(tmp_path):
    first = save(drawn(), tmp_path / "a", "x")
    again = save(drawn(), tmp_path / "b", "x")
    assert first.read_bytes() == again.read_bytes()


def test_the_users_own_settings_do_not_show_and_are_left_alone(tmp_path):
    plain = save(drawn(), tmp_path / "a", "x")
    with mpl.rc_context({"font.size": 30.0, "savefig.dpi": 30, "axes.grid": False}):
        odd = save(drawn(), tmp_path / "b", "x")
        assert mpl.rcParams["font.size"] == 30.0
    assert plain.read_bytes() == odd.read_bytes()


def test_no_clock_and_no_version_in_the_files(tmp_path):
    content = save(drawn(), tmp_path, "x").read_bytes()
    assert b"Software" not in content
    assert mpl.__version__.encode() not in content


def test_nothing_half_written_is_left(tmp_path):
    save(drawn(), tmp_path / "deep" / "figures", "x")
    names = sorted(path.name for path in (tmp_path / "deep" / "figures").iterdir())
    assert names == ["x.png"]


def test_what_cannot_be_written_is_said_in_one_line(tmp_path):
    (tmp_path / "figures").write_text("a file in the way")
    with pytest.raises(StandoutError, match=r"x\.png: the figure cannot be written") as caught:
        save(drawn(), tmp_path / "figures", "x")
    assert "\n" not in str(caught.value)


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_colours_show_on_white_and_have_their_own_marker_and_line():
    assert len(COLOURS) == len(set(COLOURS)) == len(set(MARKERS)) == len(set(LINES))
    assert all(re.fullmatch(r"#[0-9A-F]{6}", colour) for colour in COLOURS)
    for colour in COLOURS:
        assert 1.05 / (luminance(colour) + 0.05) > 2.0, colour

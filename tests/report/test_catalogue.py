"""Every figure that is named can be drawn by a function that exists."""

import inspect

import pytest

from sim.measurements.registry import MEASUREMENTS
from sim.papers.experiments import TITLES, title_of
from sim.papers.joint import JOINTS
from sim.papers.papers import EXPERIMENTS
from sim.report.figures.catalogue import OF_ATTACKS, OF_SUITES, OF_TABLES, named, picture_of

OF_MEASUREMENTS = {name: picture_of(cls) for name, cls in MEASUREMENTS.all().items()}
ALL = {**OF_ATTACKS, **OF_TABLES, **OF_MEASUREMENTS, **OF_SUITES}


@pytest.mark.parametrize("name", ALL)
def test_every_picture_has_a_function_and_words(name):
    assert inspect.isgeneratorfunction(ALL[name].pages())
    assert ALL[name].caption.endswith(".")


def test_tables_and_measurements_are_drawn_alike():
    for picture in (*OF_TABLES.values(), *OF_MEASUREMENTS.values(), *OF_SUITES.values()):
        taken = list(inspect.signature(picture.pages()).parameters)
        assert taken == ["tables", "numbers", "settings"], picture


def test_whatever_joins_parts_is_drawn():
    assert set(JOINTS) == set(OF_SUITES)


def test_sentences_that_measurements_name_can_be_said():
    for cls in MEASUREMENTS.all().values():
        assert list(inspect.signature(named(cls.sentences)).parameters) == ["facts", "study"]


def test_every_experiment_has_a_title():
    assert tuple(TITLES) == tuple(name for name in TITLES if name in EXPERIMENTS)
    assert set(TITLES) == set(EXPERIMENTS)
    assert len({title_of(name) for name in EXPERIMENTS}) == len(EXPERIMENTS)

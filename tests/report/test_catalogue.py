"""Every figure that is named has a file, and whatever is measured has a figure."""

import pytest

from sim.config.schema import FRONTIER
from sim.measurements.registry import MEASUREMENTS
from sim.papers.aggregate import AGGREGATES
from sim.papers.experiments import TITLES, title_of
from sim.papers.papers import EXPERIMENTS
from sim.report.figures.catalogue import OF_ATTACKS, OF_SUITES, OF_TABLES, figure_spec

OF_MEASUREMENTS = [measurement.figure for measurement in MEASUREMENTS.all().values()]


@pytest.mark.parametrize("name", sorted({*OF_ATTACKS, *OF_TABLES, *OF_MEASUREMENTS, *OF_SUITES}))
def test_every_figure_has_a_file_and_a_caption(name):
    assert figure_spec(name).caption.endswith(".")


def test_whatever_joins_parts_is_drawn():
    assert {*AGGREGATES, FRONTIER} == set(OF_SUITES)


def test_every_experiment_has_a_title():
    assert tuple(TITLES) == tuple(name for name in TITLES if name in EXPERIMENTS)
    assert set(TITLES) == set(EXPERIMENTS)
    assert len({title_of(name) for name in EXPERIMENTS}) == len(EXPERIMENTS)

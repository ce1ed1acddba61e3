"""What a key expects is said in the words of the class that has it, for every key there is."""

from __future__ import annotations

import dataclasses

import pytest
from omegaconf import OmegaConf
from omegaconf.errors import ValidationError

from sim.config.schema import choices
from sim.config.wrong_values import wrong_value
from sim.extend.options import option_of

pytestmark = pytest.mark.fast


def test_every_typed_key_says_what_it_expects() -> None:
    refused = 0
    for group, _, node in choices():
        config = OmegaConf.create({group: OmegaConf.structured(node)})
        for field in dataclasses.fields(node):
            key = f"{group}.{field.name}"
            for given in ("no such", ["no such"]):
                try:
                    OmegaConf.update(config, key, given, merge=True)
                except ValidationError as error:
                    stated = option_of(node, field, key, many_type=list)
                    said = wrong_value(error) or ""
                    one = f"{key}: {given!r}: expected "
                    element = f"{key}: 'no such': expected "
                    assert said.startswith((one, element)), said
                    assert "such as" in said or (
                        stated and said.endswith(stated.expected(given))
                    ), said
                    assert node.__name__ not in said
                    refused += 1
    assert refused > 50


def test_an_error_about_no_value_is_left_to_others() -> None:
    assert wrong_value(ValidationError("made by hand")) is None

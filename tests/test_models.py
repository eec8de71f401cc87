"""Our pydantic models: values that nobody changes, and that refuse fields they do not know."""

import importlib
import inspect
from pathlib import Path

import pytest
from pydantic import BaseModel

ROOT = Path(__file__).parents[1]
PACKAGES = ("rewardkit", "harness", "sandboxes", "trainers")
SOURCES = [path for name in PACKAGES for path in (ROOT / name).rglob("*.py") if "BaseModel" in path.read_text()]
OTHERS_WRITE = {"harness.store", "harness.backends.openai_api", "sandboxes.backends.sandbox_fusion"}
"""Modules whose models are read from what others write: a run of another version, a server's answer. They may hold more fields."""


def models():
    for path in SOURCES:
        module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
        for _, held in inspect.getmembers(module, inspect.isclass):
            if issubclass(held, BaseModel) and held.__module__ == module.__name__:
                yield held


@pytest.mark.parametrize("model", list(models()), ids=lambda model: model.__name__)
def test_a_model_is_frozen_and_refuses_fields_that_it_does_not_know(model):
    assert model.model_config.get("frozen") is True
    known = model.__module__ in OTHERS_WRITE or model.model_config.get("extra") == "forbid"
    assert known, "a misspelt field would be dropped in silence"

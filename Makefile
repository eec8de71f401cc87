# Few targets; each is one line of what CI runs.
PYTHON ?= .venv/bin/python

.PHONY: install check test test-all docs bench

install:  ## a virtual environment with everything a developer needs
	python3 -m venv .venv && .venv/bin/pip install -q -e ".[dev]"

check:  ## formatting, lint, types, import direction
	$(PYTHON) -m ruff format --check . && $(PYTHON) -m ruff check .
	.venv/bin/pyright --pythonpath $(PYTHON) && .venv/bin/lint-imports

test:  ## the quick tests
	$(PYTHON) -m pytest

test-all:  ## with Docker, the long and the slow ones
	$(PYTHON) -m pytest -m "not trainer and not engine and not browser"

docs:  ## pages made from the code, and the site in build/site
	$(PYTHON) docs/generate.py && .venv/bin/pip install -q -e ".[docs]" && .venv/bin/mkdocs build

bench:  ## the measured claims of benchmarks/README.md
	for name in $$($(PYTHON) -m benchmarks | cut -d" " -f1); do $(PYTHON) -m benchmarks $$name; done

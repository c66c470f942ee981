# `make demo` builds a dataset from a synthetic archive, `make test` runs every test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint lock bench clean

demo: $(VENV)/installed
	$(BIN)/speedrun-etl demo --out build/demo

test: $(VENV)/installed
	$(BIN)/python -m pytest

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

$(VENV)/installed: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

# Ten minutes: speed beside the public reference and the byte-scan floor, into benchmarks/RESULTS.md.
bench: $(VENV)/installed
	$(BIN)/python -m benchmarks

# Needs uv. The lock holds hashes and markers for every platform, and no index address.
lock:
	uv pip compile --quiet pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --no-header --output-file requirements.lock

clean:
	rm -rf build $(VENV)

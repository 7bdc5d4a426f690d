# The front door. Everything is set up inside the checkout, in .venv; nothing else on the machine is touched.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
PYTHONS ?= $(PYTHON)
PARTS ?=
EXAMPLES := napkin_visuals order_operations order_recovery pattern_library pubmed_articles
VENV := .venv
BIN := $(VENV)/bin
CORPUS ?= ../shared/corpus
INSTALL := -m pip --disable-pip-version-check -qq install
PIP := $(BIN)/python $(INSTALL)
# Half of the time a test waits for a server that it has started: three at a time for every two cores.
TEST := -m pytest --quiet --numprocesses=$(shell $(PYTHON) -c 'import os; print(((os.cpu_count() or 1) * 3 + 1) // 2)') --dist=loadfile

# Pins what is installed, and what wheels are built with.
export PIP_CONSTRAINT := $(CURDIR)/requirements/constraints.txt
export PIP_BUILD_CONSTRAINT := $(PIP_CONSTRAINT)

.PHONY: help version quick site docs-serve demo test examples laws coverage check docs bench eras storm corpus recovery soak wild published gated conformance clients agents engines gate-peers wheel clean
.DEFAULT_GOAL := test

help:  ## What there is to make.
	@sed -n 's/^\([a-z-]*\):.*##/\1\t/p' $(MAKEFILE_LIST) | expand -t 13

demo: $(VENV)/demo.done  ## Four failures of a real server, without errata and with it. `.venv/bin/errata demo --all` shows more.
	@$(BIN)/errata demo

test: $(VENV)/test.done  ## The tests, but for those of the example servers.
	@$(BIN)/python $(TEST) --ignore=tests/examples --ignore=tests/test_checklist.py

quick: $(VENV)/check.done  ## Lint, types and the tests that matter for what changed since main; under a minute.
	@$(BIN)/python scripts/check_quickly.py

examples: $(VENV)/test.done  ## The tests of the example servers, over HTTP, and those of single ones over stdio in the older protocol; and the demo.
	@$(BIN)/python $(TEST) tests/examples tests/test_checklist.py
	@ERRATA_WAY="stdio, older protocol" $(BIN)/python $(TEST) $(foreach name,$(EXAMPLES),tests/examples/test_$(name).py)

laws: $(VENV)/test.done  ## The property tests once more, with more examples of each law.
	@ERRATA_LAWS=laws $(BIN)/python $(TEST) $$(grep --recursive --files-with-matches --include="*.py" "@given" tests)

coverage: $(VENV)/test.done  ## The tests once more, with branch coverage; it takes a while.
	@$(BIN)/python $(TEST) --cov

check: $(VENV)/check.done  ## Lint, format, types, layers.
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pyright --verifytypes errata --ignoreexternal
	$(BIN)/lint-imports --no-logo

docs: $(VENV)/errata.done  ## Write the generated pages and tables anew; a test fails when they are stale.
	@$(BIN)/python scripts/write_docs.py

site: .venv-docs/docs.done  ## Build the documentation site into .site/html; a broken link fails.
	@.venv-docs/bin/python scripts/build_site.py

docs-serve: .venv-docs/docs.done  ## Show the documentation site at http://127.0.0.1:8000, and follow changes of its pages.
	@.venv-docs/bin/python scripts/build_site.py --serve

bench: $(VENV)/bench.done  ## Ratios, measured in one run beside the thing compared.
	@$(BIN)/python scripts/eras.py --set-up mcp-1.30 fastmcp-3.4
	@$(BIN)/python benchmarks/run.py

storm: $(VENV)/bench.done  ## What retries do to a backend that fails, written to docs/storm.md; it takes some minutes.
	@$(BIN)/python benchmarks/storm.py

eras: | $(BIN)/python  ## The tests of servers and clients with the SDKs of every era; requirements/eras.toml has them.
	@$(BIN)/python scripts/eras.py

corpus: .venv-corpus/corpus.done  ## Real libraries: is every exception decided about, and how often is errata right?
	@ERRATA_LIBRARIES=required .venv-corpus/bin/python -m pytest --quiet --numprocesses=auto --dist=loadfile tests/classification
	@.venv-corpus/bin/python scripts/score_corpus.py --corpus $(CORPUS)

recovery: .venv-recovery/recovery.done  ## Labelled failing calls: does an agent read the right next step, with errata and without?
	@.venv-recovery/bin/python scripts/score_recovery.py --corpus $(CORPUS)

soak: $(VENV)/test.done  ## Thirty thousand calls that fail at random, and fifty thousand through the gate: does anything stay behind? It takes two minutes.
	@$(BIN)/python tests/client/soak.py
	@$(BIN)/python tests/gate/soak.py

wild: $(VENV)/test.done  ## Published MCP servers: what the linter finds in each rule; they are fetched by name, and nothing of them is run.
	@$(BIN)/python scripts/wild_servers.py > /dev/null
	@$(BIN)/errata lint --statistics --exit-zero .wild/dev .wild/heldout

published: $(VENV)/test.done  ## Published MCP servers of all eras, called wrongly without errata and with it, written to docs/published.md; it takes half an hour.
	@env -u PIP_CONSTRAINT -u PIP_BUILD_CONSTRAINT $(BIN)/python scripts/published_servers.py

gated: $(VENV)/test.done  ## Published MCP servers from npm and the Python index, with and without the gate, written to docs/gate-servers.md; it takes some minutes.
	@env -u PIP_CONSTRAINT -u PIP_BUILD_CONSTRAINT $(BIN)/python scripts/gated_servers.py

conformance: $(VENV)/test.done  ## Others: the official MCP suite with and without errata, clients and a linter in TypeScript, and published servers.
	@$(BIN)/python conformance/run.py
	@$(BIN)/python -m pytest --quiet --numprocesses=auto --dist=worksteal conformance

clients: $(VENV)/test.done  ## What a model reads of a failing tool, in some twenty clients; it takes ten minutes.
	@$(BIN)/python clients/run.py

agents: $(VENV)/test.done  ## Agents of twenty lines on five published servers, their sessions written to docs/agents.md; it takes a minute or two.
	@$(BIN)/python clients/agents.py

engines: $(VENV)/test.done .venv-engines/engines.done  ## ContextForge itself with errata's plugin and without, on SQLite, PostgreSQL and Redis; it takes five minutes.
	@$(BIN)/python scripts/engines.py

gate-peers: $(VENV)/test.done  ## Other proxies in the fidelity suite of the gate, written to docs/gate-fidelity.md; it takes half an hour.
	@$(BIN)/python scripts/gate_peers.py

# The tests of single examples start those of the checkout, whatever is installed; the demo starts those of the wheel.
wheel: $(VENV)/check.done  ## Build the wheel and run the tests, or $(PARTS) of them, against it, installed, under every one of $(PYTHONS).
	@rm -rf dist
	@$(BIN)/python -m build --wheel > /dev/null
	@for python in $(PYTHONS); do \
		rm -rf .venv-wheel && $$python -m venv .venv-wheel && echo "The wheel under $$($$python --version):" && \
		.venv-wheel/bin/python $(INSTALL) --requirement requirements/test.txt dist/*.whl && \
		.venv-wheel/bin/python $(TEST) --ignore-glob='*/examples/test_*_*.py' $(PARTS) || exit 1; \
	done
	PATH="$(CURDIR)/.venv-wheel/bin:$$PATH" $(BIN)/pyright --verifytypes errata --ignoreexternal

version:  # Which Python the tests run under.
	@$(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])'

clean:  ## Remove everything that was set up or built.
	rm -rf $(VENV) .venv-wheel .venv-eras .venv-docs .venv-corpus .venv-recovery .venv-engines .conformance .agents .clients .gated .node .peers .published .site .wild dist .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "errata needs Python 3.11 or newer; say which with: make PYTHON=python3.12")'
	@echo "Setting up $(VENV) with $$($(PYTHON) --version) ..."
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "On Debian and Ubuntu, install python3-venv first."; exit 1; }

$(VENV)/errata.done: pyproject.toml requirements/constraints.txt | $(BIN)/python
	@$(PIP) --editable .
	@touch $@

$(VENV)/demo.done: $(VENV)/errata.done
	@$(PIP) --editable ".[demo]"
	@touch $@

$(VENV)/test.done: requirements/test.txt $(VENV)/errata.done
	@$(PIP) --requirement requirements/test.txt
	@touch $@

$(VENV)/check.done: requirements/check.txt $(VENV)/test.done
	@$(PIP) --requirement requirements/check.txt
	@touch $@

.venv-docs/docs.done: requirements/docs.txt
	@echo "Setting up .venv-docs with what builds the site ..."
	@$(PYTHON) -m venv .venv-docs
	@env -u PIP_CONSTRAINT .venv-docs/bin/python $(INSTALL) --requirement requirements/docs.txt
	@touch $@

.venv-corpus/corpus.done: requirements/corpus.txt pyproject.toml
	@echo "Setting up .venv-corpus with the libraries; this takes a minute or two ..."
	@$(PYTHON) -m venv .venv-corpus
	@env -u PIP_CONSTRAINT .venv-corpus/bin/python $(INSTALL) --requirement requirements/corpus.txt --editable .
	@touch $@

.venv-recovery/recovery.done: requirements/recovery.txt pyproject.toml
	@echo "Setting up .venv-recovery with the libraries; this takes a minute or two ..."
	@$(PYTHON) -m venv .venv-recovery
	@env -u PIP_CONSTRAINT .venv-recovery/bin/python $(INSTALL) --requirement requirements/recovery.txt --editable ".[all]"
	@touch $@

.venv-engines/engines.done: requirements/engines.txt pyproject.toml
	@echo "Setting up .venv-engines with ContextForge; this takes a minute or two ..."
	@$(PYTHON) -m venv .venv-engines
	@env -u PIP_CONSTRAINT -u PIP_BUILD_CONSTRAINT .venv-engines/bin/python $(INSTALL) --requirement requirements/engines.txt --editable .
	@touch $@

$(VENV)/bench.done: requirements/bench.txt $(VENV)/errata.done
	@$(PIP) --requirement requirements/bench.txt
	@touch $@

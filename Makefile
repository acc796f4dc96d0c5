# One verb each; `make help` lists them.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/pip install --quiet --disable-pip-version-check
SOURCES = src tests examples bench docs

.PHONY: help run check test cover sweep bench docs clean

help:  ## list the verbs
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' Makefile

run: $(VENV)/.installed  ## install, then run the main job offline on the bundled example project
	@$(BIN)/interlock run "Which function does src/alpha.ts export?" --cwd examples/shop --journal $(VENV)/run.db

check: $(VENV)/.developed  ## lint, types, floors, house rules, docs
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/vulture
	$(BIN)/python docs/generate.py --check
	$(BIN)/python -m pytest -q -p no:randomly tests/house

test: $(VENV)/.developed  ## every test that needs no system package; says what it left out
	$(BIN)/python -m pytest -q -n 2 --ignore=tests/house --ignore=tests/page $(PYTEST_ARGS)
	$(BIN)/python -m pytest -q -n 2 tests/page
	$(BIN)/python -m pytest -q -p no:randomly tests/house

cover: $(VENV)/.developed  ## lines and branches of the pure rooms, all of them
	$(BIN)/python .ci/cover.py -n 2

sweep: $(VENV)/.developed  ## every mutant of every shipped contract
	$(BIN)/python bench/sweep.py

bench: $(VENV)/.developed  ## the figures that the docs quote
	$(BIN)/python bench/rules_eval.py
	$(BIN)/python bench/overhead.py
	$(BIN)/python bench/ab_power.py
	$(BIN)/python bench/reply_parsing.py
	$(BIN)/python bench/replay.py
	$(BIN)/python bench/decide_many.py
	$(BIN)/python bench/waves.py
	$(BIN)/python bench/plan_law.py
	-$(BIN)/python bench/local.py
	$(BIN)/python bench/page.py

docs: $(VENV)/.developed  ## write the generated parts of the docs again
	$(BIN)/python docs/generate.py

clean:  ## remove what these verbs made
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage

$(VENV)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	@touch $@

$(VENV)/.developed: $(VENV)/.installed requirements-dev.txt
	$(PIP) --requirement requirements-dev.txt
	@touch $@

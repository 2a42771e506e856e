# Each target does the set-up that it needs. `make` shows them.

BIN := .venv/bin
export DO_NOT_TRACK := 1

.PHONY: help demo up down test fuzz lint bench bench-parse bench-edits bench-chunkers bench-late bench-setup clean bootstrap
.DEFAULT_GOAL := help

help: ## show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: bootstrap ## sync the example corpora under Airflow, ask a question, sync again; some minutes
	@$(BIN)/python scripts/demo.py

up: bootstrap ## start Airflow and the database here, and print the address and the login
	@$(BIN)/python scripts/kerf_local.py up

down: bootstrap ## stop them
	@$(BIN)/python scripts/kerf_local.py down

test: bootstrap ## all the tests (ARGS="-k name" for some)
	@$(BIN)/python -m pytest $(ARGS)

fuzz: bootstrap ## spoil files by chance until stopped, keep those that break a promise (SEED=1 SECONDS=600)
	@PYTHONPATH=tests $(BIN)/python -m faults.fuzzing --seed $(or $(SEED),0) $(if $(SECONDS),--seconds $(SECONDS))

lint: bootstrap ## ruff and mypy
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/mypy scripts dags bench

bench: bench-parse bench-edits bench-chunkers bench-late ## every measurement (make -k: whatever the one before it came to)

bench-parse: bench-setup ## what is read right, how fast, beside other tools (KERF_TEST_DATA names the documents)
	@$(BIN)/python -m bench.parse $(ARGS)

bench-edits: bench-setup ## what is embedded anew when documents change, beside other tools (KERF_TEST_DATA too)
	@$(BIN)/python -m bench.edits $(ARGS)

bench-chunkers: bench-setup ## how fast and how well text is cut, beside other tools (KERF_TEST_DATA too)
	@$(BIN)/python -m bench.chunkers $(ARGS)

bench-late: bootstrap ## what late chunking finds, beside the same children embedded alone (KERF_TEST_DATA too)
	@$(BIN)/python -m bench.late $(ARGS)

bench-setup: bootstrap
	@: "$${KERF_TEST_DATA:?must name the folder with the documents to read}"
	@scripts/bench_setup

clean: ## remove what was built; keeps .kerf, which holds the database
	@rm -rf .venv .venv-bench build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	@find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +

bootstrap:
	@scripts/bootstrap

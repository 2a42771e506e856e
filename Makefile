# Each target does the set-up that it needs. `make` shows them.

BIN := .venv/bin
export DO_NOT_TRACK := 1

.PHONY: help demo up down test test-long fuzz lint bench bench-parse bench-edits bench-chunkers bench-late bench-sync bench-faults bench-nights \
  bench-data bench-setup clean bootstrap
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

test-long: bootstrap ## the tests of incremental sync at length: 500 sequences, all nights, five minutes of overlap
	@KERF_TEST_SEQUENCES=$${KERF_TEST_SEQUENCES:-500} KERF_TEST_OVERLAP=$${KERF_TEST_OVERLAP:-300} KERF_TEST_NIGHTS=1 \
	  $(BIN)/python -m pytest --timeout=0 tests/faults tests/store/test_nights.py $(ARGS)

fuzz: bootstrap ## spoil files by chance until stopped, keep those that break a promise (SEED=1 SECONDS=600)
	@PYTHONPATH=tests $(BIN)/python -m faults.fuzzing --seed $(or $(SEED),0) $(if $(SECONDS),--seconds $(SECONDS))

lint: bootstrap ## ruff and mypy
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/mypy scripts dags bench

bench: bench-parse bench-edits bench-chunkers bench-late bench-sync bench-faults bench-nights ## every measurement (make -k: whatever the one before it came to)

bench-parse: bench-data bench-setup ## what is read right, how fast, beside other tools (KERF_TEST_DATA names the documents)
	@$(BIN)/python -m bench.parse $(ARGS)

bench-edits: bench-data bench-setup ## what is embedded anew when documents change, beside other tools (KERF_TEST_DATA too)
	@$(BIN)/python -m bench.edits $(ARGS)

bench-chunkers: bench-data bench-setup ## how fast and how well text is cut, beside other tools (KERF_TEST_DATA too)
	@$(BIN)/python -m bench.chunkers $(ARGS)

bench-late: bootstrap ## what late chunking finds, beside the same children embedded alone (KERF_TEST_DATA too)
	@$(BIN)/python -m bench.late $(ARGS)

bench-sync: bench-setup ## what a sync costs by what changed, beside other engines; 10,000 files
	@$(BIN)/python -m bench.sync $(ARGS)

bench-faults: bootstrap ## a sync that is killed 200 times: what is lost, doubled, paid twice
	@$(BIN)/python -m bench.faults $(ARGS)

bench-nights: bootstrap ## forty nights of a living documentation through the whole pipeline
	@$(BIN)/python -m bench.nights $(ARGS)

bench-data:
	@: "$${KERF_TEST_DATA:?must name the folder with the documents to read}"

bench-setup: bootstrap
	@scripts/bench_setup

clean: ## remove what was built; keeps .kerf, which holds the database
	@rm -rf .venv .venv-bench build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	@find . -name __pycache__ -not -path './.git/*' -prune -exec rm -rf {} +

bootstrap:
	@scripts/bootstrap

# make demo     install, index the sample files with the built-in model, open the search page
# make test     install with the development tools, check style and types, run every test
# The rest is listed at the bottom. Settings go on the command line: make demo PORT=9000

PYTHON ?= python3
VENV   ?= .venv
TORCH  ?= auto
PORT   ?= 8501
NO_UI  ?=
JOBS   ?= 2
INDEX  ?= .demo/index

BIN  := $(VENV)/bin
SETUP_INPUTS := pyproject.toml constraints.txt scripts/setup_env.py
# The sample search that `make demo NO_UI=1` ends with.
QUESTION ?= When can the island run on wind and battery alone, with all diesels off?

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-all lint format bench reproduce samples constraints wheel clean \
        check-python test-deps model fuzz

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "make %-12s %s\n", $$1, $$2}'

# --- environments: one folder, a stamp for each set of extras -------------------------------

check-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Python 3.11 or newer is needed; $(PYTHON) is" \
	       "$$({ $(PYTHON) --version || echo not there; } 2>&1 | tail -n 1)." \
	       "Name another one: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }

$(VENV)/.ready: $(SETUP_INPUTS) | check-python
	@$(PYTHON) scripts/setup_env.py $(VENV) --torch $(TORCH)
	@touch $@

$(VENV)/.ready-dev: $(SETUP_INPUTS) | check-python
	@$(PYTHON) scripts/setup_env.py $(VENV) --torch $(TORCH) --extras dev
	@touch $@ $(VENV)/.ready

$(VENV)/.ready-bench: $(SETUP_INPUTS) | check-python
	@$(PYTHON) scripts/setup_env.py $(VENV) --torch $(TORCH) --extras bench
	@touch $@ $(VENV)/.ready

$(VENV)/.ready-train: $(SETUP_INPUTS) | check-python
	@$(PYTHON) scripts/setup_env.py $(VENV) --torch $(TORCH) --extras train,eval
	@touch $@ $(VENV)/.ready

# --- using it --------------------------------------------------------------------------------

demo: $(VENV)/.ready ## index data/samples and open the search page (PORT=8501, NO_UI=1: search once instead)
	@$(BIN)/lmk index data/samples --index $(INDEX)
ifeq ($(NO_UI),)
	@$(BIN)/lmk ui --index $(INDEX) --port $(PORT)
else
	@$(BIN)/lmk search "$(QUESTION)" --index $(INDEX) -k 3
endif

# --- working on it ---------------------------------------------------------------------------

test: $(VENV)/.ready-dev test-deps lint ## style, types and all tests in JOBS=2 processes; pytest's summary comes last
	@$(BIN)/pytest -n $(JOBS) --dist loadfile $(PYTEST_ARGS)

test-all: $(VENV)/.ready-bench test ## the same, with what needs sentence-transformers

lint: $(VENV)/.ready-dev ## ruff and mypy
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: $(VENV)/.ready-dev ## let ruff rewrite the code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

# Tests marked `browser` drive a Chromium; nothing else is asked of the system.
test-deps:
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null \
	    || command -v google-chrome >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "test-deps: installing Chromium for the browser tests"; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
	    apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	else \
	  echo "test-deps: no Chromium, so the browser tests will be skipped." \
	       "On Debian: apt-get install chromium" >&2; \
	fi

bench: $(VENV)/.ready-bench ## speed and quality against the plain way (BENCH_ARGS=--quick)
	@$(BIN)/python benchmarks/ingest.py $(BENCH_ARGS)
	@$(BIN)/python benchmarks/samples.py $(BENCH_ARGS)
	@$(BIN)/python benchmarks/encode.py $(BENCH_ARGS)

reproduce: $(VENV)/.ready-train ## the paper's comparison of poolings (TRAIN=pairs.jsonl.xz SETS="folder ...")
	@$(BIN)/python scripts/reproduction.py --train "$(TRAIN)" --sets $(SETS) $(REPRODUCE_ARGS)

samples: $(VENV)/.ready-dev ## make data/samples anew
	@$(BIN)/python data/make_samples.py

fuzz: $(VENV)/.ready-dev ## spoil files of every format and parse them (FUZZ_ARGS="--seconds 180 --seed 1")
	@$(BIN)/python scripts/fuzz.py $(FUZZ_ARGS)

constraints: $(VENV)/.ready-dev ## pin the versions of this environment (needs the extras dev, faiss, bench, eval)
	@$(BIN)/python scripts/pin.py > constraints.new
	@mv constraints.new constraints.txt

model: $(VENV)/.ready-dev ## make the checkpoint FROM=folder the built-in model
	@$(BIN)/python scripts/set_builtin.py "$(FROM)"

wheel: $(VENV)/.ready-dev ## build dist/lmk-*.whl
	@$(BIN)/python -m hatchling build -t wheel

clean: ## remove the environment, the demo index and all caches
	rm -rf $(VENV) .demo dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

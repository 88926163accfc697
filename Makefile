# make demo: install what is missing, build, run the demo experiment. make help lists the rest.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

LIBTORCH_VERSION ?= 2.1.2
GOLANGCI_LINT_VERSION := v2.15.0
GOFUMPT_VERSION := v0.12.0

CACHE := $(or $(SMLM_EXP_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/smlm-exp)
TOOLS := $(CACHE)/tools
INSTALL := ./install-libtorch.sh --version $(LIBTORCH_VERSION)
# One environment for every Go command: Go's cache is keyed by it, and building gotch anew takes minutes.
ENV := eval "$$($(INSTALL) --print-env)";
# git may be missing, or refuse a checkout of another user; the build then goes without the commit.
VCS = -buildvcs=$(shell git rev-parse --verify -q HEAD >/dev/null 2>&1 && echo true || echo false)

# What make bench compares with; its packages, PyTorch among them, go into an environment of their own.
BENCH_VENV := $(CACHE)/bench-venv
BENCH_PYTHON ?= $(BENCH_VENV)/bin/python
BENCH_BASE_PYTHON ?= python3
BENCH_FLAGS ?=
# The package tensorboard, for test-trackers.
TRACKERS_VENV := $(CACHE)/trackers-venv
TRACKERS_PYTHON ?= $(TRACKERS_VENV)/bin/python
# A Python that has what test-pretrained compares with; empty: one is made in the cache folder.
PRETRAINED_PYTHON ?=
TEST_CPUS_FLAGS ?=
TEST_DIST_ROOT ?=
CHAOS_FLAGS ?=
DAMAGE_FLAGS ?=
ATTACK_FLAGS ?=

.PHONY: help demo examples build test test-cpus test-slurm test-trackers test-pretrained test-dist chaos attack dist release bench lint
.PHONY: fmt clean libtorch check-go

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))
	@echo 'LIBTORCH_VERSION=$(LIBTORCH_VERSION) (or 2.11.0); LIBTORCH=DIR uses the libtorch in DIR. More: docs/install.md'

demo: build ## install what is missing, build, run experiments.toml and print its table
	@bin/smlm-exp run experiments.toml --workers 2

build: libtorch ## bin/smlm-exp
	@if [ ! -x bin/smlm-exp.bin ]; then echo 'make: building; the first time, gotch takes about two minutes' >&2; fi
	@$(ENV) go build $(VCS) -o bin/smlm-exp.bin ./cmd/smlm-exp && \
	scripts/make-launcher.sh "$$LT" "$$(sed -n s/^version=//p "$${CXX%/*}/installed")" bin/smlm-exp

# Threads that spin while they wait take the processor from each other where another program runs: the tests then last ten times as long.
test: export OMP_WAIT_POLICY ?= passive
test: libtorch ## go vet and go test; ends with the paper's values that outputs contradict and the largest deviations from PyTorch
	@$(ENV) go vet ./... && go -C bench vet ./... && go test -timeout 30m ./... && go -C bench test ./... && \
	{ go test -v -run PublishedOutputsAgainstPaper ./report | grep -o 'not as printed: .*' || true; } && \
	go test -v -run Parity ./classifier ./divlstm ./lm ./masking ./pretrained ./runs/stages ./smlm | grep -o '[a-z_]*[.]safetensors: largest deviation.*' | sort

examples: demo ## train the demo and what the tutorial trains, and write the examples of the documents anew (docs/examples)
	@$(ENV) go test -count=1 -timeout 1h -run '^TestExamples' ./cmd/smlm-exp -update

test-cpus: libtorch ## the numeric packages as other CPUs and thread counts compute (docs/cpus.md); TEST_CPUS_FLAGS=--short
	@$(ENV) scripts/test-cpus.sh $(TEST_CPUS_FLAGS)

test-trackers: libtorch $(if $(filter $(TRACKERS_VENV)/bin/python,$(TRACKERS_PYTHON)),$(TRACKERS_VENV)/made) ## what TensorBoard makes of a run (docs/trackers.md); TRACKERS_PYTHON=an interpreter that has it
	@$(ENV) SMLM_EXP_TRACKERS_PYTHON=$(TRACKERS_PYTHON) go test -count=1 -v -run RealTensorBoard ./runs/track

test-pretrained: libtorch ## real weights and tokenizers against transformers and bert-score (docs/pretrained.md); PRETRAINED_PYTHON=an interpreter that has them
	@$(ENV) SMLM_EXP_CACHE=$(CACHE) BENCH_BASE_PYTHON=$(BENCH_BASE_PYTHON) scripts/test-pretrained.sh $(PRETRAINED_PYTHON)

chaos: build ## kill the demo's workers at random 200 times and compare what they made; CHAOS_FLAGS='30 7 3': kills, seed, and runs side by side
	@scripts/chaos.sh $(CHAOS_FLAGS)

attack: libtorch ## 300 hostile variants each of an import, a server of data, a workspace and a request, and a tenth of that under ulimit -v; ATTACK_FLAGS='1000 7': number and seed
	@$(ENV) export SMLM_EXP_ATTACKS=$(or $(word 1,$(ATTACK_FLAGS)),300) SMLM_EXP_ATTACKS_SEED=$(or $(word 2,$(ATTACK_FLAGS)),1); \
	attack() { go test -count=1 -timeout 1h -v -run '^TestAttacks$$' "$$@" ./cli; }; attack && \
	SMLM_EXP_ATTACKS=$$((SMLM_EXP_ATTACKS / 10)) attack -exec "bash -c 'ulimit -v 3000000; exec \"\$$0\" \"\$$@\"'"

dist: build ## a tarball in dist/ that runs on a bare Debian or Ubuntu, libtorch for the CPU inside
	@$(ENV) scripts/dist.sh "$$LT" "$$(sed -n s/^version=//p "$${CXX%/*}/installed")" dist

release: dist ## the tarball of make dist, its sha256 and the notes of this version, from CHANGELOG.md, in dist/
	@version=$$(sed -n 's/^version: //p' CITATION.cff); [ -z "$$(git status --porcelain)" ] || \
	{ echo 'make: the checkout has changes that are not committed: commit them first' >&2; exit 1; }; \
	awk -v head="## $$version" 'index($$0, "## ") == 1 { on = index($$0, head) == 1 } on' CHANGELOG.md > dist/notes-$$version.md; \
	[ -s dist/notes-$$version.md ] || { echo "make: CHANGELOG.md has no entry $$version" >&2; exit 1; }; ls -l dist

test-dist: dist ## run the demo of the tarball in a bare Debian without network (root and debootstrap; TEST_DIST_ROOT=an unpacked one)
	@scripts/test-dist.sh $(TEST_DIST_ROOT)

bench: libtorch $(if $(filter $(BENCH_VENV)/bin/python,$(BENCH_PYTHON)),$(BENCH_VENV)/made) ## check that plain PyTorch computes the same, and compare with it; BENCH_FLAGS='--only step': bench/README.md
	@$(ENV) export GOTCH_CACHE=$${GOTCH_CACHE:-$${TMPDIR:-/tmp}}; \
	BENCH_PYTHON=$(BENCH_PYTHON) go -C bench test -count=1 -run Same ./... && go -C bench build $(VCS) -o ../bin/bench . && \
	bin/bench --python $(BENCH_PYTHON) $(BENCH_FLAGS)

test-slurm: libtorch ## run --executor slurm against a real Slurm of one node, whose packages are unpacked in the cache folder
	@$(ENV) scripts/test-slurm.sh

lint: libtorch $(TOOLS)/gofumpt-$(GOFUMPT_VERSION) $(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION) ## gofumpt, golangci-lint, shellcheck
	@badly=$$($(TOOLS)/gofumpt-$(GOFUMPT_VERSION) -l .); \
	if [ -n "$$badly" ]; then printf 'not formatted (make fmt does it):\n%s\n' "$$badly" >&2; exit 1; fi
	@$(ENV) $(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION) run ./... && cd bench && $(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION) run ./...
	@if command -v hadolint >/dev/null; then hadolint Dockerfile; fi; if command -v shellcheck >/dev/null; then shellcheck install-libtorch.sh scripts/*.sh .ci/run && shellcheck -s sh scripts/launcher.sh.in; \
	else echo 'make: shellcheck is missing, so the shell scripts were not checked' >&2; fi

fmt: $(TOOLS)/gofumpt-$(GOFUMPT_VERSION) ## format the Go files
	@$< -w .

clean: ## remove bin/; libtorch and the tools stay in the cache folder
	@rm -rf bin

libtorch: check-go ## install libtorch unless it is there
	@$(INSTALL) --quiet

check-go:
	@scripts/check-go.sh

$(BENCH_VENV)/made: bench/plain/requirements.txt
	@$(BENCH_BASE_PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || \
	{ echo 'make: the benchmark wants Python 3.11, which $(BENCH_BASE_PYTHON) is not: name one in BENCH_BASE_PYTHON, or an environment of yours in BENCH_PYTHON' >&2; exit 1; }
	@echo 'make: making the Python environment of the benchmark; PyTorch is some 2 GB to download' >&2
	@rm -rf $(@D) && $(BENCH_BASE_PYTHON) -m venv $(@D) && $(@D)/bin/pip install --quiet --no-deps -r $< && touch $@

$(TRACKERS_VENV)/made: runs/track/testdata/requirements.txt
	@echo 'make: making a Python environment with TensorBoard; it takes a minute, and 200 MB of disk' >&2
	@rm -rf $(@D) && $(BENCH_BASE_PYTHON) -m venv $(@D) && $(@D)/bin/pip install --quiet -r $< && touch $@

# Tools come into the cache folder under their version, so that a new version is a new file.
$(TOOLS)/gofumpt-$(GOFUMPT_VERSION): | check-go
	@echo 'make: installing $(@F)' >&2
	@GOBIN=$(TOOLS)/new go install mvdan.cc/gofumpt@$(GOFUMPT_VERSION) && mv $(TOOLS)/new/gofumpt $@

$(TOOLS)/golangci-lint-$(GOLANGCI_LINT_VERSION): | check-go
	@echo 'make: installing $(@F), which takes some minutes' >&2
	@GOBIN=$(TOOLS)/new go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION) && mv $(TOOLS)/new/golangci-lint $@

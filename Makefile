# `make demo` and `make test` work on a fresh Debian 12 or Ubuntu 24.04: tools/setup installs what is missing.
# The other targets are for daily work.

SHELL := /bin/bash
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell nproc)
export CMAKE_CXX_COMPILER_LAUNCHER ?= $(shell command -v ccache)
export CCACHE_SLOPPINESS ?= pch_defines,time_macros

ifneq ($(filter compare,$(MAKECMDGOALS)),)
$(if $(BASE),,$(error name the commit to compare with: make compare BASE=<commit>))
endif

.PHONY: help demo test test-long compare thresholds build wheel lint format tidy bench corpus accuracy accuracy-held-out accuracy-bodies accuracy-transfer accuracy-relations accuracy-weights accuracy-profile accuracy-drift accuracy-roles accuracy-libraries accuracy-builders docs-figures operators calibrate fuzz hostile faults load coverage clean
.DEFAULT_GOAL := help
.NOTPARALLEL:

help:  ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-18s %s\n", $$1, $$2 }' Makefile

demo:  ## set up, build, and show what thence does
	@tools/demo

test:  ## set up, build, and run every test; SUITES="lint cases" runs some
	@tools/test $(SUITES)

test-long:  ## the same, including the tests that take minutes each
	@THENCE_LONG=1 tools/test $(SUITES)

build: build/release/build.ninja  ## the program: .venv/bin/thence
	@cmake --build --preset release --target thence thence_core

wheel: setup-test  ## the Python package with the program inside: build/wheel/*.whl
	@rm -f build/wheel/*.whl
	@.venv/bin/python -m pip wheel . --quiet --no-deps --no-build-isolation --disable-pip-version-check \
	  --wheel-dir build/wheel -C build-dir=build/wheel/cmake
	@ls build/wheel/*.whl

lint: setup-test  ## formatting, types, and the house rules
	@tools/lint

format: setup-test  ## format the code
	@tools/lint --fix

tidy: setup-tidy build  ## clang-tidy over the C++
	@tools/lint --tidy

bench: setup-bench  ## measure time and memory, and compare them with their limits
	@cmake --preset release -D THENCE_BENCH=ON >/dev/null
	@cmake --build --preset release
	@.venv/bin/python bench/compare.py
	@.venv/bin/python bench/trace_cost.py
	@.venv/bin/python bench/export_cost.py
	@.venv/bin/python bench/tag_cost.py
	@.venv/bin/python bench/convert_cost.py
	@.venv/bin/python bench/query_cost.py
	@.venv/bin/python bench/format_cost.py
	@.venv/bin/python bench/transfer_cost.py
	@PYTHONPATH=python .venv/bin/python bench/built_cost.py
	@.venv/bin/python bench/diff_cost.py
	@.venv/bin/python bench/profile_cost.py
	@.venv/bin/python bench/drift_cost.py
	@node bench/viewer.mjs
	@.venv/bin/python -m tests.load clients clients-large

corpus: setup-test  ## export every architecture of the list by both exporters, with its truth: build/corpus
	@.venv/bin/python -m tools.corpus

accuracy: corpus build  ## score every strategy on the corpus, under every condition; hours, resumable
	@PYTHONPATH=python .venv/bin/python -m tools.accuracy --worst 20 --save docs/figures/accuracy.jsonl \
	  --save-held-out docs/figures/held_out.jsonl --require

accuracy-held-out: setup-test build  ## the same of the held-out models alone; an hour, resumable
	@.venv/bin/python -m tools.corpus --held-out
	@PYTHONPATH=python .venv/bin/python -m tools.accuracy --held-out --save-held-out docs/figures/held_out.jsonl

accuracy-bodies: setup-test build  ## score the answers in bodies and functions, and write the figures; resumable
	@PYTHONPATH=python .venv/bin/python -m tools.bodies --write

accuracy-transfer: corpus build  ## score `transfer` after optimisers and quantisers; hours, resumable
	@PYTHONPATH=python .venv/bin/python -m tools.passes.stored --save docs/figures/stored.jsonl
	@PYTHONPATH=python .venv/bin/python -m tools.passes --save docs/figures/passes.jsonl --require

accuracy-relations: corpus build  ## score `transfer` between second exports, pruned and fine-tuned models; resumable
	@PYTHONPATH=python .venv/bin/python -m tools.relations --save docs/figures/relations.jsonl

accuracy-weights: corpus build  ## score the state_dict names of `weights`; an hour, resumable
	@PYTHONPATH=python .venv/bin/python -m tools.weights --save docs/figures/weights.jsonl --require

accuracy-profile: corpus build  ## score the modules of kernels in real profiles, after each level of onnxruntime
	@PYTHONPATH=python .venv/bin/python -m tools.profiles --save docs/figures/profiles.jsonl --require

accuracy-drift: corpus build  ## inject faults and score the modules that `thence drift` names; score lists for quantisers
	@PYTHONPATH=python .venv/bin/python -m tools.drift --save docs/figures/drift.jsonl --require

accuracy-roles: corpus build  ## score roles and components on labelled modules, after `make accuracy`
	@PYTHONPATH=python .venv/bin/python -m tools.roles --save docs/figures/roles.jsonl

accuracy-libraries: setup-test setup-libraries build  ## score models of other libraries, and write docs/accuracy.md; resumable
	@PYTHONPATH=python .venv/bin/python -m tools.libraries --write

accuracy-builders: setup-test setup-builders build  ## score files of tools that build graphs by hand; an hour, resumable
	@PYTHONPATH=python .venv/bin/python -m tools.builders --save docs/figures/builders.jsonl

docs-figures: setup-test  ## write the measured tables of the documentation from docs/figures
	@.venv/bin/python -m tools.figures

operators: setup-test build  ## learn schema/operators.json from the learning side of the corpus, after `make accuracy`
	@cmake --preset release -D THENCE_TOOLS=ON >/dev/null
	@cmake --build --preset release --target thence_learn
	@.venv/bin/python -m tools.learn

calibrate: setup-test  ## measure schema/calibration.json on the same side, after `make accuracy`
	@.venv/bin/python -m tools.calibrate

compare: setup-test setup-compare build  ## compare all answers with those of a commit: BASE=<commit>
	@PYTHONPATH=python .venv/bin/python -m tools.compare --base $(BASE) $(FLAGS)

thresholds: setup-test build  ## count the answers that change at half and double of each threshold; FLAGS="--room transfer"
	@PYTHONPATH=python .venv/bin/python -m tools.thresholds $(FLAGS)

fuzz: setup-test setup-fuzz build/fuzz/build.ninja  ## run the fuzz targets: SECONDS=60 TARGETS="map capture"; exit 1 if they find something
	@cmake --build --preset fuzz --target fuzz_targets
	@.venv/bin/python -m tests.fuzz --seconds $(or $(SECONDS),60) $(TARGETS)

hostile: setup-test build/asan/build.ninja  ## read damaged files with the sanitizers
	@cmake --build --preset asan --target thence
	@THENCE_BIN=$(CURDIR)/build/asan/bin/thence .venv/bin/python -m pytest --quiet tests/hostile

faults: setup-test build  ## fail every system call of every command that writes, and count the points; COMMANDS="tag strip"
	@cmake --preset release -D THENCE_TESTS=ON >/dev/null
	@cmake --build --preset release --target thence_faults
	@.venv/bin/python -m tests.faults $(or $(COMMANDS),--save)

load: setup-test build build/tsan/build.ninja  ## many clients, loops and threads: 20 minutes; RUNS="clients calls"
	@cmake --build --preset tsan --target thence_core
	@.venv/bin/python -m tests.load --save $(RUNS)

coverage: setup-coverage setup-test build/coverage/build.ninja  ## list the lines that the tests run: build/coverage/report
	@cmake --build --preset coverage
	@ctest --preset coverage
	@THENCE_BIN=$(CURDIR)/build/coverage/bin/thence tools/test $(or $(SUITES),cases models)
	@mkdir -p build/coverage/report
	@gcovr --root . --filter src/ --print-summary --html-details build/coverage/report/index.html build/coverage

clean:  ## remove what was built
	rm -rf build

setups := setup-build setup-test setup-bench setup-coverage setup-fuzz setup-tidy setup-compare setup-libraries setup-builders
.PHONY: $(setups)
$(setups): setup-%:
	@tools/setup $*

build/%/build.ninja: CMakePresets.json | setup-build
	@cmake --preset $*

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A thin front for CMake: see CMakePresets.json for the builds and `make help` for what there is.
BUILD := build
JOBS := $(shell nproc)
PREFIX ?= /usr/local
DESTDIR ?=

# The sub-builds choose their own parallelism.
MAKEFLAGS += --no-print-directory
CMAKE_BUILD := env -u MAKEFLAGS -u MAKELEVEL cmake --build

.PHONY: all packages demo check bench fuzz install clean help

all: $(BUILD)/Makefile
	@$(CMAKE_BUILD) $(BUILD) --parallel $(JOBS)

# Once is enough: the build configures again by itself when that is needed.
$(BUILD)/Makefile:
	@cmake --preset dev

packages:
	@scripts/install-packages.sh

demo: packages
	@$(MAKE) $(BUILD)/Makefile
	@$(CMAKE_BUILD) $(BUILD) --target product --parallel $(JOBS)
	@examples/demo.sh $(BUILD)

check: packages
	@scripts/check.sh

bench: packages
	@$(MAKE) all
	@bench/run.sh $(BUILD)

# SECONDS is a variable of the shell's own.
fuzz: packages
	@scripts/fuzz.sh --seconds $(or $(FUZZ_SECONDS),60)

install: all
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD) --prefix "$(PREFIX)"

clean:
	rm -rf build build-asan build-tsan build-release build-fuzz

help:
	@echo "make                  build into build/"
	@echo "make demo             install missing packages, build, run the examples"
	@echo "make check            install missing packages, build, run every test, also under the sanitizers"
	@echo "make bench            install missing packages, build, run the benchmarks"
	@echo "make fuzz             run each fuzz target for FUZZ_SECONDS (60); scripts/fuzz.sh --help"
	@echo "make install PREFIX=  install (default /usr/local); the tree can be moved afterwards"
	@echo "make clean            remove the build folders"

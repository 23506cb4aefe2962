.DEFAULT_GOAL := help
.PHONY: help build demo test check check-slow format deps clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

# One file without Swift's own libraries: it starts in half the time and can be copied to another machine.
build: ## the program, .build/release/runner
	@scripts/install-packages build
	swift build -c release --static-swift-stdlib --product runner

demo: ## downloads 239 flags from a web server of its own on this machine and reports on them
	@scripts/demo

test: ## the tests
	@scripts/install-packages build test
	@scripts/test

check: ## form, imports, generated files, scripts
	@scripts/install-packages build test check
	@scripts/check

# A leak or a race fails the run although every test passed. Each sanitizer has a build of its own.
check-slow: ## the tests under AddressSanitizer, with leaks, and ThreadSanitizer; fuzzing, a minute each
	@scripts/install-packages build test
	ASAN_OPTIONS=detect_leaks=1 scripts/test --sanitize=address --scratch-path .build/asan
	scripts/test --sanitize=thread --scratch-path .build/tsan
	scripts/fuzz list 60
	scripts/fuzz zip 60

format: ## formats the sources in place
	swift format --in-place --parallel --configuration .swift-format --recursive Package.swift Sources Tests

deps: ## the Debian packages for all of this
	@scripts/install-packages

clean: ## removes what was built; downloads stay
	rm -rf .build

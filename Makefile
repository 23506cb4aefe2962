.DEFAULT_GOAL := help
.PHONY: help build media install uninstall deb demo test test-page test-cluster check check-slow check-install check-deb \
	check-unit bench format deps clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' Makefile

# One file without Swift's own libraries: it starts in half the time and can be copied to another machine.
build: ## the program, .build/release/runner
	@scripts/install-packages build
	swift build -c release --static-swift-stdlib --disable-local-rpath --product runner

# It needs libvips, here and where it runs; runner itself does not. runner finds it beside itself.
media: ## what makes pictures for jobs with media:, .build/release/runner-media
	@scripts/install-packages media
	swift build -c release --static-swift-stdlib --disable-local-rpath --product runner-media

# Does not build: make build as yourself, then make install as root. PREFIX and DESTDIR as usual.
install: ## the built program, manual pages and completions, below PREFIX (/usr/local)
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install

uninstall: ## removes what install put there
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install --uninstall

deb: build media ## the Debian packages runner and runner-media, in .build/deb
	@scripts/install-packages deb
	@scripts/make-deb

demo: ## the three jobs of jobs/ against a web server of its own on this machine, with reports
	@scripts/demo

test: ## the tests
	@scripts/install-packages build media test
	@scripts/test
	@$(MAKE) --no-print-directory test-page

test-page: ## the page in a real browser; some minutes
	@scripts/install-packages build media page
	@scripts/browser-tests

# Installs Slurm, whose services this does not use: make test-cluster is root's.
test-cluster: ## shards on a Slurm of four nodes on this machine; root, and some minutes
	@scripts/install-packages build cluster
	swift build --product runner
	@scripts/test-cluster $(NAMES)

check: ## form, imports, generated files, scripts
	@scripts/install-packages build media test check
	@scripts/check

check-slow: ## the tests under AddressSanitizer and ThreadSanitizer, a fault at every call, fuzzing; an hour or two
	@scripts/install-packages build media test
	@scripts/check-slow

check-install: ## installs into a Debian of its own without Swift and runs a job there; root, and some minutes
	@scripts/install-packages build check-install
	@$(MAKE) --no-print-directory build
	@scripts/check-install

check-deb: build media ## installs the packages into a Debian of its own and runs a job under systemd there; root, and some minutes
	@scripts/install-packages deb check-install
	@scripts/make-deb --twice
	@scripts/check-deb

check-unit: ## has a real systemd run the units of `runner schedule`; root, and some seconds
	@scripts/install-packages build check-unit
	@$(MAKE) --no-print-directory build media
	@PROGRAMS=.build/release scripts/check-unit

# make bench ROWS='small fresh' ROUNDS=9 measures some rows, more often; bench/bench --help tells the rest.
ROUNDS = 5
bench: build media ## figures beside curl, wget2, aria2 and others, from a web server on this machine
	@scripts/install-packages bench
	@bench/bench --rounds $(ROUNDS) $(ROWS)

format: ## formats the sources in place
	swift format --in-place --parallel --configuration .swift-format --recursive Package.swift Sources Tests scripts/country-names.swift

deps: ## the Debian packages for all of this
	@scripts/install-packages

clean: ## removes what was built; downloads stay
	rm -rf .build

# Everything a newcomer needs: `make run`, `make test`. All set-up is done on demand.
# Build output goes to CARGO_TARGET_DIR, or to target/.

CARGO ?= cargo
PYTHON ?= python3
TARGET := $(or $(CARGO_TARGET_DIR),target)
BIN := $(TARGET)/release/entasis
VENV := .venv
VENV_PYTHON := $(VENV)/bin/python
TESTFLAGS ?=

.DEFAULT_GOAL := help
.PHONY: help run build strip dist test test-sql flaky durability hostile clients play-check lab-check lab-scale lab-kernels lab-peers flame-check report-check bench bench-inserts bench-joins bench-tables agg-in-order cancel-times coverage function-diff fuzz-joins fuzz-sql jump-borders lab-errors lab-estimators lab-memory lab-noise log-cost memory-gaps profiler-soak sight-cost oracle settings oracle-stats oracle-check lint fmt doc portable

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

build: cargo-there ## the release binary
	$(CARGO) build --release --workspace --bin entasis

run: build ## demo: ten million events, a dozen queries, a web page (ROWS=n, ONCE=1)
	$(BIN) demo $(if $(ROWS),--rows $(ROWS))

test: build ## every test: units, SQL cases, hits suite, house rules
	$(CARGO) test --release --workspace $(TESTFLAGS)

flaky: ## tests that fail by chance: all of them idle, on one core and under load (ROUNDS=1)
	$(PYTHON) scripts/flaky.py $(or $(ROUNDS),1)

test-sql: build ## the SQL cases only (CASE=part of a path: those that match)
	CASE='$(CASE)' $(CARGO) test --release --workspace --test suite sql_cases -- --nocapture

strip: build ## the binary without names and lines, and these in a file beside it (TARGET/stripped)
	@tool=$$(command -v objcopy || command -v llvm-objcopy || \
		ls "$$(rustc --print sysroot)"/lib/rustlib/*/bin/rust-objcopy 2>/dev/null | head -n 1); \
	[ -n "$$tool" ] || { echo "skipped: needs objcopy (sudo apt-get install binutils)"; exit 0; }; \
	mkdir -p $(TARGET)/stripped && cd $(TARGET)/stripped && \
	"$$tool" --only-keep-debug $(abspath $(BIN)) entasis.debug && \
	"$$tool" --strip-all --add-gnu-debuglink=entasis.debug $(abspath $(BIN)) entasis && \
	ls -l $(abspath $(TARGET)/stripped)

dist: cargo-there ## the binary for distribution: thin LTO, a profile of what people run, BOLT (ARGS=--no-bolt)
	$(PYTHON) scripts/dist.py $(abspath $(TARGET))/dist --cargo $(CARGO) $(ARGS)

durability: build ## kill -9 fifty times while clients insert (KILLS=n, SEED=n)
	KILLS=$(or $(KILLS),50) $(CARGO) test --release --workspace --test durability -- --nocapture

hostile: build ## statements that ask for far more than there is, against a server of 1 GiB
	$(CARGO) test --release --workspace --test hostile

# Packages of the checks below lie beside the build, made on demand.
TOOLS := $(abspath $(TARGET))/clients

clients: build ## clickhouse-connect, the official Python client, against the server
	@if [ ! -e $(TOOLS)/venv/ready ]; then \
		$(PYTHON) -m venv $(TOOLS)/venv && \
		$(TOOLS)/venv/bin/pip install --quiet --disable-pip-version-check \
			-r tests/clients/requirements.txt && touch $(TOOLS)/venv/ready || \
		echo "skipped: the packages of tests/clients/requirements.txt cannot be installed (is PyPI reachable?)"; \
	fi
	@[ ! -e $(TOOLS)/venv/ready ] || \
		$(TOOLS)/venv/bin/python tests/clients/clickhouse_connect.py $(BIN)

# What checks of pages need, or a reason to skip them; and the program that runs them.
IN_CHROMIUM = command -v chromium >/dev/null && command -v npm >/dev/null || { \
		echo "skipped: needs chromium and npm (sudo apt-get install chromium npm)"; exit 0; }; \
	[ -d $(TOOLS)/node_modules/playwright-core ] || \
		npm install --silent --no-audit --no-fund --prefix $(TOOLS) playwright-core || { \
		echo "skipped: playwright-core cannot be installed (is the npm registry reachable?)"; exit 0; };
NODE = MODULES=$(TOOLS) CHROMIUM=$$(command -v chromium) node

play-check: build ## the page /play in headless Chromium (SHOTS=folder keeps screenshots)
	@$(IN_CHROMIUM) \
	$(NODE) tests/clients/play.mjs $(abspath $(BIN)) $(SHOTS)

lab-check: build ## the page /lab in headless Chromium (SHOTS=folder keeps screenshots)
	@$(IN_CHROMIUM) \
	$(NODE) scripts/lab_history_check.mjs $(abspath $(BIN)) $(SHOTS)

lab-kernels: build ## every performance query spends 20 ms to 1 s in what it is about: profiles them all (half an hour)
	@mkdir -p $(TARGET)/lab-kernels
	$(BIN) lab profile --queries --dir $(TARGET)/lab-kernels --left $(BIN) --functions 3 tests/performance > $(TARGET)/lab-kernels/profile.tsv
	$(PYTHON) scripts/lab_kernels.py $(TARGET)/lab-kernels/profile.tsv

lab-peers: build $(VENV)/ready ## every performance query beside the reference engine, with the report (FILES=tests, ARGS of lab compare)
	$(PYTHON) scripts/lab_peers.py $(abspath $(BIN)) $(TARGET)/lab-peers --python $(VENV_PYTHON) $(ARGS) $(FILES)

flame-check: cargo-there ## flame graph pages in headless Chromium (SHOTS=folder keeps screenshots)
	@$(IN_CHROMIUM) \
	$(CARGO) build --release --quiet --workspace --example profile_demo && \
	$(TARGET)/release/examples/profile_demo $(TARGET)/flame && \
	$(NODE) scripts/flamegraph_check.mjs $(TARGET)/flame $(SHOTS)

report-check: cargo-there ## pages of `lab compare` in headless Chromium (SHOTS=folder keeps screenshots)
	@$(IN_CHROMIUM) \
	mkdir -p $(TARGET)/report && \
	$(CARGO) build --release --quiet --workspace --example report && \
	$(TARGET)/release/examples/report $(TARGET)/report/report.html 300 7 10 && \
	$(TARGET)/release/examples/report $(TARGET)/report/large.html 3000 7 0 && \
	$(NODE) scripts/lab_report_check.mjs $(TARGET)/report $(SHOTS)

lab-scale: build ## a laboratory store of 100 M measurements: load, size, step scan (DATA=dir, MILLIONS=n)
	@[ -n "$(DATA)" ] || { echo "DATA=folder is missing: where the store goes; about 0.5 GB"; exit 1; }
	$(PYTHON) scripts/lab_history_scale.py $(abspath $(BIN)) $(DATA) $(MILLIONS)

# Measurements, one script each, whose figures are in docs/. ARGS are the script's own, which it describes at its head.
MEASURE = scripts/$(subst -,_,$@).py

bench-tables: build $(VENV)/ready ## merges, FINAL, ALTER, indices, views, dictionaries beside the reference engine (ROWS=n)
	$(VENV_PYTHON) scripts/bench_tables.py $(BIN) $(if $(ROWS),--rows $(ROWS))

fuzz-sql: build $(VENV)/ready ## random queries against the reference engine, in several ways (SEED=n, COUNT=20000)
	$(VENV_PYTHON) scripts/fuzz_sql.py $(BIN) --seed $(or $(SEED),1) --count $(or $(COUNT),20000)

# DuckDB of the version whose generators of rows are packages; made on demand.
JOINS := $(abspath $(TARGET))/joins

.PHONY: joins-ready
joins-ready:
	@cmp -s scripts/requirements_joins.txt $(JOINS)/venv/ready || { \
		$(PYTHON) -m venv $(JOINS)/venv && \
		$(JOINS)/venv/bin/pip install --quiet --disable-pip-version-check -r scripts/requirements_joins.txt && \
		cp scripts/requirements_joins.txt $(JOINS)/venv/ready; }

bench-joins: build joins-ready $(if $(CHDB),$(VENV)/ready) ## TPC-H and TPC-DS, Entasis beside DuckDB (SUITE=tpch|tpcds|all SF=1 QUERIES=1,5-9 ROUNDS=3 TIMEOUT=60 MEMORY=bytes DATA=dir JSON=file CHDB=1)
	$(JOINS)/venv/bin/python scripts/bench_joins.py $(abspath $(BIN)) --suite $(or $(SUITE),all) --sf $(or $(SF),1) \
		--data $(or $(DATA),$(JOINS)/data) --rounds $(or $(ROUNDS),3) --timeout $(or $(TIMEOUT),60) --memory $(or $(MEMORY),0) \
		$(if $(QUERIES),--queries $(QUERIES)) $(if $(JSON),--json $(JSON)) $(if $(CHDB),--chdb $(abspath $(VENV_PYTHON))) $(ARGS)

.PHONY: bench-large-join
bench-large-join: build joins-ready $(VENV)/ready ## 100 M rows joined with 10 M, three engines, then with 2 GB (ROWS=n DATA=dir ROUNDS=3)
	$(JOINS)/venv/bin/python scripts/bench_large_join.py $(abspath $(BIN)) --chdb $(abspath $(VENV_PYTHON)) \
		$(if $(ROWS),--rows $(ROWS)) --data $(or $(DATA),$(JOINS)/data) --rounds $(or $(ROUNDS),3)

.PHONY: bench-join-orders
bench-join-orders: build joins-ready ## TPC-H in 100 random orders of joins each (ORDERS=100 SF=1 QUERIES=3,5-9 DATA=dir)
	$(JOINS)/venv/bin/python scripts/bench_join_orders.py $(abspath $(BIN)) --orders $(or $(ORDERS),100) --sf $(or $(SF),1) \
		$(if $(QUERIES),--queries $(QUERIES)) --data $(or $(DATA),$(JOINS)/data)

fuzz-joins: build joins-ready $(VENV)/ready ## random joins and subqueries against chdb and DuckDB (SEED=n COUNT=2000 ARGS=--correlated)
	$(JOINS)/venv/bin/python scripts/fuzz_joins.py $(abspath $(BIN)) --seed $(or $(SEED),1) --count $(or $(COUNT),2000) \
		--chdb $(abspath $(VENV_PYTHON)) $(ARGS)

agg-in-order: build $(VENV)/ready ## SimpleAggregateFunction(String) in a key, read in order: Entasis and chdb
	$(VENV_PYTHON) $(MEASURE) --binary $(abspath $(BIN)) $(ARGS)

cancel-times: build ## how long running statements take to stop
	$(PYTHON) $(MEASURE) $(abspath $(BIN)) $(ARGS)

function-diff: build $(VENV)/ready ## random calls of functions, Entasis against chdb (ARGS=names)
	ENTASIS='$(abspath $(BIN))' $(VENV_PYTHON) $(MEASURE) $(ARGS)

jump-borders: build ## conditional jumps at borders of 32 bytes in the binary
	$(PYTHON) $(MEASURE) $(abspath $(BIN)) $(ARGS)

lab-errors: build $(VENV)/ready ## errors of the laboratory's estimates on stored noise (ARGS=stores; needs numpy, scipy)
	$(VENV_PYTHON) -m pip install --quiet numpy scipy
	$(VENV_PYTHON) $(MEASURE) $(abspath $(BIN)) $(ARGS)

lab-estimators: build $(VENV)/ready ## how much pairs of processes disagree (ARGS=stores; needs numpy)
	$(VENV_PYTHON) -m pip install --quiet numpy scipy
	$(VENV_PYTHON) $(MEASURE) $(abspath $(BIN)) $(ARGS)

lab-memory: build ## memory that tables of performance tests take
	$(PYTHON) $(MEASURE) $(abspath $(BIN)) $(ARGS)

lab-noise: build ## how noisy this machine is (ARGS="PAIRS SECONDS")
	$(PYTHON) $(MEASURE) $(abspath $(BIN)) $(ARGS)

log-cost: build ## what the logs cost a served statement
	$(PYTHON) $(MEASURE) $(abspath $(BIN)) $(ARGS)

memory-gaps: build ## memory accounts against the process's own peak
	$(PYTHON) $(MEASURE) $(abspath $(BIN)) $(ARGS)

profiler-soak: build ## the SQL corpus under the closest profiling (ARGS="MINUTES CLIENTS")
	$(PYTHON) $(MEASURE) $(abspath $(BIN)) $(ARGS)

sight-cost: build ## what profiling costs the hits suite
	$(PYTHON) $(MEASURE) $(abspath $(BIN)) $(ARGS)

bench-inserts: build ## single-row INSERTs over 16 connections: rate, latency, kill -9 (SECONDS=n)
	$(PYTHON) scripts/bench_inserts.py $(BIN) --seconds $(or $(SECONDS),10)

.PHONY: bench-insert-statistics
bench-insert-statistics: build ## INSERTs with and without statistics of columns, by turns (ROUNDS=7 ROWS=300000)
	$(PYTHON) scripts/bench_insert_statistics.py $(abspath $(BIN)) --rounds $(or $(ROUNDS),7) --rows $(or $(ROWS),300000)

bench: build $(VENV)/ready ## Entasis, chdb and DuckDB on the same rows (DATA=dir, ROWS=n)
	ENTASIS='$(abspath $(BIN))' $(VENV_PYTHON) scripts/bench.py $(BENCHFLAGS)

oracle: $(VENV)/ready ## expected output of tests/sql from the reference engine (FILES=...)
	$(VENV_PYTHON) scripts/oracle.py --fill $(FILES)

settings: $(VENV)/ready ## the table of settings from the reference engine (crates/engine/src/settings)
	$(VENV_PYTHON) scripts/settings_table.py

coverage: build $(VENV)/ready ## docs/coverage.md: which of the reference's names this build has
	$(VENV_PYTHON) scripts/coverage.py $(BIN)

oracle-stats: $(VENV)/ready ## crates/stats against scipy, expansion of tests/performance against Python's own
	$(VENV_PYTHON) -m pip install --quiet numpy scipy
	$(VENV_PYTHON) scripts/stats_oracle.py
	$(CARGO) build --release --workspace --example facts
	$(PYTHON) scripts/lab_reference.py --check $(TARGET)/release/examples/facts tests/performance/*.xml

oracle-check: $(VENV)/ready ## the same, but change nothing
	$(VENV_PYTHON) scripts/oracle.py --check $(FILES)

lint: cargo-there ## rustfmt, clippy, house rules
	$(CARGO) fmt --all --check
	$(CARGO) clippy --profile release --workspace --all-targets -- -D warnings
	$(CARGO) run --release --quiet -p entasis-xtask -- tidy
	$(CARGO) run --release --quiet -p entasis-xtask -- layers
	$(CARGO) run --release --quiet -p entasis-xtask -- licences

fmt: cargo-there ## format the sources, lower the ratchet
	$(CARGO) fmt --all
	$(CARGO) run --release --quiet -p entasis-xtask -- ratchet

doc: cargo-there ## the crates' documentation
	$(CARGO) doc --workspace --no-deps
	@echo "open $(TARGET)/doc/entasis_engine/index.html"

portable: cargo-there ## a binary for any CPU of this architecture
	RUSTFLAGS='-C force-frame-pointers=yes' $(CARGO) build --release --workspace --bin entasis \
		--target-dir $(TARGET)/portable
	@echo "$(TARGET)/portable/release/entasis"

.PHONY: test-arm
test-arm: cargo-there ## kernels and the SQL cases on AArch64 under qemu (CASE=part of a path, TARGET/arm)
	$(PYTHON) scripts/test_arm.py $(abspath $(TARGET))/arm '$(CASE)'

.PHONY: cargo-there
cargo-there:
	@command -v $(CARGO) >/dev/null || { \
		echo "cargo is missing: install Rust 1.95 or newer (https://rustup.rs)"; exit 1; }

# The virtual environment; made again when the requirements change.
$(VENV)/ready: scripts/requirements.txt
	@command -v $(PYTHON) >/dev/null || { \
		echo "python3 is missing: sudo apt-get install python3 python3-venv"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "python3-venv is missing: sudo apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(VENV_PYTHON) -m pip install --quiet --disable-pip-version-check -r scripts/requirements.txt
	touch $@

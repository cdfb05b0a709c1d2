#!/usr/bin/env python3
"""What looking costs: the hits suite over HTTP, plain and looked at, in turns on one server.

    python3 scripts/sight_cost.py BINARY [ROWS (2000000)] [ROUNDS (7)]

Each query is asked once to warm up and then ROUNDS times in every mode, the modes in random order: plain (twice, under two
names: what differs there is noise), sampled (both timers of the query profiler at 10 ms), counted (metrics_perf_events_enabled)
and analysed (EXPLAIN ANALYZE; plain queries write their result as FORMAT Null, so neither sends rows). Printed is the geometric
mean over queries of the ratio of medians to that of all plain runs, with a bootstrap interval of 95 % over queries.
"""
import math
import pathlib
import random
import statistics
import sys
import time

from own_server import OwnServer

ROOT = pathlib.Path(__file__).resolve().parent.parent
PERIODS = {"query_profiler_cpu_time_period_ns": 10_000_000, "query_profiler_real_time_period_ns": 10_000_000}
MODES = {
    "plain": ("{} FORMAT Null", {}),
    "plain again": ("{} FORMAT Null", {}),
    "sampled at 10 ms": ("{} FORMAT Null", PERIODS),
    "processor's counters": ("{} FORMAT Null", {"metrics_perf_events_enabled": 1}),
    "EXPLAIN ANALYZE": ("EXPLAIN ANALYZE {}", {}),
}


def texts():
    for file in sorted((ROOT / "benches/hits").glob("[0-9]*.sql")):
        if ".duckdb" not in file.name:
            lines = (line for line in file.read_text().splitlines() if not line.startswith("--"))
            yield file.stem, " ".join(lines).strip().rstrip(";")


def seconds(server, query, mode):
    form, settings = MODES[mode]
    began = time.monotonic()
    response, tail = server.ask(form.format(query), max_threads=2, log_queries=0, **settings)
    took = time.monotonic() - began
    if response.status != 200:
        raise SystemExit(f"{mode}: {query}\n{tail}")
    return took


def main():
    binary = sys.argv[1]
    rows, rounds = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((2, 2_000_000), (3, 7)))
    draw = random.Random(1)
    server = OwnServer(binary, "sight-cost")
    logs = {mode: [] for mode in MODES}
    try:
        server.ask(f"CREATE TABLE hits ENGINE = MergeTree ORDER BY (CounterID, EventDate, UserID) AS SELECT * FROM hits({rows}, 1)")
        for _, query in texts():
            seconds(server, query, "plain")
            times = {mode: [] for mode in MODES}
            for _ in range(rounds):
                for mode in draw.sample(list(MODES), len(MODES)):
                    times[mode].append(seconds(server, query, mode))
            plain = statistics.median(times["plain"] + times["plain again"])
            for mode in MODES:
                logs[mode].append(math.log(statistics.median(times[mode]) / plain))
    finally:
        server.stop()
    print(f"{len(logs['plain'])} queries, {rows:,} rows, {rounds} rounds")
    for mode in MODES:
        values = logs[mode]
        means = sorted(statistics.fmean(draw.choices(values, k=len(values))) for _ in range(4000))
        low, mean, high = (100 * math.expm1(x) for x in (means[100], statistics.fmean(values), means[3899]))
        print(f"{mode}: {mean:+.2f} % ({low:+.2f} to {high:+.2f}), median of queries {100 * math.expm1(statistics.median(values)):+.2f} %")


if __name__ == "__main__":
    main()

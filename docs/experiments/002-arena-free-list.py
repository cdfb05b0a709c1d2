#!/usr/bin/env python3
"""Experiment 002: what do an arena and its free list bring to aggregate states?

    python3 docs/experiments/002-arena-free-list.py BINARY FOLDER [RUNS (12) [PART OF A WORKLOAD'S TITLE]]

BINARY is built with 002-arena-free-list.patch, which chooses between the variants by environment
variables: one binary, so that layout of the code is no difference. FOLDER is for the tables. All
variants of a workload run in turns, forward and backward; for each, the ratio of medians to those
before it with a 95 % interval by bootstrap, for processor time (user and system, which other work on
the machine moves less than wall time) and for the process's peak of memory.
"""
import os
import random
import statistics
import subprocess
import sys

SETUP = """
DROP TABLE IF EXISTS many;
DROP TABLE IF EXISTS few;
CREATE TABLE many ENGINE = MergeTree ORDER BY tuple() AS
SELECT concat('key-', toString(cityHash64(number) % 100000)) AS k, number AS v FROM numbers(5000000);
CREATE TABLE few ENGINE = MergeTree ORDER BY tuple() AS
SELECT concat('key-', toString(cityHash64(number) % 1000)) AS k, number AS v FROM numbers(50000000)
"""
LISTS = [("log", {}), ("arena", {"ENTASIS_LISTS": "arena"}), ("arena+free", {"ENTASIS_LISTS": "free"})]
SETS = [("free list", {}), ("no free list", {"ENTASIS_NO_FREE": "1"})]
ARRAYS = "SELECT count(), sum(length(a)), max(a[1]) > 0 FROM (SELECT k, groupArray(v) AS a FROM {} GROUP BY k)"
WORKLOADS = [
    ("GROUP BY alone, 5 M rows, 100 K keys", "SELECT count(), sum(n) FROM (SELECT k, count() AS n FROM many GROUP BY k)", LISTS),
    ("groupArray, 5 M rows, 100 K keys x 50", ARRAYS.format("many"), LISTS),
    ("groupArray, 50 M rows, 1 K keys x 50 K", ARRAYS.format("few"), LISTS),
    ("uniqExact, 5 M rows, 100 K keys x 50", "SELECT sum(u) FROM (SELECT k, uniqExact(v) AS u FROM many GROUP BY k)", SETS),
    ("groupArray, one key after the other, 100 K x 50", ARRAYS.format("(SELECT intDiv(number, 50) AS k, number AS v FROM numbers(5000000))"), LISTS),
    ("uniqExact, one key after the other, 100 K x 50", "SELECT sum(u) FROM (SELECT intDiv(number, 50) AS k, uniqExact(number) AS u FROM numbers(5000000) GROUP BY k)", SETS),
]


def run(binary, folder, query, environment):
    """Processor seconds and megabytes of one process, and what it answered."""
    command = [binary, "local", "--path", folder, "-q", query]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **environment})
    answer = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status != 0:
        raise SystemExit(f"{query}: {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, answer


def interval(base, other):
    """The ratio of medians and the bounds of 95 % of resampled ones."""
    pick = random.Random(2)
    ratio = lambda a, b: statistics.median(b) / statistics.median(a)
    ratios = sorted(ratio(pick.choices(base, k=len(base)), pick.choices(other, k=len(other))) for _ in range(5000))
    return f"{ratio(base, other):.3f} [{ratios[125]:.3f}, {ratios[4874]:.3f}]"


def main():
    """See the top."""
    binary, folder = sys.argv[1:3]
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 12
    subprocess.run([binary, "local", "--path", folder, "-q", SETUP], check=True)
    chosen = sys.argv[4] if len(sys.argv) > 4 else ""
    for title, query, variants in [workload for workload in WORKLOADS if chosen in workload[0]]:
        found, answers = {name: [] for name, _ in variants}, set()
        for turn in range(runs + 1):
            for name, environment in variants if turn % 2 else reversed(variants):
                seconds, megabytes, answer = run(binary, folder, query, environment)
                answers.add(answer)
                if turn > 0:
                    found[name].append((seconds, megabytes))
        if len(answers) != 1:
            raise SystemExit(f"{title}: answers differ: {answers}")
        print(title)
        for at, (name, _) in enumerate(variants):
            times, peaks = zip(*found[name])
            print(f"  {name:12} {statistics.median(times):7.3f} s {statistics.median(peaks):7.1f} MB", flush=True)
            for before, _ in variants[:at]:
                seconds, megabytes = zip(*found[before])
                print(f"    to {before:10} time {interval(seconds, times)}   memory {interval(megabytes, peaks)}", flush=True)


if __name__ == "__main__":
    main()

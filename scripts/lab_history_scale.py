"""A laboratory store of many measurements: how long it takes to load, how large it is, how long the step scan takes.

    python3 scripts/lab_history_scale.py BINARY FOLDER [MILLIONS]        (make lab-scale does it; 100 million, if not said)

FOLDER must not exist yet, lies outside of the repository, and stays: it is a store, so `entasis lab history --store FOLDER`
and the page /lab read it. Rows are made by `INSERT ... SELECT FROM numbers(...)`, a month of runs at a time, in the shape
that `lab compare` gives them: 300 queries, 20 metrics (five that vary as times and memory do, fifteen counters that hardly
do), five values of each side. Every twelfth query has a step of 5 to 15 %; the machine has none.
"""
import os
import pathlib
import subprocess
import sys
import time

from own_server import OwnServer

QUERIES, METRICS, VALUES = 300, 20, 10
PER_RUN = QUERIES * METRICS * VALUES
STEP_RUNS = 20
SQL = pathlib.Path(__file__).resolve().parent.parent / "crates/lab/src/history"

MEASURES = """
INSERT INTO lab.measure
SELECT concat('compare-', leftPad(toString(run_number), 7, '0')),
    toDateTime('2020-01-01 00:00:00', 'UTC') + run_number * 3600, concat('test', toString(intDiv(q, 5))), q % 5, sipHash64(q), q,
    if(side = 1, 'new', 'old'), 1, 0, pair, name,
    multiIf(
        m < 3, 0.02 * (1 + q % 40) * (1 - 0.1 * (m = 2)) * exp(0.015 * normal + shift),
        m < 5, 1e6 * (1 + q % 97) * exp(0.002 * round(2 * normal) + shift),
        toFloat64(1 + (q * 7919 + m * 104729) % 1000003) * (1 + (sipHash64(number, 5) % 50 = 0)))
FROM
(
    SELECT number, number % 2 AS side, intDiv(number, 2) % 5 AS pair, intDiv(number, {values}) % {queries} AS q,
        intDiv(number, {values} * {queries}) % {metrics} AS m, intDiv(number, {per_run}) AS run_number,
        ['client_time', 'server_time', 'cpu_time', 'memory', 'allocated'][m + 1] AS judged,
        if(m < 5, judged, concat('Event', toString(m))) AS name,
        if(q % 12 = 0 AND run_number + side > {runs} * (20 + q % 60) / 100, 0.05 + q % 10 / 100, 0) AS shift,
        sqrt(-2 * log((sipHash64(number, 1) + 1) / 18446744073709551616.))
            * cos(2 * pi() * sipHash64(number, 2) / 18446744073709551616.) AS normal
    FROM numbers({first}, {count})
)
"""
RUNS = """
INSERT INTO lab.run
SELECT concat('compare-', leftPad(toString(number), 7, '0')), now64(3), toDateTime64('2020-01-01 00:00:00', 3, 'UTC') + number * 3600,
    'compare', 'finished', 'a host', 'a processor', 'old', 'new', lower(hex(sipHash64(number))), lower(hex(sipHash64(number + 1))),
    '', '', number, 0, 0, '', [], map()
FROM numbers({runs})
"""


def main():
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    runs = max(1, round(float(sys.argv[3] if len(sys.argv) > 3 else 100) * 1e6 / PER_RUN))
    repository = SQL.parents[3]
    if folder.exists() or repository in folder.resolve().parents:
        raise SystemExit(f"{folder}: expected a folder that is not there yet, outside of {repository}")
    folder.mkdir(parents=True)
    server = OwnServer(binary, "lab-scale", path=folder)
    try:
        fill(binary, server, runs)
        measure(binary, server)
    finally:
        server.stop()


def fill(binary, server, runs):
    subprocess.run([binary, "lab", "runs", "--store", server.url], check=True, stdout=subprocess.DEVNULL)
    server.text(RUNS.format(runs=runs))
    seconds = 0.0
    for first in range(0, runs, STEP_RUNS):
        count = min(STEP_RUNS, runs - first) * PER_RUN
        sizes = dict(values=VALUES, queries=QUERIES, metrics=METRICS, per_run=PER_RUN, runs=runs)
        text = MEASURES.format(first=first * PER_RUN, count=count, **sizes)
        seconds += server.text(text, max_execution_time=0)[1]
    rows = runs * PER_RUN
    print(f"loaded {rows / 1e6:.1f} M measurements of {runs} runs in {seconds:.1f} s ({rows / seconds / 1e6:.2f} M/s)")
    merge = server.text("OPTIMIZE TABLE lab.measure FINAL")[1]
    text, _ = server.text("SELECT sum(rows), sum(bytes_on_disk), count() FROM system.parts WHERE database = 'lab' AND table = 'measure' AND active")
    rows, size, parts = map(int, text.split())
    print(f"stored {size / 1e6:.1f} MB: {size / rows:.2f} bytes a measurement, {parts} part(s) after {merge:.1f} s of merging")


def measure(binary, server):
    text = "WITH\n" + (SQL / "levels.sql").read_text() + (SQL / "steps.sql").read_text()
    for metric in ("client_time", "memory", "Event7"):
        of = dict(param_metric=metric, param_test="", param_query_hash="0", default_format="TSV", max_execution_time=0)
        answer, seconds = server.text(text, **of)
        rows = int(server.text(f"SELECT count() FROM lab.measure WHERE metric = '{metric}'")[0])
        rate = rows / seconds / 1e6
        print(f"step scan of {metric}: {rows / 1e6:.2f} M measurements, {answer.count(chr(10))} candidates, {seconds:.2f} s ({rate:.2f} M/s)")
    start = time.monotonic()
    command = [binary, "lab", "history", "--store", server.url, "--metric", "client_time"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    print(f"lab history --metric client_time: {len(lines)} lines, {time.monotonic() - start:.2f} s")


if __name__ == "__main__":
    os.environ.pop("http_proxy", None)
    main()

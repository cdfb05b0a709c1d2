#!/usr/bin/env python3
"""What statistics cost an INSERT into a MergeTree table: INSERTs with and without them take turns.

    scripts/bench_insert_statistics.py BINARY [--rounds 7] [--rows 300000]

Prints for each table the medians of both, and the median of the ratios of pairs that ran one after
the other: of the time until the answer, and of the processor time of the server.
"""

import argparse
import os
import statistics
from pathlib import Path

from own_server import OwnServer

TICKS = os.sysconf("SC_CLK_TCK")


def cases(rows):
    """Name, columns of the table or None, the query of the source, and how often it is inserted for one figure."""
    narrow = "id UInt64, at DateTime, name String, value Float64, flag UInt8"
    numbers = ("SELECT number, toDateTime(1764150000 + number), concat('name ', toString(number % 977)), "
               "number * 0.5, number % 2 FROM numbers({})")
    return [
        ("hits, 105 columns", None, f"SELECT * FROM hits({rows}, 1)", 1),
        ("5 columns", narrow, numbers.format(rows * 5), 1),
        ("one text that never repeats", "s String",
         f"SELECT concat('https://example.org/page/', toString(sipHash64(number))) FROM numbers({rows * 3})", 1),
        ("10,000 rows at a time", narrow, numbers.format(10_000), 30),
        ("100 rows at a time", narrow, numbers.format(100), 100),
    ]


def processor_seconds(server):
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def measured(server, times, with_statistics):
    """Seconds, and seconds of processors, of so many INSERTs into an empty table."""
    server.text("TRUNCATE TABLE target")
    insert = f"INSERT INTO target SELECT * FROM source SETTINGS materialize_statistics_on_insert = {with_statistics}"
    before = processor_seconds(server)
    seconds = sum(server.text(insert)[1] for _ in range(times))
    return seconds, processor_seconds(server) - before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--rows", type=int, default=300_000)
    args = parser.parse_args()
    print(f"{'':28} {'with':>9} {'without':>9} {'ratio':>6} {'processors':>10}")
    for name, columns, query, times in cases(args.rows):
        server = OwnServer(args.binary, "insert-statistics")
        try:
            made = f"({columns})" if columns else ""
            server.text(f"CREATE TABLE source {made} ENGINE = Memory" + ("" if columns else f" AS {query}"))
            if columns:
                server.text(f"INSERT INTO source {query}")
            server.text("CREATE TABLE target AS source ENGINE = MergeTree ORDER BY tuple()")
            server.text("SYSTEM STOP MERGES target")
            measured(server, times, 1)
            rounds = []
            for number in range(args.rounds):
                order = (1, 0) if number % 2 == 0 else (0, 1)
                pair = {which: measured(server, times, which) for which in order}
                rounds.append((pair[1], pair[0]))
        finally:
            server.stop()
        median = statistics.median
        seconds = [median(one[which][0] for one in rounds) / times * 1000 for which in (0, 1)]
        ratio = median(with_[0] / without[0] for with_, without in rounds)
        processors = sum(one[0][1] for one in rounds) / max(sum(one[1][1] for one in rounds), 1 / TICKS)
        print(f"{name:28} {seconds[0]:6.2f} ms {seconds[1]:6.2f} ms {ratio:6.3f} {processors:10.3f}")


if __name__ == "__main__":
    main()

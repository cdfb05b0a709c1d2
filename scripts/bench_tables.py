#!/usr/bin/env python3
"""Times what tables do, beside the reference engine (chdb in this process): merges, FINAL, ALTER, updates, reads by key, skipping
indices, projections, views, many parts and partitions, dictionaries, and small durable inserts.

    bench_tables.py ENTASIS [--rows N] [--rounds N] [--only WORD]

Each topic makes its tables in both engines with the same statements, and then times the statements marked with a name. Statements
of the two engines alternate. A line shows the median of the rounds in milliseconds, and Entasis' time divided by the reference's. A
statement that one engine refuses shows its error instead.
"""

import argparse
import http.client
import statistics
import sys
import threading
import time

import chdb.session

sys.path.insert(0, __file__.rsplit("/", 1)[0])
from own_server import OwnServer  # noqa: E402

PARTS = 20


def parts_of(table, columns, rows, parts=PARTS):
    """INSERTs that write `parts` parts which hold `rows` rows together."""
    each = rows // parts
    return [f"INSERT INTO {table} SELECT {columns} FROM numbers({part * each}, {each})" for part in range(parts)]


def merging(rows):
    """Each engine of the family: ten parts of each key, spread over all parts."""
    keys = max(rows // 10, 1)
    made = {
        "MergeTree": ("MergeTree", "v UInt64", "number % 1000"),
        "Replacing": ("ReplacingMergeTree(v)", "v UInt64", "number"),
        "Summing": ("SummingMergeTree", "v UInt64", "number % 1000"),
        "Aggregating": ("AggregatingMergeTree", "v SimpleAggregateFunction(max, UInt64)", "number % 1000"),
        "Collapsing": ("CollapsingMergeTree(s)", "v UInt64, s Int8", "number % 1000, if(intDiv(number, {keys}) % 2 = 0, 1, -1)"),
        "VersionedCollapsing": ("VersionedCollapsingMergeTree(s, v)", "v UInt64, s Int8",
                                "intDiv(number, {keys} * 2), if(intDiv(number, {keys}) % 2 = 0, 1, -1)"),
        "Coalescing": ("CoalescingMergeTree", "v Nullable(UInt64)", "if(number % 3 = 0, NULL, number)"),
    }
    for name, (engine, columns, values) in made.items():
        values = values.replace("{keys}", str(keys))
        text = "SimpleAggregateFunction(any, String)" if name == "Aggregating" else "String"
        setup = [f"CREATE TABLE t (k UInt64, {columns}, w {text}) ENGINE = {engine} ORDER BY k", "SYSTEM STOP MERGES t"]
        setup += parts_of("t", f"number % {keys} * 7, {values}, toString(number % 100)", rows)
        final = "" if name == "MergeTree" else " FINAL"
        yield name, setup, [
            ("FINAL", f"SELECT count(), sum(k), max(length(w)) FROM t{final}"),
            ("FINAL by key", f"SELECT count(), sum(v) FROM t{final} WHERE k < {keys}"),
        ], [("start merges", "SYSTEM START MERGES t"), ("OPTIMIZE FINAL", "OPTIMIZE TABLE t FINAL")]


def plain(rows):
    """Topics over one table of plain rows."""
    table = ["CREATE TABLE t (k UInt64, a UInt32, s String, d Date) ENGINE = MergeTree ORDER BY k"]
    fill = parts_of("t", "number, intHash32(number) % 1000, concat('value-', toString(intHash32(number) % 50000)), "
                    "toDate('2024-01-01') + number % 365", rows)
    base = table + fill
    yield "ALTER", base, [], [
        ("ADD COLUMN", "ALTER TABLE t ADD COLUMN n UInt32 DEFAULT a + 1"), ("RENAME COLUMN", "ALTER TABLE t RENAME COLUMN a TO b"),
        ("read added column", "SELECT sum(n) FROM t"), ("DROP COLUMN", "ALTER TABLE t DROP COLUMN n")]
    settings = " SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1"
    changes = [table[0] + settings, *fill, "OPTIMIZE TABLE t FINAL"]
    yield "lightweight", changes, [], [
        ("DELETE 1 %", "DELETE FROM t WHERE k % 100 = 7"), ("read", "SELECT count(), sum(a) FROM t"),
        ("UPDATE 1 %", "UPDATE t SET a = a + 1 WHERE k % 100 = 9"), ("read updated", "SELECT count(), sum(a) FROM t")]
    yield "mutation", changes, [], [
        ("ALTER DELETE 1 %", "ALTER TABLE t DELETE WHERE k % 100 = 7 SETTINGS mutations_sync = 1"),
        ("ALTER UPDATE 1 %", "ALTER TABLE t UPDATE a = a + 1 WHERE k % 100 = 9 SETTINGS mutations_sync = 1")]
    yield "by key", base, [
        ("point", f"SELECT s FROM t WHERE k = {rows // 3}"), ("ten points", f"SELECT sum(a) FROM t WHERE k IN ({', '.join(str(rows // 11 * i) for i in range(10))})"),
        ("range of 1 %", f"SELECT sum(a), count() FROM t WHERE k BETWEEN {rows // 2} AND {rows // 2 + rows // 100}")], []
    indexed = [
        "CREATE TABLE t (k UInt64, a UInt32, s String, d Date, INDEX ia a TYPE set(100) GRANULARITY 4, INDEX im d TYPE minmax "
        "GRANULARITY 1, INDEX ib s TYPE bloom_filter(0.01) GRANULARITY 1, INDEX ng s TYPE ngrambf_v1(4, 1024, 2, 0) GRANULARITY 1, "
        "INDEX tk s TYPE tokenbf_v1(1024, 2, 0) GRANULARITY 1) ENGINE = MergeTree ORDER BY k",
        *parts_of("t", "number, intDiv(number, 100000), concat('value-', toString(intDiv(number, 500)), ' word', toString(intDiv(number, 8000))), "
                  "toDate('2020-01-01') + intDiv(number, 20000)", rows)]
    yield "skipping index", indexed, [
        ("set", "SELECT count(), sum(k) FROM t WHERE a = 17"), ("minmax", "SELECT count(), sum(k) FROM t WHERE d = '2020-02-03'"),
        ("bloom_filter", "SELECT count(), sum(k) FROM t WHERE s = 'value-1000 word62'"),
        ("tokenbf_v1", "SELECT count(), sum(k) FROM t WHERE hasToken(s, 'word99')")], []
    projected = [
        "CREATE TABLE t (k UInt64, a UInt32, s String, d Date, PROJECTION by_a (SELECT a, k, d ORDER BY a), "
        "PROJECTION agg (SELECT d, count(), sum(a) GROUP BY d)) ENGINE = MergeTree ORDER BY k", *fill]
    yield "projection", projected, [("normal", "SELECT count(), sum(k) FROM t WHERE a = 500"),
                                    ("aggregating", "SELECT d, count(), sum(a) FROM t GROUP BY d ORDER BY d LIMIT 5")], []
    block = "number, intHash32(number) % 1000, 'x', toDate('2024-01-01') + number % 365"
    yield "view", [*table, "CREATE TABLE g (d Date, c AggregateFunction(count), s AggregateFunction(sum, UInt32)) ENGINE = AggregatingMergeTree ORDER BY d",
                   "CREATE MATERIALIZED VIEW mv TO g AS SELECT d, countState() AS c, sumState(a) AS s FROM t GROUP BY d"], [
        ("INSERT of 1 M rows", f"INSERT INTO t SELECT {block} FROM numbers(1000000)")], []


def many(_rows):
    """Many parts, many partitions, dictionaries."""
    table = "CREATE TABLE t (k UInt64, v UInt64) ENGINE = MergeTree ORDER BY k SETTINGS parts_to_throw_insert = 100000, parts_to_delay_insert = 100000"
    yield "1,000 parts", [table, "SYSTEM STOP MERGES t", *[f"INSERT INTO t SELECT number, number FROM numbers({i * 100}, 100)" for i in range(1000)]], [
        ("sum", "SELECT sum(v), count() FROM t"), ("point", "SELECT v FROM t WHERE k = 54321")], []
    yield "10,000 partitions", [
        "CREATE TABLE t (k UInt64, v UInt64) ENGINE = MergeTree PARTITION BY k % 10000 ORDER BY k"], [], [
        ("INSERT", "INSERT INTO t SELECT number, number FROM numbers(100000) SETTINGS max_partitions_per_insert_block = 0"),
        ("sum", "SELECT sum(v), count() FROM t"), ("one partition", "SELECT sum(v) FROM t WHERE k % 10000 = 77"),
        ("DROP PARTITION", "ALTER TABLE t DROP PARTITION 78")]
    for layout in ("FLAT(MAX_ARRAY_SIZE 2000000)", "HASHED()", "HASHED_ARRAY()", "SPARSE_HASHED()"):
        name = layout.split("(")[0].lower()
        yield f"dictionary {name}", [
            "CREATE TABLE src (k UInt64, v UInt64, s String) ENGINE = MergeTree ORDER BY k",
            "INSERT INTO src SELECT number, number * 3, toString(number) FROM numbers(1000000)",
            f"CREATE DICTIONARY dic (k UInt64, v UInt64 DEFAULT 0, s String DEFAULT '') PRIMARY KEY k SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT({layout}) LIFETIME(0)",
            "SELECT dictGet('dic', 'v', toUInt64(1))"], [
            ("dictGet of 10 M keys", "SELECT sum(dictGet('dic', 'v', number % 1000000)) FROM numbers(10000000)"),
            ("dictGet of strings", "SELECT sum(length(dictGet('dic', 's', number % 1000000))) FROM numbers(10000000)"),
            ("dictHas", "SELECT sum(dictHas('dic', number % 2000000)) FROM numbers(10000000)")], []


class Reference:
    """chdb in this process."""

    def __init__(self):
        self.session = chdb.session.Session()
        self.run("SET max_threads = 2")

    def run(self, statement):
        start = time.monotonic()
        try:
            self.session.query(statement, "TSV")
        except Exception as error:  # noqa: BLE001
            return None, str(error).split("\n")[0]
        return (time.monotonic() - start) * 1000, None


class Entasis:
    """A server of its own."""

    def __init__(self, binary):
        self.server = OwnServer(binary, "tables")

    def run(self, statement):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=900)
        start = time.monotonic()
        database = "default" if " DATABASE " in statement else "bench"
        connection.request("POST", f"/?database={database}&mutations_sync=1", statement.encode())
        response = connection.getresponse()
        text = response.read().decode(errors="replace")
        return ((time.monotonic() - start) * 1000, None) if response.status == 200 else (None, text.strip())


def bench(engines, name, setup, repeated, once, rounds):
    for engine in engines:
        engine.run("DROP DATABASE IF EXISTS bench")
        engine.run("CREATE DATABASE bench")
    engines[0].run("USE bench")
    failed = []
    for engine in engines:
        for statement in setup:
            _, error = engine.run(statement)
            if error and "SYSTEM" not in statement:
                failed.append(f"{type(engine).__name__}: {statement[:80]}: {error[:200]}")
                break
    if failed:
        print(f"{name:22} | set-up failed | {'; '.join(failed)}", flush=True)
        if any(line.startswith("Entasis") for line in failed):
            return
    for title, statement in repeated:
        show(name, title, [[engine.run(statement) for engine in engines] for _ in range(rounds)])
    for title, statement in once:
        show(name, title, [[engine.run(statement) for engine in engines]])


def show(name, title, rounds):
    texts = []
    medians = []
    for place in range(2):
        times = [round_[place][0] for round_ in rounds]
        if None in times:
            texts.append("error")
            medians.append(None)
        else:
            medians.append(statistics.median(times))
            texts.append(f"{medians[-1]:,.1f}")
    ratio = f"{medians[1] / medians[0]:.2f}" if None not in medians else next(r[1] for round_ in rounds for r in round_ if r[1])[:160]
    print(f"{name:22} | {title:24} | {texts[0]:>12} | {texts[1]:>12} | {ratio}", flush=True)


def small_inserts(engine, seconds=5, connections=16):
    """Acknowledged single-row INSERTs a second over `connections` connections."""
    engine.run("CREATE DATABASE IF NOT EXISTS bench")
    engine.run("DROP TABLE IF EXISTS small")
    print(engine.run("CREATE TABLE small (k UInt64, s String) ENGINE = MergeTree ORDER BY k")[1] or "", end="")
    counts, end = [0] * connections, time.monotonic() + seconds

    def insert(place):
        connection = http.client.HTTPConnection("127.0.0.1", engine.server.port, timeout=60)
        while time.monotonic() < end:
            connection.request("POST", "/?database=bench", f"INSERT INTO small VALUES ({place}, 'x')".encode())
            response = connection.getresponse()
            response.read()
            counts[place] += response.status == 200

    threads = [threading.Thread(target=insert, args=(place,)) for place in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stored = engine.server.text("SELECT count() FROM bench.small")[0].strip()
    print(f"single-row INSERTs over {connections} connections: {sum(counts) / seconds:,.0f} a second; acknowledged {sum(counts)}, stored {stored}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    engines = [Reference(), Entasis(options.binary)]
    print(f"{'topic':22} | {'statement':24} | {'reference ms':>12} | {'entasis ms':>12} | ratio")
    for topics in (merging, plain, many):
        for name, setup, repeated, once in topics(options.rows):
            if options.only in name:
                bench(engines, name, setup, repeated, once, options.rounds)
    if options.only in "single-row":
        small_inserts(engines[1])
    engines[1].server.stop()


if __name__ == "__main__":
    main()

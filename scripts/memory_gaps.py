#!/usr/bin/env python3
"""How true memory accounts are: per query, the account's peak against the process's own.

    python3 scripts/memory_gaps.py BINARY [CASE ...]        (LIMIT=bytes, 100000000 if not said)

Each query runs in a fresh `entasis server` under max_memory_usage. It must end, either with rows or with error 241
that names an operator; the process's peak (VmHWM, less that of a server that has answered SELECT 1) must stay within
the account's peak (or the limit, after an error) plus 20 % plus 30 MB. Prints a table and exits 1 if any does not.
"""
import http.client
import json
import os
import re
import sys

from own_server import OwnServer

LIMIT = int(os.environ.get("LIMIT", 100_000_000))
MB = 1_000_000

# Name: statements before (under no limit), the query.
CASES = {
    "range in one array": "SELECT length(range(400000000 + toUInt64(rand() % 2)))",
    "range, constant": "SELECT length(range(400000000))",
    "range per row": "SELECT sum(length(range(number))) FROM numbers(100000)",
    "repeat": "SELECT length(repeat(repeat('abcdefghij', 1000), 100000 + rand() % 2))",
    "repeat per row": "SELECT sum(length(repeat(toString(number), 100000))) FROM numbers(100000)",
    "a long constant made full": "SELECT max(length(concat(materialize(repeat('x', 1000000)), toString(number)))) FROM numbers(100000)",
    "space, leftPad": "SELECT sum(length(leftPad(toString(number), 1000000, 'x'))) FROM numbers(100000)",
    "arrayWithConstant": "SELECT length(arrayWithConstant(400000000 + rand() % 2, 'abc'))",
    "arrayMap": "SELECT sum(length(arrayMap(x -> toString(x), range(1000000)))) FROM numbers(10)",
    "arrayMap with a captured array": "SELECT sum(length(arrayMap(x -> a, range(100000)))) FROM (SELECT range(1000 + number) AS a FROM numbers(10))",
    "nested arrayMap": "SELECT sum(length(arrayMap(x -> arrayMap(y -> x + y, range(10000)), range(10000)))) FROM numbers(2)",
    "arraySort, arrayDistinct": "SELECT length(arrayDistinct(arraySort(x -> -x, range(20000000 + toUInt64(rand() % 2)))))",
    "arrayJoin": "SELECT sum(x) FROM (SELECT arrayJoin(range(100000)) AS x FROM numbers(10000))",
    "ARRAY JOIN of wide rows": "SELECT max(length(s)) FROM (SELECT repeat('s', 100000) AS s, range(10000) AS a FROM numbers(100)) ARRAY JOIN a",
    "splitByChar": "SELECT length(splitByChar('1', repeat(repeat('12', 1000), 30000 + rand() % 2)))",
    "replaceAll that grows": "SELECT length(replaceAll(repeat(repeat('a', 1000), 10000 + rand() % 2), 'a', repeat('b', 100)))",
    "replaceRegexpAll that grows": "SELECT length(replaceRegexpAll(repeat(repeat('a', 1000), 10000 + rand() % 2), 'a', repeat('b', 100)))",
    "toFixedString": "SELECT max(length(toFixedString(toString(number), 100000))) FROM numbers(100000)",
    "randomString": "SELECT max(length(randomString(1000000))) FROM numbers(10000)",
    "hex, base64": "SELECT max(length(hex(repeat(toString(number), 1000000)))) FROM numbers(1000)",
    "groupArray": "SELECT length(groupArray(number)) FROM numbers(100000000)",
    "groupArray of strings": "SELECT length(groupArray(toString(number))) FROM numbers(20000000)",
    "groupArray by key": "SELECT number % 1000 AS k, groupArray(number) FROM numbers(50000000) GROUP BY k FORMAT Null",
    "groupArray of arrays": "SELECT length(groupArray(range(number % 100))) FROM numbers(2000000)",
    "groupUniqArray": "SELECT length(groupUniqArray(number)) FROM numbers(30000000)",
    "groupConcat": "SELECT length(groupConcat(toString(number))) FROM numbers(50000000)",
    "uniqExact": "SELECT uniqExact(number) FROM numbers(50000000)",
    "uniqExact of strings": "SELECT uniqExact(toString(number)) FROM numbers(20000000)",
    "quantileExact": "SELECT quantileExact(number) FROM numbers(50000000)",
    "argMax of long strings": "SELECT number % 100000 AS k, argMax(repeat(toString(number), 100), number) FROM numbers(1000000) GROUP BY k FORMAT Null",
    "sumMap": "SELECT length(sumMap([number], [1]).1) FROM numbers(5000000)",
    "GROUP BY numbers": "SELECT count() FROM (SELECT number AS n, count() AS c FROM numbers(50000000) GROUP BY n HAVING c > 0)",
    "GROUP BY strings": "SELECT count() FROM (SELECT toString(number) AS n, count() AS c FROM numbers(20000000) GROUP BY n HAVING c > 0)",
    "GROUP BY, below the limit": "SELECT max(c) FROM (SELECT number AS n, count() AS c FROM numbers(1000000) GROUP BY n)",
    "DISTINCT": "SELECT max(n) FROM (SELECT DISTINCT cityHash64(number) AS n FROM numbers(50000000))",
    "DISTINCT of strings": "SELECT max(n) FROM (SELECT DISTINCT toString(number) AS n FROM numbers(20000000))",
    "sort": "SELECT number FROM numbers(50000000) ORDER BY cityHash64(number) FORMAT Null",
    "sort, below the limit": "SELECT number FROM numbers(1000000) ORDER BY cityHash64(number) FORMAT Null",
    "sort of strings": "SELECT toString(number) AS s FROM numbers(20000000) ORDER BY s FORMAT Null",
    "sort of long strings": "SELECT repeat(toString(number), 1000) AS s FROM numbers(1000000) ORDER BY s FORMAT Null",
    "top 10 of long strings": "SELECT repeat(toString(number), 1000) AS s FROM numbers(100000) ORDER BY s LIMIT 10 FORMAT Null",
    "top 1000000": "SELECT toString(number) AS s FROM numbers(10000000) ORDER BY s LIMIT 1000000 FORMAT Null",
    "IN": "SELECT count() FROM numbers(10) WHERE number IN (SELECT number * 7 FROM numbers(50000000))",
    "IN of strings": "SELECT count() FROM numbers(10) WHERE toString(number) IN (SELECT toString(number) FROM numbers(20000000))",
    "IN, below the limit": "SELECT count() FROM numbers(10) WHERE number IN (SELECT cityHash64(number) FROM numbers(1000000))",
    "join": "SELECT count() FROM numbers(10) AS a LEFT JOIN (SELECT number * 7 AS number FROM numbers(50000000)) AS b USING number",
    "join on strings": "SELECT count() FROM (SELECT toString(number) AS s FROM numbers(10)) AS a LEFT JOIN (SELECT toString(number) AS s FROM numbers(20000000)) AS b USING s",
    "join, below the limit": "SELECT count() FROM numbers(10) AS a LEFT JOIN (SELECT cityHash64(number) AS number, number AS v FROM numbers(500000)) AS b USING number",
    "join that multiplies": "SELECT max(x) FROM (SELECT 1 AS k, repeat('a', 1000) AS x FROM numbers(1000)) AS a JOIN (SELECT 1 AS k, repeat('b', 1000) AS y FROM numbers(1000)) AS b USING k WHERE y != x",
    "cross join": "SELECT max(a.number + b.number) FROM numbers(100000) AS a, numbers(10000) AS b",
    "LIMIT BY": "SELECT number FROM numbers(30000000) LIMIT 1 BY number FORMAT Null",
    "scalar subquery of an array": "SELECT length((SELECT groupArray(number) FROM numbers(30000000)))",
    "UNION DISTINCT": "SELECT count() FROM (SELECT number FROM numbers(20000000) UNION DISTINCT SELECT number FROM numbers(20000000))",
    "INSERT into Memory": (["CREATE TABLE m (n UInt64, s String) ENGINE = Memory"], "INSERT INTO m SELECT number, toString(number) FROM numbers(20000000)"),
    "INSERT into MergeTree": (["CREATE TABLE t (n UInt64, s String) ENGINE = MergeTree ORDER BY s"], "INSERT INTO t SELECT number, toString(cityHash64(number)) FROM numbers(3000000)"),
    "INSERT of wide rows": (["CREATE TABLE t (n UInt64, s String) ENGINE = MergeTree ORDER BY n"], "INSERT INTO t SELECT number, repeat(toString(number), 10000) FROM numbers(20000)"),
    "reading a Memory table": (["CREATE TABLE m (n UInt64) ENGINE = Memory", "INSERT INTO m SELECT number FROM numbers(5000000)"], "SELECT sum(n) FROM m"),
    "scan of MergeTree": (["CREATE TABLE t (n UInt64, s String) ENGINE = MergeTree ORDER BY n", "INSERT INTO t SELECT number, toString(cityHash64(number)) FROM numbers(3000000)"], "SELECT max(s), sum(n) FROM t"),
    "result as TSV": "SELECT number, toString(number) FROM numbers(3000000) FORMAT TSV",
    "result held back": "SELECT number, toString(number) FROM numbers(20000000) FORMAT TSV SETTINGS wait_end_of_query = 1",
    "result as Parquet": "SELECT number, toString(number) FROM numbers(3000000) FORMAT Parquet",
    "result as Pretty": "SELECT number FROM numbers(3000000) FORMAT PrettySpace SETTINGS output_format_pretty_max_rows = 3000000",
    "result of one huge array": "SELECT range(8000000 + toUInt64(rand() % 2)) FORMAT TSV",
    "reading Parquet": (["INSERT INTO FUNCTION file('x.parquet', 'Parquet', 'n UInt64, s String') SELECT number, toString(number) FROM numbers(3000000)"], "SELECT max(s) FROM file('x.parquet')"),
    "reading one long line": (["INSERT INTO FUNCTION file('x.tsv', 'TSV', 's String') SELECT repeat(repeat('x', 1000), 300000)"], "SELECT max(length(s)) FROM file('x.tsv', 'TSV', 's String')"),
    "hits()": "SELECT max(URL) FROM hits(300000, 7)",
}


class MeasuredServer(OwnServer):
    """With the highest resident memory of its process."""

    def peak(self):
        text = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(r"VmHWM:\s+(\d+) kB", text)[1]) * 1024

    def forget_peak(self):
        open(f"/proc/{self.process.pid}/clear_refs", "w").write("5")


def measure(binary, before, query):
    server = MeasuredServer(binary, "memory-gaps")
    try:
        for statement in before:
            _, words = server.ask(statement)
            if "Exception" in words:
                return None, 0, 0, words
        server.forget_peak()
        resident = server.peak()
        response, words = server.ask(query, max_memory_usage=LIMIT, max_execution_time=60)
        alive = server.process.poll() is None
        used = server.peak() - resident if alive else 10**12
        account = int(json.loads(response.headers["X-ClickHouse-Summary"])["memory_usage"])
        return alive, used, account, words
    except (OSError, http.client.HTTPException) as error:
        return False, 10**12, 0, f"the server died: {error!r}"
    finally:
        server.stop()


def main():
    binary, wanted = os.path.abspath(sys.argv[1]), sys.argv[2:]
    bad = 0
    print(f"{'case':34} {'process':>8} {'account':>8}   answer")
    for name, case in CASES.items():
        if wanted and not any(w in name for w in wanted):
            continue
        before, query = case if isinstance(case, tuple) else ([], case)
        alive, used, account, words = measure(binary, before, query)
        answer, named = "rows", True
        if "Exception" in words:
            error = words[words.index("Code: ") if "Code: " in words else 0:]
            named = "Code: 241" in error and ("while executing" in error or " asked for " in error)
            answer = re.sub(r".*?(while executing .*?| \S+ asked for).*", r"241, \1", error, flags=re.S)[:60] if named else error[:300]
        most = max(account, LIMIT if "241" in answer else 0)
        # An answer that streamed away named its account's peak when its head left.
        most = max(most, LIMIT / 2) if answer == "rows" and "FORMAT" in query else most
        good = alive and named and used <= most * 1.2 + 30 * MB
        bad += not good
        print(f"{name:34} {used / MB:8.0f} {account / MB:8.0f}   {'' if good else '<<< '}{answer.strip()}", flush=True)
    print(f"{bad} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

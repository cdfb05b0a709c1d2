#!/usr/bin/env python3
"""How long a running statement takes to stop: per case, KILL QUERY at several places of its run.

    python3 scripts/cancel_times.py BINARY [CASE ...]        (--table: rows for docs/http.md)

Starts a server of its own with a folder of its own, runs each case once to the end (for at most
LONGEST seconds), then again and again, killing it at fractions of that time. Printed is the median
of RUNS times for the worst place, and the worst of all. The time runs from sending KILL to the
last byte of the statement's answer (its error), so it holds what the machine does besides.
"""
import os
import statistics
import sys
import threading
import time
import uuid

from own_server import OwnServer

LONGEST = float(os.environ.get("LONGEST", 6))
RUNS = int(os.environ.get("RUNS", 3))
PLACES = [float(p) for p in os.environ.get("PLACES", "0.15 0.4 0.65 0.9").split()]

SETUP = """
CREATE TABLE t (k UInt64, g UInt32, s String, a Array(UInt32)) ENGINE = MergeTree ORDER BY k
INSERT INTO t SELECT number, rand() % 1000000, concat('text ', toString(cityHash64(number))), range(number % 8) FROM numbers(4000000)
INSERT INTO FUNCTION file('t.tsv', 'TSV', 'k UInt64, g UInt32, s String, a Array(UInt32)') SELECT * FROM t
INSERT INTO FUNCTION file('t.parquet', 'Parquet', 'k UInt64, g UInt32, s String, a Array(UInt32)') SELECT * FROM t
CREATE TABLE target (k UInt64, g UInt32, s String, a Array(UInt32)) ENGINE = MergeTree ORDER BY s
CREATE TABLE memory (k UInt64, g UInt32, s String, a Array(UInt32)) ENGINE = Memory
CREATE TABLE parts (k UInt64, s String) ENGINE = MergeTree ORDER BY s
INSERT INTO parts SELECT number, toString(cityHash64(number)) FROM numbers(3000000)
INSERT INTO parts SELECT number, toString(sipHash64(number)) FROM numbers(3000000)
"""

CASES = {
    "DISTINCT of 40 M numbers": "SELECT max(h) FROM (SELECT DISTINCT cityHash64(number) AS h FROM numbers_mt(40000000))",
    "DISTINCT of strings": "SELECT max(h) FROM (SELECT DISTINCT toString(cityHash64(number)) AS h FROM numbers_mt(20000000))",
    "sort by a number": "SELECT cityHash64(number) AS h FROM numbers_mt(30000000) ORDER BY h FORMAT Null",
    "sort by strings": "SELECT toString(cityHash64(number)) AS h FROM numbers_mt(10000000) ORDER BY h FORMAT Null",
    "sort by shared prefixes": "SELECT concat(repeat('x', 100), toString(cityHash64(number))) AS h FROM numbers_mt(4000000) ORDER BY h FORMAT Null",
    "sort by two keys": "SELECT s, g FROM t ORDER BY g DESC, s FORMAT Null",
    "sort by arrays": "SELECT a, k FROM t ORDER BY a DESC, k DESC FORMAT Null",
    "top of a large LIMIT": "SELECT s FROM t ORDER BY s DESC LIMIT 1000000 FORMAT Null",
    "join, building": "SELECT count() FROM numbers(10) AS l LEFT JOIN (SELECT cityHash64(number) AS number FROM numbers_mt(30000000)) AS r USING number",
    "join, building on strings": "SELECT count() FROM (SELECT toString(number) AS n FROM numbers(10)) AS l LEFT JOIN (SELECT toString(cityHash64(number)) AS n FROM numbers_mt(10000000)) AS r USING n",
    "join, probing": "SELECT count() FROM (SELECT number % 1000000 AS n FROM numbers_mt(100000000)) AS l JOIN (SELECT number AS n FROM numbers(1000000)) AS r USING n",
    "join that multiplies": "SELECT count() FROM (SELECT number % 10 AS n FROM numbers_mt(300000)) AS l JOIN (SELECT number % 10 AS n FROM numbers(300000)) AS r USING n",
    "cross join": "SELECT count() FROM numbers(100000) AS a, numbers(1000000) AS b WHERE a.number + b.number = 7",
    "join with many rows kept": "SELECT count() FROM numbers(10) AS l FULL JOIN (SELECT cityHash64(number) AS number FROM numbers_mt(20000000)) AS r USING number",
    "ASOF join": "SELECT count() FROM (SELECT 1 AS n, number AS t FROM numbers(1000000)) AS l ASOF JOIN (SELECT 1 AS n, cityHash64(number) AS t FROM numbers(5000000)) AS r ON l.n = r.n AND l.t >= r.t",
    "IN, building the set": "SELECT count() FROM numbers(10) WHERE number IN (SELECT cityHash64(number) FROM numbers_mt(30000000))",
    "IN of strings": "SELECT count() FROM numbers(10) WHERE toString(number) IN (SELECT toString(cityHash64(number)) FROM numbers_mt(15000000))",
    "GROUP BY of many keys": "SELECT max(h), max(c) FROM (SELECT cityHash64(number) AS h, count() AS c FROM numbers_mt(40000000) GROUP BY h)",
    "GROUP BY of strings": "SELECT max(h), max(c) FROM (SELECT toString(cityHash64(number)) AS h, count() AS c FROM numbers_mt(15000000) GROUP BY h)",
    "uniqExact": "SELECT uniqExact(cityHash64(number)) FROM numbers_mt(40000000)",
    "uniqExact of strings": "SELECT uniqExact(toString(cityHash64(number))) FROM numbers_mt(15000000)",
    "uniqExact by group": "SELECT number % 3 AS g, uniqExact(cityHash64(number)) FROM numbers_mt(30000000) GROUP BY g",
    "groupUniqArray": "SELECT length(groupUniqArray(cityHash64(number))) FROM numbers_mt(20000000)",
    "quantileExact": "SELECT quantileExact(cityHash64(number)) FROM numbers_mt(50000000)",
    "median of groups": "SELECT number % 2 AS g, quantilesExact(0.1, 0.5)(number) FROM numbers_mt(30000000) GROUP BY g",
    "groupArray": "SELECT length(groupArray(number)) FROM numbers_mt(100000000)",
    "groupArray of strings": "SELECT length(groupArray(toString(number))) FROM numbers_mt(20000000)",
    "groupArraySorted array": "SELECT arraySort(groupArray(cityHash64(number)))[1] FROM numbers_mt(30000000)",
    "topK": "SELECT topK(10)(cityHash64(number)) FROM numbers_mt(30000000)",
    "range()": "SELECT length(range(200000000 + toUInt64(rand() % 2)))",
    "arraySort": "SELECT arraySort(arrayMap(x -> cityHash64(x), range(30000000 + toUInt64(rand() % 2))))[1]",
    "arraySort by lambda": "SELECT arraySort(x -> cityHash64(x), range(20000000 + toUInt64(rand() % 2)))[1]",
    "arraySort of strings": "SELECT arraySort(arrayMap(x -> toString(cityHash64(x)), range(6000000 + toUInt64(rand() % 2))))[1]",
    "arrayMap, arrayFilter": "SELECT length(arrayFilter(x -> x % 7 = 1, arrayMap(x -> intHash64(x) * 3 + sqrt(x), range(50000000 + toUInt64(rand() % 2)))))",
    "arrayDistinct": "SELECT length(arrayDistinct(arrayMap(x -> cityHash64(x), range(30000000 + toUInt64(rand() % 2)))))",
    "arrayReduce": "SELECT arrayReduce('uniqExact', arrayMap(x -> cityHash64(x), range(30000000 + toUInt64(rand() % 2))))",
    "arrayJoin that multiplies": "SELECT sum(cityHash64(arrayJoin(range(1000000)), number)) FROM numbers(10000)",
    "arrayJoin of one huge array": "SELECT count() FROM (SELECT arrayJoin(range(100000000 + toUInt64(rand() % 2))) AS x) WHERE x = 7",
    "ARRAY JOIN of strings": "SELECT count() FROM (SELECT number, repeat('s', 1000) AS s FROM numbers(1000)) ARRAY JOIN range(10000) AS x WHERE s = ''",
    "arrayStringConcat": "SELECT length(arrayStringConcat(arrayMap(x -> toString(x), range(50000000 + toUInt64(rand() % 2)))))",
    "arrayCumSum, arrayReverse": "SELECT arrayReverse(arrayCumSum(range(100000000 + toUInt64(rand() % 2))))[1]",
    "arrayFold": "SELECT arrayFold((acc, x) -> acc + x, range(20000000 + toUInt64(rand() % 2)), toUInt64(0))",
    "scalar subquery": "SELECT (SELECT max(cityHash64(number)) FROM numbers(300000000)) + 1",
    "WITH of a scalar over groups": "WITH (SELECT count() FROM (SELECT cityHash64(number) AS h FROM numbers_mt(20000000) GROUP BY h)) AS n SELECT n",
    "INSERT SELECT": "INSERT INTO target SELECT * FROM t",
    "INSERT SELECT into Memory": "INSERT INTO memory SELECT * FROM t",
    "INSERT SELECT into a file": "INSERT INTO FUNCTION file('x_{id}.tsv', 'TSV', 'k UInt64, g UInt32, s String, a Array(UInt32)') SELECT * FROM t",
    "INSERT SELECT into Parquet": "INSERT INTO FUNCTION file('x_{id}.parquet', 'Parquet', 'k UInt64, g UInt32, s String, a Array(UInt32)') SELECT * FROM t",
    "OPTIMIZE FINAL": "OPTIMIZE TABLE parts FINAL",
    "reading TSV": "SELECT count() FROM file('t.tsv', 'TSV', 'k UInt64, g UInt32, s String, a Array(UInt32)') WHERE s = ''",
    "reading Parquet": "SELECT sum(length(s)) + sum(length(a)) FROM file('t.parquet')",
    "result as JSON": "SELECT * FROM t FORMAT JSON",
    "result as Pretty": "SELECT number, toString(number) FROM numbers(20000000) FORMAT PrettyCompactMonoBlock SETTINGS output_format_pretty_max_rows = 20000000",
    "result of one huge array": "SELECT range(30000000 + toUInt64(rand() % 2)) FORMAT TSV",
    "result as Parquet": "SELECT * FROM t FORMAT Parquet",
    "regex over big strings": "SELECT sum(match(repeat(toString(number), 1000000), '(a+)+[^0-9]*b')) FROM numbers(1000)",
    "replaceRegexpAll": "SELECT sum(length(replaceRegexpAll(repeat(toString(number), 1000000), '[0-9]', 'xx'))) FROM numbers(200)",
    "extractAll": "SELECT sum(length(extractAll(repeat(toString(number), 500000), '[0-9]'))) FROM numbers(200)",
    "regex over one string": "SELECT length(replaceRegexpAll(repeat(repeat(toString(rand()), 1000), 20000), '[0-9]', 'xx'))",
    "LIKE over big strings": "SELECT sum(repeat(toString(number), 1000000) LIKE '%x%y%') FROM numbers(2000)",
    "splitByChar": "SELECT length(splitByChar('1', repeat(repeat(concat('1', toString(rand())), 1000), 30000)))",
    "levenshteinDistance": "SELECT sum(editDistance(repeat(toString(number), 3000), repeat(toString(number + 1), 3000))) FROM numbers(1000) SETTINGS max_block_size = 1000",
    "repeat, upper, reverse": "SELECT sum(length(upper(reverse(repeat(toString(number), 1000000))))) FROM numbers(2000)",
    "hashes of big strings": "SELECT sum(length(SHA256(repeat(toString(number), 1000000)))) FROM numbers(1000)",
    "ngrams": "SELECT sum(length(ngrams(repeat(toString(number), 300000), 3))) FROM numbers(500)",
    "hits()": "SELECT count() FROM hits(3000000, 7) WHERE URL = ''",
    "hits(), all columns": "SELECT * FROM hits(1000000, 7) FORMAT Null",
    "LIMIT BY": "SELECT number FROM numbers(30000000) LIMIT 1 BY cityHash64(number) FORMAT Null",
    "UNION DISTINCT": "SELECT count() FROM (SELECT cityHash64(number) AS h FROM numbers(10000000) UNION DISTINCT SELECT cityHash64(number + 5000000) FROM numbers(10000000))",
    "count() over numbers": "SELECT count() FROM numbers(100000000000) WHERE number % 3 = 7",
    "sleep": "SELECT sleepEachRow(0.01) FROM numbers(10000) FORMAT Null",
}


def run(server, query, kill_after=None):
    """Seconds until it ended, seconds from KILL to the end, and its last words."""
    query_id = str(uuid.uuid4())
    query = query.replace("{id}", query_id)
    answer = {}

    def work():
        answer["of"] = server.ask(query, query_id=query_id)
        answer["at"] = answer["of"][0].last_byte

    thread = threading.Thread(target=work)
    begun = time.monotonic()
    thread.start()
    thread.join(kill_after)
    if not thread.is_alive():
        return answer["at"] - begun, None, answer["of"][1]
    killed = time.monotonic()
    server.ask(f"KILL QUERY WHERE query_id = '{query_id}' ASYNC")
    thread.join()
    return answer["at"] - begun, answer["at"] - killed, answer["of"][1]


def measure(server, query):
    whole, _, words = run(server, query, LONGEST)
    if "Exception" in words and "394" not in words:
        return f"failed: {words[-300:].strip()}"
    worst, most = 0.0, 0.0
    for place in PLACES:
        times = []
        for _ in range(RUNS):
            took = run(server, query, max(0.01, min(whole, LONGEST) * place))[1]
            times += [] if took is None else [took]
        if times:
            worst, most = max(worst, statistics.median(times)), max(most, max(times))
    return whole, worst, most


def main():
    arguments = [a for a in sys.argv[1:] if a != "--table"]
    table = "--table" in sys.argv
    server = OwnServer(os.path.abspath(arguments[0]), "cancel-times")
    try:
        for statement in SETUP.strip().splitlines():
            response, words = server.ask(statement)
            if response.status != 200:
                raise SystemExit(words)
        for name, query in CASES.items():
            if arguments[1:] and not any(a in name for a in arguments[1:]):
                continue
            result = measure(server, query)
            if isinstance(result, str):
                print(f"{name}: {result}", flush=True)
                continue
            whole, worst, most = result
            run_time = f"> {LONGEST:g} s" if whole >= LONGEST else f"{whole:.1f} s"
            row = (name, run_time, f"{worst * 1000:.0f}", f"{most * 1000:.0f}")
            mark = "  <<<" if worst > 0.1 and not table else ""
            print(f"| {' | '.join(row)} |" if table else "{:32} {:>8} {:>8} {:>8}".format(*row) + mark, flush=True)
    finally:
        server.stop()


if __name__ == "__main__":
    main()

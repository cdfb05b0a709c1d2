#!/usr/bin/env python3
"""Asks chdb and a server of Entasis the same randomly made queries, and prints what differs.

    fuzz_sql.py ENTASIS [--seed N] [--count N] [--keep FILE] [--restart N]

The queries read small tables that hold the same rows in both engines. Entasis answers every query in several
ways (WAYS): as it does by default, with one thread and blocks of one row, without the optimiser, and from Memory instead of
MergeTree tables; every N queries the server is started anew. All answers must equal the reference's. An answer is
compared as a sorted list of its lines, unless the query sorts by all columns. If both engines answer an error, the query counts as
equal; `errors` in the summary says how often. What `assumeNotNull` answers for NULL is undefined, so no query has it.

The same seed makes the same queries. `--keep` writes the queries that differ to a file, one a line.
"""

import argparse
import random
import sys
import urllib.parse
import http.client

import chdb.session

sys.path.insert(0, __file__.rsplit("/", 1)[0])
from own_server import OwnServer  # noqa: E402

# Type of a column, its SQL type, and the values that it may have.
COLUMNS = {
    "id": ("int", "UInt32", None),
    "i8": ("int", "Int8", "-128 -1 0 1 2 5 127".split()),
    "u16": ("int", "UInt16", "0 1 2 3 300 65535".split()),
    "i64": ("int", "Int64", "-9000000000 -5 0 1 86400 9000000000".split()),
    "n": ("int", "Nullable(Int32)", "NULL 0 -1 5 NULL 100 7".split()),
    "f": ("float", "Float64", "-1.5 0 0.5 1 2.25 100 -3.75".split()),
    "dec": ("dec", "Decimal(9, 2)", "-1.25 0 0.01 1 99.99 1234.5".split()),
    "s": ("str", "String", ["''", "'a'", "'b'", "'abc'", "'Abc'", "'a b'", "'xyz'", "'ü'"]),
    "ns": ("str", "Nullable(String)", ["NULL", "''", "'a'", "'abc'", "NULL", "'z'"]),
    "lc": ("str", "LowCardinality(String)", ["'red'", "'green'", "'blue'", "''"]),
    "fs": ("fixed", "FixedString(3)", ["'abc'", "'a'", "'xyz'"]),
    "d": ("date", "Date", ["'1970-01-01'", "'1999-12-31'", "'2000-02-29'", "'2024-01-15'", "'2024-12-31'"]),
    "dt": ("time", "DateTime('UTC')", ["'1970-01-01 00:00:00'", "'1999-12-31 23:59:59'", "'2024-01-15 01:02:03'",
                                      "'2024-12-31 23:00:00'"]),
    "e": ("enum", "Enum8('x' = -1, 'y' = 0, 'z' = 5)", ["'x'", "'y'", "'z'"]),
    "b": ("bool", "Bool", ["true", "false"]),
    "a": ("arr", "Array(Int32)", ["[]", "[1]", "[3,1,2]", "[1,1,2]", "[-1,0]", "[5,5,5]"]),
    "sa": ("sarr", "Array(String)", ["[]", "['a']", "['b','a']", "['x','','x']"]),
    "m": ("map", "Map(String, UInt8)", ["{}", "{'a':1}", "{'a':2,'b':3}"]),
    "t": ("tup", "Tuple(UInt8, String)", ["(1,'a')", "(0,'')", "(2,'b')"]),
}
TABLES = {"t1": 60, "t2": 25, "t3": 0}
KEYS = {"t1": "(i8, s)", "t2": "d", "t3": "id"}
# How Entasis is asked: database and settings.
WAYS = [
    ("default", "merge", {}),
    ("one row", "merge", {"max_threads": 1, "max_block_size": 1}),
    ("seven rows", "memory", {"max_threads": 4, "max_block_size": 7}),
    ("no optimiser", "merge", {"query_plan_enable_optimizations": 0}),
    ("memory", "memory", {}),
]
# Words of the reference's error messages, or parts of queries, whose difference is explained.
KNOWN_ERRORS = ["NOT_IMPLEMENTED", "UNSUPPORTED_METHOD"]


def setup(rng, database, engine):
    """The statements that make the tables of a database."""
    out = [f"CREATE DATABASE IF NOT EXISTS {database}"]
    columns = ", ".join(f"{name} {sql}" for name, (_, sql, _) in COLUMNS.items())
    for table, rows in TABLES.items():
        with_key = f"MergeTree ORDER BY {KEYS[table]}" if engine == "MergeTree" else "Memory"
        out.append(f"CREATE TABLE {database}.{table} ({columns}) ENGINE = {with_key}")
        made = []
        for row in range(rows):
            values = [str(row) if values is None else rng.choice(values) for _, _, values in COLUMNS.values()]
            made.append(f"({', '.join(values)})")
        half = len(made) // 2
        for part in (made[:half], made[half:]):
            if part:
                out.append(f"INSERT INTO {database}.{table} VALUES {', '.join(part)}")
    return out


class Maker:
    """Makes one query. Names in scope are pairs of a column's name and kind."""

    def __init__(self, rng):
        self.rng, self.aliases = rng, 0

    def alias(self):
        self.aliases += 1
        return f"x{self.aliases}"

    def pick(self, scope, kinds):
        fitting = [name for name, kind in scope if kind in kinds]
        return self.rng.choice(fitting) if fitting and self.rng.random() < 0.85 else None

    def expr(self, scope, kind, depth=2):
        """An expression of a kind: int, float, dec, str, date, time, bool, arr, sarr, enum, map, tup."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.3:
            return self.pick(scope, (kind,)) or self.literal(kind)
        sub = lambda kind: self.expr(scope, kind, depth - 1)  # noqa: E731
        forms = {
            "int": [lambda: f"({sub('int')} {rng.choice('+-*')} {sub('int')})", lambda: f"({sub('int')} % 7)",
                    lambda: f"intDiv({sub('int')}, 3)", lambda: f"length({sub('str')})", lambda: f"length({sub('arr')})",
                    lambda: f"abs({sub('int')})", lambda: f"if({sub('bool')}, {sub('int')}, {sub('int')})",
                    lambda: f"toYear({sub('date')})", lambda: f"toDayOfWeek({sub('time')})", lambda: f"ifNull({sub('int')}, 0)",
                    lambda: f"CASE WHEN {sub('bool')} THEN {sub('int')} ELSE 1 END", lambda: f"coalesce({sub('int')}, {sub('int')})",
                    lambda: f"nullIf({sub('int')}, {sub('int')})", lambda: f"bitAnd({sub('int')}, 15)",
                    lambda: f"greatest({sub('int')}, 3)", lambda: f"arraySum({sub('arr')})", lambda: f"has({sub('arr')}, {sub('int')})",
                    lambda: f"indexOf({sub('arr')}, 1)", lambda: f"position({sub('str')}, 'b')", lambda: "m['a']" if ("m", "map") in scope else "1",
                    lambda: f"dateDiff('day', {sub('date')}, {sub('date')})", lambda: f"toUInt8({sub('bool')})",
                    lambda: f"sign({sub('int')})", lambda: f"arrayMax(arrayPushBack({sub('arr')}, 1))"],
            "float": [lambda: f"({sub('float')} {rng.choice('+-')} {sub('int')})", lambda: f"({sub('int')} / 4)",
                      lambda: f"round({sub('float')}, 1)", lambda: f"floor({sub('float')})", lambda: f"abs({sub('float')})"],
            "dec": [lambda: f"({sub('dec')} + {sub('dec')})", lambda: f"toDecimal64({sub('int')} % 1000, 2)", lambda: f"negate({sub('dec')})"],
            "str": [lambda: f"concat({sub('str')}, {sub('str')})", lambda: f"upper({sub('str')})", lambda: f"toString({sub(rng.choice(['int', 'date', 'bool', 'arr', 'dec']))})",
                    lambda: f"substring({sub('str')}, 1, 2)", lambda: f"if({sub('bool')}, {sub('str')}, {sub('str')})",
                    lambda: f"replaceAll({sub('str')}, 'a', 'q')", lambda: f"reverse({sub('str')})", lambda: f"ifNull({sub('str')}, 'none')",
                    lambda: f"arrayStringConcat({sub('sarr')}, '-')", lambda: f"trim({sub('str')})", lambda: f"leftPad({sub('str')}, 4, '.')"],
            "date": [lambda: f"({sub('date')} + 1)", lambda: f"toDate({sub('time')})", lambda: f"toStartOfMonth({sub('date')})",
                     lambda: f"toMonday({sub('date')})"],
            "time": [lambda: f"toStartOfHour({sub('time')})", lambda: f"addDays({sub('time')}, 1)", lambda: f"({sub('time')} + INTERVAL 1 HOUR)"],
            "bool": [lambda: f"({sub('int')} {rng.choice(['=', '<', '>', '<=', '!='])} {sub('int')})", lambda: f"({sub('bool')} AND {sub('bool')})",
                     lambda: f"({sub('bool')} OR {sub('bool')})", lambda: f"NOT {sub('bool')}", lambda: f"({sub('str')} {rng.choice(['=', '<', 'LIKE', 'IN'])} {self.right('str')})",
                     lambda: f"({sub('int')} {rng.choice(['IN', 'NOT IN'])} (0, 1, 5))", lambda: f"({sub('int')} IS NULL)", lambda: f"({sub('str')} IS NOT NULL)",
                     lambda: f"({sub('date')} >= '2000-01-01')", lambda: f"({sub('int')} BETWEEN -1 AND {sub('int')})",
                     lambda: f"({sub('int')} IN (SELECT {rng.choice(['i8', 'u16', 'n'])} FROM t2))", lambda: f"startsWith({sub('str')}, 'a')",
                     lambda: f"({sub('float')} < {sub('float')})", lambda: f"({sub('dec')} > {sub('dec')})", lambda: f"isNotDistinctFrom({sub('int')}, {sub('int')})",
                     lambda: f"({sub('int')}, {sub('str')}) IN ((1, 'a'), (0, ''))", lambda: f"empty({sub('arr')})"],
            "arr": [lambda: f"arraySort({sub('arr')})", lambda: f"arrayMap(v -> v + 1, {sub('arr')})", lambda: f"arrayFilter(v -> v > 0, {sub('arr')})",
                    lambda: f"arrayConcat({sub('arr')}, {sub('arr')})", lambda: f"arrayDistinct({sub('arr')})", lambda: f"[{sub('int')}, {sub('int')}]",
                    lambda: f"arrayReverse({sub('arr')})", lambda: f"arraySlice({sub('arr')}, 2)"],
            "sarr": [lambda: f"arraySort({sub('sarr')})", lambda: f"splitByChar(' ', ifNull({sub('str')}, 'x y'))", lambda: "mapKeys(m)" if ("m", "map") in scope else "['k']"],
            "fixed": [lambda: self.pick(scope, ("fixed",)) or "toFixedString('ab', 3)"],
            "enum": [lambda: self.pick(scope, ("enum",)) or "'y'"],
            "map": [lambda: self.pick(scope, ("map",)) or "map('a', 1)"],
            "tup": [lambda: f"tuple({sub('int')}, {sub('str')})", lambda: self.pick(scope, ("tup",)) or "(1, 'a')"],
        }
        return rng.choice(forms[kind])()

    def right(self, kind):
        return self.rng.choice(["'a'", "'abc'", "''"]) if self.rng.random() < 0.6 else "'%b%'"

    def literal(self, kind):
        return self.rng.choice({
            "int": ["0", "1", "-1", "7", "NULL", "300"], "float": ["0.5", "-2.25", "1e3"], "dec": ["toDecimal32(1.5, 2)"],
            "str": ["'a'", "''", "'abc'", "NULL"], "date": ["toDate('2020-02-29')"], "time": ["toDateTime('2020-02-29 12:00:00', 'UTC')"],
            "bool": ["true", "false", "1", "0"], "arr": ["[1, 2]", "[]::Array(Int32)"], "sarr": ["['a', 'b']"], "enum": ["'y'"], "fixed": ["toFixedString('a', 3)"],
            "map": ["map('k', 1)"], "tup": ["(1, 'q')"],
        }[kind])

    def kind(self, more=()):
        return self.rng.choice(["int", "int", "int", "str", "str", "float", "date", "bool", "time", "arr", "dec", *more])

    def source(self, depth):
        """What FROM names, and the names in its scope."""
        rng, roll = self.rng, self.rng.random()
        columns = [(name, kind) for name, (kind, _, _) in COLUMNS.items()]
        table = rng.choice(["t1", "t1", "t2", "t3" if rng.random() < 0.2 else "t2"])
        if depth <= 0 or roll < 0.5:
            return table, columns
        if roll < 0.7:
            left, right, key = rng.choice(["t1", "t2"]), rng.choice(["t1", "t2"]), rng.choice(["i8", "s", "u16", "d", "lc", "n"])
            how = rng.choice(["INNER JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"])
            scope = [(f"l.{name}", kind) for name, kind in columns]
            if "SEMI" not in how and "ANTI" not in how:
                scope += [(f"r.{name}", kind) for name, kind in columns]
            more = " AND l.id < r.id" if rng.random() < 0.2 and how == "INNER JOIN" else ""
            return f"{left} AS l {how} {right} AS r ON l.{key} = r.{key}{more}", scope
        if roll < 0.8:
            return f"{table} ARRAY JOIN a AS el", columns + [("el", "int")]
        query, names = self.select(depth - 1, top=False)
        return f"({query})", names

    def select(self, depth, top):
        """A SELECT, and the names and kinds of its columns."""
        rng = self.rng
        source, scope = self.source(depth)
        where = f" WHERE {self.expr(scope, 'bool')}" if rng.random() < 0.5 else ""
        if source in TABLES and where and rng.random() < 0.2:
            where = where.replace(" WHERE", " PREWHERE", 1)
        roll = rng.random()
        if roll < 0.35:
            return self.grouped(source, scope, where)
        if roll < 0.45:
            return self.windowed(source, scope, where)
        made = [(self.alias(), kind) for kind in [self.kind(("enum", "map", "tup", "sarr", "fixed")) for _ in range(rng.randint(1, 4))]]
        exprs = [f"{self.expr(scope, kind)} AS {name}" for name, kind in made]
        distinct = "DISTINCT " if rng.random() < 0.15 else ""
        return f"SELECT {distinct}{', '.join(exprs)} FROM {source}{where}", made

    def grouped(self, source, scope, where):
        rng = self.rng
        keys = [(self.alias(), kind) for kind in [self.kind(("enum", "fixed")) for _ in range(rng.randint(0, 3))]]
        made, parts = list(keys), [f"{self.expr(scope, kind)} AS {name}" for name, kind in keys]
        for _ in range(rng.randint(1, 3)):
            text, kind = self.aggregate(scope)
            name = self.alias()
            made.append((name, kind))
            parts.append(f"{text} AS {name}")
        group = ""
        if keys:
            names = ", ".join(name for name, _ in keys)
            group = f" GROUP BY {rng.choice([names, names, names, f'ROLLUP({names})', f'CUBE({names})', 'ALL'])}"
            if rng.random() < 0.2:
                group += f" HAVING count() > {rng.randint(0, 3)}"
        return f"SELECT {', '.join(parts)} FROM {source}{where}{group}", made

    def aggregate(self, scope):
        rng = self.rng
        some = lambda kind: self.expr(scope, kind, 1)  # noqa: E731
        text, kind = rng.choice([
            lambda: ("count()", "int"), lambda: (f"count({some('int')})", "int"), lambda: (f"sum({some('int')})", "int"),
            lambda: (f"min({some('str')})", "str"), lambda: (f"max({some('date')})", "date"), lambda: (f"avg({some('int')})", "float"),
            lambda: (f"uniqExact({some('str')})", "int"), lambda: (f"sumIf({some('int')}, {some('bool')})", "int"),
            lambda: (f"countIf({some('bool')})", "int"), lambda: (f"arraySort(groupArray({some('int')}))", "arr"),
            lambda: (f"min({some('int')})", "int"), lambda: (f"max({some('float')})", "float"), lambda: (f"sum({some('dec')})", "dec"),
            lambda: (f"count(DISTINCT {some('int')})", "int"), lambda: (f"arraySort(groupUniqArray({some('int')}))", "arr"),
            lambda: (f"groupBitOr({some('int')} % 8)", "int"), lambda: (f"argMin(id, (ifNull({some('int')}, 3), id))" if ("id", "int") in scope else "count()", "int"),
            lambda: (f"sumOrNull({some('int')})", "int"), lambda: (f"quantileExact({some('int')})", "int"),
            lambda: (f"uniqExactIf({some('str')}, {some('bool')})", "int"),
        ])()
        return text, kind

    def windowed(self, source, scope, where):
        rng = self.rng
        if ("id", "int") not in scope or "ARRAY JOIN" in source:
            return f"SELECT count() AS c FROM {source}{where}", [("c", "int")]
        partition = f"PARTITION BY {self.expr(scope, self.kind(), 1)} " if rng.random() < 0.6 else ""
        frame = rng.choice(["", "", " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW", " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
                            " ROWS BETWEEN 1 FOLLOWING AND 3 FOLLOWING", " RANGE BETWEEN 10 PRECEDING AND 5 FOLLOWING"])
        call = rng.choice(["count()", "sum(id)", "row_number()", "rank()", "dense_rank()", "min(i8)", "lagInFrame(id)", "leadInFrame(id, 1, 7)",
                           "first_value(s)", "last_value(u16)", "avg(id)", "max(d)", "nth_value(id, 2)"])
        name = self.alias()
        return f"SELECT id, {call} OVER ({partition}ORDER BY id{frame}) AS {name} FROM {source}{where}", [("id", "int"), (name, "int")]

    def query(self):
        rng = self.rng
        query, names = self.select(2, top=True)
        if rng.random() < 0.08:
            query = f"{query} {rng.choice(['UNION ALL', 'UNION DISTINCT', 'INTERSECT', 'EXCEPT'])} {query.replace('WHERE', 'WHERE NOT', 1)}"
            return query, False
        if rng.random() < 0.4:
            order = rng.choice(["", " DESC", " ASC NULLS FIRST"])
            query = f"SELECT * FROM ({query}) ORDER BY ALL{order}" if rng.random() < 0.5 else f"{query} ORDER BY {', '.join(n + order for n, _ in names)}"
            if rng.random() < 0.6:
                query += f" LIMIT {rng.randint(0, 10)}"
                if rng.random() < 0.3:
                    query += f" OFFSET {rng.randint(0, 5)}"
            return query, True
        return query, False


def answer_of_reference(session, query):
    try:
        return True, session.query(query, "TSV").bytes().decode(errors="replace")
    except Exception as error:  # noqa: BLE001
        return False, str(error)


class Asker:
    """One connection to the server."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, query, database, settings):
        parameters = urllib.parse.urlencode({"database": database, "default_format": "TSV", **settings})
        self.connection.request("POST", "/?" + parameters, query.encode())
        response = self.connection.getresponse()
        text = response.read().decode(errors="replace")
        return response.status == 200, text


def normal(text, is_sorted):
    return text if is_sorted else "".join(sorted(text.splitlines(keepends=True)))


def differences(expected, asker, query, is_sorted):
    """The ways in which Entasis' answer differs from `expected`."""
    out = []
    for way, database, settings in WAYS:
        good, text = asker.ask(query, database, settings)
        if good != expected[0] or good and normal(text, is_sorted) != normal(expected[1], is_sorted):
            out.append((way, good, text))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--restart", type=int, default=1000)
    parser.add_argument("--keep")
    options = parser.parse_args()

    rng = random.Random(options.seed)
    session = chdb.session.Session()
    data_seed = rng.random()
    for statement in setup(random.Random(data_seed), "merge", "MergeTree"):
        session.query(statement)
    session.query("USE merge")
    # max(x + 1) becomes max(x) + 1 in the reference, which is another value where there are no rows.
    session.query("SET optimize_arithmetic_operations_in_aggregate_functions = 0")
    server = OwnServer(options.binary, "fuzz")
    for database, engine in (("merge", "MergeTree"), ("memory", "Memory")):
        for statement in setup(random.Random(data_seed), database, engine):
            server.text(statement)
    folder = server.folder.name
    asker, errors, known, wrong = Asker(server.port), 0, 0, []
    for number in range(options.count):
        if number and number % options.restart == 0:
            # Memory tables lose their rows with the server, and are filled again.
            server.process.terminate()
            server.process.wait()
            holder, server = server, OwnServer(options.binary, "fuzz", path=folder)
            server.folder = holder.folder
            server.text("DROP DATABASE memory")
            for statement in setup(random.Random(data_seed), "memory", "Memory"):
                server.text(statement)
            asker = Asker(server.port)
        query, is_sorted = Maker(rng).query()
        expected = answer_of_reference(session, query)
        errors += not expected[0]
        found = differences(expected, asker, query, is_sorted)
        if not found:
            continue
        if all(not good and any(word in text for word in KNOWN_ERRORS) for _, good, text in found):
            known += 1
            continue
        wrong.append(query)
        way, good, text = found[0]
        print(f"#{number} {query}\n  {', '.join(w for w, _, _ in found)}\n  reference: {expected[1][:300]!r}\n  entasis:   {text[:300]!r}", flush=True)
    server.stop()
    if options.keep:
        with open(options.keep, "w", encoding="utf-8") as out:
            out.writelines(f"{query}\n" for query in wrong)
    print(f"{options.count} queries with seed {options.seed}: {len(wrong)} differ, {known} are not implemented, {errors} fail in both engines")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

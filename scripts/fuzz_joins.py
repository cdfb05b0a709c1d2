#!/usr/bin/env python3
"""Asks Entasis, chdb and DuckDB the same randomly made joins and subqueries in plain SQL, and prints what Entasis answers alone.

    fuzz_joins.py ENTASIS [--seed N] [--count N] [--correlated] [--spill] [--chdb PYTHON] [--keep FILE]

The tables are small, with NULLs, repeated values, one row and no row. Settings make the dialect answer as the SQL standard says
(STANDARD of bench_joins.py). Entasis answers each query in several ways (WAYS), which must agree. An answer is compared as a sorted
list of its lines. A query is a fault if Entasis' answer is neither chdb's nor DuckDB's, if two ways differ, or if Entasis fails
where one of the others answers; `--correlated` also makes subqueries that use columns of the outer query. The summary counts the
answers that only chdb or only DuckDB shares. The same seed makes the same queries. The Python that runs this needs duckdb, the one
that `--chdb` names needs chdb; without it DuckDB is the only reference.
"""
import argparse
import collections
import random
import sys
import tempfile

import bench_joins
import hits_suite as suite

TABLES = {'t1': 20, 't2': 12, 't3': 6, 't4': 1, 't5': 0, 't6': 45}
# Columns of each table: its key has no NULL and is unique.
COLUMNS = [('id', 'INTEGER NOT NULL', 'Int32'), ('x', 'INTEGER', 'Nullable(Int32)'), ('y', 'BIGINT', 'Nullable(Int64)'),
           ('z', 'INTEGER NOT NULL', 'Int32'), ('s', 'VARCHAR', 'Nullable(String)'), ('w', 'VARCHAR NOT NULL', 'String')]
NUMBERS, TEXTS = ['id', 'x', 'y', 'z'], ['s', 'w']
VALUES = {'x': [None, 0, 1, 2, 3, 5, 8], 'y': [None, None, 1, 2, 3, 4], 'z': [0, 1, 2, 3, 4, 5, 6, 7],
          's': [None, '', 'a', 'b', 'ab'], 'w': ['a', 'b', 'c', 'ab']}
# How Entasis is asked.
WAYS = [
    ('default', {}),
    ('no optimiser', {'query_plan_enable_optimizations': 0, 'max_execution_time': 5}),
    ('one row', {'max_block_size': 1, 'max_threads': 1}),
    ('merge joins', {'join_algorithm': "'full_sorting_merge,hash'", 'max_block_size': 3}),
    ('no filters', {'join_algorithm': "'partial_merge,hash'", 'enable_join_runtime_filters': 0}),
    ('seven rows', {'max_block_size': 7, 'max_threads': 4}),
]


def rows_of(rng, table):
    for number in range(TABLES[table]):
        yield [number if name == 'id' else rng.choice(VALUES[name]) for name, _, _ in COLUMNS]


def literal(value):
    return 'NULL' if value is None else f"'{value}'" if isinstance(value, str) else str(value)


def setup():
    """(statements for DuckDB, statements for the dialect)."""
    rng, duckdb, dialect = random.Random(7), [], []
    for table in TABLES:
        duckdb.append(f"CREATE TABLE {table} ({', '.join(f'{n} {t}' for n, t, _ in COLUMNS)})")
        dialect.append(f"CREATE TABLE {table} ({', '.join(f'{n} {t}' for n, _, t in COLUMNS)}) ENGINE = MergeTree ORDER BY id")
        rows = [f"({', '.join(map(literal, row))})" for row in rows_of(rng, table)]
        if rows:
            duckdb.append(f"INSERT INTO {table} VALUES {', '.join(rows)}")
            dialect.append(duckdb[-1])
    return duckdb, dialect


class Maker:
    """Makes queries from a seed."""

    def __init__(self, seed, correlated):
        self.rng, self.correlated, self.made = random.Random(seed), correlated, 0

    def chance(self, share):
        return self.rng.random() < share

    def alias(self):
        self.made += 1
        return f'a{self.made}'

    def column(self, aliases, names):
        return f'{self.rng.choice(aliases)}.{self.rng.choice(names)}'

    def number(self, aliases):
        plain = self.column(aliases, NUMBERS)
        kind = self.rng.random()
        if kind < 0.75:
            return plain
        if kind < 0.85:
            return f'{plain} + {self.rng.randint(0, 3)}'
        return f'coalesce({plain}, {self.column(aliases, ["id", "z"])})'

    def equality(self, left, right):
        """A column of one side equals one of the other."""
        if self.chance(0.2):
            return f'{self.column(left, TEXTS)} = {self.column(right, TEXTS)}'
        pair = [self.number(left), self.number(right)]
        self.rng.shuffle(pair)
        return ' = '.join(pair)

    def condition(self, aliases, depth=0):
        """A predicate over the columns of some tables, mostly simple ones."""
        kind, number = self.rng.random(), self.number(aliases)
        if kind < 0.25:
            return f"{number} {self.rng.choice(['<', '<=', '>', '<>', '='])} {self.rng.randint(0, 6)}"
        if kind < 0.37:
            return f"{number} {self.rng.choice(['<', '>=', '<>', '='])} {self.number(aliases)}"
        if kind < 0.47:
            return f"{self.column(aliases, NUMBERS + TEXTS)} IS {self.rng.choice(['NULL', 'NOT NULL'])}"
        if kind < 0.55:
            return f"{number} IN ({', '.join(str(self.rng.randint(0, 8)) for _ in range(self.rng.randint(1, 4)))})"
        if kind < 0.62:
            return f"{number} BETWEEN {self.rng.randint(0, 3)} AND {self.rng.randint(2, 8)}"
        if kind < 0.7:
            return f"{self.column(aliases, TEXTS)} {self.rng.choice(['=', '<>', 'LIKE'])} {self.rng.choice(TEXT_VALUES)}"
        if depth < 2 and kind < 0.92:
            joined = self.rng.choice([' OR ', ' OR ', ' AND ']).join(
                self.condition(aliases, depth + 1) for _ in range(self.rng.randint(2, 3)))
            return f"{self.rng.choice(['', '', 'NOT '])}({joined})"
        if depth < 2 and self.chance(0.15):
            return self.rng.choice(['1 = 1', '1 = 0'])
        return f'{number} = {number}'

    def join_condition(self, before, after):
        """What ON says of a table and those before it."""
        if self.chance(0.08):
            return self.inequalities(before, after)
        parts = [self.equality(before, [after]) for _ in range(2 if self.chance(0.25) else 1)]
        if self.chance(0.12):
            parts = [f'({parts[0]} OR {self.equality(before, [after])})'] + parts[1:]
        if self.chance(0.15):
            parts.append(self.condition([after]))
        if self.chance(0.1):
            parts.append(self.condition(before))
        if self.chance(0.12):
            parts.append(f"{self.number(before)} {self.rng.choice(['<', '<=', '<>'])} {self.number([after])}")
        return ' AND '.join(parts)

    def inequalities(self, before, after):
        """A condition without an equality of both sides."""
        parts = [f"{self.number(before)} {self.rng.choice(['<', '<=', '>', '>='])} {self.number([after])}"
                 for _ in range(self.rng.choice([1, 2, 2, 3]))]
        if self.chance(0.2):
            parts.append(f"{self.column(before, TEXTS)} {self.rng.choice(['<', '>='])} {self.column([after], TEXTS)}")
        return ' AND '.join(parts)

    def source(self):
        """A table or a derived table with the columns of one."""
        table = self.rng.choice(list(TABLES))
        kind = self.rng.random()
        if kind < 0.8:
            return table
        if kind < 0.87:
            return f'(SELECT * FROM {table} AS q WHERE {self.condition(["q"])})'
        if kind < 0.94:
            return (f"(SELECT max(q.id) AS id, q.x AS x, sum(q.y) AS y, max(q.z) AS z, min(q.s) AS s, max(q.w) AS w "
                    f"FROM {table} AS q GROUP BY q.x)")
        return f"(SELECT * FROM {table} UNION ALL SELECT * FROM {self.rng.choice(list(TABLES))})"

    def tables(self, most):
        """(FROM clause, conditions that WHERE must have, aliases)."""
        count = self.rng.choice([1, 2, 2, 3, 3, 4, 5][:most + 2])
        aliases, conditions = [self.alias()], []
        text = f'{self.source()} AS {aliases[0]}'
        commas = self.chance(0.35)
        for _ in range(count - 1):
            alias, source = self.alias(), self.source()
            if commas and not self.chance(0.15):
                text += f', {source} AS {alias}'
                if not self.chance(0.05):
                    conditions.append(self.equality(aliases, [alias]))
            else:
                kind = self.rng.choice(['JOIN', 'JOIN', 'LEFT JOIN', 'LEFT JOIN', 'RIGHT JOIN', 'FULL JOIN'])
                text += f' {kind} {source} AS {alias} ON {self.join_condition(aliases, alias)}'
            aliases.append(alias)
        return text, conditions, aliases

    def subquery_condition(self, outer):
        """EXISTS, IN or a comparison with a scalar; correlated if asked for."""
        source, alias = self.source(), self.alias()
        conditions = [self.condition([alias])] if self.chance(0.6) else []
        if self.correlated and self.chance(0.8):
            conditions.append(self.equality(outer, [alias]))
            if self.chance(0.2):
                conditions.append(f"{self.number(outer)} {self.rng.choice(['<', '<>'])} {self.number([alias])}")
            if self.chance(0.1):
                conditions.append(self.subquery_condition([alias]))
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ''
        kind = self.rng.random()
        if kind < 0.35:
            return f"{self.rng.choice(['', 'NOT '])}EXISTS (SELECT * FROM {source} AS {alias}{where})"
        if kind < 0.65:
            # The dialect differs from the standard for NULL in the set, and for NULL that is NOT IN an empty set.
            tested, word = self.column(outer, ['id', 'z']), self.rng.choice(['IN', 'NOT IN'])
            tested = tested if word == 'IN' else f'coalesce({tested}, 3)'
            inner = f"coalesce({self.column([alias], ['id', 'z'])}, 2)"
            return f'{tested} {word} (SELECT {inner} FROM {source} AS {alias}{where})'
        function = self.rng.choice(['max', 'min', 'sum', 'count'])
        return (f"{self.number(outer)} {self.rng.choice(['<', '>', '=', '<='])} "
                f"(SELECT {function}({self.column([alias], NUMBERS)}) FROM {source} AS {alias}{where})")

    def select(self):
        """A whole query."""
        text, conditions, aliases = self.tables(5)
        conditions += [self.condition(aliases) for _ in range(self.rng.choice([0, 0, 1, 1, 2, 3]))]
        if self.chance(0.7 if self.correlated else 0.25):
            made = self.subquery_condition(aliases)
            conditions.append(f'({made} OR {self.condition(aliases)})' if self.chance(0.15) else made)
        self.rng.shuffle(conditions)
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ''
        kind = self.rng.random()
        if kind < 0.4:
            outputs = ', '.join(self.column(aliases, NUMBERS + TEXTS) + f' AS c{i}' for i in range(self.rng.randint(1, 4)))
            if self.correlated and self.chance(0.15):
                inner = self.alias()
                outputs += (f', (SELECT {self.rng.choice(["max", "sum", "count"])}({inner}.{self.rng.choice(NUMBERS)}) FROM '
                            f'{self.source()} AS {inner} WHERE {self.equality(aliases, [inner])}) AS e')
            return f"SELECT {'DISTINCT ' if self.chance(0.2) else ''}{outputs} FROM {text}{where}"
        counted = (f"count(*) AS n, sum({self.number(aliases)}) AS m, count({self.column(aliases, NUMBERS + TEXTS)}) AS k, "
                   f"min({self.column(aliases, TEXTS)}) AS l")
        if kind < 0.65:
            return f'SELECT {counted} FROM {text}{where}'
        keys = [self.column(aliases, NUMBERS + TEXTS) for _ in range(self.rng.randint(1, 2))]
        having = f' HAVING count(*) > {self.rng.randint(0, 3)}' if self.chance(0.3) else ''
        return f"SELECT {', '.join(f'{k} AS k{i}' for i, k in enumerate(keys))}, {counted} FROM {text}{where} GROUP BY {', '.join(keys)}{having}"

    def query(self):
        self.made = 0
        text = self.select()
        if self.chance(0.06):
            self.made += 50
            kind = self.rng.choice(['UNION ALL', 'UNION', 'INTERSECT', 'EXCEPT'])
            sides = []
            for _ in range(2):
                source, conditions, aliases = self.tables(3)
                where = f" WHERE {' AND '.join(conditions)}" if conditions else ''
                sides.append(f"SELECT {self.column(aliases, ['x', 'z'])} AS u, {self.column(aliases, TEXTS)} AS v FROM {source}{where}")
            text = f' {kind} '.join(sides)
        return text


TEXT_VALUES = ["'a'", "'b'", "'a%'", "''"]


class Engines:
    """A process of each engine with the tables."""

    def __init__(self, a):
        self.a, self.folder = a, tempfile.TemporaryDirectory(prefix='fuzz-joins-')
        duckdb, dialect = setup()
        self.settings = {**bench_joins.STANDARD, 'max_memory_usage': 4_000_000_000}
        self.drivers = {'duckdb': self.start('duckdb', [sys.executable, suite.DRIVER, 'duckdb', ':memory:', '2'], duckdb)}
        if a.chdb:
            self.drivers['chdb'] = self.start('chdb', [a.chdb, suite.DRIVER, 'chdb', f'{self.folder.name}/chdb', '2'], dialect)
        self.entasis = [a.binary, 'local', '--path', f'{self.folder.name}/entasis', '--bench-driver', '--max_threads=2']
        if a.spill:
            self.entasis.append('--max_bytes_before_external_join=1')
        self.drivers['entasis'] = self.start('entasis', self.entasis, dialect)

    def start(self, engine, command, statements):
        driver = suite.Driver(command, timeout=60)
        if engine != 'duckdb':
            for name, value in self.settings.items():
                driver.must(f'SET {name} = {value}')
        for statement in statements:
            driver.must(statement)
        return driver

    def ask(self, engine, text):
        """(sorted lines, error)."""
        try:
            answer = self.drivers[engine].ask(text, text=True)
        except suite.DriverError as error:
            if engine == 'entasis':
                self.drivers[engine] = self.start(engine, self.entasis, [])
                return None, f'the process: {error}'
            raise
        if answer.get('error'):
            return None, ' '.join(answer['error'].split())
        return sorted(answer['tsv'].decode().splitlines()), None


def with_settings(text, settings):
    return text + (' SETTINGS ' + ', '.join(f'{k} = {v}' for k, v in settings.items()) if settings else '')


def fault_of(engines, text, counts):
    """A text that says what is wrong with Entasis' answers, or None."""
    answers = {name: engines.ask('entasis', with_settings(text, settings)) for name, settings in WAYS}
    others = {name: engines.ask(name, text) for name in engines.drivers if name != 'entasis'}
    found, error = answers['default']
    for name, answer in answers.items():
        if answer[1] and 'TIMEOUT_EXCEEDED' in answer[1]:
            counts[f'timeout of {name}'] += 1  # Joins by commas are products without the optimiser.
        elif answer[0] != found:
            return f'{name}: {short(answer)} against {short(answers["default"])}'
    if error:
        answered = [name for name, (lines, _) in others.items() if lines is not None]
        # An error of chdb as well is the dialect's.
        counts[f"error {error.rsplit('(', 1)[-1].rstrip(')')}"] += 1
        wrong = 'chdb' in answered or ('chdb' not in others and answered) or 'the process' in error
        return f'error where {", ".join(answered)} answer: {error[:300]}' if wrong else None
    same = sorted(name for name, (lines, _) in others.items() if lines == found)
    known = sorted(name for name, (lines, _) in others.items() if lines is not None)
    counts['same as ' + ' and '.join(same) if same else 'alone'] += 1
    counts['rows'] += len(found)
    if not same and known == ['chdb'] and engines.a.correlated:
        counts['not judged'] += 1  # chdb answers NULL for the count of no rows, and DuckDB does not take the query.
    elif not same and known:
        return '; '.join([f'entasis {short(answers["default"])}'] + [f'{name} {short(others[name])}' for name in known])
    if 'chdb' in known and same == ['duckdb']:
        counts['chdb differs'] += 1
    return None


def short(answer):
    lines, error = answer
    return (error or '')[:200] if lines is None else f"{len(lines)} rows {' | '.join(lines[:5])[:160]}"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('binary')
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--count', type=int, default=2000)
    p.add_argument('--correlated', action='store_true')
    p.add_argument('--spill', action='store_true', help='all joins of Entasis write their rows to disk')
    p.add_argument('--chdb', metavar='PYTHON')
    p.add_argument('--keep', help='file for the queries that are faults, one a line')
    a = p.parse_args()
    engines, maker, counts, faults = Engines(a), Maker(a.seed, a.correlated), collections.Counter(), []
    for number in range(a.count):
        text = maker.query()
        if fault := fault_of(engines, text, counts):
            faults.append(text)
            print(f'{number}: {text}\n    {fault}', flush=True)
    for driver in engines.drivers.values():
        driver.stop()
    if a.keep:
        with open(a.keep, 'w') as f:
            f.write(''.join(text + '\n' for text in faults))
    print(f'{a.count} queries, {len(faults)} faults; ' + ', '.join(f'{count} {what}' for what, count in sorted(counts.items())))
    sys.exit(1 if faults else 0)


if __name__ == '__main__':
    main()

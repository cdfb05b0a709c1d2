#!/usr/bin/env python3
"""`make bench-joins`: the 22 queries of TPC-H and the 99 of TPC-DS, Entasis beside DuckDB on the same rows.

    bench_joins.py ENTASIS [--suite tpch|tpcds|all] [--sf 1] [--data DIR] [--queries 1,5-9] [--rounds 3] [--timeout 60]
                   [--memory BYTES] [--threads 2] [--json FILE] [--chdb PYTHON] [--load] [--show]

DuckDB generates the rows at the scale factor (`dbgen`, `dsdgen`), keeps them in DIR/tpch1.duckdb, and writes them to
DIR/tpch1/*.parquet; Entasis loads these into DIR/tpch1.entasis, with the tables of scripts/bench_joins_tables.py. What is there
already is used again. The query texts are those of DuckDB's `tpch_queries()` and `tpcds_queries()`, and both engines get them as
they are, but for REWRITTEN below. DuckDB reads its file attached to a database in memory.

Each engine answers in a process of its own. A query runs `--rounds` times in each, in turns, and the best time counts. An engine
that fails is not asked the same query again. Answers are compared as sorted multisets of rows. Another order of rows is just noted,
because ORDER BY rarely leaves no choice. Numbers with a fraction are equal within 1e-9 of their size. Verdicts:

    equal        the same rows
    equal: scale the same rows, but for digits that decimals of fewer decimal places cannot show: a quotient of decimals has the
                 scale of the dividend in ClickHouse's dialect, and is a floating-point number in DuckDB
    = chdb       other rows than DuckDB's, but those of chdb, which `--chdb` asks as well: the dialects differ
    differs      the first difference; errors and timeouts show their text

`--chdb PYTHON` also loads and asks chdb, in that Python, which has the package. `--load` only loads. `--show` prints the answers.
"""
import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import time

import bench_joins_tables as tables
import hits_suite as suite

TITLES = {'duckdb': 'DuckDB', 'entasis': 'Entasis', 'chdb': 'chdb'}
NAMES = {'tpch': 'TPC-H', 'tpcds': 'TPC-DS'}
GENERATORS = {'tpch': 'dbgen', 'tpcds': 'dsdgen'}

# What makes ClickHouse's dialect answer as the SQL standard says; Entasis and chdb get the same.
STANDARD = {
    # Columns of the side of an outer join that has no row are NULL, not the default of their type.
    'join_use_nulls': '1',
    # Keys that a grouping set leaves out are NULL, not the default of their type.
    'group_by_use_nulls': '1',
    # sum, min, max and avg of no rows are NULL.
    'aggregate_functions_null_for_empty': '1',
    # UNION, INTERSECT and EXCEPT without ALL or DISTINCT remove duplicates.
    'union_default_mode': "'DISTINCT'",
    'intersect_default_mode': "'DISTINCT'",
    'except_default_mode': "'DISTINCT'",
    # CAST of NULL is NULL.
    'cast_keep_nullable': '1',
}

# (suite, query) -> settings of that query alone.
PREFER_COLUMNS = {'prefer_column_name_to_alias': '1'}  # A name is the column before it is the alias of an expression around it.
LOSSY = {'allow_lossy_numeric_supertype': '1'}  # coalesce of a decimal and 0.0 is a number, not a Variant.
SETTINGS = {('tpcds', 36): PREFER_COLUMNS, ('tpcds', 66): PREFER_COLUMNS, ('tpcds', 75): LOSSY}

# (suite, query) -> [(what, instead, why)]: only what the dialect cannot say.
QUALIFIED = 'a qualified name that several joined tables have stays qualified as a name of the result: it needs an alias'
REWRITTEN = {
    ('tpcds', 47): [(f'v1.{name},\n', f'v1.{name} AS {name},\n', QUALIFIED) for name in ('d_year', 'avg_monthly_sales', 'sum_sales')],
    ('tpcds', 49): [(') CATALOG\n', ') catalog\n', 'names differ by case')],
}
REWRITTEN['tpcds', 57] = REWRITTEN['tpcds', 47]


def say(text=''):
    print(text, flush=True)


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('binary')
    p.add_argument('--suite', default='all', choices=['tpch', 'tpcds', 'all'])
    p.add_argument('--sf', default='1')
    p.add_argument('--data', default='joins-data', help='folder of the rows and the stores')
    p.add_argument('--queries', help="such as '1,5-9'")
    p.add_argument('--rounds', type=int, default=3)
    p.add_argument('--timeout', type=float, default=60.0, help='seconds for one query')
    p.add_argument('--memory', default='0', help='max_memory_usage of a query in Entasis, in bytes')
    p.add_argument('--threads', type=int, default=2)
    p.add_argument('--json', help='file that everything measured is written to')
    p.add_argument('--chdb', metavar='PYTHON', help='a Python with the package chdb: its answers are a third column')
    p.add_argument('--load', action='store_true', help='make the data and the stores, and stop')
    p.add_argument('--show', action='store_true', help='print every answer that differs')
    a = p.parse_args()
    a.data = os.path.abspath(a.data)
    a.suites = ['tpch', 'tpcds'] if a.suite == 'all' else [a.suite]
    a.engines = ['duckdb', 'entasis'] + (['chdb'] if a.chdb else [])
    return a


def numbers(text):
    """The numbers that text such as '1,5-9' names, or None for all."""
    if not text:
        return None
    parts = [part.partition('-') for part in text.split(',')]
    return {n for first, _, last in parts for n in range(int(first), int(last or first) + 1)}


# ---------------------------------------------------------------- rows and stores

def extended():
    """A connection of DuckDB in memory that can load the extensions of the packages."""
    import duckdb
    import duckdb_ext
    connection = duckdb.connect()
    folder = os.path.join(list(duckdb_ext.__path__)[0], 'extensions')
    connection.execute('SET autoinstall_known_extensions = false')
    connection.execute('SET extension_directory = ?', (folder,))
    return connection


def query_texts(kind):
    """[(number, text)] of a suite, as DuckDB has them."""
    connection = extended()
    connection.execute(f'LOAD {kind}')
    rows = connection.execute(f'SELECT query_nr, query FROM {kind}_queries() ORDER BY query_nr').fetchall()
    return [(number, text.strip().rstrip(';')) for number, text in rows]


def base_path(a, kind):
    """Start of the names of a suite's files: tpch1, tpcds001 for a scale factor of 0.01."""
    return os.path.join(a.data, kind + a.sf.replace('.', ''))


def generate(a, kind):
    """The database file and the Parquet files of a suite, if they are not there."""
    base = base_path(a, kind)
    if not os.path.exists(base + '.duckdb'):
        say(f'{NAMES[kind]}: generating rows of scale factor {a.sf}')
        partial = base + '.partial'
        suite_files = [partial, partial + '.wal']
        for name in suite_files:
            if os.path.exists(name):
                os.remove(name)
        connection = extended()
        connection.execute(f'LOAD {kind}')
        connection.execute(f"ATTACH '{partial}' AS made")
        connection.execute('USE made')
        connection.execute(f'CALL {GENERATORS[kind]}(sf = {float(a.sf)})')
        connection.execute('USE memory')
        connection.execute('DETACH made')
        os.rename(partial, base + '.duckdb')
    if not os.path.isdir(base):
        say(f'{NAMES[kind]}: writing Parquet')
        shutil.rmtree(base + '.partial', ignore_errors=True)
        os.makedirs(base + '.partial')
        connection = extended()
        connection.execute(f"ATTACH '{base}.duckdb' AS made (READ_ONLY)")
        for table in tables.KEYS[kind]:
            connection.execute(f"COPY made.{table} TO '{base}.partial/{table}.parquet' (FORMAT parquet)")
        os.rename(base + '.partial', base)


def described(a, kind, table):
    """[(column, DuckDB's type)] of a table."""
    connection = extended()
    connection.execute(f"ATTACH '{base_path(a, kind)}.duckdb' AS made (READ_ONLY)")
    return [(row[0], row[1]) for row in connection.execute(f'DESCRIBE made.{table}').fetchall()]


def load(a, kind, engine):
    """Fills the store of an engine from the Parquet files, if it is not there."""
    base = base_path(a, kind)
    store = f'{base}.{engine}'
    if os.path.isdir(store):
        return
    shutil.rmtree(store + '.partial', ignore_errors=True)
    start = time.monotonic()
    driver = suite.Driver(command(a, engine, store + '.partial'), timeout=7200)
    for table in tables.KEYS[kind]:
        columns = described(a, kind, table)
        driver.must(tables.create_statement(kind, table, columns))
        names = ', '.join(name for name, _ in columns)
        driver.must(f"INSERT INTO {table} ({names}) SELECT {names} FROM file('{base}/{table}.parquet', 'Parquet')")
        driver.must(f'OPTIMIZE TABLE {table} FINAL')
    driver.stop()
    os.rename(store + '.partial', store)
    say(f'{NAMES[kind]}: {TITLES[engine]} loaded in {time.monotonic() - start:.1f} s')


def command(a, engine, store):
    """The command line of an engine's driver."""
    if engine == 'chdb':
        return [a.chdb, suite.DRIVER, engine, store, str(a.threads)]
    return suite.driver_command(engine, ':memory:' if engine == 'duckdb' else store, a.binary, a.threads)


# ---------------------------------------------------------------- answers

def number(field):
    try:
        return float(field)
    except ValueError:
        return None


def places(field):
    """Digits after the point of a plain decimal; None for other numbers."""
    whole, _, fraction = field.partition('.')
    return len(fraction) if whole.lstrip('-').isdigit() and (not fraction or fraction.isdigit()) else None


def alike(mine, other):
    """'equal', 'scale' or None for two fields."""
    if mine == other:
        return 'equal'
    x, y = number(mine), number(other)
    if x is None or y is None:
        return None
    if math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(x) and math.isnan(y)):
        return 'equal'
    digits = places(mine)
    return 'scale' if digits is not None and abs(x - y) < 10.0 ** -digits and digits < (places(other) or 99) else None


def sorted_rows(rows, numeric):
    """Rows in an order that small differences of numbers change only among rows that are otherwise alike."""
    def key(row):
        texts = [field for field, is_number in zip(row, numeric) if not is_number]
        values = [number(field) for field, is_number in zip(row, numeric) if is_number]
        return texts, [(value is None, value or 0.0) for value in values]
    return sorted(rows, key=key)


def difference(mine, other):
    """('equal' | 'equal: scale' | 'differs', where) of two answers as TSV."""
    mine, other = ([line.split('\t') for line in text.decode().splitlines()] for text in (mine, other))
    if len(mine) != len(other):
        return 'differs', f'{len(mine)} rows against {len(other)}'
    if not mine:
        return 'equal', ''
    if len(mine[0]) != len(other[0]):
        return 'differs', f'{len(mine[0])} columns against {len(other[0])}'
    numeric = [all(f == '\\N' or number(f) is not None for f in column) for column in zip(*mine, *other)]
    verdict = 'equal'
    for i, rows in enumerate(zip(sorted_rows(mine, numeric), sorted_rows(other, numeric))):
        for j, (x, y) in enumerate(zip(*rows)):
            kind = alike(x, y)
            if kind is None:
                return 'differs', f'row {i + 1} column {j + 1}: {x[:40]} against {y[:40]}'
            verdict = 'equal: scale' if kind == 'scale' else verdict
    in_order = all(alike(x, y) for rows in zip(mine, other) for x, y in zip(*rows))
    return verdict, '' if in_order else 'rows in another order'


# ---------------------------------------------------------------- queries

class Run:
    """One suite: the engines' processes, times and answers."""

    def __init__(self, a, kind):
        self.a, self.kind, self.drivers = a, kind, {}
        for engine in a.engines:
            self.open(engine)

    def open(self, engine):
        """Starts an engine's process and sets it up."""
        store = f'{base_path(self.a, self.kind)}.{engine}'
        driver = self.drivers[engine] = suite.Driver(command(self.a, engine, store), timeout=600)
        if engine == 'duckdb':
            driver.must(f"ATTACH '{store}' AS made (READ_ONLY)")
            driver.must('USE made')
            return
        self.set(engine, STANDARD)
        driver.must(f'SET max_execution_time = {math.ceil(self.a.timeout)}')
        if engine == 'chdb':
            driver.must('SET use_query_condition_cache = 0, use_query_cache = 0')
        elif self.a.memory != '0':
            driver.must(f'SET max_memory_usage = {self.a.memory}')

    def set(self, engine, settings):
        """Settings of the dialect; DuckDB has none of them."""
        for name, value in settings.items() if engine != 'duckdb' else ():
            self.drivers[engine].must(f'SET {name} = {value}')

    def ask(self, engine, text, settings):
        """(seconds, TSV, error): either the last or the first two are None."""
        driver = self.drivers[engine]
        try:
            self.set(engine, settings)
            answer = driver.ask(text, text=True, timeout=self.a.timeout + (0 if engine == 'duckdb' else 5))
            self.set(engine, dict.fromkeys(settings, '0'))
        except suite.DriverError as error:
            driver.stop(hard=True)
            self.open(engine)
            return None, None, 'timeout' if 'no answer' in str(error) else str(error)
        if answer.get('error'):
            error = ' '.join(answer['error'].split())
            return None, None, 'timeout' if 'TIMEOUT_EXCEEDED' in error else error
        return answer['seconds'], answer['tsv'], None

    def query(self, name, text):
        """Times, verdict and note of one query."""
        best, found, errors = {}, {}, {}
        special = SETTINGS.get((self.kind, name), {})
        for _ in range(self.a.rounds):
            for engine in self.a.engines:
                if engine in errors:
                    continue
                seconds, tsv, error = self.ask(engine, self.worded(name, text, engine), special)
                if error:
                    errors[engine] = error
                    best.pop(engine, None)
                    continue
                best[engine] = min(seconds, best.get(engine, seconds))
                found[engine] = tsv
        verdict, note = self.judge(found, errors)
        if self.a.show and verdict == 'differs':
            for engine, tsv in found.items():
                say(f'--- {name} {TITLES[engine]}\n{tsv.decode()}')
        rows = max((tsv.count(b'\n') for tsv in found.values()), default=0)
        return {'query': name, 'ms': {e: s * 1e3 for e, s in best.items()}, 'rows': rows, 'verdict': verdict, 'note': note, 'errors': errors}

    def planning(self, name, text):
        """Seconds that Entasis takes to analyse and plan a query, with the text of the plan: the best of several EXPLAIN."""
        explain = 'EXPLAIN ' + self.worded(name, text, 'entasis')
        taken = [self.ask('entasis', explain, SETTINGS.get((self.kind, name), {}))[0] for _ in range(5)]
        return min((seconds for seconds in taken if seconds is not None), default=None)

    def worded(self, name, text, engine):
        """The text for an engine: as it is, or as the dialect needs it."""
        if engine != 'duckdb':
            for what, instead, _ in REWRITTEN.get((self.kind, name), []):
                text = text.replace(what, instead)
        return text

    def judge(self, found, errors):
        if 'entasis' in errors:
            return ('timeout' if errors['entasis'] == 'timeout' else 'error'), errors['entasis']
        if 'duckdb' not in found:
            return 'no answer to compare with', errors.get('duckdb', '')
        verdict, note = difference(found['entasis'], found['duckdb'])
        if verdict == 'differs' and 'chdb' in found and difference(found['entasis'], found['chdb'])[0] == 'equal':
            return '= chdb', note
        return verdict, note

    def close(self):
        for driver in self.drivers.values():
            driver.stop()


def milliseconds(value):
    return '-' if value is None else f'{value:.1f}' if value < 100 else f'{value:.0f}'


def ratio_of(result):
    mine, other = result['ms'].get('entasis'), result['ms'].get('duckdb')
    return mine / other if mine and other else None


def line(a, name, cells, ratio, rest):
    return f"{name:>5}  {'  '.join(f'{cell:>11}' for cell in cells)}  {ratio:>7}  {rest}"


def summary(a, results):
    """Totals and the geometric mean over the queries that every engine answered."""
    both = [r for r in results if all(e in r['ms'] for e in ('duckdb', 'entasis'))]
    totals = {e: sum(r['ms'].get(e, 0.0) for r in both) for e in a.engines}
    ratios = [ratio_of(r) for r in both]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None
    verdicts = {}
    for r in results:
        verdicts[r['verdict']] = verdicts.get(r['verdict'], 0) + 1
    return {'answered': len(both), 'total_ms': totals, 'geometric_mean': mean, 'verdicts': verdicts}


def bench(a, kind):
    """Runs a suite and prints its table."""
    wanted = numbers(a.queries)
    run = Run(a, kind)
    say(f'\n{NAMES[kind]}, scale factor {a.sf}, {a.threads} threads, best of {a.rounds}; rows compared as sorted multisets')
    say(line(a, 'query', [f'{TITLES[e]} ms' for e in a.engines], 'ratio', '  rows  verdict'))
    results = []
    for place, text in query_texts(kind):
        if wanted and place not in wanted:
            continue
        result = run.query(place, text)
        planning = run.planning(place, text)
        result['planning_ms'] = None if planning is None else planning * 1e3
        results.append(result)
        ratio = ratio_of(result)
        note = f": {result['note'][:200]}" if result['note'] and result['verdict'] != 'timeout' else ''
        say(line(a, place, [milliseconds(result['ms'].get(e)) for e in a.engines], f'{ratio:.2f}' if ratio else '-',
                 f"{result['rows']:>6}  {result['verdict']}{note}"))
    run.close()
    sums = summary(a, results)
    planning = sorted((r['planning_ms'], r['query']) for r in results if r['planning_ms'])
    if planning:
        middle, (most, query) = planning[len(planning) // 2][0], planning[-1]
        say(f'planning (EXPLAIN): median {milliseconds(middle)} ms, most {milliseconds(most)} ms (query {query})')
    mean = f"{sums['geometric_mean']:.2f}" if sums['geometric_mean'] else '-'
    say(line(a, 'total', [milliseconds(sums['total_ms'][e]) for e in a.engines], mean,
             f"geometric mean of the ratios of the {sums['answered']} queries that both answered; Entasis / DuckDB"))
    say('verdicts: ' + ', '.join(f'{count} {verdict}' for verdict, count in sorted(sums['verdicts'].items())))
    return {'suite': kind, 'sf': a.sf, 'threads': a.threads, 'rounds': a.rounds, 'queries': results, 'summary': sums}


def main():
    a = arguments()
    os.makedirs(a.data, exist_ok=True)
    for kind in a.suites:
        generate(a, kind)
        for engine in a.engines[1:]:
            load(a, kind, engine)
    if a.load:
        return
    commit = subprocess.run(['git', 'rev-parse', '--short', 'HEAD'], cwd=suite.ROOT, capture_output=True, text=True).stdout.strip()
    made = {'commit': commit, 'settings': STANDARD, 'suites': [bench(a, kind) for kind in a.suites]}
    if a.json:
        with open(a.json, 'w') as f:
            json.dump(made, f, indent=1)


if __name__ == '__main__':
    sys.exit(main())

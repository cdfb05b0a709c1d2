#!/usr/bin/env python3
"""`make bench-large-join`: a join of 100 million rows with 10 million, on an integer key, in Entasis, DuckDB and the reference engine.

    bench_large_join.py ENTASIS [--data DIR] [--rows 100000000] [--rounds 3] [--threads 2] [--chdb PYTHON] [--memory BYTES]

`--rows` are those of the large table; the small one has a tenth. Keys are dense (0, 1, 2, ...) in one pair of tables, and scattered
over 64 bits in the other. Engines run in turns, each with tables in its own format, and the best time counts. Then Entasis runs under
`--memory` (2000000000), with the peak of its resident memory beside the time. All answers must be the same.
"""
import argparse
import os
import sys

import bench_joins as joins
import hits_suite as suite

# A multiplication by an odd number modulo 2^64 scatters keys and keeps them distinct.
SCATTER = 11400714819323198485


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('binary')
    p.add_argument('--data', default='joins-data')
    p.add_argument('--rows', type=int, default=100_000_000)
    p.add_argument('--rounds', type=int, default=3)
    p.add_argument('--threads', type=int, default=2)
    p.add_argument('--chdb', metavar='PYTHON')
    p.add_argument('--memory', type=int, default=2_000_000_000)
    a = p.parse_args()
    a.binary, a.data = os.path.abspath(a.binary), os.path.abspath(a.data)
    a.engines = ['duckdb', 'entasis'] + (['chdb'] if a.chdb else [])
    return a


def rows_of(engine, count):
    """A FROM clause with the numbers below `count` in a column n."""
    return f'(SELECT range AS n FROM range({count}))' if engine == 'duckdb' else f'(SELECT number AS n FROM numbers_mt({count}))'


def key(engine, expr, scattered):
    if not scattered:
        return expr if engine != 'duckdb' else f'({expr})::UBIGINT'
    if engine == 'duckdb':
        return f'(({expr})::HUGEINT * {SCATTER} % 18446744073709551616::HUGEINT)::UBIGINT'
    return f'{expr} * toUInt64({SCATTER})'


def load(a, engine, scattered):
    """The driver of an engine, with its tables filled."""
    store = os.path.join(a.data, f"large_join{a.rows}{'s' if scattered else 'd'}.{engine}")
    there = os.path.exists(store)
    driver = suite.Driver(joins.command(a, engine, store), timeout=3600)
    if engine == 'duckdb':
        driver.must(f"ATTACH '{store}' AS made")
        driver.must('USE made')
    elif not there and engine == 'chdb':
        driver.must('CREATE DATABASE IF NOT EXISTS made')
    if there:
        return driver
    # Every key of the small table has ten rows in the large one, in no order.
    small = a.rows // 10
    of_large = f'(n * 7919 + n // {small}) % {small}' if engine == 'duckdb' else f'(n * 7919 + intDiv(n, {small})) % {small}'
    engine_of = '' if engine == 'duckdb' else ' ENGINE = MergeTree ORDER BY tuple()'
    ints = ('UBIGINT', 'INTEGER') if engine == 'duckdb' else ('UInt64', 'Int32')
    for name, count, of in (('large', a.rows, of_large), ('small', small, 'n')):
        driver.must(f'CREATE TABLE {name}_rows (k {ints[0]}, v {ints[1]}){engine_of}')
        driver.must(f'INSERT INTO {name}_rows SELECT {key(engine, of, scattered)}, n % 1000 FROM {rows_of(engine, count)}')
    return driver


QUERY = 'SELECT count(*), sum(l.v + s.v) FROM large_rows AS l JOIN small_rows AS s ON l.k = s.k'


def main():
    a = arguments()
    os.makedirs(a.data, exist_ok=True)
    for scattered in (False, True):
        print(f"{'scattered' if scattered else 'dense'} keys, {a.rows} rows with {a.rows // 10}, {a.threads} threads, best of {a.rounds}", flush=True)
        drivers = {engine: load(a, engine, scattered) for engine in a.engines}
        best, answers = {}, {}
        for _ in range(a.rounds):
            for engine, driver in drivers.items():
                answer = driver.must(QUERY, text=True)
                best[engine] = min(answer['seconds'], best.get(engine, 1e9))
                answers[engine] = answer['tsv']
        if len(set(answers.values())) != 1:
            sys.exit(f'answers differ: {answers}')
        peer = min(seconds for engine, seconds in best.items() if engine != 'entasis')
        print('  '.join(f'{engine} {seconds * 1e3:.0f} ms' for engine, seconds in best.items()), f"  Entasis / better peer: {best['entasis'] / peer:.2f}", flush=True)
        driver = drivers['entasis']
        driver.must(f'SET max_memory_usage = {a.memory}')
        driver.forget_peak()
        answer = driver.ask(QUERY, text=True)
        peak = driver.peak() / 1e6
        verdict = answer.get('error') or ('same answer' if answer['tsv'] == answers['entasis'] else 'ANOTHER ANSWER')
        print(f"with {a.memory} bytes: {answer.get('seconds', 0) * 1e3:.0f} ms, peak {peak:.0f} MB resident, {verdict}", flush=True)
        for driver in drivers.values():
            driver.stop()


if __name__ == '__main__':
    main()

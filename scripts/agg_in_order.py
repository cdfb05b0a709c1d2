#!/usr/bin/env python3
"""`SimpleAggregateFunction(String)` in the key of an AggregatingMergeTree, read in its order: Entasis and chdb side by side.

The workload of `optimize_aggregation_in_order` whose profile showed arenas being made for nothing: a table of several
parts that overlap in half of their keys, eight aggregates that most rows leave NULL. Each statement runs in a process
of its own (one run to warm up, one that counts), the engines in turn, `--runs` times; shown are medians of seconds and
of peak resident memory. Answers must be equal. OPTIMIZE and INSERT come once per run, on a fresh table.

    agg_in_order.py [--rows N] [--parts N] [--runs 5] [--threads 2] [--binary FILE] [--folder DIR]
"""
import argparse
import os
import shutil
import statistics
import sys
import tempfile

import hits_suite as suite

ENGINES = ('entasis', 'chdb')
SUMS = [f's{i}' for i in range(6)]
COLUMNS = ', '.join(['key SimpleAggregateFunction(max, String)', 'first SimpleAggregateFunction(max, Nullable(String))',
                     'most SimpleAggregateFunction(max, Nullable(Int64))']
                    + [f'{name} SimpleAggregateFunction(sum, Nullable(Int64))' for name in SUMS])
# No background merges: both engines read the parts that were inserted.
CREATE = f'''CREATE TABLE t ({COLUMNS}) ENGINE = AggregatingMergeTree ORDER BY key
    SETTINGS max_bytes_to_merge_at_max_space_in_pool = 1'''
OVER = f"count(), sum(cityHash64(key)), sum(length(first)), sum(most), {', '.join(f'sum({s})' for s in SUMS)}"
GROUPED = f"SELECT key, max(t.first) AS first, max(t.most) AS most, {', '.join(f'sum(t.{s}) AS {s}' for s in SUMS)} FROM t GROUP BY key"
STATEMENTS = {
    'GROUP BY in order': f'SELECT {OVER} FROM ({GROUPED}) SETTINGS optimize_aggregation_in_order = 1',
    'GROUP BY by hash': f'SELECT {OVER} FROM ({GROUPED}) SETTINGS optimize_aggregation_in_order = 0',
    'in order, LIMIT 100': f'SELECT count() FROM ({GROUPED} LIMIT 100) SETTINGS optimize_aggregation_in_order = 1',
    'FINAL': f'SELECT {OVER} FROM t FINAL',
}


def insert(part, rows):
    """One part: half of its keys are the next one's, too."""
    sums = ', '.join(f'if(number % {i + 2} = 0, NULL, toInt64(number * {i + 1}))' for i in range(len(SUMS)))
    return f'''INSERT INTO t SELECT concat('https://example.org/', toString(cityHash64(number + {part * rows // 2}) % 1000),
        '/', toString(number + {part * rows // 2})), if(number % 3 = 0, NULL, toString({part} + number % 100)),
        if(number % 5 = 0, NULL, toInt64(number)), {sums} FROM numbers({rows})
        SETTINGS max_insert_block_size = {rows}, min_insert_block_size_rows = {rows}, min_insert_block_size_bytes = 0'''


def driver(a, engine, folder):
    started = suite.Driver(suite.driver_command(engine, folder, a.binary, a.threads))
    started.must('SET allow_suspicious_primary_key = 1')
    return started


def load(a, engine, folder):
    """Seconds and peak of all INSERTs into a fresh table."""
    shutil.rmtree(folder, ignore_errors=True)
    d = driver(a, engine, folder)
    try:
        d.must(CREATE)
        seconds = sum(d.must(insert(part, a.rows), timeout=600)['seconds'] for part in range(a.parts))
        return seconds, d.peak()
    finally:
        d.stop()


def ask(a, engine, folder, statement):
    d = driver(a, engine, folder)
    try:
        first = d.must(statement, text=True, timeout=600)
        second = d.must(statement, text=True, timeout=600)
        return second['seconds'], d.peak(), first['tsv']
    finally:
        d.stop()


def optimize(a, engine, folder):
    d = driver(a, engine, folder)
    try:
        seconds = d.must('OPTIMIZE TABLE t FINAL', timeout=600)['seconds']
        peak = d.peak()
        rows = d.must('SELECT count() FROM t', text=True)['tsv']
        return seconds, peak, rows
    finally:
        d.stop()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--rows', type=int, default=1_000_000, help='rows of a part')
    p.add_argument('--parts', type=int, default=5)
    p.add_argument('--runs', type=int, default=5)
    p.add_argument('--threads', type=int, default=2)
    p.add_argument('--binary', default=os.environ.get('ENTASIS', os.path.join(suite.ROOT, 'target/release/entasis')))
    p.add_argument('--folder', help='where the tables go (a temporary folder)')
    a = p.parse_args()
    base = a.folder or tempfile.mkdtemp(prefix='agg-in-order-')
    samples, answers = {}, {}

    def note(what, engine, seconds, peak, answer=b''):
        samples.setdefault((what, engine), []).append((seconds, peak))
        if answers.setdefault(what, answer) != answer:
            sys.exit(f'{what}: {engine} answers {answer!r}, not {answers[what]!r}')

    for run in range(a.runs):
        order = ENGINES if run % 2 == 0 else ENGINES[::-1]
        folders = {engine: os.path.join(base, engine) for engine in ENGINES}
        for engine in order:
            note('INSERT', engine, *load(a, engine, folders[engine]))
        for what, statement in STATEMENTS.items():
            for engine in order:
                note(what, engine, *ask(a, engine, folders[engine], statement))
        for engine in order:
            note('OPTIMIZE FINAL', engine, *optimize(a, engine, folders[engine]))
    if not a.folder:
        shutil.rmtree(base, ignore_errors=True)
    print(f'{a.parts} parts of {a.rows:,} rows, {a.threads} threads, medians of {a.runs} runs (least to most)\n')
    print('| statement | Entasis, s | chdb, s | times faster | Entasis, MB | chdb, MB |')
    print('|---|---|---|---|---|---|')
    for what in ['INSERT', *STATEMENTS, 'OPTIMIZE FINAL']:
        cells, medians = [], {}
        for at, scale, form in ((0, 1.0, '{:.3f}'), (1, 1e6, '{:.0f}')):
            for engine in ENGINES:
                values = sorted(s[at] / scale for s in samples[what, engine])
                medians[at, engine] = statistics.median(values)
                spread = f' ({form.format(values[0])} to {form.format(values[-1])})'
                cells.append(form.format(medians[at, engine]) + spread)
        ratio = medians[0, 'chdb'] / medians[0, 'entasis']
        print(f'| {what} | {cells[0]} | {cells[1]} | {ratio:.2f} | {cells[2]} | {cells[3]} |')


if __name__ == '__main__':
    main()

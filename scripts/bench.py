#!/usr/bin/env python3
"""`make bench`: Entasis, chdb and DuckDB on the same rows, the suite of benches/hits, times against each other.

Each engine loads and answers in a process of its own, with two threads. Every query runs once to warm up (its answer
is compared with the reference's and its peak memory is read), then `--runs` times; queries come in a seeded random
order, and within one query the engines do. What is shown is the median. Files: bench-results/<time>.json and .md.

    bench.py [--data DIR | --rows N] [--engines entasis,chdb] [--queries 3,7-12] [--runs 5] [--quick] [--defaults]
             [--reuse DIR [--reload entasis]]
"""
import argparse
import json
import math
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import time

import hits_suite as suite

ENGINES = ('entasis', 'chdb', 'duckdb')
TITLES = {'entasis': 'Entasis', 'chdb': 'chdb', 'duckdb': 'DuckDB'}
# Widths of tables, and statements, for what planning costs.
WIDTHS = (10, 100, 1000, 5000)
PLANNED = ('SELECT count() AS c{n} FROM planning', 'SELECT column3, sum(column5) AS c{n} FROM planning WHERE column1 > {n} GROUP BY column3')
RESULTS = os.path.join(suite.ROOT, 'bench-results')


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--data', default=os.environ.get('DATA') or None, help='folder of Parquet files (DATA=dir)')
    p.add_argument('--rows', type=int, default=int(os.environ.get('ROWS') or 10_000_000), help='rows to generate without --data')
    p.add_argument('--binary', default=os.environ.get('ENTASIS', os.path.join(suite.ROOT, 'target/release/entasis')))
    p.add_argument('--engines', default=','.join(ENGINES))
    p.add_argument('--queries', help="such as '3,7-12'")
    p.add_argument('--runs', type=int, default=5)
    p.add_argument('--threads', type=int, default=2)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--quick', action='store_true', help='two runs, no counting of short queries')
    p.add_argument('--defaults', action='store_true', help='a second table with the defaults of every engine')
    p.add_argument('--reuse', help='folder that keeps the loaded tables; what is missing in it is loaded')
    p.add_argument('--reload', default='', help='engines to load again all the same')
    p.add_argument('--timeout', type=float, default=120.0, help='seconds for one query')
    p.add_argument('--times', help='also write query<TAB>seconds of the reference to this file')
    a = p.parse_args()
    a.engines = [e for e in ENGINES if e in a.engines.split(',')]
    a.reload = a.reload.split(',')
    a.runs = 2 if a.quick else a.runs
    return a


def say(text=''):
    print(text, flush=True)


# ---------------------------------------------------------------- rows and loading

def rows_folder(a):
    """Folder of Parquet files: the given one, or rows generated once."""
    if a.data:
        return os.path.abspath(a.data)
    folder = os.path.join(RESULTS, f'rows-{a.rows}')
    if not os.path.isdir(folder):
        say(f'generating {a.rows:,} rows')
        partial = folder + '.partial'
        shutil.rmtree(partial, ignore_errors=True)
        os.makedirs(partial)
        subprocess.run([a.binary, 'generate', '--rows', str(a.rows), '--seed', '1', '--out', partial], check=True)
        os.rename(partial, folder)
    return folder


def database_path(engine, folder):
    return os.path.join(folder, 'hits.duckdb' if engine == 'duckdb' else engine)


def forget(path):
    shutil.rmtree(path, ignore_errors=True)
    for name in (path, path + '.wal'):
        if os.path.isfile(name):
            os.remove(name)


def folder_bytes(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.lstat(os.path.join(d, f)).st_size for d, _, files in os.walk(path) for f in files)


def value(driver, query):
    """The single value of an answer, or None."""
    answer = driver.ask(query, text=True)
    return None if answer.get('error') else answer['tsv'].decode().strip()


def settle(engine, driver, path, limit=600):
    """Waits until background merges are done: no merge is listed and the folder keeps its size."""
    start = time.monotonic()
    last, quiet = None, 0
    while engine != 'duckdb' and quiet < 3 and time.monotonic() - start < limit:
        time.sleep(1)
        now = (value(driver, 'SELECT count() FROM system.merges') or '0', folder_bytes(path))
        quiet = quiet + 1 if now == last and now[0] == '0' else 0
        last = now
    return max(0.0, time.monotonic() - start - 3)


def stored_bytes(engine, driver, path):
    """Bytes of the active parts; DuckDB: its file after a checkpoint."""
    if engine == 'duckdb':
        driver.must('CHECKPOINT')
        return folder_bytes(path)
    parts = value(driver, "SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND table = 'hits'")
    return int(parts) if parts else folder_bytes(path)


def load(a, engine, rows, folder):
    """Loads the table in a process that ends afterwards; its figures."""
    path = database_path(engine, folder)
    forget(path)
    driver = suite.Driver(suite.driver_command(engine, path, a.binary, a.threads))
    try:
        if engine == 'duckdb':
            answer = driver.must(f"DESCRIBE SELECT * FROM read_parquet('{rows}/*.parquet')", text=True)
            found = dict(line.split('\t')[:2] for line in answer['tsv'].decode().splitlines())
            create, insert = suite.duckdb_create(), suite.duckdb_insert(rows, found)
        else:
            create, insert = suite.create_statement(), suite.insert_statement(rows)
        driver.must(create)
        start = time.monotonic()
        driver.must(insert, timeout=7200)
        seconds = time.monotonic() - start
        if engine == 'duckdb':
            driver.must('CHECKPOINT')
            seconds = time.monotonic() - start
        peak = driver.peak()
        merging = settle(engine, driver, path)
        count = int(value(driver, 'SELECT count(*) FROM hits') or 0)
        return {'seconds': seconds, 'merging': merging, 'bytes': stored_bytes(engine, driver, path), 'peak': peak,
                'rows': count, 'source': rows}
    finally:
        driver.stop()


def load_all(a, rows, folder):
    """engine -> figures of its load; engines that cannot load are left out of the comparison."""
    os.makedirs(folder, exist_ok=True)
    note = os.path.join(folder, 'load.json')
    loads = {}
    if os.path.exists(note):
        with open(note) as f:
            loads = json.load(f)
    for engine in list(a.engines):
        known = loads.get(engine, {}).get('source') == rows and os.path.exists(database_path(engine, folder))
        if known and engine not in a.reload:
            say(f'{TITLES[engine]}: table is there from an earlier load')
            continue
        loads.pop(engine, None)
        try:
            figures = loads[engine] = load(a, engine, rows, folder)
        except (suite.DriverError, OSError) as error:
            say(f'{TITLES[engine]}: cannot load: {error}')
            a.engines.remove(engine)
            continue
        say(f"{TITLES[engine]}: {figures['rows']:,} rows in {figures['seconds']:.1f} s, merges for another "
            f"{figures['merging']:.0f} s, {figures['bytes'] / 1e6:,.0f} MB on disk, peak {figures['peak'] / 1e6:,.0f} MB")
        with open(note, 'w') as f:
            json.dump(loads, f, indent=1)
    return loads


# ---------------------------------------------------------------- queries

class Run:
    """One table of the report: drivers, samples, errors and answers of all engines."""

    def __init__(self, a, queries, folder, defaults):
        self.a, self.queries, self.folder, self.defaults = a, queries, folder, defaults
        self.random = random.Random(a.seed)
        self.drivers, self.versions, self.idle, self.peaks = {}, {}, {}, {}
        self.samples = {(q.name, e): [] for q in queries for e in a.engines}
        self.memory, self.errors, self.answers, self.counts = {}, {}, {}, {}
        self.planning = {}
        for engine in a.engines:
            self.open(engine)

    def open(self, engine):
        """Starts the driver; the main table switches off what remembers earlier queries."""
        threads = (os.cpu_count() or 2) if self.defaults else self.a.threads
        path = database_path(engine, self.folder)
        driver = suite.Driver(suite.driver_command(engine, path, self.a.binary, threads))
        if engine == 'chdb' and not self.defaults:
            driver.must('SET use_query_condition_cache = 0, use_query_cache = 0')
        self.versions[engine] = value(driver, 'SELECT version()') or '?'
        self.idle[engine] = driver.peak()
        self.peaks.setdefault(engine, 0)
        self.drivers[engine] = driver

    def ask(self, query, engine, text):
        """An answer or None; a driver that died is started again and the query not asked of it any more."""
        key = (query.name, engine)
        if key in self.errors or query.text(engine) is None:
            return None
        driver = self.drivers[engine]
        try:
            answer = driver.ask(query.text(engine), text=text, timeout=self.a.timeout)
        except suite.DriverError as error:
            self.errors[key] = str(error)
            driver.stop(hard=True)
            self.open(engine)
            return None
        if answer.get('error'):
            self.errors[key] = ' '.join(answer['error'].split())
            return None
        return answer

    def warm_up(self):
        """Every query once: answers compared, peak memory of each."""
        base = 'chdb' if 'chdb' in self.a.engines else self.a.engines[0]
        for query in self.queries:
            found, parts = {}, []
            for engine in self.a.engines:
                self.drivers[engine].forget_peak()
                answer = self.ask(query, engine, text=True)
                if answer is None:
                    parts.append(f'{TITLES[engine]} ' + ('-' if query.text(engine) is None else 'FAILED'))
                    continue
                peak = self.drivers[engine].peak()
                self.memory[query.name, engine] = peak
                self.peaks[engine] = max(self.peaks[engine], peak)
                found[engine] = answer
                parts.append(f"{TITLES[engine]} {answer['seconds'] * 1e3:.1f}")
            say(f'{query.name:28} {"  ".join(parts)}')
            self.compare(query, found, base)
        for (name, engine), error in self.errors.items():
            say(f'  {TITLES[engine]} {name}: {error[:160]}')

    def compare(self, query, found, base):
        """Notes for each engine whether its answer is the reference's."""
        for engine, answer in found.items():
            rule = query.rule(engine)
            if engine == base or base not in found or rule.startswith('none'):
                continue
            odd = suite.difference(answer['tsv'], found[base]['tsv'], rule)
            self.answers[query.name, engine] = odd or 'same'
            if odd:
                say(f'  {TITLES[engine]} answers otherwise: {odd}')

    def measure(self):
        """The timed rounds; very short queries are sampled more often."""
        for number in range(self.a.runs):
            order = list(self.queries)
            self.random.shuffle(order)
            started = time.monotonic()
            for query in order:
                engines = list(self.a.engines)
                self.random.shuffle(engines)
                for engine in engines:
                    for _ in range(self.repeats(query.name, engine)):
                        answer = self.ask(query, engine, text=False)
                        if answer is not None:
                            self.samples[query.name, engine].append(answer['seconds'])
            for engine in self.a.engines:
                self.peaks[engine] = max(self.peaks[engine], self.drivers[engine].peak())
            say(f'round {number + 1} of {self.a.runs}: {time.monotonic() - started:.1f} s')

    def repeats(self, name, engine):
        first = self.samples[name, engine][:1]
        return 3 if first and first[0] < 0.02 else 1

    def count_short(self, amount=1000):
        """In-process `SELECT count() FROM hits` a second, with varying text."""
        for engine in self.a.engines:
            spent = [self.drivers[engine].ask(f'SELECT count(*) AS c{i} FROM hits') for i in range(amount)]
            if not any(s.get('error') for s in spent):
                self.counts[engine] = amount / max(1e-9, sum(s['seconds'] for s in spent))

    def time_planning(self, amount=2000):
        """Microseconds that Entasis takes to parse, analyse and plan, by the table's width: median of five."""
        driver = self.drivers.get('entasis')
        if driver is None:
            return
        for width in WIDTHS:
            names = [f'column{i} UInt64' for i in range(width)]
            driver.must('DROP TABLE IF EXISTS planning')
            driver.must(f"CREATE TABLE planning ({', '.join(names)}) ENGINE = MergeTree ORDER BY column0")
            driver.must('INSERT INTO planning (column0) VALUES (1)')
            for query in PLANNED:
                spent = [driver.must(query, plan=amount)['seconds'] / amount for _ in range(5)]
                self.planning[query, width] = statistics.median(spent) * 1e6
        driver.must('DROP TABLE planning')

    def close(self):
        for driver in self.drivers.values():
            driver.stop()

    def median(self, name, engine):
        samples = self.samples.get((name, engine))
        return statistics.median(samples) if samples else None

    def ratios(self, mine, other):
        """name -> time of `mine` over time of `other`, where both answered."""
        pairs = {q.name: (self.median(q.name, mine), self.median(q.name, other)) for q in self.queries}
        return {name: m / o for name, (m, o) in pairs.items() if m and o}


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


# ---------------------------------------------------------------- report

def milliseconds(seconds):
    if seconds is None:
        return '-'
    return f'{seconds * 1e3:.2f}' if seconds < 0.01 else f'{seconds * 1e3:.1f}' if seconds < 0.1 else f'{seconds * 1e3:.0f}'


def ratio(x):
    return '-' if x is None else f'{x:.2f}'


def pairs_of(engines):
    """Who is divided by whom in the report."""
    if 'entasis' in engines:
        return [('entasis', e) for e in engines if e != 'entasis']
    return [('duckdb', 'chdb')] if len(engines) == 2 else []


def query_table(run):
    """Markdown: a line per query, then geometric means."""
    engines, pairs = run.a.engines, pairs_of(run.a.engines)
    ratios = {p: run.ratios(*p) for p in pairs}
    head = ['query'] + [f'{TITLES[e]} ms' for e in engines] + [f'{TITLES[m]} / {TITLES[o]}' for m, o in pairs] + ['answers']
    lines = ['| ' + ' | '.join(head) + ' |', '|---|' + '---:|' * (len(head) - 2) + '---|']
    for q in run.queries:
        notes = [f'{TITLES[e]} failed' for e in engines if (q.name, e) in run.errors]
        notes += [f'{TITLES[e]} differs' for e in engines if run.answers.get((q.name, e), 'same') != 'same']
        cells = [q.name] + [milliseconds(run.median(q.name, e)) for e in engines]
        cells += [ratio(ratios[p].get(q.name)) for p in pairs] + [', '.join(notes)]
        lines.append('| ' + ' | '.join(cells) + ' |')
    both = [q.name for q in run.queries if all(run.median(q.name, e) for e in engines)]
    totals = [f'sum of the {len(both)} that all answered']
    totals += [milliseconds(sum(run.median(n, e) for n in both)) for e in engines] + ['' for _ in pairs] + ['']
    means = ['**geometric mean**'] + ['' for _ in engines]
    means += [f'**{ratio(geometric_mean(ratios[p].values()))}** ({len(ratios[p])})' for p in pairs] + ['']
    worst = ['largest ratio'] + ['' for _ in engines] + [ratio(max(ratios[p].values(), default=None)) for p in pairs] + ['']
    lines += ['| ' + ' | '.join(row) + ' |' for row in (totals, means, worst)]
    return '\n'.join(lines)


def resource_table(run, loads):
    """Markdown: load, disk, memory, short queries."""
    engines = [e for e in run.a.engines if e in loads]
    rows = [('load, s', lambda e: f"{loads[e]['seconds']:.1f}"),
            ('merges after the load, s', lambda e: f"{loads[e]['merging']:.0f}"),
            ('bytes on disk, MB', lambda e: f"{loads[e]['bytes'] / 1e6:,.0f}"),
            ('peak memory of the load, MB', lambda e: f"{loads[e]['peak'] / 1e6:,.0f}"),
            ('peak memory of the queries, MB', lambda e: f'{run.peaks[e] / 1e6:,.0f}'),
            ('memory of the process before its first query, MB', lambda e: f'{run.idle[e] / 1e6:,.0f}'),
            ('`SELECT count(*) FROM hits` a second, in process', lambda e: f'{run.counts[e]:,.0f}' if e in run.counts else '-')]
    lines = ['| | ' + ' | '.join(TITLES[e] for e in engines) + ' |', '|---|' + '---:|' * len(engines)]
    return '\n'.join(lines + [f'| {name} | ' + ' | '.join(get(e) for e in engines) + ' |' for name, get in rows])


def planning_table(run):
    """Markdown: what a statement costs before it runs, by the table's width."""
    lines = ['| parse + analyse + plan, microseconds | ' + ' | '.join(f'{w:,} columns' for w in WIDTHS) + ' |',
             '|---|' + '---:|' * len(WIDTHS)]
    return '\n'.join(lines + [f'| `{q}` | ' + ' | '.join(f'{run.planning[q, w]:.1f}' for w in WIDTHS) + ' |' for q in PLANNED])


def machine():
    """One line on what this ran on."""
    model = platform.machine()
    try:
        with open('/proc/cpuinfo') as f:
            model = next(line.split(':')[1].strip() for line in f if line.startswith('model name'))
    except (OSError, StopIteration):
        pass
    memory = os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2 ** 30
    commit = subprocess.run(['git', 'rev-parse', '--short', 'HEAD'], cwd=suite.ROOT, capture_output=True, text=True).stdout.strip()
    return f'{model}, {os.cpu_count()} cores, {memory:.0f} GiB; commit {commit or "?"}; {time.strftime("%Y-%m-%d %H:%M")}'


def report(runs, loads, rows):
    """The whole page."""
    first = runs[0]
    amount = max((loads[e]['rows'] for e in first.a.engines if e in loads), default=0)
    names = ', '.join(f'{TITLES[e]} {first.versions[e]}' for e in first.a.engines)
    text = [f'{names}; {amount:,} rows of `{rows}`; {first.a.threads} threads each; median of {first.a.runs}.', machine() + '.', '']
    for run in runs:
        title = 'Defaults of every engine' if run.defaults else 'Without caches that outlive a query'
        text += [f'## {title}', '', query_table(run), '']
    text += ['## Load, disk, memory', '', resource_table(first, loads), '']
    if first.planning:
        text += ['## Before a statement runs', '', planning_table(first), '']
    return '\n'.join(text)


def as_json(runs, loads, rows):
    """Everything measured, samples included."""
    def table(run):
        return {'defaults': run.defaults, 'versions': run.versions, 'peaks': run.peaks, 'idle': run.idle, 'counts': run.counts,
                'planning': [{'query': q, 'width': w, 'microseconds': t} for (q, w), t in run.planning.items()],
                'geometric_means': {f'{m}/{o}': geometric_mean(run.ratios(m, o).values()) for m, o in pairs_of(run.a.engines)},
                'queries': {q.name: {e: {'median': run.median(q.name, e), 'samples': run.samples[q.name, e],
                                         'error': run.errors.get((q.name, e)), 'answer': run.answers.get((q.name, e)),
                                         'peak': run.memory.get((q.name, e))} for e in run.a.engines} for q in run.queries}}
    return {'machine': machine(), 'rows': rows, 'seed': runs[0].a.seed, 'loads': loads, 'tables': [table(r) for r in runs]}


def keep(runs, loads, rows):
    """Writes the results beside the repository's files, ignored by git."""
    os.makedirs(RESULTS, exist_ok=True)
    with open(os.path.join(RESULTS, '.gitignore'), 'w') as f:
        f.write('*\n')
    name = os.path.join(RESULTS, time.strftime('%Y%m%d-%H%M%S'))
    page = report(runs, loads, rows)
    with open(name + '.md', 'w') as f:
        f.write(page)
    with open(name + '.json', 'w') as f:
        json.dump(as_json(runs, loads, rows), f, indent=1)
    say('\n' + page)
    say(f'kept: {os.path.relpath(name, os.getcwd())}.md and .json')


def main():
    a = arguments()
    queries = suite.load_suite(a.queries)
    if 'entasis' in a.engines and not os.path.exists(a.binary):
        say(f'no binary {a.binary}: Entasis is left out')
        a.engines.remove('entasis')
    rows = rows_folder(a)
    folder = os.path.abspath(a.reuse) if a.reuse else os.path.join(RESULTS, 'tables')
    if not a.reuse:
        shutil.rmtree(folder, ignore_errors=True)
    loads = load_all(a, rows, folder)
    if not a.engines:
        return 1
    runs = []
    for defaults in [False, True] if a.defaults else [False]:
        run = Run(a, queries, folder, defaults)
        runs.append(run)
        run.warm_up()
        run.measure()
        if not a.quick:
            run.count_short()
            run.time_planning()
        run.close()
    if a.times:
        with open(a.times, 'w') as f:
            f.write('query\t' + '\t'.join(a.engines) + '\n')
            for q in queries:
                cells = [runs[0].median(q.name, e) for e in a.engines]
                f.write(q.name + '\t' + '\t'.join('' if c is None else f'{c:.6f}' for c in cells) + '\n')
    keep(runs, loads, rows)
    return 0


if __name__ == '__main__':
    sys.exit(main())

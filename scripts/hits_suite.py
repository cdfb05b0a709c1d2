"""The suite of benches/hits as Python sees it: queries, hints, table definition, loading, comparing.

Shared by bench.py (times), bench_driver.py (one engine per process) and hits_reference.py (answers).
Standard library only.
"""
import base64
import json
import math
import os
import re
import select
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SUITE = os.path.join(ROOT, 'benches', 'hits')
DRIVER = os.path.join(ROOT, 'scripts', 'bench_driver.py')


class Query:
    """One numbered file of the suite, with the DuckDB wording where there is one."""

    def __init__(self, path):
        self.name = os.path.basename(path)[:-len('.sql')]
        self.number = int(self.name.split('_')[0])
        self.sql, self.compare = read_query(path)
        other = path[:-len('.sql')] + '.duckdb.sql'
        self.duckdb, self.duckdb_compare = read_query(other) if os.path.exists(other) else (None, None)

    def text(self, engine):
        """The text for an engine, or None where it cannot be said there."""
        return self.duckdb if engine == 'duckdb' else self.sql

    def rule(self, engine):
        """How this engine's answer is held against the reference: total, unordered, none, top N by column K."""
        return (self.duckdb_compare or self.compare) if engine == 'duckdb' else self.compare


def read_query(path):
    """The statement of a file without its comments, and the `-- compare:` hint of its first line."""
    with open(path, encoding='utf-8') as f:
        lines = f.read().splitlines()
    hint = re.match(r'--\s*compare:\s*(.*)', lines[0]) if lines else None
    body = '\n'.join(line for line in lines if not line.startswith('--')).strip().rstrip(';')
    return body, (hint.group(1).strip() if hint else 'total')


def load_suite(chosen=None):
    """All queries by number; `chosen` is text such as '3,7-12'."""
    names = sorted(n for n in os.listdir(SUITE) if re.match(r'\d+_\w+\.sql$', n))
    suite = [Query(os.path.join(SUITE, n)) for n in names]
    if not chosen:
        return suite
    wanted = set()
    for part in chosen.split(','):
        first, _, last = part.partition('-')
        wanted.update(range(int(first), int(last or first) + 1))
    return [q for q in suite if q.number in wanted]


def create_statement():
    """The CREATE TABLE of the suite, as a MergeTree."""
    with open(os.path.join(SUITE, 'create.sql'), encoding='utf-8') as f:
        return f.read().strip()


def columns():
    """Names and types of hits' columns, read from create.sql."""
    return re.findall(r'^\s+(\w+) (\w+),?$', create_statement(), re.M)


def source_files(path):
    """(pattern, format name) for a file or a folder of Parquet files."""
    if os.path.isdir(path):
        return os.path.join(path, '*.parquet'), 'Parquet'
    return path, 'Parquet' if path.endswith('.parquet') else 'TSV'


def insert_statement(path):
    """Load for the ClickHouse dialect. Raw integers (Unix seconds, days) and proper dates both become the
    table's types by the cast that INSERT makes; columns are matched by name where the format has names."""
    pattern, form = source_files(path)
    names = ', '.join(name for name, _ in columns())
    quoted = pattern.replace('\\', '\\\\').replace("'", "\\'")
    if form == 'Parquet':
        return f"INSERT INTO hits ({names}) SELECT {names} FROM file('{quoted}', 'Parquet')"
    structure = ', '.join(f'{name} {kind}' for name, kind in columns())
    return f"INSERT INTO hits ({names}) SELECT {names} FROM file('{quoted}', 'TSV', '{structure}')"


DUCKDB_TYPES = {'Int16': 'SMALLINT', 'Int32': 'INTEGER', 'Int64': 'BIGINT', 'String': 'VARCHAR',
                'DateTime': 'TIMESTAMP', 'Date': 'DATE'}


def duckdb_create():
    """The table's definition for DuckDB."""
    return 'CREATE TABLE hits (' + ', '.join(f'{n} {DUCKDB_TYPES[t]}' for n, t in columns()) + ')'


def duckdb_insert(path, found):
    """Load for DuckDB; `found` maps a column of the files to its DuckDB type."""
    def item(name, kind):
        have = found[name].upper()
        integer = 'INT' in have and 'INTERVAL' not in have
        if kind == 'DateTime':
            value = f'make_timestamp({name}::BIGINT * 1000000)' if integer else f'{name}::TIMESTAMP'
        elif kind == 'Date':
            value = f"DATE '1970-01-01' + {name}::INTEGER" if integer else f'{name}::DATE'
        elif kind == 'String' and have == 'BLOB':
            value = f'decode({name})'
        else:
            value = name
        return f'{value} AS {name}'
    pattern, _ = source_files(path)
    items = ', '.join(item(n, t) for n, t in columns())
    return f"INSERT INTO hits SELECT {items} FROM read_parquet('{pattern}')"


# ---------------------------------------------------------------- answers

def canonical(tsv, rule):
    """Bytes to hash or to store: the answer itself, or its lines sorted where no order is promised."""
    if rule == 'total':
        return tsv
    lines = tsv.splitlines(keepends=True)
    return b''.join(sorted(lines))


def same_field(a, b):
    if a == b:
        return True
    try:
        x, y = float(a), float(b)
    except ValueError:
        return False
    if b'.' not in a + b and b'e' not in a + b:
        return False
    return math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(x) and math.isnan(y))


def difference(mine, other, rule='total'):
    """None where two TSV answers agree under the rule, else one line that says where they do not."""
    if rule.startswith('none'):
        return None
    top = re.match(r'top (\d+) by column (\d+)', rule)
    if top:
        key = int(top.group(2)) - 1
        a, b = (sorted(line.split(b'\t')[key] for line in t.splitlines()) for t in (mine, other))
        a, b = [[v] for v in a], [[v] for v in b]
    else:
        a, b = ([line.split(b'\t') for line in canonical(t, rule).split(b'\n')] for t in (mine, other))
    if len(a) != len(b):
        return f'{len(a) - (not top)} lines against {len(b) - (not top)}'
    for i, (left, right) in enumerate(zip(a, b)):
        if len(left) != len(right):
            return f'line {i + 1}: {len(left)} columns against {len(right)}'
        for j, (x, y) in enumerate(zip(left, right)):
            if not same_field(x, y):
                return f'line {i + 1} column {j + 1}: {shorten(x)} against {shorten(y)}'
    return None


def shorten(field):
    text = field.decode('utf-8', 'backslashreplace')
    return text if len(text) <= 60 else text[:57] + '...'


# ---------------------------------------------------------------- drivers

class DriverError(Exception):
    """The driver process ended or did not answer in time."""


class Driver:
    """A process that answers one line of JSON for each line of JSON; see benches/hits/README.md."""

    def __init__(self, command, timeout=300.0, env=None):
        self.command, self.timeout, self.env = command, timeout, env
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=self.env, bufsize=0)
        self.rest = b''

    def ask(self, query, text=False, timeout=None, **more):
        """The answer as a dict; with `text` its `tsv` holds the bytes. Raises DriverError if there is none."""
        line = json.dumps(dict(more, query=query, text=text)) + '\n'
        try:
            self.process.stdin.write(line.encode())
        except OSError as e:
            raise DriverError(f'driver is gone: {e}')
        answer = json.loads(self.read_line(timeout or self.timeout))
        if answer.get('tsv_base64') is not None:
            answer['tsv'] = base64.b64decode(answer.pop('tsv_base64'))
        return answer

    def must(self, query, **more):
        """As ask, but an error in the answer is raised."""
        answer = self.ask(query, **more)
        if answer.get('error'):
            raise DriverError(f"{answer['error'][:500]} in: {query[:200]}")
        return answer

    def read_line(self, timeout):
        end = time.monotonic() + timeout
        while b'\n' not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                self.stop(hard=True)
                raise DriverError(f'no answer in {timeout:.0f} s')
            piece = os.read(self.process.stdout.fileno(), 1 << 20)
            if not piece:
                code = self.process.wait()
                name = signal.Signals(-code).name if code < 0 else f'code {code}'
                raise DriverError(f'driver ended: {name}')
            self.rest += piece
        line, self.rest = self.rest.split(b'\n', 1)
        return line

    def alive(self):
        return self.process.poll() is None

    def peak(self):
        """Peak resident bytes of the process since its start or the last forget_peak."""
        try:
            with open(f'/proc/{self.process.pid}/status') as f:
                return int(re.search(r'VmHWM:\s+(\d+) kB', f.read()).group(1)) * 1024
        except (OSError, AttributeError):
            return 0

    def forget_peak(self):
        try:
            with open(f'/proc/{self.process.pid}/clear_refs', 'w') as f:
                f.write('5')
        except OSError:
            pass

    def stop(self, hard=False):
        if self.alive():
            if hard:
                self.process.kill()
            else:
                self.process.stdin.close()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def driver_command(engine, path, binary, threads):
    """The command line that starts an engine's driver over a database folder (a file for DuckDB)."""
    if engine == 'entasis':
        return [binary, 'local', '--path', path, '--bench-driver', f'--max_threads={threads}']
    return [sys.executable, DRIVER, engine, path, str(threads)]

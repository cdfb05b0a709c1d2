"""One engine in a process of its own: reads a JSON request a line, answers a JSON line.

    python bench_driver.py chdb|duckdb PATH THREADS

Protocol: benches/hits/README.md. What is timed is the query with its rows fetched (chdb: as TSV text, DuckDB: as
Python rows), not the conversion of DuckDB's rows to TSV, nor the hash.

In chdb a statement that fills a table with `hits(ROWS, SEED)`, which only Entasis has, reads these rows from a Parquet file beside
PATH instead, written by the binary that ENTASIS_BIN names.
"""
import base64
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
import time


def escaped(text):
    for plain, code in (('\\', '\\\\'), ('\t', '\\t'), ('\n', '\\n'), ('\r', '\\r'), ('\b', '\\b'), ('\f', '\\f'),
                        ('\0', '\\0'), ("'", "\\'")):
        text = text.replace(plain, code)
    return text


def field(value, nested=False):
    """A Python value as ClickHouse's TSV has it."""
    if value is None:
        return 'NULL' if nested else '\\N'
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (list, tuple)):
        return '[' + ','.join(field(v, True) for v in value) + ']'
    if isinstance(value, float):
        return 'nan' if value != value else str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime):
        text = value.strftime('%Y-%m-%d %H:%M:%S')
    elif isinstance(value, bytes):
        text = value.decode('utf-8', 'surrogateescape')
    else:
        text = str(value)
    if isinstance(value, (str, bytes)):
        text = escaped(text)
    return f"'{text}'" if nested and not isinstance(value, (int, float)) else text


class Hits:
    """Rows of the table function `hits` as files, with those columns that a statement names."""

    CALL = re.compile(r'\bhits\(\d+, \d+\)')

    def __init__(self, folder):
        self.folder, self.binary, self.types = folder, os.environ.get('ENTASIS_BIN'), None

    def ask(self, query):
        return subprocess.run([self.binary, 'local', '-q', query], capture_output=True, text=True, check=True).stdout

    def file(self, call, statement):
        """A table function of the reference that has the rows of this call."""
        self.types = self.types or [line.split('\t')[:2] for line in self.ask('DESCRIBE hits(1, 1)').splitlines()]
        words = set(re.findall(r'\w+', statement))
        columns = [one for one in self.types if one[0] in words or re.search(r'SELECT \*', statement)]
        names = ', '.join(name for name, _ in columns)
        path = os.path.join(self.folder, 'hits_' + hashlib.sha256((call + names).encode()).hexdigest()[:16] + '.parquet')
        if not os.path.exists(path):
            self.ask(f"SELECT {names} FROM {call} INTO OUTFILE '{path}.part' FORMAT Parquet SETTINGS max_threads = 1")
            os.rename(path + '.part', path)
        structure = ', '.join(' '.join(one) for one in columns)
        return f"file('{path}', 'Parquet', '{structure}')"

    def replaced(self, statement):
        if not self.binary or not re.match(r'\s*(CREATE|INSERT)\b', statement):
            return statement
        return self.CALL.sub(lambda found: self.file(found[0], statement), statement)


class Chdb:
    """ClickHouse inside the process; tables on disk under the path."""

    def __init__(self, path, threads):
        import chdb.session
        self.session = chdb.session.Session(path)
        self.session.query(f'SET max_threads = {threads}, max_insert_threads = {threads}')
        self.hits = Hits(os.environ.get('HITS_FOLDER') or os.path.dirname(os.path.abspath(path)))

    def run(self, query):
        query = self.hits.replaced(query)
        start = time.perf_counter()
        answer = self.session.query(query, 'TSV')
        seconds = time.perf_counter() - start
        data = answer.bytes() if answer is not None else b''
        return seconds, bytes(data or b'')


class DuckDb:
    """DuckDB on a file. A database of the request is a schema there."""

    DATABASE = re.compile(r'\s*(CREATE|DROP) DATABASE (IF (?:NOT )?EXISTS )?(\S+)\s*', re.IGNORECASE)

    def __init__(self, path, threads):
        import duckdb
        self.connection = duckdb.connect(path)
        self.connection.execute(f'PRAGMA threads={threads}')

    def run(self, query):
        if database := self.DATABASE.fullmatch(query):
            verb, condition, name = database.groups()
            query = f'{verb} SCHEMA {condition or ""}{name}' + (' CASCADE' if verb.upper() == 'DROP' else '')
        start = time.perf_counter()
        cursor = self.connection.execute(query)
        rows = cursor.fetchall() if cursor.description else []
        seconds = time.perf_counter() - start
        text = ''.join('\t'.join(field(v) for v in row) + '\n' for row in rows)
        return seconds, text.encode('utf-8', 'surrogateescape')


def main():
    engine = {'chdb': Chdb, 'duckdb': DuckDb}[sys.argv[1]](sys.argv[2], int(sys.argv[3]))
    for line in sys.stdin:
        request = json.loads(line)
        try:
            seconds, tsv = engine.run(request['query'])
            answer = {'seconds': seconds, 'rows': tsv.count(b'\n'), 'tsv_sha256': hashlib.sha256(tsv).hexdigest()}
            if request.get('text'):
                answer['tsv_base64'] = base64.b64encode(tsv).decode()
        except Exception as error:  # whatever the engine says goes into the answer
            answer = {'seconds': 0.0, 'rows': 0, 'tsv_sha256': '', 'error': str(error)}
        sys.stdout.write(json.dumps(answer) + '\n')
        sys.stdout.flush()


main()

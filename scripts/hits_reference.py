#!/usr/bin/env python3
"""Answers of the reference engine (chdb) to the suite of benches/hits, and how Entasis stands against them.

    hits_reference.py                                     1 M rows of `entasis generate` -> benches/hits/reference/gen1m
    hits_reference.py --rows-file F --out DIR             any Parquet file, folder of them, or TSV(.gz) -> DIR/NN_name.tsv
    hits_reference.py --rows-file F --hashes FILE         one line a query: name, rows, sha256 (for rows that stay private)
    hits_reference.py --check [--rows-file F] ...         ask Entasis too, compare with what is stored, change nothing

Answers are kept as TSV; lines are sorted where the query's hint says `unordered`. Every difference is printed and
the exit code is the number of differing queries.
"""
import argparse
import hashlib
import os
import subprocess
import sys
import tempfile

import hits_suite as suite

MAX_LINES = 200


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--rows-file', help='Parquet file, folder of Parquet files, or TSV(.gz); default: generated rows')
    p.add_argument('--rows', type=int, default=1_000_000, help='rows to generate without --rows-file')
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--binary', default=os.environ.get('ENTASIS', os.path.join(suite.ROOT, 'target/release/entasis')))
    p.add_argument('--out', help='folder for the answers')
    p.add_argument('--hashes', help='table of hashes instead of answers')
    p.add_argument('--queries', help="such as '3,7-12'")
    p.add_argument('--check', action='store_true', help='compare Entasis with the stored answers')
    p.add_argument('--threads', type=int, default=2)
    return p.parse_args()


def generated(a, folder):
    """Has the binary write the rows, and answers the path."""
    target = os.path.join(folder, 'rows')
    os.makedirs(target)
    subprocess.run([a.binary, 'generate', '--rows', str(a.rows), '--seed', str(a.seed), '--out', target], check=True)
    return target


def loaded(engine, a, folder, rows):
    """A driver of the engine with the rows in its table `hits`."""
    path = os.path.join(folder, engine)
    driver = suite.Driver(suite.driver_command(engine, path, a.binary, a.threads))
    driver.must(suite.create_statement())
    driver.must(suite.insert_statement(rows), timeout=3600)
    return driver


def answers(driver, queries):
    """name -> (canonical bytes, error)"""
    found = {}
    for q in queries:
        answer = driver.ask(q.sql, text=True)
        error = answer.get('error')
        found[q.name] = (b'' if error else suite.canonical(answer['tsv'], q.compare), error)
    return found


def summary(data):
    return str(data.count(b'\n')), hashlib.sha256(data).hexdigest()


def stored(a, queries):
    """What is kept: name -> bytes (answers) or name -> (rows, sha256)."""
    if a.hashes:
        with open(a.hashes) as f:
            lines = [line.rstrip('\n').split('\t') for line in f if not line.startswith('#')]
        return {name: (rows, digest) for name, rows, digest in lines}
    kept = {}
    for q in queries:
        path = os.path.join(a.out, q.name + '.tsv')
        if os.path.exists(path):
            with open(path, 'rb') as f:
                kept[q.name] = f.read()
    return kept


def check(a, queries, found):
    """Prints every difference; the number of them."""
    kept, bad = stored(a, queries), 0
    for q in queries:
        data, error = found[q.name]
        want = kept.get(q.name)
        if error:
            says = 'error: ' + ' '.join(error.split())[:300]
        elif want is None:
            says = 'nothing stored'
        elif isinstance(want, tuple):
            says = None if summary(data) == want else f'{summary(data)[0]} rows against {want[0]}, hashes differ'
        else:
            says = suite.difference(data, want, q.compare)
        if says:
            bad += 1
            print(f'{q.name}: {says}')
    print(f'{len(queries) - bad} of {len(queries)} queries answer as stored')
    return bad


def keep(a, queries, found):
    """Writes the answers or their hashes; the number of queries that failed."""
    bad = 0
    lines = ['# query\trows\tsha256 of the answer as TSV (scripts/hits_reference.py)\n']
    if not a.hashes:
        os.makedirs(a.out, exist_ok=True)
    for q in queries:
        data, error = found[q.name]
        if error or data.count(b'\n') > MAX_LINES:
            bad += 1
            print(f'{q.name}: {error or "more than %d lines" % MAX_LINES}')
            continue
        rows, digest = summary(data)
        lines.append(f'{q.name}\t{rows}\t{digest}\n')
        if not a.hashes:
            with open(os.path.join(a.out, q.name + '.tsv'), 'wb') as f:
                f.write(data)
    if a.hashes:
        with open(a.hashes, 'w') as f:
            f.writelines(lines)
    print(f'{len(queries) - bad} answers kept in {a.hashes or a.out}')
    return bad


def main():
    a = arguments()
    a.out = a.out or os.path.join(suite.SUITE, 'reference', 'gen1m')
    queries = suite.load_suite(a.queries)
    with tempfile.TemporaryDirectory(prefix='hits-reference-') as folder:
        rows = os.path.abspath(a.rows_file) if a.rows_file else generated(a, folder)
        engine = 'entasis' if a.check else 'chdb'
        driver = loaded(engine, a, folder, rows)
        found = answers(driver, queries)
        driver.stop()
    return check(a, queries, found) if a.check else keep(a, queries, found)


if __name__ == '__main__':
    sys.exit(min(main(), 100))

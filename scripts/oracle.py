#!/usr/bin/env python3
"""Fills and checks the expected output of tests/sql with the reference engine (chdb).

    oracle.py --check [FILE...]   run every case on chdb and print each difference (default)
    oracle.py --fill  [FILE...]   the same, and write the .reference files
    oracle.py --draft [FILE...]   the same for a new case: also writes the serverError hints
    oracle.py --query 'SQL'       run statements of a text and print results and errors

A case is a pair NAME.sql + NAME.reference. Statements end with `;`. Hints are line comments:

    -- { serverError NAME }    the statement must fail with this error
    -- { echoOn }, { echoOff } from here on, print each statement before its result (or stop)
    -- { fixedEngine }         first line: do not rewrite Memory to MergeTree, do not re-open
    -- { configs: default }    first line: run under the default configuration only
    -- { largeBlocks }         first line: many rows, not to be run in blocks of 1 or 7

Each file runs on a fresh database under several settings (threads, block size, engine); a file whose
output depends on them is rejected, since Entasis' runner varies the same things.
"""

import argparse
import difflib
import multiprocessing
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "sql"
# An INSERT with data of a format other than VALUES behind it, which end with the line.
DATA = re.compile(r"INSERT\b.*\bFORMAT[ \t]+(?!VALUES\b)\w+[ \t]", re.IGNORECASE)
HINT = re.compile(r"--\s*\{\s*(.*?)\s*\}")
ERROR_NAME = re.compile(r"\(([A-Z][A-Z0-9_]+)\)[^()]*$")
MEMORY, MERGETREE = "ENGINE = Memory", "ENGINE = MergeTree ORDER BY tuple()"

# (label, settings, rewrite Memory to MergeTree): a superset of what must not change a result.
VARIANTS = [
    ("default", {}, False),
    ("one thread, blocks of 1", {"max_threads": 1, "max_block_size": 1}, False),
    ("4 threads, blocks of 7, MergeTree", {"max_threads": 4, "max_block_size": 7}, True),
]


class Statement:
    """A statement: its text without the `;`, and the hints in the comments that belong to it."""

    def __init__(self, text, hints, line):
        self.text, self.hints, self.line = text, hints, line

    def expected_error(self):
        for hint in self.hints:
            if hint.startswith("serverError"):
                return hint.split(None, 1)[1]
        return None


def split(sql):
    """Splits a script at `;`, respecting quotes and comments, and behind the line of data of an
    INSERT in a format. The comment behind a `;` on the same
    line belongs to the statement that it ends; every other comment to the statement it is before
    or in."""
    statements, hints, i, start, line = [], [], 0, None, 1
    n = len(sql)
    data = {m.start(): m.group() for m in re.finditer(r"^INSERT\b.*$", sql, re.MULTILINE)}
    data = {at: line for at, line in data.items() if DATA.match(line)}

    def comment_end(at):
        end = sql.find("\n", at)
        return n if end < 0 else end

    while i < n:
        c = sql[i]
        if start is None and i in data:
            text = data[i]
            statements.append(Statement(text, hints, sql.count("\n", 0, i) + 1))
            hints, i = [], i + len(text)
        elif sql.startswith("--", i):
            end = comment_end(i)
            found = HINT.match(sql[i:end])
            if found:
                hints.append(found.group(1))
            i = end
        elif sql.startswith("/*", i):
            end = sql.find("*/", i + 2)
            i = n if end < 0 else end + 2
        elif c in "'\"`":
            start = i if start is None else start
            i += 1
            while i < n and sql[i] != c:
                i += 2 if sql[i] == "\\" else 1
            i += 1
        elif c == ";":
            text = sql[start:i].rstrip() if start is not None else ""
            i += 1
            rest = re.match(r"[ \t]*(?=--)", sql[i:])
            if rest:
                at, end = i + rest.end(), comment_end(i)
                found = HINT.match(sql[at:end])
                if found:
                    hints.append(found.group(1))
                i = end
            if text:
                statements.append(Statement(text, hints, line))
            hints, start = [], None
        else:
            if start is None and not c.isspace():
                start, line = i, sql.count("\n", 0, i) + 1
            i += 1
    if start is not None and sql[start:].strip():
        statements.append(Statement(sql[start:].rstrip(), hints, line))
    return statements


class Failure(Exception):
    """A statement did not do what its hints say."""


def run(session, statements, learn=None):
    """Runs statements as `entasis local --test-hints` does; returns the bytes of stdout. With a
    list in `learn`, outcomes that differ from the hints are noted there instead of failing."""
    out, echo = [], False
    for statement in statements:
        echo = True if "echoOn" in statement.hints else echo
        echo = False if "echoOff" in statement.hints else echo
        if echo:
            out.append(statement.text.encode() + b";\n")
        expected = statement.expected_error()
        try:
            result = bytes(session.query(statement.text, "TSV").bytes())
        except Exception as error:  # chdb raises RuntimeError with the server's text
            text = str(error).strip()
            found = ERROR_NAME.search(text.split("\n")[0]) or ERROR_NAME.search(text)
            name = found.group(1) if found else "UNKNOWN"
            if expected != name:
                want = f"expected {expected}, " if expected else ""
                problem = f"line {statement.line}: {want}got {text[:600]}"
                if learn is None:
                    raise Failure(problem) from None
                learn.append((statement, name, problem))
            continue
        if expected:
            problem = f"line {statement.line}: expected {expected}, got {result[:200]!r}"
            if learn is None:
                raise Failure(problem)
            learn.append((statement, None, problem))
        out.append(result)
    return b"".join(out)


def run_file(path, settings, rewrite, learn=None):
    """Runs one file in a fresh session."""
    from chdb import session as chdb_session

    sql = Path(path).read_text()
    if rewrite and "fixedEngine" not in sql.split("\n", 1)[0]:
        sql = sql.replace(MEMORY, MERGETREE)
    session = chdb_session.Session()
    try:
        session.query("SET implicit_select = 0")  # as on a server: `FOO BAR` is a syntax error
        for name, value in settings.items():
            session.query(f"SET {name} = {value}")
        return run(session, split(sql), learn)
    finally:
        session.close()


def check(job):
    """Runs one case under all variants; returns (path, report or None, output or None)."""
    path, draft = job
    notes = annotate(path) if draft else ""
    first_line = path.read_text().split("\n", 1)[0]
    variants = VARIANTS[:1] if "configs: default" in first_line else VARIANTS
    expected = None
    for label, settings, rewrite in variants:
        if "largeBlocks" in first_line:
            settings = {k: v for k, v in settings.items() if k != "max_block_size"}
        try:
            output = run_file(path, settings, rewrite)
        except Failure as failure:
            return path, f"{notes}[{label}] {failure}", None
        if expected is None:
            expected = output
        want = expected.replace(MEMORY.encode(), MERGETREE.encode()) if rewrite else expected
        if output not in (want, expected):
            report = diff(want, output, "default", label)
            return path, f"{notes}depends on the settings:\n{report}", None
    reference = path.with_suffix(".reference")
    if not reference.exists():
        return path, f"{notes}no reference yet", expected
    have = reference.read_bytes()
    if have != expected:
        return path, notes + diff(have, expected, str(reference), "oracle"), expected
    return path, notes or None, expected


def annotate(path):
    """Rewrites the serverError hints of a draft as the oracle answers; returns what it changed."""
    learned = []
    run_file(path, {}, False, learned)
    lines = path.read_text().split("\n")
    for statement, name, _ in learned:
        at = statement.line - 1 + statement.text.count("\n")
        lines[at] = re.sub(r" *-- \{ serverError .*?\}", "", lines[at])
        if name:
            lines[at] += f" -- {{ serverError {name} }}"
    path.write_text("\n".join(lines))
    return "".join(f"{problem}\n" for _, _, problem in learned)


def diff(a, b, a_name, b_name):
    """A unified diff of two outputs."""
    lines = [side.decode("utf-8", "backslashreplace").splitlines() for side in (a, b)]
    return "\n".join(difflib.unified_diff(*lines, a_name, b_name, lineterm=""))


def query(text):
    """Runs the statements of a text, printing results and errors."""
    from chdb import session as chdb_session

    session = chdb_session.Session()
    for statement in split(text):
        print(f"> {statement.text}", flush=True)
        try:
            result = bytes(session.query(statement.text, "TSV").bytes())
            sys.stdout.buffer.write(result)
            sys.stdout.flush()
        except Exception as error:
            print(f"! {str(error).strip()[:400]}")
    session.close()


def main():
    parser = argparse.ArgumentParser(description="expected output of tests/sql from chdb")
    parser.add_argument("--check", action="store_true", help="only compare (default)")
    parser.add_argument("--fill", action="store_true", help="write the .reference files")
    parser.add_argument("--draft", action="store_true", help="also write serverError hints")
    parser.add_argument("--query", help="run this text")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*", type=Path)
    args = parser.parse_args()
    os.environ["TZ"] = "UTC"
    if args.query is not None:
        return query(args.query)
    files = [f.with_suffix(".sql").resolve() for f in args.files] or sorted(CASES.rglob("*.sql"))
    wrong, fill = 0, args.fill or args.draft
    with multiprocessing.get_context("spawn").Pool(args.jobs) as pool:
        for path, report, output in pool.imap(check, [(f, args.draft) for f in files]):
            name = os.path.relpath(path, ROOT)
            if report is None:
                continue
            wrong += 1
            print(f"--- {name}\n{report}\n")
            if fill and output is not None:
                path.with_suffix(".reference").write_bytes(output)
    verb = "filled or failed" if fill else "differ"
    print(f"{len(files)} cases, {wrong} {verb}")
    sys.exit(1 if wrong and not fill else 0)


if __name__ == "__main__":
    main()

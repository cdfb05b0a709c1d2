"""Whether every performance query takes 20 ms to 1 s and spends it in what its test is about.

    entasis lab profile --queries --left BINARY --functions 3 tests/performance > profile.tsv
    python3 scripts/lab_kernels.py profile.tsv [FOLDER]

FOLDER (tests/performance) has the tests and `kernels.tsv` with lines `test<TAB>pattern`: a regular expression that one of the three functions with
most samples must hold; a third field is the number of a query that is excused by what the second says. Queries marked `short` may take as little time
as they like, where nothing but the statement's own beginning shows. Prints the queries in none of whose functions the pattern is found, tests without
a line, and queries of another duration (of runs under the profiler, which adds a few percent); ends with 1 if there are any.
"""
import math
import os
import re
import string
import sys
import xml.etree.ElementTree as ET

LEAST, MOST = 20, 1000
HERE = os.path.dirname(os.path.abspath(__file__))


def rows(path):
    with open(path) as lines:
        return [line.rstrip("\n").split("\t") for line in lines if line.strip() and not line.startswith("#")]


def short(folder, test):
    """The numbers of a test's queries that are marked so."""
    root = ET.parse(os.path.join(folder, test + ".xml")).getroot()
    values = {one.find("name").text: len(list(one.iter("value"))) for one in root.iter("substitution")}
    numbers, first = set(), 0
    for query in root.iter("query"):
        used = {name for _, name, _, _ in string.Formatter().parse(query.text or "") if name}
        count = math.prod(values[name] for name in used)
        numbers.update(range(first, first + count) if query.get("short") == "1" else ())
        first += count
    return numbers


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = sys.argv[2] if len(sys.argv) == 3 else os.path.join(HERE, "..", "tests", "performance")
    lines = rows(os.path.join(folder, "kernels.tsv"))
    patterns = {line[0]: re.compile(line[1]) for line in lines if len(line) == 2}
    excused = {(line[0], int(line[2])) for line in lines if len(line) == 3}
    profile = [(row[0], int(row[1]), *row[2:]) for row in rows(sys.argv[1])]
    quick = {test: short(folder, test) for test in {row[0] for row in profile}}
    profile = [row for row in profile if row[1] not in quick[row[0]]]
    strangers, others = [], []
    for test, index, ms, *shares in profile:
        top = list(zip(shares[0:6:2], shares[1:6:2]))
        known = test in patterns and any(patterns[test].search(function) for _, function in top)
        if not known and (test, index) not in excused:
            strangers.append((test, index, top))
        if not LEAST <= float(ms) <= MOST:
            others.append((test, index, ms))
    for test, index, top in strangers:
        print(f"{test} #{index}: " + ("no line" if test not in patterns else "; ".join(" ".join(pair) for pair in top)))
    for test, index, ms in others:
        print(f"{test} #{index}: {ms} ms")
    print(f"{len(profile)} queries, and {sum(map(len, quick.values()))} marked as short")
    print(f"{len(profile) - len(strangers)} show their kernel, or are excused")
    print(f"{len(profile) - len(others)} take {LEAST} to {MOST} ms")
    return 1 if strangers or others or not profile else 0


sys.exit(main())

"""Whether every performance query takes 20 ms to 1 s and spends it in what its test is about.

    entasis lab profile --queries --left BINARY --functions 3 tests/performance > profile.tsv
    python3 scripts/lab_kernels.py profile.tsv [tests/performance/kernels.tsv]

`kernels.tsv` has lines `test<TAB>pattern`: a regular expression that one of the three functions with most samples must hold; a third
field is the number of a query that is excused by what the second says. Prints the queries of which none does, with their functions, tests without a line,
and queries of another duration (of runs under the profiler, which adds a few percent); ends with 1 if there are any.
"""
import os
import re
import sys

LEAST, MOST = 20, 1000
HERE = os.path.dirname(os.path.abspath(__file__))


def rows(path):
    with open(path) as lines:
        return [line.rstrip("\n").split("\t") for line in lines if line.strip() and not line.startswith("#")]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    wanted = sys.argv[2] if len(sys.argv) == 3 else os.path.join(HERE, "..", "tests", "performance", "kernels.tsv")
    lines = rows(wanted)
    patterns = {line[0]: re.compile(line[1]) for line in lines if len(line) == 2}
    excused = {(line[0], line[2]) for line in lines if len(line) == 3}
    profile = [row for row in rows(sys.argv[1]) if (row[0], row[1]) not in excused]
    strangers = []
    for test, index, _, *shares in profile:
        top = list(zip(shares[0:6:2], shares[1:6:2]))
        if test not in patterns or not any(patterns[test].search(function) for _, function in top):
            strangers.append((test, index, top))
    for test, index, top in strangers:
        print(f"{test} #{index}: " + ("no line" if test not in patterns else "; ".join(" ".join(pair) for pair in top)))
    print(f"{len(profile) - len(strangers)} of {len(profile)} queries show their kernel")
    others = [(test, index, ms) for test, index, ms, *_ in profile if not LEAST <= float(ms) <= MOST]
    for test, index, ms in others:
        print(f"{test} #{index}: {ms} ms")
    print(f"{len(profile) - len(others)} of {len(profile)} queries take {LEAST} to {MOST} ms")
    return 1 if strangers or others or not profile else 0


sys.exit(main())

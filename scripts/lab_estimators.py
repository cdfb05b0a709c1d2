"""How much pairs of processes of one query disagree, by what is said of a pair: stage 2 of the runs in laboratory stores.

    VENV/bin/python scripts/lab_estimators.py BINARY STORE...       (needs numpy; BINARY reads the stores)

The deviation over the pairs of processes of a query is the noise that its verdict has to rise above; a planted difference is
the same in all of them. Printed is its geometric mean over the queries with eight pairs or more, and its ratio to that of
`neighbours`, what the laboratory does (`stats::paired::differences`), with the quartiles of that ratio.
"""
import collections
import json
import subprocess
import sys

import numpy as np

PAIRS = 8
RUNS = 4
SAMPLES = """
SELECT run_id, test, query_index, process, groupArrayIf(value, side = 'old') AS old, groupArrayIf(value, side = 'new') AS new
FROM (SELECT * FROM lab.measure WHERE metric = 'client_time' AND stage = 2 ORDER BY run)
GROUP BY run_id, test, query_index, process FORMAT JSONCompactEachRow
"""


def middle_of_walsh(x):
    i, j = np.triu_indices(len(x))
    return np.median((x[i] + x[j]) / 2)


def lower_half(x):
    return np.sort(x)[: (len(x) + 1) // 2].mean()


# What a pair of processes says, of the logarithms of the old and of the new runs in their order.
ESTIMATORS = {
    "neighbours: median of their ratios": lambda o, n: np.median(n - o),
    "also of those once removed": lambda o, n: np.median(np.concatenate([n - o, n[1:] - o[:-1], n[:-1] - o[1:]])),
    "median of all ratios": lambda o, n: np.median(np.subtract.outer(n, o)),
    "neighbours: Hodges and Lehmann": lambda o, n: middle_of_walsh(n - o),
    "neighbours: mean": lambda o, n: np.mean(n - o),
    "difference of medians": lambda o, n: np.median(n) - np.median(o),
    "difference of lower quartiles": lambda o, n: np.quantile(n, 0.25) - np.quantile(o, 0.25),
    "difference of means of lower halves": lambda o, n: lower_half(n) - lower_half(o),
    "difference of the fastest": lambda o, n: n.min() - o.min(),
}


def deviations(binary, store):
    """`[query][estimator]`: the deviation over pairs of processes."""
    text = subprocess.run([binary, "local", "--path", store, "-q", SAMPLES], capture_output=True, text=True, check=True).stdout
    queries = collections.defaultdict(list)
    for line in text.splitlines():
        run, test, query, _, old, new = json.loads(line)
        least = min(len(old), len(new))
        if least >= RUNS:
            sides = np.log(old[:least]), np.log(new[:least])
            queries[run, test, query].append([of(*sides) for of in ESTIMATORS.values()])
    return np.array([np.std(pairs, axis=0, ddof=1) for pairs in queries.values() if len(pairs) >= PAIRS])


def main(binary, *stores):
    for store in stores:
        logs = np.log(deviations(binary, store))
        print(f"{store}: {len(logs)} queries")
        ratios = logs - logs[:, :1]
        for at, name in enumerate(ESTIMATORS):
            quartiles = np.exp(np.quantile(ratios[:, at], [0.25, 0.5, 0.75]))
            mean, ratio = np.exp(logs[:, at].mean()), np.exp(ratios[:, at].mean())
            print(f"{name:38} {100 * mean:5.2f} %  {ratio:5.2f}  ({', '.join(f'{q:.2f}' for q in quartiles)})")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

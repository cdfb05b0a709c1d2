"""Whether the errors of estimates hold on this machine's noise: what pairs of processes of a laboratory's store say, with
the sides swapped within pairs in all 256 ways, so that nothing differs.

    VENV/bin/python scripts/lab_errors.py BINARY STORE...       (needs numpy and scipy; BINARY reads the stores)

For the ordinary variance and for `paired::pair_variance`: how often the estimate is beyond 1.96 and 3.5 errors, and how often
a difference of 5 and of 10 % is found beyond 3.5. Only queries with eight pairs count. Variances are moderated over the
queries of a store as the laboratory does it without a history (Smyth 2004).
"""
import collections
import itertools
import json
import subprocess
import sys

import numpy as np
from scipy import optimize, special, stats

PAIRS = 8
SAMPLES = """
SELECT test, query_index, process, groupArrayIf(value, side = 'old') AS old, groupArrayIf(value, side = 'new') AS new
FROM (SELECT * FROM lab.measure WHERE metric = 'client_time' AND stage = 2 ORDER BY run)
GROUP BY run_id, test, query_index, process FORMAT JSONCompactEachRow
"""
ROW, COLUMN = np.triu_indices(PAIRS)


def differences(binary, store):
    """`[query][pair]`: the median log ratio of neighbours."""
    text = subprocess.run([binary, "local", "--path", store, "-q", SAMPLES], capture_output=True, text=True, check=True).stdout
    queries = collections.defaultdict(list)
    for line in text.splitlines():
        test, query, _, old, new = json.loads(line)
        least = min(len(old), len(new))
        queries[test, query].append(np.median(np.log(new[:least]) - np.log(old[:least])))
    return np.array([pairs for pairs in queries.values() if len(pairs) == PAIRS])


def estimate(d):
    return np.median((d[:, ROW] + d[:, COLUMN]) / 2, axis=1)


def ordinary(d):
    return d.var(axis=1, ddof=1), PAIRS - 1


def winsorised(d):
    kept = PAIRS - 2
    s = np.sort(d, axis=1)
    s[:, 0], s[:, -1] = s[:, 1], s[:, -2]
    return s.var(axis=1, ddof=1) * (PAIRS - 1) / (kept * (kept - 1)) * PAIRS * 3 / np.pi, kept - 1


def moderated(variance, df):
    """Variances with what the others say drawn in, and their degrees of freedom."""
    logs = np.log(np.maximum(variance, 1e-12)) - special.digamma(df / 2) + np.log(df / 2)
    more = logs.var(ddof=1) - special.polygamma(1, df / 2)
    if more <= 0:
        return np.full_like(variance, np.exp(logs.mean())), 1e6
    prior = min(12, 2 * optimize.brentq(lambda x: special.polygamma(1, x) - more, 1e-3, 1e5))
    common = np.exp(logs.mean() + special.digamma(prior / 2) - np.log(prior / 2))
    return (prior * common + df * variance) / (prior + df), prior + df


def deviates(d, kind):
    """The estimates as normal deviates of the same p."""
    variance, df = moderated(*kind(d))
    t = estimate(d) / np.sqrt(variance * np.pi / 3 / PAIRS)
    return np.sign(t) * stats.norm.isf(stats.t.sf(np.abs(t), df))


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    for store in sys.argv[2:]:
        d = differences(sys.argv[1], store)
        ways = np.array(list(itertools.product([-1, 1], repeat=PAIRS)))
        rng = np.random.default_rng(3)
        # Each query goes through all ways, in an order of its own: the others' variances are drawn in.
        order = np.array([rng.permutation(len(ways)) for _ in d])
        centred = d - estimate(d)[:, None]
        swapped = [centred * ways[order[:, at]] for at in range(len(ways))]
        print(f"{store}: {len(d)} queries, {len(ways)} ways; median deviation of a pair {100 * np.median(d.std(axis=1, ddof=1)):.1f} %")
        for kind in (ordinary, winsorised):
            equal = np.abs(np.concatenate([deviates(one, kind) for one in swapped]))
            found = [np.mean([deviates(one + np.log1p(effect), kind) > 3.5 for one in swapped]) for effect in (0.05, 0.1)]
            print(f"  {kind.__name__:10}  beyond 1.96 {100 * np.mean(equal > 1.96):.1f} %, beyond 3.5 {1e4 * np.mean(equal > 3.5):.1f} of 10,000; "
                  f"5 % found {100 * found[0]:.0f} %, 10 % found {100 * found[1]:.0f} %")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Holds the functions of crates/stats against scipy, on cases from a seed.

    python3 -m venv DIR && DIR/bin/pip install scipy
    DIR/bin/python scripts/stats_oracle.py [--seed 1] [--rounds 40] [--binary FILE]

The values come from `crates/stats/examples/figures.rs`, which cargo builds and runs unless FILE is a built one. Where
scipy has no such function, the expected value is worked out by brute force here. Prints a line for each function:
comparisons, largest difference; exits 1 if any is beyond its tolerance.
"""
import argparse
import itertools
import math
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
from scipy import integrate, special, stats

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Case:
    """One call, the expected numbers, and how far off they may be (relative, and absolute for values near 0)."""

    def __init__(self, name, lists, expected, relative=1e-10, absolute=1e-300, where=None):
        self.name, self.lists = name, [np.atleast_1d(np.asarray(v, dtype=float)) for v in lists]
        self.expected = [float(v) for v in np.atleast_1d(expected)]
        self.relative, self.absolute, self.where = relative, absolute, where or name

    def line(self):
        return '\t'.join([self.name] + [','.join(repr(float(v)) for v in values) for values in self.lists])

    def difference(self, found):
        """The largest difference in units of the tolerance, and relative to the expected value."""
        if len(found) < len(self.expected):
            return math.inf, math.inf
        worst, relative = 0.0, 0.0
        for a, b in zip(found, self.expected):
            if a == b:
                continue
            off = abs(a - b)
            allowed = max(self.relative * abs(b), self.absolute)
            worst = max(worst, off / allowed if off == off else math.inf)
            relative = max(relative, off / abs(b) if b else off)
        return worst, relative


def distributions(rng):
    """Tails and quantiles at random places, some far out."""
    z, df = rng.normal(0, 6), 10 ** rng.uniform(-0.5, 6)
    p = rng.choice([rng.uniform(), 10 ** rng.uniform(-12, -1)])
    a, b = 10 ** rng.uniform(-1, 4, size=2)
    n = int(rng.integers(1, 3000))
    k, share, x = int(rng.integers(0, n + 1)), rng.uniform(), rng.beta(a, b)
    chi = df * 10 ** rng.normal(0, 0.5)
    far = dict(relative=1e-9, absolute=1e-290)
    yield Case('normal_cdf', [z], stats.norm.cdf(z), 1e-12)
    yield Case('normal_tail', [3 * z], stats.norm.sf(3 * z), **far)
    yield Case('normal_quantile', [p], stats.norm.ppf(p), 1e-12, 1e-13)
    yield Case('t_cdf', [[z, df]], stats.t.cdf(z, df), **far)
    yield Case('t_tail', [[z * z, df]], stats.t.sf(z * z, df), **far)
    yield Case('t_quantile', [[p, df]], stats.t.ppf(p, df), 1e-9, 1e-11)
    yield Case('chi2_cdf', [[chi, df]], stats.chi2.cdf(chi, df), 1e-8, 1e-250)
    yield Case('chi2_tail', [[chi, df]], stats.chi2.sf(chi, df), 1e-8, 1e-250)
    yield Case('chi2_quantile', [[p, df]], stats.chi2.ppf(p, df), 1e-8, 1e-250)
    yield Case('beta_cdf', [[x, a, b]], stats.beta.cdf(x, a, b), 1e-9, 1e-250)
    yield Case('beta_tail', [[x, a, b]], stats.beta.sf(x, a, b), 1e-9, 1e-250)
    yield Case('binomial_cdf', [[k, n, share]], stats.binom.cdf(k, n, share), 1e-9, 1e-250)
    yield Case('binomial_tail', [[k, n, share]], stats.binom.sf(k - 1, n, share), 1e-9, 1e-250)
    yield Case('ln_gamma', [a], special.gammaln(a), 1e-12, 1e-13)
    yield Case('digamma', [a], special.digamma(a), 1e-12, 1e-13)
    yield Case('trigamma', [a], special.polygamma(1, a), 1e-12)
    level = rng.uniform(0.5, 0.999)
    yield Case('poisson_upper', [[k, level]], stats.chi2.ppf(level, 2 * (k + 1)) / 2, 1e-9)
    score = stats.binomtest(k, n).proportion_ci(level, 'wilson')
    yield Case('wilson', [[k, n, level]], [score.low, score.high], 1e-9, 1e-12)
    power, alpha = rng.uniform(0.5, 0.99), 10 ** rng.uniform(-6, -1)
    yield Case('mde_factor', [[alpha, power]], stats.norm.ppf(1 - alpha / 2) + stats.norm.ppf(power), 1e-9)


def walsh(d):
    return np.sort([(d[i] + d[j]) / 2 for i in range(len(d)) for j in range(i, len(d))])


def location(rng):
    """Quantiles, the Hodges-Lehmann estimate by brute force, its interval by inverting scipy's test."""
    n = int(rng.integers(6, 40))
    d = rng.standard_t(3, size=n)
    level = rng.uniform()
    yield Case('quantile', [d, level], np.quantile(d, level), 1e-12, 1e-13)
    yield Case('quantile_exact', [d, level], np.sort(d)[min(int(level * n), n - 1)], 0)
    yield Case('hodges_lehmann', [d], np.median(walsh(d)), 1e-12, 1e-13)
    many = rng.standard_t(3, size=int(rng.integers(8, 40)))
    drawn = len(many) // 8
    winsorised = stats.mstats.winsorize(many, limits=[(drawn + 0.5) / len(many)] * 2)
    kept = len(many) - 2 * drawn
    of_mean = np.var(np.asarray(winsorised), ddof=1) * (len(many) - 1) / (kept * (kept - 1))
    yield Case('pair_variance', [many], [of_mean * len(many) * 3 / math.pi, kept - 1], 1e-11)
    # The effects that the exact signed-rank test at 5 % does not reject end at Walsh averages.
    kept = []
    averages = walsh(d)
    for low, high in zip(averages, averages[1:]):
        if high > low and stats.wilcoxon(d - (low + high) / 2, method='exact').pvalue > 0.05:
            kept += [low, high]
    expected = [min(kept), max(kept)]
    yield Case('hodges_lehmann_interval', [d, 0.95], expected, 1e-12, 1e-13)
    new = rng.standard_t(3, size=int(rng.integers(5, 20)))
    differences = np.sort((new[:, None] - d[None, :]).ravel())
    yield Case('shift', [d, new], np.median(differences), 1e-12, 1e-13)
    # Likewise the shifts that the exact rank-sum test does not reject.
    middles = (differences[1:] + differences[:-1]) / 2
    inside = [i for i, m in enumerate(middles) if stats.mannwhitneyu(new - m, d, method='exact').pvalue > 0.05]
    expected = [differences[min(inside)], differences[max(inside) + 1]]
    yield Case('shift_interval', [d, new, 0.95], expected, 1e-12, 1e-13)
    interval = stats.ttest_1samp(d, 0).confidence_interval(0.95)
    yield Case('t_interval', [d, 0.95], [interval.low, interval.high], 1e-10, 1e-12)
    tests = [np.exp(rng.normal(0, 0.1, size=int(rng.integers(1, 9)))) for _ in range(5)]
    mean = math.log(stats.gmean(np.concatenate(tests)))
    yield Case('geometric_mean', [np.log(t) for t in tests], mean, 1e-10, 1e-13)


def signed_ranks(x):
    return np.sum(stats.rankdata(abs(x)) * np.sign(x))


def rank_tests(rng):
    """Rank tests: exact without ties, exact with ties (by scipy's permutation test), approximate."""
    n = int(rng.integers(3, 50))
    d = rng.normal(0.3, 1, size=n)
    yield Case('signed_rank', [d], stats.wilcoxon(d, method='exact').pvalue, 1e-9, where='signed_rank exact')
    tied = np.round(rng.normal(0.3, 1.5, size=10)) + 0.5
    exact = stats.permutation_test((tied,), signed_ranks, permutation_type='samples', n_resamples=np.inf, vectorized=False)
    yield Case('signed_rank', [tied], exact.pvalue, 1e-9, where='signed_rank ties')
    for many in (rng.normal(0.1, 1, size=150), np.round(rng.normal(0.1, 2, size=150)) + 0.5):
        expected = stats.wilcoxon(many, method='asymptotic', correction=True).pvalue
        yield Case('signed_rank', [many], expected, 1e-9, where='signed_rank normal')
    a, b = rng.normal(0, 1, size=6), rng.normal(0.5, 1, size=int(rng.integers(2, 9)))
    yield Case('welch', [a, b], stats.ttest_ind(a, b, equal_var=False).pvalue, 1e-9)
    expected = stats.mannwhitneyu(a, b, method='exact').pvalue
    yield Case('rank_sum', [a, b], expected, 1e-9, where='rank_sum exact')
    a, b = np.round(a * 2), np.round(b[:5] * 2)
    ranks = stats.rankdata(np.concatenate([a, b]))
    middle = len(a) * (len(ranks) + 1) / 2
    splits = [abs(ranks[list(s)].sum() - middle) for s in itertools.combinations(range(len(ranks)), len(a))]
    expected = np.mean(np.array(splits) >= abs(ranks[:len(a)].sum() - middle))
    yield Case('rank_sum', [a, b], expected, 1e-9, where='rank_sum ties')
    a, b = np.round(rng.normal(0, 3, size=40)), np.round(rng.normal(0.5, 3, size=60))
    expected = stats.mannwhitneyu(a, b, method='asymptotic').pvalue
    yield Case('rank_sum', [a, b], expected, 1e-9, where='rank_sum normal')


def permutations(rng):
    """Randomisation tests against scipy's, all labelings; D and S of the parity mode by hand."""
    d = rng.normal(0.4, 1, size=int(rng.integers(3, 12)))
    every = dict(n_resamples=np.inf, vectorized=True)
    # In fractions: scipy's means are rounded, and now and then it does not find the observed one among them.
    exact = [Fraction(float(v)) for v in d]
    sums = [abs(sum(sign * v for sign, v in zip(signs, exact))) for signs in itertools.product((1, -1), repeat=len(d))]
    yield Case('sign_flip', [d], sum(s >= abs(sum(exact)) for s in sums) / len(sums), 1e-9)
    a, b = rng.normal(0, 1, size=6), rng.normal(0.7, 1, size=5)
    pool, centre = np.concatenate([a, b]), np.mean(np.concatenate([a, b]))
    sums = [abs(np.sum(pool[list(s)] - centre)) for s in itertools.combinations(range(11), 6)]
    expected = np.mean(np.array(sums) >= abs(np.sum(a - centre)) - 1e-12)
    yield Case('difference_of_means', [a, b], expected, 1e-9)
    # scipy doubles the smaller tail, which is another two-sided p where sizes differ; equal sizes agree.
    equal = stats.permutation_test((a[:5], b), lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis), **every)
    yield Case('difference_of_means', [a[:5], b], equal.pvalue, 1e-9, where='difference_of_means scipy')
    n = int(rng.integers(2, 7))
    old, new = np.exp(rng.normal(0, 0.05, size=n)), np.exp(rng.normal(0.03, 0.05, size=n))
    pool = np.concatenate([old, new])
    upper = lambda x: np.sort(x)[len(x) // 2]
    distances = []
    for chosen in itertools.combinations(range(2 * n), n):
        rest = [i for i in range(2 * n) if i not in chosen]
        distances.append(abs(upper(pool[list(chosen)]) - upper(pool[rest])))
    distances, actual = np.sort(distances), upper(new) - upper(old)
    at = min(int(0.99 * len(distances)), len(distances) - 1)
    expected = [actual / upper(old), distances[at] / upper(old), np.mean(distances >= abs(actual))]
    yield Case('parity', [old, new], expected, 1e-12)


def decisions(rng):
    """Multiplicity, uniformity, equivalence, the e-value."""
    p = rng.uniform(size=int(rng.integers(1, 60))) ** 2
    yield Case('benjamini_hochberg', [p], stats.false_discovery_control(p), 1e-12)
    values = rng.uniform(size=int(rng.integers(1, 101)))
    expected = stats.kstest(values, 'uniform', method='exact')
    yield Case('ks_uniform', [values], [expected.statistic, expected.pvalue], 1e-6, where='ks_uniform exact')
    values = rng.uniform(size=int(rng.integers(101, 3000))) ** rng.uniform(0.9, 1.1)
    expected = stats.kstest(values, 'uniform', method='exact')
    yield Case('ks_uniform', [values], [expected.statistic, expected.pvalue], 1e-12, 0.01, where='ks_uniform series')
    d, margin = rng.normal(0.003, 0.01, size=9), 0.01
    se = np.std(d, ddof=1) / 3
    low = stats.ttest_1samp(d, -margin, alternative='greater').pvalue
    high = stats.ttest_1samp(d, margin, alternative='less').pvalue
    interval = stats.ttest_1samp(d, 0).confidence_interval(0.9)
    expected = [max(low, high), interval.low, interval.high]
    yield Case('tost', [[np.mean(d), se, 8, margin, 0.05]], expected, 1e-9, 1e-13)
    sd, tau, n = rng.uniform(0.5, 2), rng.uniform(0.1, 1), int(rng.integers(1, 30))
    mean = rng.normal(0, 0.5)
    ratio = lambda effect: math.exp(n * (effect * mean - effect ** 2 / 2) / sd ** 2) * stats.norm.pdf(effect, 0, tau)
    value, _ = integrate.quad(ratio, -8 * tau, 8 * tau, epsabs=0, epsrel=1e-11, limit=500)
    yield Case('log_e', [[sd, tau, n, mean]], math.log(value), 1e-7, 1e-7)


def energy(left, right):
    within = lambda s: np.sum(abs(s[:, None] - s[None, :])) / (len(s) * (len(s) - 1))
    across = np.mean(abs(left[:, None] - right[None, :]))
    return len(left) * len(right) / (len(left) + len(right)) * (2 * across - within(left) - within(right))


def series(rng):
    """The energy statistic by brute force, the step score, and a step that nobody can miss."""
    n = int(rng.integers(8, 60))
    values = rng.normal(0, 1, size=n) + np.where(np.arange(n) < n // 3, 0, rng.uniform(0, 3))
    q = [energy(values[:at], values[at:]) for at in range(3, n - 2)]
    yield Case('best_split', [values], [3 + int(np.argmax(q)), max(q)], 1e-9)
    k = 4
    z = []
    for at in range(k, n - k + 1):
        before, after = values[at - k:at], values[at:at + k]
        z.append((after.mean() - before.mean()) / math.sqrt((before.var(ddof=1) + after.var(ddof=1)) / k))
    yield Case('step_scores', [values, k], z, 1e-9, 1e-12)
    at, long = int(rng.integers(20, 180)), rng.normal(0, 1, size=200)
    long[at:] += 12
    yield Case('changes', [long], [at], 0)


def answers(cases, binary):
    """What the example prints, one list of numbers (or words of an error) per case."""
    command = [binary] if binary else ['cargo', 'run', '-q', '-p', 'entasis-stats', '--example', 'figures']
    text = '\n'.join(case.line() for case in cases) + '\n'
    done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode != 0:
        sys.exit(f'{command[0]} failed: {done.stderr.strip()}')
    return [line.split('\t') for line in done.stdout.splitlines()]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--rounds', type=int, default=40)
    p.add_argument('--binary', help='a built figures example')
    a = p.parse_args()
    rng = np.random.default_rng(a.seed)
    families = (distributions, location, rank_tests, permutations, decisions, series)
    cases = [case for _ in range(a.rounds) for family in families for case in family(rng)]
    lines = answers(cases, a.binary)
    if len(lines) != len(cases):
        sys.exit(f'{len(cases)} calls, {len(lines)} answers')
    summary, failures = {}, 0
    for case, words in zip(cases, lines):
        count, largest, failed = summary.get(case.where, (0, 0.0, 0))
        units, relative = (math.inf, math.inf) if words[0] == 'error' else case.difference([float(w) for w in words])
        if not units <= 1:
            failed += 1
            failures += 1
            if failures <= 10:
                print(f'{case.line()}\n  expected {case.expected}\n  found    {words}')
        summary[case.where] = (count + 1, max(largest, relative), failed)
    for name, (count, largest, failed) in summary.items():
        print(f'{name:28} {count:6} compared, largest relative difference {largest:.1e}' + (f', {failed} WRONG' if failed else ''))
    print(f'{len(cases)} comparisons, {failures} wrong')
    sys.exit(failures > 0)


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""`make bench-join-orders`: how much the order of joins matters for the queries of TPC-H.

    bench_join_orders.py ENTASIS [--sf 1] [--data DIR] [--queries 2,3,5] [--orders 100] [--rounds 2] [--timeout 60] [--threads 2]

Every query runs in the planner's own order and in `--orders` random orders (`query_plan_optimize_join_order_randomize`), in which every
join has an equality; the planner chooses the build sides. The best of `--rounds` runs counts. A robust engine is about as fast in all orders, because
filters by the keys of other tables reach a scan whatever the order is (Robust Predicate Transfer, SIGMOD 2025). All answers of a query
must be the same. The data are those of bench_joins.py.
"""
import argparse
import os
import statistics
import sys

import bench_joins as joins

# Queries with at least two tables in one region of joins. Query 5 has a cycle, which the measure leaves out.
ACYCLIC = '2,3,4,7,8,9,10,11,12,13,14,16,17,18,19,20,21,22'


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('binary')
    p.add_argument('--sf', default='1')
    p.add_argument('--data', default='joins-data')
    p.add_argument('--queries', default=ACYCLIC)
    p.add_argument('--orders', type=int, default=100)
    p.add_argument('--rounds', type=int, default=2)
    p.add_argument('--timeout', type=float, default=60)
    p.add_argument('--threads', type=int, default=2)
    a = p.parse_args()
    a.binary, a.data = os.path.abspath(a.binary), os.path.abspath(a.data)
    a.suites, a.engines, a.chdb, a.memory, a.show = ['tpch'], ['entasis'], None, '0', False
    return a


def best_of(run, text, rounds, order):
    """(milliseconds, sorted rows) of a query in an order; an error ends the run."""
    best, rows = None, None
    for _ in range(rounds):
        seconds, tsv, error = run.ask('entasis', text, {'query_plan_optimize_join_order_randomize': str(order)})
        if error:
            sys.exit(f'order {order}: {error}')
        best, rows = min(seconds, best or seconds), tsv
    return best * 1e3, rows


def main():
    a = arguments()
    joins.generate(a, 'tpch')
    joins.load(a, 'tpch', 'entasis')
    wanted = joins.numbers(a.queries)
    run = joins.Run(a, 'tpch')
    print(f'TPC-H, scale factor {a.sf}, {a.threads} threads: {a.orders} random orders, best of {a.rounds} each, ms', flush=True)
    print(f"{'query':>5}  {'planner':>8}  {'least':>8}  {'median':>8}  {'most':>8}  most/least  worst order", flush=True)
    worst = 0.0
    for place, text in joins.query_texts('tpch'):
        if place not in wanted:
            continue
        own, rows = best_of(run, text, a.rounds, 0)
        times = []
        for order in range(2, a.orders + 2):
            taken, found = best_of(run, text, a.rounds, order)
            times.append((taken, order))
            if joins.difference(found, rows)[0] == 'differs':
                sys.exit(f'query {place} has another answer in order {order}')
        only = [taken for taken, _ in times]
        ratio = max(only) / min(only)
        worst = max(worst, ratio)
        print(f'{place:>5}  {own:8.1f}  {min(only):8.1f}  {statistics.median(only):8.1f}  {max(only):8.1f}  {ratio:10.2f}  {max(times)[1]:>11}', flush=True)
    run.close()
    print(f'worst most/least: {worst:.2f}')


if __name__ == '__main__':
    main()

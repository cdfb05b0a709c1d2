"""How noisy this machine is, and what the order of runs does about it: the figures of docs/laboratory.md, "Why runs are
short and compared with their neighbours".

    python3 scripts/lab_noise.py BINARY [PAIRS] [SECONDS]       (eight pairs of processes of 1.5 seconds, if not said)

Both sides are the same binary. For each query: the deviation of single runs, the correlation of a run with the next and the
twentieth after it, and by how much pairs of processes disagree (standard deviation of the log ratio between them) if the
sides run in turns (medians of either side, or of neighbours) or both at once on a core each (duet, one thread).
"""
import math
import statistics
import sys
import threading
import time

from own_server import OwnServer

QUERIES = [
    ("sum of hashes", "SELECT sum(cityHash64(number)) FROM numbers_mt(12000000)"),
    ("group by", "SELECT count() FROM (SELECT intHash32(number) % 100000 AS k, count() FROM numbers_mt(1500000) GROUP BY k)"),
    ("sort", "SELECT intHash32(number) AS k FROM numbers_mt(700000) ORDER BY k FORMAT Null"),
    ("strings", "SELECT count() FROM numbers_mt(1500000) WHERE NOT ignore(toString(number))"),
]


def timed(server, text, **settings):
    start = time.monotonic()
    response, tail = server.ask(text, **settings)
    if response.status != 200:
        raise SystemExit(tail)
    return math.log(time.monotonic() - start)


def in_turns(servers, text, seconds):
    """Log seconds of both sides' runs, neighbours first and second by turns."""
    sides, end, turn = ([], []), time.monotonic() + seconds, 0
    while time.monotonic() < end:
        for side in (0, 1) if turn % 2 == 0 else (1, 0):
            sides[side].append(timed(servers[side], text))
        turn += 1
    return sides


def at_once(servers, text, seconds):
    sides, end = ([], []), time.monotonic() + seconds
    while time.monotonic() < end:
        run = lambda side: sides[side].append(timed(servers[side], text, max_threads=1))
        threads = [threading.Thread(target=run, args=(side,)) for side in (0, 1)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
    return sides


def correlation(values, lag):
    if len(values) < lag + 3:
        return float("nan")
    middle = statistics.fmean(values)
    off = [value - middle for value in values]
    return sum(a * b for a, b in zip(off, off[lag:])) / sum(a * a for a in off)


def pairs_of(binary, pairs, seconds):
    """By query: the sides of each pair of fresh processes, in turns and at once."""
    all_pairs = {name: ([], []) for name, _ in QUERIES}
    for pair in range(pairs):
        print(f"\rpair of processes {pair + 1} of {pairs}", end="", file=sys.stderr)
        servers = [OwnServer(binary, "lab-noise") for _ in range(2)]
        for name, text in QUERIES:
            for server in servers:
                timed(server, text)
            all_pairs[name][0].append(in_turns(servers, text, seconds))
            all_pairs[name][1].append(at_once(servers, text, seconds))
        [server.stop() for server in servers]
    print(file=sys.stderr)
    return all_pairs


def main():
    if len(sys.argv) not in (2, 3, 4):
        raise SystemExit(__doc__)
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 8
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 1.5
    print("query\tms\truns\tdeviation %\tnext\ttwentieth\tmedians %\tneighbours %\tduet %")
    for name, (turns, duet) in pairs_of(sys.argv[1], pairs, seconds).items():
        old = [side for side, _ in turns]
        spread = statistics.median(statistics.stdev(side) for side in old)
        next_to, later = (statistics.median(correlation(side, lag) for side in old) for lag in (1, 20))
        medians = statistics.stdev(statistics.median(b) - statistics.median(a) for a, b in turns)
        near = [[statistics.median(y - x for x, y in zip(*pair)) for pair in kind] for kind in (turns, duet)]
        ms = 1000 * math.exp(statistics.median(old[0]))
        figures = [100 * spread, next_to, later, 100 * medians] + [100 * statistics.stdev(kind) for kind in near]
        print(f"{name}\t{ms:.0f}\t{len(old[0])}\t" + "\t".join(f"{figure:.2f}" for figure in figures))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What the logs cost a served statement: two servers, with and without logs, asked in turns.

    python3 scripts/log_cost.py BINARY [STATEMENTS (10000)] [ROUNDS (6)]

Each round asks each server STATEMENTS times `SELECT count() FROM t` with varying text over one kept connection, and looks at the
processor time of its threads before and after (/proc/PID/task/*/stat, in hundredths of a second; rows of logs are written by
then). Printed are medians over rounds
in microseconds a statement, with the least and the most: all threads but that of the logs, and that of the logs; and how many rows
of logs were lost.
"""
import http.client
import pathlib
import statistics
import sys
import tempfile

from own_server import OwnServer


def ticks(pid):
    """Hundredths of a second by thread name."""
    total = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        fields = (task / "stat").read_text().rsplit(")", 1)[1].split()
        name = (task / "comm").read_text().strip()
        total[name] = total.get(name, 0) + int(fields[11]) + int(fields[12])
    return total


def main():
    binary = sys.argv[1]
    count, rounds = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((2, 10_000), (3, 6)))
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as config:
        config.write("logs = false\n")
        config.flush()
        servers = {"with logs": OwnServer(binary, "log-cost"), "without": OwnServer(binary, "log-cost", "--config", config.name)}
        try:
            connections = {}
            for name, server in servers.items():
                server.ask("CREATE TABLE t ENGINE = MergeTree ORDER BY number AS SELECT number FROM numbers(100000)")
                connections[name] = http.client.HTTPConnection("127.0.0.1", server.port)
            figures = {name: {"statement": [], "logs": []} for name in servers}
            for r in range(rounds):
                for name in sorted(servers, reverse=r % 2):
                    pid = servers[name].process.pid
                    before = ticks(pid)
                    for i in range(count):
                        connections[name].request("POST", "/", f"SELECT count() AS c{r}_{i} FROM t")
                        connections[name].getresponse().read()
                    if name == "with logs":
                        servers[name].ask("SYSTEM FLUSH LOGS")
                    after = ticks(pid)
                    used = {thread: after[thread] - before.get(thread, 0) for thread in after}
                    logs = used.pop("logs", 0)
                    figures[name]["statement"].append(10_000 * sum(used.values()) / count)
                    figures[name]["logs"].append(10_000 * logs / count)
            lost = servers["with logs"].ask("SELECT sum(value) FROM system.events WHERE event = 'SystemLogRowsLost'")[1].strip()
        finally:
            for server in servers.values():
                server.stop()
    for name, kinds in figures.items():
        parts = [f"{kind} {statistics.median(v):.1f} us ({min(v):.1f} to {max(v):.1f})" for kind, v in kinds.items()]
        print(f"{name}: {', '.join(parts)}")
    print(f"{count} statements a round, {rounds} rounds; rows of logs lost: {lost}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The whole SQL corpus on many threads, profiled as closely as it goes: does the server stand it?

    python3 scripts/profiler_soak.py BINARY [MINUTES (10)] [CLIENTS (16)]

Starts a server of its own with a folder of its own. Each client runs files of tests/sql again and
again in random order (`entasis client --ignore-error`), both timers at 1 ms, every second file with
stacks of memory and of traced events besides. Fails if the server ends or does not answer, if a
file takes longer than LONGEST seconds, or if the server does not end when it is told to. Printed is
what was sampled, and what was lost.
"""
import os
import pathlib
import random
import subprocess
import sys
import threading
import time

from own_server import OwnServer

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILES = sorted((ROOT / "tests/sql").rglob("*.sql"))
LONGEST = float(os.environ.get("LONGEST", 300))
TIMERS = ["--query_profiler_cpu_time_period_ns=1000000", "--query_profiler_real_time_period_ns=1000000"]
MORE = ["--memory_profiler_step=65536", "--memory_profiler_sample_probability=0.01",
        "--memory_profiler_sample_min_allocation_size=4096", "--metrics_perf_events_enabled=1",
        "--trace_profile_events=1"]

LOGICAL = "SELECT value, last_error_message FROM system.errors WHERE name = 'LOGICAL_ERROR'"


class Client(threading.Thread):
    """Runs files until the time is over."""

    def __init__(self, binary, server, number, until):
        super().__init__()
        self.command = [binary, "client", "--host", "127.0.0.1", "--port", str(server.port), "--ignore-error"]
        self.server, self.number, self.until = server, number, until
        self.random = random.Random(number)
        self.files, self.slowest, self.hung = 0, (0.0, ""), []

    def run(self):
        while time.monotonic() < self.until:
            file = self.random.choice(FILES)
            database = f"soak{self.number}"
            self.server.ask(f"DROP DATABASE IF EXISTS {database}")
            self.server.ask(f"CREATE DATABASE {database}")
            more = MORE if self.files % 2 else []
            began = time.monotonic()
            command = self.command + TIMERS + more + ["-d", database, "--queries-file", str(file)]
            try:
                subprocess.run(command, timeout=LONGEST, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            except subprocess.TimeoutExpired:
                self.hung.append(str(file))
            self.slowest = max(self.slowest, (time.monotonic() - began, file.name))
            self.files += 1


def resident(process):
    """Megabytes, or 0 if the process is gone."""
    try:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return 0
    return int(status.split("VmRSS:")[1].split()[0]) // 1024


def figure(server, query):
    """The answer to a query on one line; empty where it fails."""
    response, text = server.ask(query, query_profiler_real_time_period_ns=0, query_profiler_cpu_time_period_ns=0)
    return text.strip() if response.status == 200 else ""


def report(server):
    """What the logs hold. The log of stacks is counted after it was written."""
    server.ask("SYSTEM FLUSH LOGS")
    kinds = "SELECT trace_type, count(), uniq(query_id), uniq(thread_id), countIf(empty(trace)) FROM system.trace_log GROUP BY 1 ORDER BY 1"
    print("type, stacks, statements, threads, empty ones:")
    print(figure(server, kinds))
    for event in ["Query", "FailedQuery", "QueryProfilerSignalOverruns", "SystemLogRowsLost", "SystemLogErrorOnFlush"]:
        shown = f"SELECT value FROM system.events WHERE event = '{event}' SETTINGS system_events_show_zero_values = 1"
        print(f"{event}: {figure(server, shown)}")
    print(f"LOGICAL_ERROR: {figure(server, LOGICAL) or 0}")
    print(f"system.warnings: {figure(server, 'SELECT message FROM system.warnings') or 'none'}")


def main():
    """See the top."""
    binary = sys.argv[1]
    minutes = float(sys.argv[2]) if len(sys.argv) > 2 else 10
    clients = int(sys.argv[3]) if len(sys.argv) > 3 else 16
    server = OwnServer(binary, "soak")
    until = time.monotonic() + 60 * minutes
    threads = [Client(binary, server, number, until) for number in range(clients)]
    for thread in threads:
        thread.start()
    problems, peak = [], 0
    while any(thread.is_alive() for thread in threads):
        time.sleep(1)
        peak = max(peak, resident(server.process))
        if server.process.poll() is not None:
            problems.append(f"the server has ended: {server.process.returncode}")
            break
        if figure(server, "SELECT 1") != "1":
            problems.append("SELECT 1 was not answered")
    for thread in threads:
        thread.join(timeout=LONGEST)
    problems += [f"hung: {file}" for thread in threads for file in thread.hung]
    seconds, slowest = max(thread.slowest for thread in threads)
    files = sum(thread.files for thread in threads)
    print(f"{files} files by {clients} clients in {minutes} minutes, the slowest {slowest} in {seconds:.1f} s, "
          f"resident at most {peak} MB")
    if server.process.poll() is None:
        report(server)
        server.process.terminate()
        try:
            if server.process.wait(timeout=60) != 0:
                problems.append(f"the server ended with {server.process.returncode}")
        except subprocess.TimeoutExpired:
            problems.append("the server does not end")
            server.process.kill()
    server.stop()
    print("\n".join(problems) or "no crash, no hang")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Single-row INSERTs over keep-alive HTTP connections: how many a second are acknowledged, and how
long each takes; then the server is killed, and every acknowledged row must be there.

    scripts/bench_inserts.py BINARY [--seconds 10] [--connections 16] [--async-insert] [--path DIR]

The load comes from one process: each connection has one request on its way, and the next one is
sent when the answer is there. The server is killed with signal 9 while requests are on their way.
"""

import argparse
import selectors
import shutil
import socket
import sys
import tempfile
import time

from own_server import OwnServer

TABLE = """CREATE TABLE bench (id UInt64, at DateTime, name String, value Float64, flag UInt8)
ENGINE = MergeTree ORDER BY id"""
# Numbers of one connection's rows begin at a multiple of this.
STRIDE = 1_000_000_000


class Connection:
    """One connection with one request on its way."""

    def __init__(self, port, number, query):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.first, self.acknowledged, self.query = number * STRIDE, 0, query
        self.answer, self.sent = b"", 0.0
        self.latencies, self.failures = [], []

    def send(self):
        number = self.first + self.acknowledged
        row = f"INSERT INTO bench VALUES ({number}, 1764150000, 'name {number % 977}', {number}.5, 1)"
        head = f"POST /{self.query} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(row)}\r\n\r\n"
        self.sent = time.perf_counter()
        self.socket.sendall((head + row).encode())

    def receive(self):
        """Reads; whether the answer is complete."""
        got = self.socket.recv(65536)
        if not got:
            raise ConnectionError("the server has closed a connection")
        self.answer += got
        head, found, body = self.answer.partition(b"\r\n\r\n")
        if not found:
            return False
        lower = head.lower()
        if b"transfer-encoding: chunked" in lower:
            if not body.endswith(b"0\r\n\r\n"):
                return False
        elif b"content-length: " in lower:
            length = int(lower.split(b"content-length: ")[1].split(b"\r\n")[0])
            if len(body) < length:
                return False
        self.latencies.append(time.perf_counter() - self.sent)
        if head.startswith(b"HTTP/1.1 200"):
            self.acknowledged += 1
        else:
            self.failures.append(body[:300])
        self.answer = b""
        return True


def load(port, connections, seconds, query):
    """Sends for some seconds; the requests that are on their way at the end are left alone."""
    selector = selectors.EpollSelector()
    all_of_them = [Connection(port, number, query) for number in range(connections)]
    for connection in all_of_them:
        selector.register(connection.socket, selectors.EVENT_READ, connection)
        connection.send()
    began = time.perf_counter()
    end = began + seconds
    while time.perf_counter() < end:
        for key, _ in selector.select(0.1):
            if key.data.receive():
                if len(key.data.failures) > 3:
                    sys.exit(f"INSERTs fail: {key.data.failures[-1].decode(errors='replace')}")
                key.data.send()
    return all_of_them, time.perf_counter() - began


def report(connections, took):
    """Prints figures of the load."""
    rows = sum(connection.acknowledged for connection in connections)
    failures = sum(len(connection.failures) for connection in connections)
    latencies = sorted(one for connection in connections for one in connection.latencies)
    at = lambda share: latencies[min(int(len(latencies) * share), len(latencies) - 1)] * 1000
    print(f"{rows} INSERTs acknowledged in {took:.1f} s over {len(connections)} connections: "
          f"{rows / took:,.0f} a second; {failures} failed")
    print("latency in ms: " + ", ".join(
        f"{name} {at(share):.2f}" for name, share in
        [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("longest", 1.0)]))


def missing(found, connections):
    """Acknowledged rows that are not there, and rows that are there twice."""
    lost = 0
    for connection in connections:
        wanted = range(connection.first, connection.first + connection.acknowledged)
        lost += sum(1 for number in wanted if number not in found)
    return lost


def kill(server):
    """Ends the server as a crash does."""
    server.process.kill()
    server.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--async-insert", action="store_true", help="with async_insert = 1")
    parser.add_argument("--path", help="a new folder on the disk to measure")
    options = parser.parse_args()
    path = options.path or tempfile.mkdtemp(prefix="entasis-inserts-")
    query = "?async_insert=1" if options.async_insert else ""
    try:
        server = OwnServer(options.binary, "inserts", path=path)
        server.text(TABLE)
        connections, took = load(server.port, options.connections, options.seconds, query)
        query = "SELECT count(), sum(rows) FROM system.parts WHERE table = 'bench' AND active"
        parts = server.text(query)[0]
        kill(server)
        report(connections, took)
        print("parts and rows at the end: " + ", ".join(parts.split()))
        server = OwnServer(options.binary, "inserts", path=path)
        rows = server.text("SELECT id FROM bench")[0].split()
        kill(server)
        found = {int(row) for row in rows}
        lost = missing(found, connections)
        print(f"after kill -9 and a restart: {len(rows)} rows, {lost} acknowledged ones lost, "
              f"{len(rows) - len(found)} there twice")
        sys.exit(1 if lost or len(rows) != len(found) else 0)
    finally:
        if not options.path:
            shutil.rmtree(path, ignore_errors=True)


if __name__ == "__main__":
    main()

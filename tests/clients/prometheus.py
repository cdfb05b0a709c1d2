#!/usr/bin/env python3
"""/metrics under the parser of Prometheus's own Python client, and against system.events.

    python tests/clients/prometheus.py BINARY

Every sample has a name of the reference's, a type and a help text; counters never fall and move by what a statement
did; figures agree with the system tables; a page of another site gets nothing.
"""
import pathlib
import sys
import urllib.error
import urllib.request

from prometheus_client.parser import text_string_to_metric_families

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from own_server import OwnServer  # noqa: E402

PREFIXES = ("ClickHouseProfileEvents_", "ClickHouseMetrics_", "ClickHouseAsyncMetrics_")


def page(port, **headers):
    """The page's families by name, and its Content-Type."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers=headers)
    with urllib.request.urlopen(request, timeout=30) as response:
        families = list(text_string_to_metric_families(response.read().decode()))
        return {family.name: family for family in families}, response.headers["content-type"]


def value(families, name):
    """The one sample of a family; the parser leaves a counter's name as it is."""
    (sample,) = families[name].samples
    return sample.value


def main():
    server = OwnServer(sys.argv[1], "prometheus")
    try:
        before, kind = page(server.port)
        assert kind.startswith("text/plain; version=0.0.4"), kind
        assert len(before) > 150 + 30, len(before)
        for name, family in before.items():
            assert name.startswith(PREFIXES), name
            assert family.documentation.endswith("."), (name, family.documentation)
            counts = name.startswith(PREFIXES[0])
            assert family.type == ("counter" if counts else "gauge"), (name, family.type)
            assert len(family.samples) == 1 and not family.samples[0].labels, name
        server.ask("SELECT sum(number) FROM numbers(123456)")
        after, _ = page(server.port)
        fallen = [n for n in before if n.startswith(PREFIXES[0]) and value(after, n) < value(before, n)]
        assert not fallen, fallen
        moved = {
            event: value(after, PREFIXES[0] + event) - value(before, PREFIXES[0] + event)
            for event in ("Query", "SelectQuery", "SelectedRows", "GeneratedRowsRead", "FailedQuery")
        }
        assert moved == {
            "Query": 1, "SelectQuery": 1, "SelectedRows": 123456, "GeneratedRowsRead": 123456, "FailedQuery": 0,
        }, moved
        _, text = server.ask("SELECT value FROM system.events WHERE event = 'GeneratedRowsRead'")
        assert float(text) == value(after, PREFIXES[0] + "GeneratedRowsRead"), text
        assert value(after, PREFIXES[1] + "HTTPConnection") >= 1
        assert value(after, PREFIXES[2] + "MemoryResident") > 1 << 20
        assert value(after, PREFIXES[2] + "jemalloc_allocated") > 0
        for headers in ({"Origin": "http://elsewhere.example"}, {"X-ClickHouse-User": "nobody"}):
            try:
                page(server.port, **headers)
                raise SystemExit(f"{headers} were let in")
            except urllib.error.HTTPError as refused:
                assert refused.code == 403, refused.code
        print(f"{len(after)} metrics, all with type and help; counters agree with system.events")
    finally:
        server.stop()


if __name__ == "__main__":
    main()

"""clickhouse-connect, the official Python client, against `entasis server`: what an application does with it.

    python3 tests/clients/clickhouse_connect.py BINARY        (make clients does it all)

Starts a server of its own. Every function `check_*` is one thing that must work; all run, the exit code says
whether all passed. Values are compared with what Python put in, or with what ClickHouse is documented to answer.
"""
import sys

sys.path.pop(0)  # this file has the name of the package that it tests

import asyncio
import datetime as dt
import decimal
import io
import os
import signal
import socket
import subprocess
import tempfile
import time
import traceback
import uuid
import zoneinfo

import clickhouse_connect
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from clickhouse_connect.driver.exceptions import DatabaseError
from clickhouse_connect.driver.external import ExternalData
from sqlalchemy import create_engine, inspect, text

UTC = dt.timezone.utc
DECIMAL = decimal.Decimal

# Type, values.
TYPES = [
    ("UInt8", [0, 255]),
    ("UInt16", [0, 65535]),
    ("UInt32", [0, 2**32 - 1]),
    ("UInt64", [0, 2**64 - 1]),
    ("Int8", [-128, 127]),
    ("Int16", [-(2**15), 2**15 - 1]),
    ("Int32", [-(2**31), 2**31 - 1]),
    ("Int64", [-(2**63), 2**63 - 1]),
    ("Float32", [1.5, -0.25]),
    ("Float64", [0.1, -1e300]),
    ("Bool", [True, False]),
    ("String", ["", "naïve ☃ \t\n\\ '\""]),
    ("FixedString(4)", [b"ab\0\0", b"abcd"]),
    ("Date", [dt.date(1970, 1, 1), dt.date(2026, 11, 21)]),
    ("Date32", [dt.date(1930, 5, 6), dt.date(2200, 1, 2)]),
    ("DateTime", [dt.datetime(1970, 1, 2, 3, 4, 5), dt.datetime(2026, 11, 21, 10, 0, 0)]),
    ("DateTime('Europe/Berlin')", [dt.datetime(2026, 7, 1, 12, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin"))] * 2),
    ("DateTime64(3)", [dt.datetime(2026, 11, 21, 10, 0, 0, 123000), dt.datetime(1999, 12, 31, 23, 59, 59, 999000)]),
    ("DateTime64(6, 'UTC')", [dt.datetime(2026, 11, 21, 10, 0, 0, 123456)] * 2),
    ("Decimal(9, 2)", [DECIMAL("1234567.89"), DECIMAL("-0.01")]),
    ("Decimal(18, 6)", [DECIMAL("123456789012.345678"), DECIMAL("0.000000")]),
    ("Decimal(38, 10)", [DECIMAL("1234567890123456789012345678.0123456789"), DECIMAL("-1.0000000000")]),
    ("UUID", [uuid.UUID("8eecb521-aeeb-4e21-8cf3-5413a275b4f1"), uuid.UUID(int=0)]),
    ("Enum8('a' = 1, 'b' = 2)", ["a", "b"]),
    ("Enum16('x' = -500, 'y' = 500)", ["x", "y"]),
    ("Nullable(UInt32)", [None, 7]),
    ("Nullable(String)", ["x", None]),
    ("Nullable(DateTime)", [None, dt.datetime(2026, 1, 1)]),
    ("LowCardinality(String)", ["red", "green"]),
    ("LowCardinality(Nullable(String))", [None, "green"]),
    ("Array(UInt32)", [[], [1, 2, 3]]),
    ("Array(Array(String))", [[["a"], []], []]),
    ("Array(Nullable(Int64))", [[1, None], [None]]),
    ("Array(LowCardinality(String))", [["a", "b", "a"], []]),
    ("Tuple(UInt8, String)", [(1, "one"), (2, "two")]),
    ("Tuple(a UInt8, b Array(String))", [{"a": 1, "b": ["x"]}, {"a": 2, "b": []}]),
    ("Map(String, UInt64)", [{"k": 1, "l": 2}, {}]),
    ("Map(LowCardinality(String), Array(Float64))", [{"k": [0.5]}, {"m": []}]),
]


class Server:
    def __init__(self, binary):
        self.folder = tempfile.TemporaryDirectory(prefix="entasis-clients-")
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        command = [binary, "server", "--http-port", str(self.port), "--path", self.folder.name]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("the server does not answer")

    def client(self, **options):
        return clickhouse_connect.get_client(host="127.0.0.1", port=self.port, **options)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        self.folder.cleanup()


def equal(got, wanted):
    assert got == wanted, f"got {got!r}, wanted {wanted!r}"


def check_greeting(server):
    client = server.client()
    assert client.ping()
    assert client.server_version.split(".")[0].isdigit(), client.server_version
    equal(client.query("SELECT 1, 'a', [1, 2]").result_rows, [(1, "a", [1, 2])])
    assert client.min_version("20.1")
    equal(client.command("SELECT 13"), 13)


def check_ddl(server):
    client = server.client()
    client.command("CREATE DATABASE shop")
    client.command("CREATE TABLE shop.sales (day Date, item LowCardinality(String), n UInt32 DEFAULT 1) "
                   "ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (item, day)")
    equal(client.query("SHOW TABLES FROM shop").result_rows, [("sales",)])
    equal([row[0] for row in client.query("DESCRIBE TABLE shop.sales").result_rows], ["day", "item", "n"])
    equal(client.query("EXISTS TABLE shop.sales").first_row[0], 1)
    client.insert("shop.sales", [[dt.date(2026, 1, 2), "tea"]], column_names=["day", "item"])
    equal(client.query("SELECT * FROM shop.sales").result_rows, [(dt.date(2026, 1, 2), "tea", 1)])
    client.command("RENAME TABLE shop.sales TO shop.sold")
    client.command("TRUNCATE TABLE shop.sold")
    equal(client.command("SELECT count() FROM shop.sold"), 0)
    other = server.client(database="shop")
    equal(other.command("SELECT count() FROM sold"), 0)
    client.command("DROP DATABASE shop")


def check_types(server):
    client = server.client()
    failures = []
    for ty, values in TYPES:
        try:
            client.command("DROP TABLE IF EXISTS t")
            client.command(f"CREATE TABLE t (i UInt8, v {ty}) ENGINE = MergeTree ORDER BY i")
            client.insert("t", [[i, v] for i, v in enumerate(values)], column_names=["i", "v"])
            got = [row[1] for row in client.query("SELECT i, v FROM t ORDER BY i").result_rows]
            equal(got, values)
        except Exception as error:
            failures.append(f"{ty}: {str(error)[:300]}")
    assert not failures, "\n    " + "\n    ".join(failures)


def check_numpy(server):
    client = server.client()
    array = client.query_np("SELECT number AS a, number * 2 AS b FROM numbers(1000)")
    equal((array.shape, array["b"].sum() if array.dtype.names else array[:, 1].sum()), ((1000,) if array.dtype.names else (1000, 2), 999000))
    times = client.query_np("SELECT toDateTime('2026-11-21 10:00:00') + number AS t FROM numbers(3)")
    assert np.issubdtype(np.asarray(times).ravel().dtype if not times.dtype.names else times["t"].dtype, np.datetime64)


def check_pandas(server):
    client = server.client()
    client.command("CREATE TABLE frame (k UInt32, s String, f Float64, n Nullable(Int64), t DateTime64(3), d Date) "
                   "ENGINE = MergeTree ORDER BY k")
    frame = pd.DataFrame({
        "k": np.arange(1000, dtype="uint32"),
        "s": [f"row {i}" for i in range(1000)],
        "f": np.linspace(0, 1, 1000),
        "n": pd.array([None if i % 3 == 0 else i for i in range(1000)], dtype="Int64"),
        "t": pd.date_range("2026-01-01", periods=1000, freq="h"),
        "d": [dt.date(2026, 1, 1) + dt.timedelta(days=i) for i in range(1000)],
    })
    client.insert_df("frame", frame)
    back = client.query_df("SELECT * FROM frame ORDER BY k")
    equal(len(back), 1000)
    equal(list(back["s"]), list(frame["s"]))
    assert np.allclose(back["f"], frame["f"])
    equal(back["n"].isna().sum(), 334)
    equal(back["t"].iloc[999], frame["t"].iloc[999])
    equal(client.query_df("SELECT k % 10 AS g, count() AS c FROM frame GROUP BY g ORDER BY g")["c"].tolist(), [100] * 10)


def check_arrow(server):
    client = server.client()
    table = client.query_arrow("SELECT number AS n, toString(number) AS s, [number] AS a FROM numbers(10000)", use_strings=True)
    equal((table.num_rows, table.column("n").to_pylist()[-1], table.column("s").to_pylist()[7]), (10000, 9999, "7"))
    client.command("CREATE TABLE arrow (n UInt64, s String, f Nullable(Float64)) ENGINE = MergeTree ORDER BY n")
    rows = pa.table({"n": pa.array([1, 2, 3], pa.uint64()), "s": ["a", "b", "c"], "f": pa.array([0.5, None, 1.5])})
    client.insert_arrow("arrow", rows)
    equal(client.query("SELECT * FROM arrow ORDER BY n").result_rows, [(1, "a", 0.5), (2, "b", None), (3, "c", 1.5)])
    with client.query_arrow_stream("SELECT number FROM numbers(500000)") as stream:
        equal(sum(block.num_rows for block in stream), 500000)


def check_parameters(server):
    client = server.client()
    ask = lambda sql, **values: client.query(sql, parameters=values).first_row
    equal(ask("SELECT {a:UInt32} + 1, {s:String}", a=41, s="it's \\ \n\t ☃"), (42, "it's \\ \n\t ☃"))
    equal(ask("SELECT {l:Array(UInt32)}, {d:Date}", l=[1, 2], d=dt.date(2026, 1, 2)), ([1, 2], dt.date(2026, 1, 2)))
    equal(ask("SELECT {t:DateTime}, {n:Nullable(String)}", t=dt.datetime(2026, 1, 2, 3, 4, 5), n=None),
          (dt.datetime(2026, 1, 2, 3, 4, 5), None))
    equal(ask("SELECT {strings:Array(String)}", strings=["a'b", "c\\d", "e,f"]), (["a'b", "c\\d", "e,f"],))
    equal(client.query("SELECT %(a)s, %(b)s, %(c)s", parameters={"a": 7, "b": "it's", "c": [1, 2]}).first_row, (7, "it's", [1, 2]))
    equal(client.query("SELECT %s + %s", parameters=(1, 2)).first_row, (3,))


def check_sessions(server):
    client = server.client(session_id=str(uuid.uuid4()))
    client.command("SET max_threads = 1")
    equal(client.command("SELECT getSetting('max_threads')"), 1)
    client.command("SET max_block_size = 77")
    equal(client.query("SELECT getSetting('max_threads'), getSetting('max_block_size')").first_row, (1, 77))
    equal(server.client().command("SELECT getSetting('max_block_size')") == 77, False)


def check_temporary_tables(server):
    client = server.client(session_id=str(uuid.uuid4()))
    client.command("CREATE TEMPORARY TABLE mine (k UInt32, v Array(String))")
    client.insert("mine", [[1, ["a"]], [2, []]])
    equal(client.query("SELECT * FROM mine ORDER BY k").result_rows, [(1, ["a"]), (2, [])])
    equal(client.query("SHOW TEMPORARY TABLES").result_rows, [("mine",)])
    try:
        server.client().query("SELECT * FROM mine")
    except DatabaseError as error:
        assert "60" in str(error), error
    else:
        raise AssertionError("another session sees the table")


def check_external_data(server):
    client = server.client()
    data = ExternalData(file_name="pairs.csv", fmt="CSV", structure=["name String", "n UInt32"], data=b"a,1\nb,2\n")
    data.add_file(file_name="names.tsv", fmt="TSV", types=["String"], data=b"b\n")
    sql = "SELECT name, n FROM pairs WHERE name IN (SELECT _1 FROM names)"
    equal(client.query(sql, external_data=data).result_rows, [("b", 2)])


def check_late_refusals(server):
    client = server.client(compress=False)
    client.command("CREATE TABLE late (n UInt64) ENGINE = MergeTree ORDER BY n")
    rows = b"not a number\n" + b"12345678\n" * (4 << 20)
    try:
        client.raw_insert("late", ["n"], rows, fmt="TSV")
    except DatabaseError as error:
        assert "27" in str(error), error
    else:
        raise AssertionError("a wrong row passed")


def check_polars(server):
    client = server.client()
    client.command("CREATE TABLE polars (a UInt32, b Nullable(String), c DateTime64(3)) ENGINE = MergeTree ORDER BY a")
    times = [dt.datetime(2026, 1, 1), dt.datetime(2026, 1, 2)]
    frame = pl.DataFrame({"a": [1, 2], "b": ["x", None], "c": times}).with_columns(pl.col("a").cast(pl.UInt32))
    client.insert_df_arrow("polars", frame)
    back = client.query_df_arrow("SELECT * FROM polars ORDER BY a", dataframe_library="polars")
    equal((back["a"].to_list(), back["b"].to_list(), back.height), ([1, 2], ["x", None], 2))


def check_async(server):
    async def ask():
        client = await clickhouse_connect.get_async_client(
            host="127.0.0.1", port=server.port, autogenerate_session_id=False)
        queries = [client.query("SELECT {i:UInt32}", parameters={"i": i}) for i in range(20)]
        total = sum(result.first_row[0] for result in await asyncio.gather(*queries))
        count = 0
        async with await client.query_rows_stream("SELECT number FROM numbers(100000)") as stream:
            async for _ in stream:
                count += 1
        await client.close()
        return total, count

    equal(asyncio.run(ask()), (190, 100000))


def check_sqlalchemy(server):
    engine = create_engine(f"clickhousedb://default:@127.0.0.1:{server.port}/default")
    server.client().command("CREATE TABLE reflected (a UInt32, b Nullable(String)) ENGINE = MergeTree ORDER BY a")
    with engine.begin() as connection:
        equal(connection.execute(text("SELECT 1, :x"), {"x": "a"}).fetchall(), [(1, "a")])
    names = [column["name"] for column in inspect(engine).get_columns("reflected")]
    equal((names, inspect(engine).has_table("reflected")), (["a", "b"], True))


def check_settings(server):
    client = server.client(settings={"max_block_size": 100})
    equal(client.command("SELECT getSetting('max_block_size')"), 100)
    equal(client.query("SELECT getSetting('max_block_size')", settings={"max_block_size": 7}).first_row, (7,))
    try:
        client.query("SELECT 1", settings={"max_blok_size": 1})
    except Exception as error:
        assert "max_blok_size" in str(error), error
    else:
        raise AssertionError("an unknown setting passed")


def check_compression(server):
    for method in ("lz4", "zstd", "gzip", False):
        client = server.client(compress=method)
        client.command("DROP TABLE IF EXISTS z")
        client.command("CREATE TABLE z (n UInt64, s String) ENGINE = MergeTree ORDER BY n")
        rows = [[i, f"text {i % 7}" * 10] for i in range(20000)]
        client.insert("z", rows, column_names=["n", "s"])
        equal(client.query("SELECT sum(n), sum(length(s)) FROM z").first_row, (sum(r[0] for r in rows), sum(len(r[1]) for r in rows)))
        equal(len(client.query("SELECT * FROM z").result_rows), 20000)


def check_errors(server):
    client = server.client()
    for sql, code in [("SELEC 1", 62), ("SELECT nothing", 47), ("SELECT * FROM missing", 60), ("SELECT 1 FROM system.one WHERE throwIf(1)", 395)]:
        try:
            client.query(sql)
        except DatabaseError as error:
            assert f"code {code}" in str(error).lower() or f"Code: {code}" in str(error), error
        else:
            raise AssertionError(f"{sql} passed")
    try:
        client.query("SELECT number, throwIf(number = 3000000) FROM numbers(5000000)", settings={"max_threads": 1})
    except Exception as error:
        assert "395" in str(error) or "throwIf" in str(error) or "non-zero" in str(error), f"a late error: {error!r}"
    else:
        raise AssertionError("an error after the head passed")
    equal(client.command("SELECT 1"), 1)
    client.command("CREATE TABLE strict (n UInt8) ENGINE = MergeTree ORDER BY n")
    try:
        client.raw_insert("strict", ["n"], "1\n2\nthree\n", fmt="TabSeparated")
    except DatabaseError as error:
        assert "three" in str(error) or "row 3" in str(error).lower(), error
    equal(client.command("SELECT count() FROM strict"), 0)


def check_streaming(server):
    client = server.client()
    with client.query_row_block_stream("SELECT number, toString(number) FROM numbers(300000)") as stream:
        equal(sum(len(block) for block in stream), 300000)
    with client.query_rows_stream("SELECT number FROM numbers(10000)") as stream:
        equal(sum(row[0] for row in stream), sum(range(10000)))
    with client.query_column_block_stream("SELECT number AS n FROM numbers(100000)") as stream:
        equal(sum(sum(block[0]) for block in stream), sum(range(100000)))
    with client.query_df_stream("SELECT number AS n FROM numbers(100000)") as stream:
        equal(sum(frame["n"].sum() for frame in stream), sum(range(100000)))


def check_raw(server):
    client = server.client()
    equal(client.raw_query("SELECT 1 AS a, 'x' AS b FORMAT JSONEachRow"), b'{"a":1,"b":"x"}\n')
    equal(client.raw_query("SELECT 1 AS a", fmt="CSVWithNames"), b'"a"\n1\n')
    client.command("CREATE TABLE raw (a UInt8, b String) ENGINE = MergeTree ORDER BY a")
    client.raw_insert("raw", ["a", "b"], b"1,x\n2,y\n", fmt="CSV")
    client.raw_insert("raw", ["a", "b"], io.BytesIO(b'{"a":3,"b":"z"}\n'), fmt="JSONEachRow")
    equal(client.query("SELECT groupArray(b) FROM (SELECT * FROM raw ORDER BY a)").first_row, (["x", "y", "z"],))
    with client.raw_stream("SELECT number FROM numbers(100000)", fmt="TSV") as stream:
        equal(sum(piece.count(b"\n") for piece in iter(lambda: stream.read(65536), b"")), 100000)


def check_contexts(server):
    client = server.client()
    client.command("CREATE TABLE context (k UInt32, v String) ENGINE = MergeTree ORDER BY k")
    context = client.create_insert_context("context", column_names=["k", "v"])
    for part in range(3):
        context.data = [[part * 10 + i, str(i)] for i in range(10)]
        client.insert(context=context)
    equal(client.command("SELECT count() FROM context"), 30)
    query = client.create_query_context("SELECT count() FROM context WHERE k >= {k:UInt32}", parameters={"k": 25})
    equal(client.query(context=query).first_row, (5,))
    summary = client.insert("context", [[99, "x"]], column_names=["k", "v"])
    equal(summary.written_rows, 1)
    result = client.query("SELECT k FROM context ORDER BY k LIMIT 3")
    equal((result.column_names, [t.name for t in result.column_types], result.row_count), (("k",), ["UInt32"], 3))
    assert result.query_id and int(result.summary["read_rows"]) > 0, result.summary


def check_columns(server):
    client = server.client()
    result = client.query("SELECT number AS n, number % 3 = 0 AS m FROM numbers(5)", column_oriented=True)
    equal(result.result_columns[0], [0, 1, 2, 3, 4])
    equal(list(client.query("SELECT 1 AS a, 'x' AS b").named_results()), [{"a": 1, "b": "x"}])
    equal(client.query("SELECT toDateTime('2026-01-01 00:00:00', 'Asia/Tokyo')").first_row[0].utcoffset(), dt.timedelta(hours=9))
    equal(client.query("SELECT 1 WHERE 0").result_rows, [])
    equal(client.query("SELECT NULL, [], map(), tuple(1)").first_row, (None, [], {}, (1,)))


def check_limits(server):
    client = server.client()
    begun = time.monotonic()
    try:
        client.query("SELECT count() FROM numbers(1000000000000) WHERE number % 7 = 8", settings={"max_execution_time": 0.5})
    except DatabaseError as error:
        assert "159" in str(error), error
    assert time.monotonic() - begun < 5
    try:
        client.query("SELECT arraySum(range(100000000))", settings={"max_memory_usage": 50_000_000})
    except DatabaseError as error:
        assert "241" in str(error), error
    else:
        raise AssertionError("the memory limit did not hold")


def check_dbapi(server):
    from clickhouse_connect import dbapi

    connection = dbapi.connect(host="127.0.0.1", port=server.port)
    cursor = connection.cursor()
    cursor.execute("SELECT number, toString(number) FROM numbers(3)")
    equal(cursor.fetchall(), [(0, "0"), (1, "1"), (2, "2")])
    equal([d[0] for d in cursor.description], ["number", "toString(number)"])


def main():
    server = Server(os.path.abspath(sys.argv[1]))
    wanted = sys.argv[2:]
    passed, failed = 0, 0
    try:
        print(f"clickhouse-connect {clickhouse_connect.__version__}, server version {server.client().server_version}")
        for name, check in list(globals().items()):
            if not name.startswith("check_") or wanted and name.removeprefix("check_") not in wanted:
                continue
            try:
                check(server)
                passed += 1
                print(f"ok      {name.removeprefix('check_')}")
            except Exception as error:
                failed += 1
                print(f"FAILED  {name.removeprefix('check_')}: {type(error).__name__}: {str(error)[:3000]}")
                if os.environ.get("TRACE"):
                    traceback.print_exc()
    finally:
        server.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

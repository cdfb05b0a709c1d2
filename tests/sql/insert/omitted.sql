-- Cells that the data leave out take the table's DEFAULT, not the type's.
CREATE TABLE t (a UInt8, b UInt16 DEFAULT a * 2, c Nullable(UInt8) DEFAULT 7, s String DEFAULT concat('s', toString(b)), d Date DEFAULT '2024-01-01') ENGINE = Memory;
-- { echoOn }
INSERT INTO t FORMAT JSONEachRow {"a":1} {"a":2,"b":5} {"a":3,"b":null,"c":null,"s":null} {"b":9,"s":"x"}
SELECT * FROM t ORDER BY a;
TRUNCATE TABLE t;
INSERT INTO t FORMAT CSV 1,,,,
INSERT INTO t FORMAT CSV 2,5,\N,x,2020-01-01
INSERT INTO t FORMAT CSV 3,\N,\N,\N,\N
INSERT INTO t FORMAT CSV 4,5,6,"",2020-01-01
SELECT * FROM t ORDER BY a;
TRUNCATE TABLE t;
INSERT INTO t VALUES (1, DEFAULT, DEFAULT, DEFAULT, DEFAULT), (2, NULL, NULL, NULL, NULL), (3, 1 + NULL, 1 + NULL, 'x', '2020-01-01'), (4, 1 + 1, 2, 'y', toDate('2020-02-02'));
SELECT * FROM t ORDER BY a;
TRUNCATE TABLE t;
INSERT INTO t FORMAT TSV 1	\N	\N	\N	\N
INSERT INTO t FORMAT TSV 2	5	6	x	2020-01-01
INSERT INTO t (a, s, b) FORMAT TSV 3	\N	\N
SELECT * FROM t ORDER BY a;
TRUNCATE TABLE t;
INSERT INTO t FORMAT JSONCompactEachRow [1,null,null,null,null] [2,3,4,"x","2020-01-01"]
INSERT INTO t FORMAT JSONCompactEachRowWithNames ["a","s"] [3,"x"] [4,null]
INSERT INTO t FORMAT JSONColumns {"a":[5,6],"s":["x",null]}
INSERT INTO t FORMAT JSONCompactColumns [[7],[null],[null],["a"],["2020-01-01"]]
INSERT INTO t FORMAT JSONStringsEachRow {"a":"8","b":"NULL"} {"a":"9","b":"3"}
INSERT INTO t FORMAT JSONObjectEachRow {"r1":{"a":10},"r2":{"a":11,"b":null}}
INSERT INTO t FORMAT JSON {"meta":[{"name":"a","type":"UInt8"}],"data":[{"a":12},{"a":13,"b":null}]}
INSERT INTO t (a) FORMAT JSONEachRow {"a":14, "b": 7}
SELECT * FROM t ORDER BY a;
TRUNCATE TABLE t;
INSERT INTO t (a, b) SELECT number, if(number = 1, NULL, number) FROM numbers(3);
INSERT INTO t (a, s) SELECT 20, NULL;
INSERT INTO t (a, c) SELECT 21, NULL;
INSERT INTO t SETTINGS insert_null_as_default = 0 SELECT 1, NULL, NULL, NULL, NULL; -- { serverError CANNOT_CONVERT_TYPE }
SELECT * FROM t ORDER BY a;
CREATE TABLE chain (a UInt8 DEFAULT 5, b UInt8 DEFAULT a + 1, c UInt8 DEFAULT b + 1) ENGINE = Memory;
INSERT INTO chain FORMAT JSONEachRow {"a":1} {"b":7} {} {"c":9} {"a":2,"c":8}
SELECT * FROM chain ORDER BY a, b, c;
TRUNCATE TABLE chain;
INSERT INTO chain (a, c) FORMAT JSONEachRow {"a":1} {"a":2,"c":8}
INSERT INTO chain (a, c) FORMAT JSONEachRow {} {"c":8}
INSERT INTO chain (c) FORMAT JSONEachRow {} {"c":1}
SELECT * FROM chain ORDER BY a, b, c;
TRUNCATE TABLE chain;
INSERT INTO chain SETTINGS input_format_defaults_for_omitted_fields = 0 FORMAT JSONEachRow {"a":1} {"b":7} {}
INSERT INTO chain SETTINGS input_format_tsv_empty_as_default = 1 FORMAT TSV 4		9
INSERT INTO chain SETTINGS input_format_csv_empty_as_default = 0 FORMAT CSV 1,,3
INSERT INTO chain SETTINGS input_format_null_as_default = 0 VALUES (1, NULL, 3); -- { serverError TYPE_MISMATCH }
SELECT * FROM chain ORDER BY a, b, c;
CREATE TABLE failing (a UInt8, b UInt8 DEFAULT intDiv(10, a)) ENGINE = Memory;
INSERT INTO failing FORMAT JSONEachRow {"a":1} {"a":2}
SELECT * FROM failing ORDER BY a;
CREATE TABLE types (a UInt8 DEFAULT 1, b Nullable(String) DEFAULT 'x', c LowCardinality(String) DEFAULT 'lc', d Array(UInt8) DEFAULT [1, 2], e Tuple(a UInt8, b String) DEFAULT (1, 'q'), f Enum8('a' = 1, 'b' = 2) DEFAULT 'b', g Decimal(9, 2) DEFAULT 1.25, h UUID DEFAULT '61f0c404-5cb3-11e7-907b-a6006ad3dba0', i DateTime64(3, 'UTC') DEFAULT '2020-01-01 00:00:00.123', j Map(String, UInt8) DEFAULT map('k', 1), k Bool DEFAULT true, l FixedString(2) DEFAULT 'zz', m LowCardinality(Nullable(String)) DEFAULT 'lcn') ENGINE = Memory;
INSERT INTO types FORMAT JSONEachRow {} {"a":2,"b":null,"c":null,"d":null,"e":null,"f":null,"g":null,"h":null,"i":null,"j":null,"k":null,"l":null,"m":null}
INSERT INTO types FORMAT CSV 3,,,,,,,,,,,,
INSERT INTO types FORMAT TSV 4	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N
INSERT INTO types VALUES (5, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO types VALUES (6, DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT);
SELECT * FROM types ORDER BY a;
CREATE TABLE drawn (a UInt8, t DateTime DEFAULT now(), u UInt64 DEFAULT rand64(), f Array(UInt8) DEFAULT arrayMap(x -> x + a, [1, 2])) ENGINE = Memory;
INSERT INTO drawn (a) SELECT number FROM numbers(3);
INSERT INTO drawn FORMAT JSONEachRow {"a":4} {"a":5,"f":[7]} {"a":6}
SELECT a, t > now() - 100, f FROM drawn ORDER BY a;
SELECT uniqExact(u) FROM drawn;

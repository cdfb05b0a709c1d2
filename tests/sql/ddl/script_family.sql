-- { configs: default }
CREATE TABLE r1 (k UInt32, v UInt32, ver UInt8, del UInt8) ENGINE = ReplacingMergeTree ORDER BY k;
CREATE TABLE r2 (k UInt32, v UInt32, ver UInt8, del UInt8) ENGINE = ReplacingMergeTree(ver) ORDER BY k;
CREATE TABLE r3 (k UInt32, v UInt32, ver UInt8, del UInt8) ENGINE = ReplacingMergeTree(ver, del) ORDER BY k;
CREATE TABLE r4 (k UInt32, v UInt32, ver UInt8, del UInt8) ENGINE = ReplacingMergeTree(ver, del, k) ORDER BY k; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE r5 (k UInt32, ver String) ENGINE = ReplacingMergeTree(ver) ORDER BY k; -- { serverError BAD_TYPE_OF_FIELD }
CREATE TABLE r6 (k UInt32, ver UInt8, del UInt16) ENGINE = ReplacingMergeTree(ver, del) ORDER BY k; -- { serverError BAD_TYPE_OF_FIELD }
CREATE TABLE r7 (k UInt32) ENGINE = ReplacingMergeTree(zz) ORDER BY k; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
CREATE TABLE r8 (k UInt32, ver DateTime) ENGINE = ReplacingMergeTree('ver') ORDER BY k; -- { serverError BAD_ARGUMENTS }
CREATE TABLE r9 (k UInt32, ver UInt8) ENGINE = ReplacingMergeTree(ver + 1) ORDER BY k; -- { serverError BAD_ARGUMENTS }
SHOW CREATE TABLE r3;
INSERT INTO r3 VALUES (1, 1, 1, 0), (1, 2, 2, 0), (2, 1, 1, 0);
INSERT INTO r3 VALUES (2, 9, 2, 1), (3, 1, 1, 0), (3, 2, 1, 0);
SELECT * FROM r3 FINAL ORDER BY k;
OPTIMIZE TABLE r3 FINAL;
SELECT * FROM r3 ORDER BY k;
OPTIMIZE TABLE r3 FINAL CLEANUP; -- { serverError SUPPORT_IS_DISABLED }
CREATE TABLE r10 (k UInt32, ver UInt8, del UInt8) ENGINE = ReplacingMergeTree(ver, del) ORDER BY k SETTINGS allow_experimental_replacing_merge_with_cleanup = 1;
INSERT INTO r10 VALUES (1, 1, 0), (2, 1, 1);
OPTIMIZE TABLE r10 FINAL CLEANUP;
SELECT * FROM r10;
CREATE TABLE s1 (k UInt32, a UInt32, b Int32) ENGINE = SummingMergeTree ORDER BY k;
CREATE TABLE s2 (k UInt32, a UInt32, b Int32) ENGINE = SummingMergeTree(a) ORDER BY k;
CREATE TABLE s3 (k UInt32, a UInt32, b Int32) ENGINE = SummingMergeTree((a, b)) ORDER BY k;
CREATE TABLE s3b (k UInt32, a UInt32, b Int32) ENGINE = SummingMergeTree(a, b) ORDER BY k; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE s4 (k UInt32, a UInt32) ENGINE = SummingMergeTree(zz) ORDER BY k; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
CREATE TABLE s5 (k UInt32, a String) ENGINE = SummingMergeTree(a) ORDER BY k;
CREATE TABLE s6 (k UInt32, a UInt32) ENGINE = SummingMergeTree(k) ORDER BY k; -- { serverError BAD_ARGUMENTS }
INSERT INTO s3 VALUES (1, 1, 1), (1, 2, -1), (2, 0, 0);
OPTIMIZE TABLE s3 FINAL;
SELECT * FROM s3 ORDER BY k;
CREATE TABLE s8 (k UInt32, aMap Nested(id UInt8, cnt UInt32)) ENGINE = SummingMergeTree ORDER BY k;
INSERT INTO s8 VALUES (1, [1, 2], [10, 20]), (1, [2, 3], [5, 7]);
OPTIMIZE TABLE s8 FINAL;
SELECT * FROM s8;
CREATE TABLE a1 (k UInt32, s AggregateFunction(sum, UInt64), u AggregateFunction(uniq, String), m SimpleAggregateFunction(max, UInt8)) ENGINE = AggregatingMergeTree ORDER BY k;
INSERT INTO a1 SELECT number % 2, sumState(number), uniqState(toString(number)), max(number) FROM numbers(6) GROUP BY number % 2;
INSERT INTO a1 SELECT 1, sumState(toUInt64(100)), uniqState('zz'), 200;
OPTIMIZE TABLE a1 FINAL;
SELECT k, sumMerge(s), uniqMerge(u), max(m) FROM a1 GROUP BY k ORDER BY k;
CREATE TABLE a2 (k UInt32) ENGINE = AggregatingMergeTree(k) ORDER BY k; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE cl1 (k UInt32, s Int8) ENGINE = CollapsingMergeTree(s) ORDER BY k;
CREATE TABLE cl2 (k UInt32, s Int8) ENGINE = CollapsingMergeTree ORDER BY k; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE cl3 (k UInt32, s UInt8) ENGINE = CollapsingMergeTree(s) ORDER BY k; -- { serverError BAD_TYPE_OF_FIELD }
CREATE TABLE cl4 (k UInt32, s Int8) ENGINE = CollapsingMergeTree(zz) ORDER BY k; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
INSERT INTO cl1 VALUES (1, 1), (2, 1), (2, -1), (3, -1);
OPTIMIZE TABLE cl1 FINAL;
SELECT * FROM cl1 ORDER BY k;
CREATE TABLE v1 (k UInt32, s Int8, ver UInt8) ENGINE = VersionedCollapsingMergeTree(s, ver) ORDER BY k;
CREATE TABLE v2 (k UInt32, s Int8, ver UInt8) ENGINE = VersionedCollapsingMergeTree(s) ORDER BY k; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE v3 (k UInt32, s Int8, ver String) ENGINE = VersionedCollapsingMergeTree(s, ver) ORDER BY k; -- { serverError BAD_TYPE_OF_FIELD }
INSERT INTO v1 VALUES (1, 1, 1), (1, -1, 1), (1, 1, 2), (2, -1, 1);
OPTIMIZE TABLE v1 FINAL;
SELECT * FROM v1 ORDER BY k;
SHOW CREATE TABLE v1;
CREATE TABLE co1 (k UInt32, a Nullable(UInt8), b Nullable(String)) ENGINE = CoalescingMergeTree ORDER BY k;
INSERT INTO co1 VALUES (1, 1, NULL), (1, NULL, 'x'), (2, NULL, NULL);
OPTIMIZE TABLE co1 FINAL;
SELECT * FROM co1 ORDER BY k;
CREATE TABLE co2 (k UInt32, a Nullable(UInt8), b Nullable(String)) ENGINE = CoalescingMergeTree(a) ORDER BY k;
SHOW CREATE TABLE co2;
CREATE TABLE g2 (Path String, Time DateTime, Value Float64, Timestamp Int64) ENGINE = GraphiteMergeTree ORDER BY (Path, Time); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE o1 (d Date, k UInt32) ENGINE = MergeTree(d, k, 8192); -- { serverError BAD_ARGUMENTS }
CREATE TABLE o2 (d Date, k UInt32) ENGINE = MergeTree(d, (k, d), 8192); -- { serverError BAD_ARGUMENTS }
CREATE TABLE o3 (d Date, k UInt32) ENGINE = MergeTree(d, intHash32(k), (k, intHash32(k)), 8192); -- { serverError BAD_ARGUMENTS }
CREATE TABLE o4 (d Date, k UInt32, v UInt8) ENGINE = ReplacingMergeTree(d, k, 8192, v); -- { serverError BAD_ARGUMENTS }
CREATE TABLE o5 (d Date, k UInt32, s Int8) ENGINE = CollapsingMergeTree(d, k, 8192, s); -- { serverError BAD_ARGUMENTS }
SET allow_deprecated_syntax_for_merge_tree = 1;
CREATE TABLE o1 (d Date, k UInt32) ENGINE = MergeTree(d, k, 8192);
SHOW CREATE TABLE o1;
INSERT INTO o1 VALUES ('2024-01-01', 1), ('2024-02-01', 2);
SELECT * FROM o1 ORDER BY k;
SELECT partition_id, partition FROM system.parts WHERE table = 'o1' AND database = currentDatabase() ORDER BY 1;
CREATE TABLE o2 (d Date, k UInt32) ENGINE = MergeTree(d, (k, d), 8192);
SHOW CREATE TABLE o2;
CREATE TABLE o3 (d Date, k UInt32) ENGINE = MergeTree(d, intHash32(k), (k, intHash32(k)), 8192);
CREATE TABLE o4 (d Date, k UInt32, v UInt8) ENGINE = ReplacingMergeTree(d, k, 8192, v);
CREATE TABLE o5 (d Date, k UInt32, s Int8) ENGINE = CollapsingMergeTree(d, k, 8192, s);
CREATE TABLE o6 (d Date, k UInt32, s Int8) ENGINE = SummingMergeTree(d, k, 8192);
CREATE TABLE o7 (d Date, k UInt32, s Int8) ENGINE = SummingMergeTree(d, k, 8192, (s));
CREATE TABLE o8 (d Date, k UInt32) ENGINE = AggregatingMergeTree(d, k, 8192);
CREATE TABLE o9 (d DateTime, k UInt32) ENGINE = MergeTree(d, k, 8192); -- { serverError BAD_TYPE_OF_FIELD }
CREATE TABLE o10 (d Date, k UInt32) ENGINE = MergeTree(d, k); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE n1 (k UInt32) ENGINE = MergeTree(k) ORDER BY k; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE n2 (k UInt32) ENGINE = mergetree ORDER BY k; -- { serverError UNKNOWN_STORAGE }
CREATE TABLE n3 (k UInt32) ENGINE = NoSuchMergeTree ORDER BY k; -- { serverError UNKNOWN_STORAGE }
CREATE TABLE n4 (k UInt32) ENGINE = MergeTree ORDER BY zz; -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE n5 (k UInt32) ENGINE = MergeTree PARTITION BY zz ORDER BY k; -- { serverError UNKNOWN_IDENTIFIER }

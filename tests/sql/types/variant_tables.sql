-- { echoOn }
CREATE TABLE m (id UInt32, v Variant(UInt64, String, Array(UInt64), Date)) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 4;
INSERT INTO m SELECT number, multiIf(number % 5 = 0, NULL, number % 5 = 1, number, number % 5 = 2, toString(number), number % 5 = 3, range(number % 4)::Array(UInt64), toDate('2020-01-01') + number)::Variant(UInt64, String, Array(UInt64), Date) FROM numbers(30);
SELECT count(), count(v), countIf(v IS NULL) FROM m;
SELECT id, v, variantType(v) FROM m WHERE id >= 7 AND id < 16 ORDER BY id;
INSERT INTO m SELECT number + 30, toString(number) FROM numbers(10);
INSERT INTO m SELECT number + 40, NULL FROM numbers(3);
INSERT INTO m VALUES (50, 42), (51, 'abc'), (52, [1, 2, 3]), (53, NULL), (54, '2020-01-01'), (55, '43'), (56, -5), (57, 1.5), (58, 1 + 1), (59, toString(5)), (60, toDate('2020-01-02'));
OPTIMIZE TABLE m FINAL;
SELECT id, v, variantType(v) FROM m WHERE id > 28 ORDER BY id;
SELECT count(), countIf(v IS NULL), count(v.String), count(v.UInt64), sum(v.UInt64), count(v.Date), sum(length(v.`Array(UInt64)`)) FROM m;
SELECT id, v, variantType(v) FROM m WHERE id % 7 = 3 ORDER BY id DESC;
SELECT variantType(v) AS t, count() FROM m GROUP BY t ORDER BY t;
SELECT id FROM m WHERE v.String = '7' ORDER BY id;
SELECT id, v FROM m ORDER BY id LIMIT 3 OFFSET 12;
SELECT id, v FROM m PREWHERE id > 45 WHERE v.String != '' ORDER BY id;
SELECT v, count() FROM m GROUP BY v HAVING count() > 1 ORDER BY v SETTINGS allow_suspicious_types_in_order_by = 1, allow_suspicious_types_in_group_by = 1;
INSERT INTO m SELECT number, number::Int64 FROM numbers(1); -- { serverError CANNOT_CONVERT_TYPE }
SHOW CREATE TABLE m;
SELECT name, type FROM system.columns WHERE table = 'm' AND database = currentDatabase() ORDER BY name;
CREATE TABLE copy AS m;
INSERT INTO copy SELECT * FROM m WHERE id < 5;
SELECT v FROM copy ORDER BY id;
-- a folding engine
CREATE TABLE r (k UInt8, v Variant(UInt64, String), n UInt8) ENGINE = ReplacingMergeTree(n) ORDER BY k SETTINGS index_granularity = 4;
INSERT INTO r SELECT number % 10, if(number % 2 = 0, number, toString(number))::Variant(UInt64, String), 1 FROM numbers(10);
INSERT INTO r SELECT number % 5, NULL, 2 FROM numbers(5);
INSERT INTO r SELECT 7, 70::UInt64, 2;
SELECT k, v, variantType(v) FROM r FINAL ORDER BY k;
OPTIMIZE TABLE r FINAL;
SELECT k, v, n FROM r ORDER BY k;
SELECT groupArray(v) FROM (SELECT v FROM r ORDER BY k);
SELECT arrayMap(x -> variantElement(x, 'String'), groupArray(v)), arrayFilter(x -> x IS NOT NULL, groupArray(v)) FROM (SELECT v FROM r ORDER BY k);
SELECT arrayJoin(groupArray(v)) AS x FROM (SELECT v FROM r ORDER BY k);
SELECT k, v FROM r ORDER BY k LIMIT 1 BY variantType(v);
SELECT count() FROM r AS a JOIN r AS b ON a.v = b.v;
-- Memory, nested Variants, defaults, codecs
CREATE TABLE n (id UInt32, a Array(Variant(UInt64, String)), t Tuple(x Variant(UInt64, String), y UInt8), m Map(String, Variant(UInt64, String)), d Variant(UInt64, String) DEFAULT 'none', c Variant(UInt64, Int64, Float64) CODEC(Delta(8), ZSTD)) ENGINE = Memory;
INSERT INTO n (id, a, t, m, c) VALUES (1, [1, 'a', NULL], (1, 2), {'x': 1, 'y': 'z'}, 5), (2, [], ('q', 3), {}, NULL), (3, ['b'], (NULL, 4), {'w': NULL}, 1.5);
SELECT * FROM n ORDER BY id;
SELECT t.x, t.x.String, arrayMap(x -> variantType(x), a), variantElement(a, 'String'), m['x'] FROM n ORDER BY id;
SELECT d, variantType(d), c FROM n ORDER BY id;
CREATE TABLE bad (v Variant(UInt8, String) CODEC(Delta)) ENGINE = MergeTree ORDER BY tuple(); -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (v Variant(UInt8, String)) ENGINE = MergeTree ORDER BY v; -- { serverError DATA_TYPE_CANNOT_BE_USED_IN_KEY }
CREATE TABLE bad (v Variant(UInt8, String)) ENGINE = MergeTree PARTITION BY v ORDER BY tuple(); -- { serverError DATA_TYPE_CANNOT_BE_USED_IN_KEY }
CREATE TABLE ordered (v Variant(UInt8, String), id UInt8) ENGINE = MergeTree ORDER BY ifNull(v.UInt8, 0);
INSERT INTO ordered VALUES (5, 1), ('x', 2), (3, 3);
SELECT v, id FROM ordered WHERE ifNull(v.UInt8, 0) > 1 ORDER BY id;
CREATE TABLE p (id UInt32, v Variant(UInt64, String)) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 4;
INSERT INTO p SELECT number, if(number % 2, NULL, number)::Variant(UInt64, String) FROM numbers(30);
INSERT INTO p SELECT number + 100, NULL FROM numbers(30);
INSERT INTO p SELECT number + 200, 'same'::Variant(UInt64, String) FROM numbers(30);
SELECT count(), count(v), countIf(v IS NULL) FROM p;
SELECT count() FROM p WHERE v IS NULL;
SELECT count() FROM p WHERE v IS NOT NULL;
SELECT count() FROM p WHERE isNull(v.String);
SELECT id FROM p WHERE v.UInt64 IN (28, 4) ORDER BY id;
SELECT id FROM p WHERE v IN (28::UInt64) ORDER BY id;
OPTIMIZE TABLE p FINAL;
SELECT count(), count(v.String), countIf(v IS NULL) FROM p;
SELECT id, v FROM p WHERE id IN (28, 29, 120, 210) ORDER BY id;
SET allow_suspicious_variant_types = 1;
CREATE TABLE w (v Variant(UInt8, UInt16, String)) ENGINE = Memory;
SET allow_suspicious_variant_types = 0;
INSERT INTO w SELECT '300';
INSERT INTO w VALUES (7), ('x');
SELECT v, variantType(v) FROM w ORDER BY toString(v);

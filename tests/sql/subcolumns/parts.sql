-- { fixedEngine }
-- Parts of columns from several granules and parts of a table: plain, constant and dictionary
-- columns, columns of large values, and rows that were merged.
DROP TABLE IF EXISTS p;
CREATE TABLE p (id UInt32, arr Array(String), n Nullable(UInt64), ns Nullable(String), dict Nullable(String), none Nullable(UInt8), str String, t Tuple(big String, small UInt8, list Array(UInt32)), at Array(Tuple(a String, b Nullable(UInt8), c Array(UInt8)))) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 100;
INSERT INTO p SELECT number, arrayMap(x -> repeat(toString(cityHash64(number, x)), 20), range(number % 5)), if(number % 7 = 0, NULL, cityHash64(number)), if(number % 3 = 0, NULL, toString(cityHash64(number))), if(number % 4 = 0, NULL, toString(number % 3)), NULL, repeat('s', number % 11), (repeat(toString(cityHash64(number)), 10), number % 200, range(number % 4)), arrayMap(x -> (repeat(toString(cityHash64(x, number)), 12), if(x = 2, NULL, x), range(x)), range(number % 4)) FROM numbers(1000);
INSERT INTO p SELECT number, [], NULL, NULL, NULL, NULL, '', ('', 1, [1]), [] FROM numbers(1000, 500);
INSERT INTO p SELECT number, ['a'], 1, 'x', 'y', 2, 'z', ('b', 2, []), [('q', 1, [1])] FROM numbers(1500, 500);
SELECT sum(arr.size0), sum(n.null), sum(ns.null), sum(ns.size), sum(dict.null), sum(dict.size), sum(none.null), sum(str.size) FROM p;
SELECT sum(length(arr)), sum(isNull(n)), sum(isNull(ns)), sum(length(ns)), sum(isNull(dict)), sum(length(dict)), sum(isNull(none)), sum(length(str)) FROM p SETTINGS optimize_functions_to_subcolumns = 0;
SELECT sum(t.small), sum(t.list.size0), sum(arraySum(t.list)), sum(length(t.big)), sum(t.big.size) FROM p;
SELECT sum(at.size0), sum(arraySum(at.b)), sum(arraySum(at.b.null)), sum(arraySum(at.c.size1)), sum(length(arrayFlatten(at.c))), sum(cityHash64(at.a)) FROM p; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT sum(length(at)), sum(arraySum(arrayMap(x -> x.2, at))), sum(arraySum(arrayMap(x -> x.2 IS NULL, at))), sum(arraySum(arrayMap(x -> length(x.3), at))), sum(cityHash64(arrayMap(x -> x.1, at))) FROM p; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT count(), sum(id) FROM p WHERE n.null;
SELECT count(), sum(id) FROM p WHERE n IS NULL;
SELECT count(), sum(id) FROM p WHERE NOT n.null AND id > 900;
SELECT count(), sum(id) FROM p WHERE none.null = 0;
SELECT count(), sum(id), sum(length(arr)) FROM p WHERE arr.size0 = 3;
SELECT count(), sum(id) FROM p WHERE t.small = 77;
SELECT count(), sum(length(at)) FROM p WHERE has(at.b, 1);
SELECT count(), sum(id) FROM p PREWHERE at.size0 > 1 WHERE at.c.size1[2] = 1;
SELECT id, arr.size0, n.null, dict.null, dict FROM p WHERE id IN (4, 8, 77, 999, 1000, 1777) ORDER BY id;
SELECT count(n), count(ns), count(dict), count(none) FROM p;
SELECT t.small, at.size0, at.b FROM p WHERE id % 333 = 3 ORDER BY id;
SELECT id, at.size0, at FROM p WHERE id BETWEEN 98 AND 102 AND at.size0 < 2 ORDER BY id;
OPTIMIZE TABLE p FINAL;
SELECT sum(arr.size0), sum(n.null), sum(ns.null), sum(ns.size), sum(dict.null), sum(dict.size), sum(none.null), sum(str.size) FROM p;
SELECT sum(t.small), sum(t.list.size0), sum(at.size0), sum(arraySum(at.b)), sum(arraySum(at.c.size1)), sum(cityHash64(at.a)) FROM p; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT id FROM p WHERE n.null ORDER BY id LIMIT 3;
SELECT id, t.small FROM p ORDER BY t.small DESC, id LIMIT 3;
DROP TABLE p;
DROP TABLE IF EXISTS f;
CREATE TABLE f (k UInt32, v UInt32, arr Array(UInt8), n Nullable(UInt8), t Tuple(a UInt8, b String)) ENGINE = ReplacingMergeTree(v) ORDER BY k;
INSERT INTO f SELECT number, 1, range(number % 3), NULL, (number, 'old') FROM numbers(10);
INSERT INTO f SELECT number, 2, range(number % 4), if(number = 4, NULL, number), (number + 1, 'new') FROM numbers(5);
SELECT k, arr.size0, n.null, t.a, t.b FROM f FINAL ORDER BY k;
SELECT sum(arr.size0), sum(n.null), count(n), sum(length(arr)) FROM f FINAL;
SELECT k FROM f FINAL WHERE n.null AND arr.size0 = 0 ORDER BY k;
SELECT k FROM f FINAL PREWHERE t.b = 'old' ORDER BY k LIMIT 3;
DROP TABLE f;
CREATE TABLE f (k UInt32, s SimpleAggregateFunction(sum, UInt64), a SimpleAggregateFunction(groupArrayArray, Array(UInt8)), n SimpleAggregateFunction(anyLast, Nullable(UInt8))) ENGINE = AggregatingMergeTree ORDER BY k;
INSERT INTO f VALUES (1, 1, [1], NULL), (2, 2, [1, 2], 1);
INSERT INTO f VALUES (1, 1, [3], 5), (3, 3, [], NULL);
SELECT k, s FROM f FINAL ORDER BY k;
SELECT k, a.size0, n.null FROM f FINAL WHERE k > 1 ORDER BY k;
SELECT sum(a.size0), sum(n.null) FROM f;
DROP TABLE f;

-- DISTINCT that goes to disk gives the rows that it gives in memory.
SET max_bytes_before_external_distinct = 1;
CREATE TABLE t (k UInt32, s String, n Nullable(Int64), f Float64, l LowCardinality(String), a Array(UInt8)) ENGINE = Memory;
INSERT INTO t SELECT number % 37, concat('s', toString(number % 11)), if(number % 5 = 0, NULL, toInt64(number % 50) - 50), if(number % 7 = 3, nan, number % 9 / 4), toString(number % 3), range(number % 4) FROM numbers(3000);

SELECT DISTINCT k FROM t ORDER BY k LIMIT 5;
SELECT DISTINCT s FROM t ORDER BY s;
SELECT DISTINCT n FROM t ORDER BY n LIMIT 30, 20;
SELECT DISTINCT f FROM t ORDER BY f;
SELECT DISTINCT l, a FROM t ORDER BY l, a;
SELECT DISTINCT a, k % 2 FROM t ORDER BY 1, 2;
SELECT DISTINCT toUInt8(k % 3) AS x FROM t ORDER BY x;
SELECT count(), sum(k), sum(length(s)) FROM (SELECT DISTINCT k, s, n FROM t);
SELECT count() FROM (SELECT DISTINCT tuple(k, s) FROM t);
SELECT count(), uniqExact(k) FROM (SELECT DISTINCT k FROM t LIMIT 20);
SELECT count() FROM (SELECT DISTINCT k FROM t LIMIT 2000);
SELECT DISTINCT k FROM t WHERE k > 100;
SELECT DISTINCT toDecimal64(k % 3, 2), toDate('2026-01-01') + k % 2, CAST(k % 2, 'Enum8(\'a\' = 0, \'b\' = 1)') FROM t ORDER BY 1, 2, 3;
SELECT DISTINCT toInt128(k % 2), toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0'), toFixedString(l, 4) FROM t ORDER BY 1, 3;
SELECT count() FROM (SELECT k FROM t UNION DISTINCT SELECT k + 20 FROM t);
SELECT count() FROM (SELECT k, s FROM t INTERSECT DISTINCT SELECT k + 20, s FROM t);
SELECT count() FROM (SELECT k, s FROM t EXCEPT DISTINCT SELECT k + 20, s FROM t);
SELECT DISTINCT s FROM (SELECT DISTINCT s, l FROM t) ORDER BY s LIMIT 3;
SELECT count(DISTINCT k), sum(DISTINCT k) FROM t;
SELECT count(), sum(x) FROM (SELECT DISTINCT number % 3000 AS x FROM numbers(7000));
SELECT DISTINCT k FROM t SETTINGS max_bytes_ratio_before_external_distinct = 1; -- { serverError BAD_ARGUMENTS }
SELECT name, default FROM system.settings WHERE name LIKE '%external_distinct' ORDER BY name;
DROP TABLE t;

-- ORDER BY that goes to disk gives the order that it gives in memory.
SET max_bytes_before_external_sort = 1;
CREATE TABLE t (k UInt32, s String, n Nullable(Int64), f Float64, l LowCardinality(String), a Array(UInt8)) ENGINE = Memory;
INSERT INTO t SELECT number % 37, concat('s', toString(number % 11)), if(number % 5 = 0, NULL, toInt64(number) - 50), if(number = 77, nan, number / 4), toString(number % 3), range(number % 4) FROM numbers(100);

SELECT k, s, n, f, l, a FROM t ORDER BY k, f LIMIT 12;
SELECT k, s, n FROM t ORDER BY n DESC NULLS FIRST, k DESC, f LIMIT 15, 10;
SELECT n, f FROM t ORDER BY f DESC NULLS FIRST LIMIT 3;
SELECT s, l, f FROM t ORDER BY s DESC, l, f LIMIT 6;
SELECT a, f FROM t ORDER BY a, f LIMIT 30, 5;
SELECT l, f FROM t ORDER BY l DESC, f DESC LIMIT 25, 20;
SELECT k FROM t WHERE f < 5 ORDER BY k DESC LIMIT 2000000;
SELECT k, 7 AS c, tuple(k, s) AS x FROM t ORDER BY x, f LIMIT 4;
SELECT l, count() AS c, sum(k) FROM t GROUP BY l ORDER BY c DESC, l SETTINGS max_bytes_before_external_group_by = 1;
SELECT l, k FROM t ORDER BY l, k LIMIT 2 BY l;
SELECT k FROM t ORDER BY k LIMIT 3 WITH TIES;
SELECT k FROM t WHERE k > 100 ORDER BY k;
SELECT count(), sum(x), groupArray(x) = arraySort(groupArray(x)) FROM (SELECT cityHash64(number) AS x FROM numbers(5000) ORDER BY x);
SELECT count(), groupArray(x) = arrayReverseSort(groupArray(x)) FROM (SELECT toString(cityHash64(number)) AS x, number FROM numbers(5000) ORDER BY x DESC) SETTINGS temporary_files_codec = 'NONE';
DROP TABLE t;

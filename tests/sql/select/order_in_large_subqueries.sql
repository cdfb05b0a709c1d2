-- { largeBlocks }
CREATE TABLE t (n UInt64, k UInt8, s String) ENGINE = Memory;
INSERT INTO t SELECT number, cityHash64(number) % 256, toString(cityHash64(number) % 1000) FROM numbers(150000);
SELECT g = arraySort(g), length(g) FROM (SELECT groupArray(toUInt8(x)) AS g FROM (SELECT toString(k) AS x, k FROM t ORDER BY k));
SELECT g = arraySort(g) FROM (SELECT groupArray(n) AS g FROM (SELECT n FROM t ORDER BY n));
SELECT g = arrayReverseSort(g) FROM (SELECT groupArray(s) AS g FROM (SELECT s FROM t ORDER BY s DESC));
SELECT b, g = arraySort(g), length(g) FROM (SELECT n % 3 AS b, groupArray(n) AS g FROM (SELECT n FROM t ORDER BY n) GROUP BY b) ORDER BY b;
SELECT any(n), anyLast(n), groupArray(3)(n), groupArrayLast(2)(n) FROM (SELECT n FROM t ORDER BY n);
SELECT g = arraySort(g) FROM (SELECT groupArray(n) AS g FROM (SELECT n FROM t ORDER BY n) WHERE n % 7 != 3);
SELECT g = arraySort(g), length(g) FROM (SELECT groupArray(n) AS g FROM (SELECT n FROM t ORDER BY n LIMIT 100000));
SELECT count() FROM (SELECT groupConcat(',')(s) AS c FROM (SELECT s FROM t ORDER BY s, n)) WHERE cityHash64(c) = (SELECT cityHash64(arrayStringConcat(arraySort(groupArray(s)), ',')) FROM t);

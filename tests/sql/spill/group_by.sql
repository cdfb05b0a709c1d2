-- GROUP BY that goes to disk answers what it answers in memory. (Whatever it does, every aggregate's
-- state is written and read: the threshold is a byte.)
SET max_bytes_before_external_group_by = 1;
CREATE TABLE t (k UInt32, s String, n Nullable(Int64), f Float64, l LowCardinality(String), a Array(UInt8)) ENGINE = Memory;
INSERT INTO t SELECT number % 37, concat('s', toString(number % 11)), if(number % 5 = 0, NULL, toInt64(number) - 50), number / 4, toString(number % 3), range(number % 4) FROM numbers(1000);

-- Kinds of keys.
SELECT toUInt8(k % 3) AS x, count() FROM t GROUP BY x ORDER BY x;
SELECT k, count(), sum(n) FROM t GROUP BY k ORDER BY k LIMIT 5;
SELECT k, k * 1000000007 AS y, count() FROM t GROUP BY k, y ORDER BY k LIMIT 5;
SELECT s, count(), sum(k) FROM t GROUP BY s ORDER BY s;
SELECT l, count(), sum(k) FROM t GROUP BY l ORDER BY l;
SELECT n % 4 AS x, count() FROM t GROUP BY x ORDER BY x;
SELECT s, l, k % 2 AS p, count() FROM t GROUP BY s, l, p ORDER BY s, l, p LIMIT 7;
SELECT a, count() FROM t GROUP BY a ORDER BY a;
SELECT tuple(k % 2, s) AS x, count() FROM t GROUP BY x ORDER BY x LIMIT 4;
SELECT toUInt64(k) AS x, toInt64(k) * 3 AS y, round(f / 1000) AS z, count() FROM t GROUP BY x, y, z ORDER BY x, z LIMIT 4;

-- Aggregates whose states are numbers, of variable size, sketches.
SELECT k % 4 AS x, count(), count(n), sum(n), avg(n), min(n), max(s), sum(f), varPop(k), stddevSamp(f), covarPop(k, f), corr(k, f) < 1 FROM t GROUP BY x ORDER BY x;
SELECT k % 4 AS x, argMin(s, f), argMax(s, f), groupBitXor(k), groupBitAnd(k), sumKahan(f), sumWithOverflow(toUInt8(k)) FROM t GROUP BY x ORDER BY x;
SELECT k % 4 AS x, uniq(s), uniqExact(s), uniqCombined(k), uniqHLL12(k) FROM t GROUP BY x ORDER BY x;
SELECT k % 4 AS x, arraySort(groupArray(k)) = arraySort(groupArray(k)), length(groupArray(s)), arraySort(groupUniqArray(s)), length(groupArray(5)(n)) FROM t GROUP BY x ORDER BY x;
SELECT k % 4 AS x, quantileExact(0.5)(f), quantilesExact(0.1, 0.9)(k), median(k), quantileExactWeighted(0.5)(k, 2), quantileTDigest(0.5)(toFloat32(k % 2)) FROM t GROUP BY x ORDER BY x;
SELECT k % 4 AS x, sumMap([k % 3], [1]), minMap([k % 3], [n]), maxMap([s], [k]) FROM t GROUP BY x ORDER BY x;
SELECT k % 4 AS x, any(x), anyLast(x), topK(1)(x), entropy(k) > 1, groupArrayArray(a) = groupArrayArray(a), sumArray(a) FROM t GROUP BY x ORDER BY x;

-- Combinators, states.
SELECT k % 4 AS x, sumIf(k, k > 10), countIf(s = 's1'), sumDistinct(k), uniqExactIf(s, k < 5), avgOrNull(n), sumOrDefault(n), sumForEach(a), maxArray(a) FROM t GROUP BY x ORDER BY x;
SELECT k % 4 AS x, sumResample(0, 9, 3)(k, k % 9), groupArrayDistinct(x), minOrNullIf(k, k > 100), argMinIf(s, f, k > 3) FROM t GROUP BY x ORDER BY x;
SELECT x, sumMerge(a), uniqExactMerge(b), arraySort(groupArrayMerge(1)(c)) FROM (SELECT k % 4 AS x, sumState(k) AS a, uniqExactState(s) AS b, groupArrayState(1)(x) AS c FROM t GROUP BY x, k) GROUP BY x ORDER BY x;
SELECT hex(sumState(k)), hex(maxState(s)) FROM t GROUP BY k % 2 ORDER BY k % 2;

-- Around GROUP BY.
SELECT k % 4 AS x, sum(n) FROM t GROUP BY x WITH TOTALS ORDER BY x;
SELECT k % 3 AS x, k % 2 AS y, count() FROM t GROUP BY x, y WITH ROLLUP ORDER BY x, y, count();
SELECT k % 3 AS x, k % 2 AS y, count() FROM t GROUP BY GROUPING SETS ((x), (y)) ORDER BY x, y, count();
SELECT k % 4 AS x, count() AS c FROM t GROUP BY x HAVING c > 243 ORDER BY x;
SELECT count() FROM (SELECT s FROM t GROUP BY s LIMIT 3);
SELECT k FROM t GROUP BY k SETTINGS max_rows_to_group_by = 5; -- { serverError TOO_MANY_ROWS }
SELECT count(), sum(c) FROM (SELECT k, s, count() AS c FROM t GROUP BY k, s);
SELECT count() FROM t GROUP BY k % 2, n HAVING count() > 1000;
SELECT countDistinct(s), count(DISTINCT k, s) FROM t;
SELECT DISTINCT k % 3 AS x FROM t ORDER BY x;
DROP TABLE t;

-- { largeBlocks }
-- Conditions and NULLs with and without keys.
CREATE TABLE t (a Int32, n Nullable(Int64), f Float64, d Nullable(Decimal(9, 2)), s Nullable(String)) ENGINE = Memory;
INSERT INTO t SELECT number - 5000, if(number % 7 = 0, NULL, number), number / 4, if(number % 5 = 1, NULL, number), if(number % 3 = 0, NULL, toString(number)) FROM numbers(10000);
SELECT sumIf(a, a > 0), avgIf(a, a % 2 = 0), minIf(a, a > 17), maxIf(a, a < 17), countIf(a % 3 = 0), anyIf(a, a = 12) FROM t;
SELECT sum(n), avg(n), min(n), max(n), count(n) FROM t WHERE n != 1 OR n IS NULL;
SELECT sumIf(n, a > 100), avgIf(n, a > 100), minIf(n, a > 100), maxIf(n, a > 100), countIf(n, a > 100) FROM t;
SELECT sumIf(f, a % 2 = 0), avgIf(f, a % 4 = 0), sum(d), avg(d), sumIf(d, n > 5000), countIf(s, n > 5000) FROM t;
SELECT sumIf(n, n > 10), sumOrNullIf(n, n > 100000), sumIfOrNull(n, n > 100000), sumOrDefaultIf(n, n > 9990), minIf(s, n > 5000), maxIf(s, n > 5000) FROM t;
SELECT a % 4 AS k, sumIf(n, a > 100), avgIf(f, n > 50), minIf(s, n > 7), count(n), countIf(n % 2 = 1) FROM t GROUP BY k ORDER BY k;
SELECT uniqExactIf(n, a > 4000), arraySort(groupArrayIf(3)(n, a = 7 OR a > 4997)), sumDistinct(n % 10), sumDistinctIf(n % 10, n % 10 > 7), countDistinct(s), avgDistinct(a % 8) FROM t;
SELECT a % 3 AS k, sumDistinct(n % 10), arraySort(groupUniqArray(a % 6)), count(DISTINCT n % 5, a % 2), groupArrayDistinct(toString(a % 6)) != [] FROM t GROUP BY k ORDER BY k;
SELECT length(groupArray(a)), sum(x) FROM (SELECT a, arrayJoin(groupArray(n)) AS x FROM t GROUP BY a) WHERE 1;
SELECT length(groupArray(n)), arraySum(groupArray(a)), length(groupUniqArray(a)), groupArrayLast(2)(a) != [], length(groupArrayLast(20000)(a)), length(groupArray(20000)(a)), length(groupArray(5)(a)) FROM t;
SELECT arraySort(groupArraySorted(4)(a)), groupArraySorted(3)(s), groupArraySorted(3)(n) FROM t;
SELECT a % 2 AS k, groupArraySorted(4)(a) FROM t GROUP BY k ORDER BY k;
SELECT round(varPop(a), 4), round(varSamp(n), 4), round(stddevPop(a), 4), covarPop(a, a) = varPop(a), round(corr(a, a), 6), round(skewPop(a), 6), round(kurtPop(a), 4) FROM t;
SELECT round(varPopIf(a, a > 0), 4), sumKahan(f), sumKahan(toFloat32(a)), avgWeighted(a, a) > 0 FROM t;
DROP TABLE t;
-- Compensated sums are rounded as the reference's partial sums are.
SELECT sumKahan(number * 0.1), sumKahan(number / 3) FROM numbers(37);
SELECT sumKahan(number * 0.1), sumKahan(number / 3) FROM numbers(1000);

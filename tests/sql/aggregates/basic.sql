-- { echoOn }
CREATE TABLE t (k UInt32, g String, i Int32, f Float64, n Nullable(Int64)) ENGINE = Memory;
INSERT INTO t SELECT number, concat('g', toString(number % 3)), toInt32(number) - 5, number / 4, if(number % 4 = 0, NULL, toInt64(number)) FROM numbers(20);
SELECT count(), count(*), count(1), count(n), count(g) FROM t;
SELECT sum(i), sum(f), sum(n), avg(i), avg(f), avg(n), min(i), max(i), min(f), max(f), min(g), max(g), min(n), max(n) FROM t;
SELECT toTypeName(count()), toTypeName(sum(i)), toTypeName(sum(f)), toTypeName(sum(n)), toTypeName(avg(i)), toTypeName(min(g)), toTypeName(sum(k)), toTypeName(avg(n)) FROM t;
SELECT g, count(), sum(i), avg(f), min(k), max(k) FROM t GROUP BY g ORDER BY g;
SELECT any(k) = 0 OR 1, anyLast(k) >= 0, any(g) LIKE 'g%', first_value(k) >= 0, any(n) IS NOT NULL FROM t;
SELECT argMin(g, k), argMax(g, k), argMin(k, f), argMax(k, (g, k)), argMin(g, i), argMax(n, k) FROM t;
SELECT g, argMin(k, f), argMax(k, i) FROM t GROUP BY g ORDER BY g;
SELECT sum(i) FROM t WHERE k > 100;
SELECT count(), avg(i), min(i), max(g), any(g), sum(f), uniq(k), groupArray(k), quantile(i) FROM t WHERE k > 100;
SELECT count(), sum(n), min(n), avg(n), any(n), argMax(k, n) FROM t WHERE k > 100;
SELECT sum(toInt8(100)), sum(toUInt64(18446744073709551615)), toTypeName(sum(toUInt8(1))), toTypeName(sum(toFloat32(1))) FROM numbers(2);
SELECT max(toDate('2024-01-01') + number), min(toDateTime('2024-01-01 00:00:00', 'UTC') + number) FROM numbers(10);
SELECT min(x), max(x) FROM (SELECT arrayJoin([nan, 1, 2]) AS x);
SELECT min([number, 1]), max((number, 'a')), max(toString(number)), min(toFixedString(toString(number), 1)) FROM numbers(5);
SELECT countDistinct(g), count(DISTINCT g), count(DISTINCT g, i % 2), sum(DISTINCT i % 3), uniqExact(g) FROM t;
SELECT count() FROM t WHERE i > 0 AND g = 'g1';
SELECT sum(i * 2 + 1), sum(i) * 2 + count(), sum(if(i > 0, i, 0)), max(length(g)) FROM t;
SELECT sum(number), avg(number), count() FROM numbers(100000);
SELECT number % 10 AS d, sum(number), count() FROM numbers(100000) GROUP BY d ORDER BY d;
SELECT sum(g) FROM t; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT avg(g) FROM t; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT sum() FROM t; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT sum(1, 2) FROM t; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT argMin(k) FROM t; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT min(k), min(k) + 1 AS m, m * 2 FROM t;

-- { echoOn }
SELECT number, sum(number) OVER w, count() OVER w FROM numbers(4) WINDOW w AS (ORDER BY number) ORDER BY number;
SELECT number, sum(number) OVER (w ORDER BY number), sum(number) OVER (w), sum(number) OVER w FROM numbers(4) WINDOW w AS (PARTITION BY number % 2) ORDER BY number;
SELECT number, sum(number) OVER w2 FROM numbers(4) WINDOW w AS (PARTITION BY number % 2), w2 AS (w ORDER BY number ROWS 1 PRECEDING) ORDER BY number;
SELECT number, sum(number) OVER w1 FROM numbers(3) WINDOW w1 AS (), W1 AS (ORDER BY number) ORDER BY number;
SELECT number AS n, sum(n) OVER (PARTITION BY n % 2 AS k ORDER BY n) AS s, s * 10 + k AS t FROM numbers(5) ORDER BY n;
SELECT number, sum(number) OVER (PARTITION BY number % 2, number % 3 ORDER BY number), count() OVER (PARTITION BY number % 3, number % 2), row_number() OVER (PARTITION BY number % 2 ORDER BY number % 3, number DESC) FROM numbers(12) ORDER BY number;
SELECT number % 3 AS k, sum(number) AS s, sum(sum(number)) OVER (ORDER BY k) AS running, s / sum(s) OVER () AS share, rank() OVER (ORDER BY s DESC) AS r FROM numbers(10) GROUP BY k ORDER BY k;
SELECT number % 3 AS k, number % 2 AS j, count(), max(count()) OVER (PARTITION BY j), row_number() OVER (PARTITION BY j ORDER BY k) FROM numbers(10) GROUP BY k, j HAVING count() > 1 ORDER BY k, j;
SELECT number % 3 AS k, count() AS c, sum(count()) OVER (ORDER BY k) FROM numbers(5) GROUP BY ALL ORDER BY k;
SELECT row_number() OVER (PARTITION BY sum(number) ORDER BY count()) FROM numbers(3);
SELECT number % 3 AS k, count(), row_number() OVER (ORDER BY k) FROM numbers(5) GROUP BY k WITH TOTALS ORDER BY k;
SELECT number % 2 AS k, count() AS c, sum(c) OVER () FROM numbers(5) GROUP BY k WITH ROLLUP ORDER BY k, c;
SELECT number FROM numbers(4) ORDER BY row_number() OVER (ORDER BY number DESC);
SELECT number FROM numbers(6) ORDER BY sum(number) OVER (PARTITION BY number % 2) DESC, number;
SELECT DISTINCT count() OVER (PARTITION BY number % 2) AS c FROM numbers(5) ORDER BY c;
SELECT number, sum(number) OVER (ORDER BY number DESC) AS s FROM numbers(10) ORDER BY s LIMIT 3;
SELECT number FROM numbers(6) ORDER BY number LIMIT 1 BY row_number() OVER (PARTITION BY number % 3 ORDER BY number);
SELECT number, row_number() OVER (ORDER BY number DESC) AS r FROM numbers(5) QUALIFY r <= 2 ORDER BY number;
SELECT number FROM numbers(10) QUALIFY row_number() OVER (PARTITION BY number % 3 ORDER BY number DESC) = 1 ORDER BY number;
SELECT number FROM numbers(5) QUALIFY number > 2 ORDER BY number;
SELECT number % 2 AS k, count() AS c FROM numbers(5) GROUP BY k QUALIFY rank() OVER (ORDER BY c DESC) = 1;
SELECT number % 2 AS k, count() AS c FROM numbers(5) GROUP BY k HAVING c > 0 QUALIFY c > 2 ORDER BY k;
SELECT number FROM numbers(3) WINDOW w AS (ORDER BY number) QUALIFY row_number() OVER w = 2;
SELECT x FROM (SELECT number AS x, sum(number) OVER (ORDER BY number) AS s FROM numbers(5)) WHERE s > 3 ORDER BY x;
SELECT k, s FROM (SELECT number % 3 AS k, sum(number) OVER (PARTITION BY k) AS s FROM numbers(9)) WHERE k = 1;
SELECT (SELECT max(r) FROM (SELECT row_number() OVER () AS r FROM numbers(4))) AS m;
SELECT number FROM numbers(6) WHERE number IN (SELECT row_number() OVER (ORDER BY number) FROM numbers(3)) ORDER BY number;
SELECT a.number, sum(b.number) OVER (ORDER BY a.number) FROM numbers(3) AS a JOIN numbers(5) AS b ON a.number = b.number ORDER BY a.number;
SELECT t.number, sum(t.number) OVER (PARTITION BY t.number % 2 ORDER BY t.number) FROM numbers(3) AS t ORDER BY t.number;
SELECT x, r FROM (SELECT x, row_number() OVER (ORDER BY x) AS r FROM (SELECT number AS x FROM numbers(2) UNION ALL SELECT number + 2 FROM numbers(2))) ORDER BY x;
WITH ranked AS (SELECT number, rank() OVER (ORDER BY number % 3) AS r FROM numbers(6)) SELECT r, groupArray(number) FROM (SELECT * FROM ranked ORDER BY number) GROUP BY r ORDER BY r;
SELECT arrayJoin([1, 2]) AS x, row_number() OVER (ORDER BY number, x) FROM numbers(2) ORDER BY ALL;
SELECT number, arrayMap(x -> x + row_number() OVER (ORDER BY number), [1, 2]) FROM numbers(2) ORDER BY number;
SELECT if(row_number() OVER (ORDER BY number) > 1, number - lag(number) OVER (ORDER BY number), 0) AS step FROM numbers(4) ORDER BY ALL;
SELECT x, sum(y) OVER (PARTITION BY x), count() OVER (PARTITION BY x ORDER BY y) FROM values('x Nullable(UInt8), y UInt8', (NULL, 1), (NULL, 2), (1, 3)) ORDER BY x, y;
SELECT s, count() OVER (PARTITION BY s) FROM values('s LowCardinality(String), y UInt8', ('a', 1), ('b', 2), ('a', 3)) ORDER BY s, y;
SELECT number, count(*) OVER (), count() OVER (ORDER BY number), count(number) OVER (), countIf(number > 1) OVER (ORDER BY number) FROM numbers(3) ORDER BY number;
SELECT number, sum(DISTINCT number % 2) OVER (ORDER BY number), count(DISTINCT number % 2) OVER (ORDER BY number), sum(number) FILTER (WHERE number > 0) OVER (ORDER BY number) FROM numbers(4) ORDER BY number;
SELECT number, groupArray(number) OVER (ORDER BY number), groupArray(2)(number) OVER (ORDER BY number DESC), uniqExact(number % 3) OVER (ORDER BY number), argMax(number, number % 3) OVER (ORDER BY number) FROM numbers(5) ORDER BY number;
SELECT number, finalizeAggregation(sumState(number) OVER (ORDER BY number)), quantiles(0, 0.5, 1)(number) OVER (ORDER BY number), quantileExact(0.9)(number) OVER (ORDER BY number), stddevPop(number) OVER (ORDER BY number ROWS 1 PRECEDING) FROM numbers(5) ORDER BY number;
SELECT number, sum(toDecimal32(number, 2)) OVER (ORDER BY number) AS s, toTypeName(s), avg(toDecimal32(number, 1)) OVER (ORDER BY number) FROM numbers(3) ORDER BY number;
SELECT number, sum(number) OVER (ORDER BY number) FROM numbers(3) WHERE 0;
SELECT sum(number) OVER (ORDER BY 1), sum(number) OVER (PARTITION BY 1) FROM numbers(3);
SELECT 1, sum(1) OVER (), row_number() OVER ();
CREATE TABLE w (d Date, k LowCardinality(String), v Int32) ENGINE = Memory;
INSERT INTO w SELECT toDate('2024-01-01') + number, ['a', 'b', 'c'][number % 3 + 1], number * number % 17 FROM numbers(15);
SELECT k, d, v, sum(v) OVER (PARTITION BY k ORDER BY d) AS total, v - lag(v) OVER (PARTITION BY k ORDER BY d) AS change, max(v) OVER (PARTITION BY k ORDER BY d ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS top FROM w ORDER BY k, d;
SELECT k, toMonday(d) AS week, sum(v) AS s, sum(s) OVER (PARTITION BY k ORDER BY week) FROM w GROUP BY k, week ORDER BY k, week;
SELECT k, count() OVER (PARTITION BY k) AS c FROM w WHERE v > 5 ORDER BY k, d LIMIT 4;
DROP TABLE w;
SELECT number FROM numbers(3) WHERE sum(number) OVER () > 1; -- { serverError ILLEGAL_AGGREGATION }
SELECT number, sum(number) OVER (ORDER BY number) AS s FROM numbers(5) WHERE s > 3; -- { serverError ILLEGAL_AGGREGATION }
SELECT number FROM numbers(3) PREWHERE row_number() OVER () > 0; -- { serverError ILLEGAL_AGGREGATION }
SELECT count() FROM numbers(3) GROUP BY row_number() OVER (); -- { serverError ILLEGAL_AGGREGATION }
SELECT count() FROM numbers(3) HAVING row_number() OVER () > 0; -- { serverError ILLEGAL_AGGREGATION }
SELECT a.number FROM numbers(3) AS a JOIN numbers(3) AS b ON a.number = b.number AND row_number() OVER () > 0; -- { serverError ILLEGAL_AGGREGATION }
SELECT sum(sum(number) OVER ()) OVER () FROM numbers(3); -- { serverError ILLEGAL_AGGREGATION }
SELECT sum(x) OVER (ORDER BY n) AS s, s + 1 AS t, max(t) OVER () FROM (SELECT number AS n, number AS x FROM numbers(3)); -- { serverError ILLEGAL_AGGREGATION }
SELECT sum(row_number() OVER ()) FROM numbers(3); -- { serverError ILLEGAL_AGGREGATION }
SELECT row_number() OVER () AS r, sum(r) FROM numbers(3); -- { serverError ILLEGAL_AGGREGATION }
SELECT number % 2 AS k, sum(number) OVER (ORDER BY k) FROM numbers(5) GROUP BY k; -- { serverError NOT_AN_AGGREGATE }
SELECT number FROM numbers(3) QUALIFY 'a'; -- { serverError ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER }
SELECT plus(1, 2) OVER () FROM numbers(2); -- { serverError UNKNOWN_AGGREGATE_FUNCTION }
SELECT nosuch(1) OVER () FROM numbers(2); -- { serverError UNKNOWN_AGGREGATE_FUNCTION }
SELECT CUME_DIST() OVER () FROM numbers(2); -- { serverError UNKNOWN_AGGREGATE_FUNCTION }
SELECT laginframe(number) OVER () FROM numbers(2); -- { serverError UNKNOWN_AGGREGATE_FUNCTION }
SELECT row_number() FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT lag(number) FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT rankIf(1) OVER (ORDER BY number) FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT rank(1) OVER (ORDER BY number) FROM numbers(2); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT dense_rank(1) OVER (ORDER BY number) FROM numbers(2); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT ntile() OVER (ORDER BY number) FROM numbers(2); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT ntile(0) OVER (ORDER BY number) FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT ntile(-1) OVER (ORDER BY number) FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT ntile('a') OVER (ORDER BY number) FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT ntile(number) OVER (ORDER BY number) FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT ntile(2) OVER () FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT ntile(2) OVER (ORDER BY number ROWS 1 PRECEDING) FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT percent_rank() OVER (ORDER BY number ROWS UNBOUNDED PRECEDING) FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT cume_dist() OVER (ORDER BY number ROWS 1 PRECEDING) FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT lag(number) OVER (ORDER BY number ROWS 1 PRECEDING) FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT lag() OVER (ORDER BY number) FROM numbers(2); -- { serverError TOO_FEW_ARGUMENTS_FOR_FUNCTION }
SELECT lagInFrame(number, 1, 1, 1) OVER (ORDER BY number) FROM numbers(2); -- { serverError TOO_MANY_ARGUMENTS_FOR_FUNCTION }
SELECT lag(number, -1) OVER (ORDER BY number) FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT lagInFrame(number, 1.5) OVER (ORDER BY number) FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT lag(number, 1, 'x') OVER (ORDER BY number) FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT lag(number, 1, NULL) OVER (ORDER BY number) FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT lag(toUInt8(number), 1, 700) OVER (ORDER BY number) FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT lead(number) RESPECT NULLS OVER (ORDER BY number) FROM numbers(2); -- { serverError NOT_IMPLEMENTED }
SELECT nth_value(number) OVER (ORDER BY number) FROM numbers(2); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT nth_value(number, 0) OVER (ORDER BY number) FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT nth_value(number, '1') OVER (ORDER BY number) FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT nonNegativeDerivative(number, number) OVER (ORDER BY number) FROM numbers(2); -- { serverError BAD_ARGUMENTS }
SELECT nonNegativeDerivative(number, toDateTime(number), INTERVAL 1 MONTH) OVER (ORDER BY number) FROM numbers(2); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT sum(number) OVER nope FROM numbers(3); -- { serverError BAD_ARGUMENTS }
SELECT sum(number) OVER w FROM numbers(3) WINDOW w AS (ORDER BY number), w AS (ORDER BY number DESC); -- { serverError BAD_ARGUMENTS }
SELECT sum(number) OVER w2 FROM numbers(4) WINDOW w2 AS (w ORDER BY number), w AS (PARTITION BY number % 2); -- { serverError BAD_ARGUMENTS }
SELECT sum(number) OVER (w PARTITION BY number) FROM numbers(3) WINDOW w AS (ORDER BY number); -- { serverError BAD_ARGUMENTS }
SELECT sum(number) OVER (w ORDER BY number) FROM numbers(3) WINDOW w AS (ORDER BY number); -- { serverError BAD_ARGUMENTS }
SELECT sum(number) OVER (w) FROM numbers(3) WINDOW w AS (ORDER BY number ROWS 1 PRECEDING); -- { serverError BAD_ARGUMENTS }
SELECT count() FROM numbers(3) WINDOW w AS (PARTITION BY nosuch); -- { serverError UNKNOWN_IDENTIFIER }
SELECT count() FROM numbers(3) WINDOW w AS (ROWS BETWEEN UNBOUNDED FOLLOWING AND CURRENT ROW); -- { serverError BAD_ARGUMENTS }

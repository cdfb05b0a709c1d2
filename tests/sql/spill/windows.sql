-- Window functions, LIMIT BY and LIMIT that go to disk answer what they answer in memory.
SET max_bytes_before_external_sort = 1;
CREATE TABLE t (i UInt32, k UInt32, s String, n Nullable(Int64), f Float64, a Array(UInt8)) ENGINE = Memory;
INSERT INTO t SELECT number, number * 7 % 37, concat('s', toString(number % 11)), if(number % 5 = 0, NULL, toInt64(number) - 50), number * 13 % 101 / 4, range(number % 4) FROM numbers(1000);

SELECT i, row_number() OVER (PARTITION BY k ORDER BY i) AS r, sum(i) OVER (PARTITION BY k ORDER BY i) AS x FROM t ORDER BY i LIMIT 300, 5;
SELECT i, rank() OVER (PARTITION BY s ORDER BY f DESC) AS r, dense_rank() OVER (PARTITION BY s ORDER BY f DESC) AS d FROM t ORDER BY i LIMIT 5;
SELECT i, count() OVER (PARTITION BY n) AS c FROM t ORDER BY i LIMIT 6;
SELECT i, lagInFrame(i) OVER (ORDER BY f, i) AS x, leadInFrame(s) OVER (ORDER BY f, i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS y FROM t ORDER BY i LIMIT 5;
SELECT i, first_value(i) OVER w AS x, last_value(i) OVER w AS y FROM t WINDOW w AS (PARTITION BY a ORDER BY i ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) ORDER BY i LIMIT 100, 5;
SELECT i, sum(k) OVER (PARTITION BY k % 3 ORDER BY i RANGE BETWEEN 10 PRECEDING AND CURRENT ROW) AS x FROM t ORDER BY i LIMIT 500, 4;
SELECT max(r), sum(x) FROM (SELECT row_number() OVER (PARTITION BY number % 70 ORDER BY number) AS r, sum(number) OVER (PARTITION BY number % 70) AS x FROM numbers(3000));
SELECT max(r), count() FROM (SELECT ntile(4) OVER (ORDER BY i) AS r FROM t);
SELECT i, row_number() OVER (ORDER BY i) FROM t WHERE i > 5000;
SELECT i, row_number() OVER (ORDER BY s, i) AS n, rank() OVER w AS r, dense_rank() OVER w AS d, count() OVER w AS c, max(i) OVER w AS m FROM t WINDOW w AS (ORDER BY s) ORDER BY i LIMIT 700, 4;
SELECT i, lag(i, 3) OVER w AS x, lead(s, 2, 'none') OVER w AS y, sum(k) OVER (ORDER BY f, i ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING) AS z, uniqExact(s) OVER (ORDER BY f, i ROWS UNBOUNDED PRECEDING) AS u FROM t WINDOW w AS (ORDER BY f, i) ORDER BY f DESC, i DESC LIMIT 4;
SELECT i, avg(n) OVER (PARTITION BY k % 2 ORDER BY i ROWS UNBOUNDED PRECEDING) AS x, lagInFrame(n, 2) OVER (PARTITION BY k % 2 ORDER BY i) AS y, rank() OVER (PARTITION BY k % 2 ORDER BY s) AS r FROM t ORDER BY i LIMIT 900, 4;
SELECT sum(r), sum(d), sum(s), sum(x), max(y) FROM (SELECT row_number() OVER w AS r, dense_rank() OVER w AS d, sum(number) OVER w AS s, lag(number, 5) OVER (ORDER BY number % 1000, number) AS x, lead(number) OVER (ORDER BY number % 1000, number) AS y FROM numbers(20000) WINDOW w AS (ORDER BY number % 1000));

SELECT i, k FROM t ORDER BY k, i LIMIT 2 BY k LIMIT 7;
SELECT i, k FROM t ORDER BY i DESC LIMIT 1, 2 BY k LIMIT 5;
SELECT i, s FROM t ORDER BY f, i LIMIT 1 BY s;
SELECT i, n, a FROM t ORDER BY i LIMIT 1 BY n IS NULL, a;
SELECT i, f FROM t ORDER BY i LIMIT 2 BY f LIMIT 195, 20;
SELECT count() FROM (SELECT number FROM numbers(3000) LIMIT 3 BY number % 500);
SELECT i, k FROM t WHERE i > 5000 LIMIT 1 BY k;

SELECT i, s, f FROM t ORDER BY f DESC, i LIMIT 990, 5;
SELECT i FROM t ORDER BY i LIMIT 5 OFFSET 500;
SELECT count(), sum(i) FROM (SELECT i FROM t ORDER BY s, i LIMIT 700 OFFSET 200);
SELECT i FROM t ORDER BY i OFFSET 997;
SELECT count(), sum(x % 2) < 2000 FROM (SELECT cityHash64(number) AS x FROM numbers(4000) ORDER BY x LIMIT 3000 OFFSET 1);
DROP TABLE t;

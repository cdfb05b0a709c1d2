-- Zeros of both signs are different keys, whatever finds the rows.
CREATE TABLE f (k Float64, v UInt32) ENGINE = Memory;
INSERT INTO f VALUES (0., 1), (-0., 2), (1.5, 3), (nan, 4);
SELECT x.v, y.v FROM f AS x JOIN f AS y ON x.k = y.k WHERE x.v < 4 AND y.v < 4 ORDER BY x.v, y.v;
-- Sides that come in order and do not fit into memory.
SELECT x.v, y.v FROM (SELECT k, v FROM f WHERE v < 4 ORDER BY k, v LIMIT 9) AS x JOIN (SELECT k, v FROM f WHERE v < 4 ORDER BY k, v LIMIT 9) AS y ON x.k = y.k ORDER BY x.v, y.v SETTINGS max_bytes_before_external_join = 1;
-- DISTINCT below an aggregate groups.
SELECT count(), sum(v % 2) FROM (SELECT DISTINCT v % 3 AS v FROM f);
SELECT count() FROM (SELECT DISTINCT k, toNullable(v % 2) FROM f WHERE v < 4);
SELECT count(), sum(length(s)) FROM (SELECT DISTINCT toString(number % 7) AS s, number % 3 FROM numbers(1000));
SELECT count() FROM (SELECT DISTINCT number % 5 FROM numbers(100) UNION DISTINCT SELECT number FROM numbers(7));
SELECT groupArray(x) FROM (SELECT DISTINCT number % 3 AS x FROM numbers(9) ORDER BY x DESC);

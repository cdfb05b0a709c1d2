-- { echoOn }
CREATE TABLE aj (k UInt8, a Array(UInt8), s Array(String)) ENGINE = Memory;
INSERT INTO aj VALUES (1, [1, 2], ['x', 'y']), (2, [], []), (3, [5], ['z']);
SELECT k, a FROM aj ARRAY JOIN a ORDER BY k, a;
SELECT k, x FROM aj ARRAY JOIN a AS x ORDER BY k, x;
SELECT k, x, y FROM aj ARRAY JOIN a AS x, s AS y ORDER BY k, x;
SELECT k, x FROM aj LEFT ARRAY JOIN a AS x ORDER BY k, x;
SELECT k, x, i FROM aj ARRAY JOIN a AS x, arrayEnumerate(a) AS i ORDER BY k, x;
SELECT k, count(), sum(x) FROM aj ARRAY JOIN a AS x GROUP BY k ORDER BY k;
SELECT k, x FROM aj ARRAY JOIN arrayMap(v -> v * 10, a) AS x WHERE x > 10 ORDER BY x;
SELECT x FROM (SELECT 1) ARRAY JOIN [3, 1, 2] AS x ORDER BY x;
SELECT k, arrayJoin(a) AS x, arrayJoin(s) AS y FROM aj ORDER BY k, x, y;
SELECT k FROM aj ARRAY JOIN k; -- { serverError TYPE_MISMATCH }

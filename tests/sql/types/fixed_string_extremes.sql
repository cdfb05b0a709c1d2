-- { largeBlocks }
CREATE TABLE f (k UInt8, s FixedString(3), l FixedString(12), u UUID) ENGINE = Memory;
INSERT INTO f SELECT number % 3, toString(number % 500), concat('same prefix', toString(number % 10)), toUUID(concat('61f0c404-5cb3-11e7-907b-a6006ad', leftPad(toString(number), 5, '0'))) FROM numbers(9000);
SELECT min(s), max(s), min(l), max(l), min(u), max(u) FROM f;
SELECT k, min(s), max(s), max(l), argMin(s, u), argMax(l, s) != '', any(l) != '' FROM f GROUP BY k ORDER BY k;
SELECT min(s), max(l), anyLast(s) FROM f WHERE k = 77;
SELECT s FROM f ORDER BY s LIMIT 3;
SELECT s, l FROM f ORDER BY s DESC, l LIMIT 3;
SELECT l, u FROM f ORDER BY l DESC, u DESC LIMIT 3;
SELECT u FROM f ORDER BY u LIMIT 2 OFFSET 5000;
SELECT maxIf(s, k = 1), minIf(l, k = 9), max(toNullable(s)), min(if(k = 1, NULL, l)) FROM f;
SELECT count(), uniqExact(u) FROM (SELECT * FROM generateRandom('u UUID, d Decimal(9, 2), e Decimal64(3), t FixedString(5), s Int16', 7, 5, 5) LIMIT 2000);
SELECT min(e) < -900000, max(e) > 900000, min(d) < -9000, max(s) > 30000 FROM (SELECT * FROM generateRandom('d Decimal(9, 2), e Decimal(9, 3), s Int16', 7, 5, 5) LIMIT 5000);
SELECT a, b, sum(x) FROM (SELECT number % 3 AS a, number % 2 AS b, number AS x FROM numbers(100)) GROUP BY a, b WITH CUBE ORDER BY a, b, sum(x);
SELECT a, count() FROM (SELECT number % 3 AS a, number + 1 AS b FROM numbers(100)) GROUP BY GROUPING SETS ((a), (b % 2), ()) ORDER BY a, count();

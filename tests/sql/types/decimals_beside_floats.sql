-- A decimal compares with a floating-point number as one.

CREATE TABLE prices (id UInt8, a Decimal(9, 2), b Decimal(18, 4), c Decimal(38, 2), n Nullable(Decimal(15, 2))) ENGINE = Memory;
INSERT INTO prices VALUES (1, 0.04, 0.0499, 0.05, 0.05), (2, 0.05, 0.05, 0.06, NULL), (3, 0.06, 0.0501, 0.07, 0.06), (4, 0.07, 0.07, 0.08, 0.07), (5, -0.05, -0.05, -0.05, -0.05), (6, 9999999.99, 99999999999999.9999, 1e20, 9999999999999.99), (7, 0, 0, 0, 0);

SELECT id, a > 0.05, a >= 0.05, a < 0.05, a <= 0.05, a = 0.05, a != 0.05, 0.05 < a, 0.05 <= a, 0.05 = a FROM prices ORDER BY id;
SELECT id, b > 0.05, b >= 0.05, b < 0.05, b <= 0.05, b = 0.05, b != 0.05, 0.05 > b, 0.05 >= b, 0.05 != b FROM prices ORDER BY id;
SELECT id, c > 0.05, c >= 0.05, c < 0.05, c <= 0.05, c = 0.05, c != 0.05 FROM prices ORDER BY id;
SELECT id, n > 0.05, n >= 0.05, n < 0.05, n <= 0.05, n = 0.05, n != 0.05, n BETWEEN 0.05 AND 0.06 FROM prices ORDER BY id;
SELECT id, a > 0.055, a < 0.055, a = 0.055, a != 0.055, a > -0.0, a >= -0.0, a < toFloat32(0.05), a > toFloat32(0.05), a = toFloat32(0.5) FROM prices ORDER BY id;
SELECT id, a < 1e30, a > 1e30, a < inf, a > -inf, a = inf, a < nan, a > nan, a != nan, b < 1e14, b >= 99999999999999.9, b > 99999999999999.99, b = 1e14 FROM prices ORDER BY id;
SELECT id FROM prices WHERE a BETWEEN 0.05 AND 0.06 AND b < 0.06 ORDER BY id;
SELECT count() FROM prices WHERE n NOT BETWEEN 0.05 AND 0.06;
SELECT toFloat64(a), toFloat32(b), toFloat64(c), sum(a) OVER (ORDER BY id), sum(n) OVER (ORDER BY id) FROM prices ORDER BY id;
SELECT sum(a), avg(a), sum(b), avg(b), sum(c), sum(n), avg(n), sumCount(a) FROM prices;
SELECT id % 2 AS k, sum(a), avg(a), sum(b), avg(b), sum(c), sum(n), avg(n), sumIf(b, id < 5) FROM prices GROUP BY k ORDER BY k;
SELECT sum(toDecimal64(90000000000000000, 1)), avg(toDecimal64(-90000000000000000, 1)), sum(toDecimal32(200000000, 0)) FROM numbers(1000);
SELECT toDecimal32(0.05, 2) = 0.05, toDecimal32(0.05, 2) < 0.05, 0.1 > toDecimal64(0.1, 4);

-- Arithmetic of decimals near the limits of 32 and 64 bits: results that just fit, and that do not.

CREATE TABLE borders (id UInt8, a Decimal(9, 2), b Decimal(9, 4), c Decimal(18, 2), d Decimal(18, 4), i Int32, l Int64, u UInt64, n Nullable(Decimal(18, 2))) ENGINE = Memory;
INSERT INTO borders VALUES (1, 9999999.99, 1, 9999999999999999.99, 1, 1, 1, 1, 1), (2, -9999999.99, -1, -9999999999999999.99, -1, -1, -1, 2, NULL), (3, 0.01, 0.0001, 0.01, 0.0001, 0, 0, 18446744073709551615, 0.01), (4, 12.34, 5.6789, 1234567890.12, 98765.4321, -7, 3000000000, 3, -5.5);

SELECT id, a + a, a + a + toDecimal32(147483.67, 2), a * 2, c + c, c * 9, c * 9 + c / 5 FROM borders WHERE id < 3 ORDER BY id;
SELECT toTypeName(a + c), toTypeName(a * b), toTypeName(c / a) FROM borders WHERE id = 1;
SELECT id, a + b, a - b, b - a, a * b, b / a FROM borders WHERE id > 2 ORDER BY id;
SELECT id, c + d, c - d, d - c, c * toDecimal64(2, 2), d * a, d / b, d / toDecimal64(3, 2), toDecimal64(7, 4) / d FROM borders WHERE id > 2 ORDER BY id;
SELECT id, a + i, a - i, i - a, a * i, c + l, l - c, c * i, l / toDecimal64(7, 3), a / 3, 3 / d FROM borders WHERE id > 2 ORDER BY id;
SELECT id, n + c, n - 1, n * n, 1 / nullIf(n, 0), n / 7, 1 - n, n * (1 - n) * (1 + n) FROM borders WHERE id > 2 ORDER BY id;
SELECT id, toDecimal32(1, 2) + u, u * toDecimal64(2, 1) FROM borders WHERE id != 3 ORDER BY id;
SELECT sum(a * (1 - d)), sum(n * (1 - a) * (1 + n)) FROM borders WHERE id > 2;
SELECT toDecimal64(1.5, 1) * toDecimal64(2.25, 2) AS x, toTypeName(x), toDecimal32(1.5, 1) + toDecimal64(2.25, 2) AS y, toTypeName(y), 10 / toDecimal32(4, 2) AS z, toTypeName(z);

SELECT a + a + a FROM borders WHERE id = 1; -- { serverError DECIMAL_OVERFLOW }
SELECT 0 - a - a - a FROM borders WHERE id = 1; -- { serverError DECIMAL_OVERFLOW }
SELECT a * 3 FROM borders WHERE id = 2; -- { serverError DECIMAL_OVERFLOW }
SELECT c * 9 + c FROM borders WHERE id = 1; -- { serverError DECIMAL_OVERFLOW }
SELECT c * 10 FROM borders WHERE id = 2; -- { serverError DECIMAL_OVERFLOW }
SELECT c * c FROM borders WHERE id = 2; -- { serverError DECIMAL_OVERFLOW }
SELECT c + d FROM borders WHERE id = 1; -- { serverError DECIMAL_OVERFLOW }
SELECT d / toDecimal64(0, 4) FROM borders; -- { serverError ILLEGAL_DIVISION }
SELECT id, a * 3, c * 10, c * 9 + c FROM borders ORDER BY id SETTINGS decimal_check_overflow = 0;

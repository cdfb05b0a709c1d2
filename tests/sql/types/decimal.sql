-- Exact numbers: scales, overflow, rounding, sums.
SELECT '1.239'::Decimal(9, 2), '-1.999'::Decimal(9, 2), toDecimal32('1.5', 3), toDecimal64(2, 4), toDecimal128('12345678901234567890.5', 3), toTypeName(toDecimal128(1, 3)), toTypeName(1::Decimal(5, 2)), toTypeName(1::Decimal(10)), toTypeName(1::Numeric(7, 1));
SELECT 'abc'::Decimal(9, 2); -- { serverError CANNOT_PARSE_TEXT }
SELECT '12345678.9'::Decimal(9, 2); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT toDecimal32('1e15', 2); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT toDecimal32(1e15, 2); -- { serverError DECIMAL_OVERFLOW }
SELECT toDecimal32(100, 8); -- { serverError DECIMAL_OVERFLOW }
SELECT 1::Decimal(9, 10); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT 1::Decimal(80, 10); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT toDecimal32OrNull('x', 2), toDecimal32OrZero('x', 2), toDecimal32OrDefault('x', 2), toTypeName(toDecimal64OrNull('1', 2)), toDecimal32(1.999, 2), toDecimal32(-1.999, 2);
SELECT toInt32(1.9::Decimal(9, 2)), toInt32(-1.9::Decimal(9, 2)), toFloat64(1.9::Decimal(9, 2)), toString(1.50::Decimal(9, 2)), toDecimal64(1.99::Decimal(9, 2), 1), toBool(1::Decimal(9, 2));
SELECT toUInt8(-1::Decimal(9, 2)); -- { serverError DECIMAL_OVERFLOW }
SELECT toUInt8(300::Decimal(9, 2)); -- { serverError DECIMAL_OVERFLOW }
-- Common types.
SELECT toTypeName([1::Decimal(9, 2), 2::Decimal(18, 4)]), toTypeName([1::Decimal(9, 2), 2]), toTypeName([1::Decimal(9, 2), 2::Int64]), toTypeName([1::Decimal(9, 2), 2::UInt32]), toTypeName([1::Decimal(9, 8), 2::Int32]);
SELECT if(1, 1.5::Decimal(9, 2), 2) AS x, toTypeName(x), greatest(1.5::Decimal(9, 2), 2) AS y, toTypeName(y), least(1.5::Decimal(9, 2), 2.5::Decimal(9, 3)) AS z, toTypeName(z);
-- Arithmetic.
WITH 1.5::Decimal(9, 2) AS a, 2.125::Decimal(18, 3) AS b SELECT a + b, toTypeName(a + b), a - b, a * b, toTypeName(a * b), b / a, toTypeName(b / a), a + 1, toTypeName(a + 1), a * 2, a / 2, toTypeName(a / 2), toTypeName(a + toInt64(1)), a + 1.5, toTypeName(a + 1.5), -a, toTypeName(-a), abs(-a);
SELECT 1 / 1.5::Decimal(9, 2) AS x, toTypeName(x), intDiv(7.5::Decimal(9, 2), 2) AS y, toTypeName(y);
SELECT 5.7::Decimal(9, 2) % 2.5::Decimal(9, 2), 5.55::Decimal(9, 2) % 7, 7 % 2.5::Decimal(9, 1), intDiv(5.5::Decimal(9, 2), 2.5::Decimal(9, 2));
SELECT 1.5::Decimal(9, 2) / 2.125::Decimal(18, 3); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT toDecimal32(1, 0) / toDecimal32(0, 0); -- { serverError ILLEGAL_DIVISION }
SELECT 1000000::Decimal(9, 2) * 1000::Decimal(9, 2); -- { serverError DECIMAL_OVERFLOW }
SELECT toDecimal64(1e15, 2) * toDecimal64(1e15, 2); -- { serverError DECIMAL_OVERFLOW }
SELECT 9999999.99::Decimal(9, 2) + 1::Decimal(9, 2) AS x, toTypeName(x);
SELECT toTypeName(1::Decimal(5, 2) + 1::Decimal(5, 2)), toTypeName(1::Decimal(5, 2) * 1::Decimal(12, 2)), toTypeName(1::Decimal(5, 2) / toInt64(1)), toTypeName(1::Decimal(12, 2) * 1::Decimal(30, 2)), toTypeName(1::Decimal(9, 2) * toFloat32(1));
SELECT round(1.255::Decimal(9, 3), 2) AS x, toTypeName(x), round(-1.255::Decimal(9, 3), 2), floor(1.5::Decimal(9, 2)), ceil(1.5::Decimal(9, 2)), trunc(-1.5::Decimal(9, 2)), round(1.5::Decimal(9, 2));
-- Comparison.
SELECT 1.5::Decimal(9, 2) = 1.5, 1.5::Decimal(9, 2) = '1.5', 1.5::Decimal(9, 2) = 1.50::Decimal(18, 4), 1.5::Decimal(9, 2) < 2, 1.5::Decimal(9, 2) > 1.4999, 1.55::Decimal(9, 2) = 1.555;
SELECT 1.55::Decimal(9, 2) = 'x'; -- { serverError TYPE_MISMATCH }
SELECT 1.5::Decimal(9, 2) IN (1.5, 2), 1.5::Decimal(9, 2) IN (1.555), 1.5::Decimal(9, 2) IN (1.5::Decimal(9, 3)), 1::Decimal(38, 2) IN (1);
-- Aggregates.
SELECT sum(x), avg(x), toTypeName(sum(x)), toTypeName(avg(x)), min(x), toTypeName(min(x)), quantile(x), toTypeName(quantile(x)), arraySort(groupArray(x)), uniqExact(x) FROM (SELECT arrayJoin([1.5::Decimal(9, 2), 2.25::Decimal(9, 2)]) AS x);
SELECT toTypeName(sum(1::Decimal(18, 3))), toTypeName(sum(1::Decimal(38, 3))), toTypeName(avg(1::Decimal(38, 3)));
-- Storage.
CREATE TABLE money (a Decimal(9, 2), b Decimal(18, 4), c Decimal(38, 10), n Nullable(Decimal(9, 3)), l Array(Decimal(38, 2))) ENGINE = Memory;
INSERT INTO money VALUES (1.5, 2.25, 3.125, NULL, [1.5]), (-1.5, '-2.25', -12345678901234567890.0123456789, 1, []), (0, 0, 12345678901234567890.5, 2.5, [0, -0.01]);
INSERT INTO money (a) VALUES ('123456789'); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT * FROM money ORDER BY c;
SELECT c, count() FROM money GROUP BY c ORDER BY c;
SELECT c, a, count() FROM money GROUP BY c, a ORDER BY c DESC;
SELECT DISTINCT c FROM money ORDER BY c DESC;
SELECT sum(a), sum(b), sum(c), avg(c), min(c), max(c), uniq(a), uniqExact(c), sum(n), any(n) > 0 FROM money;
SELECT c FROM money WHERE c > 3 ORDER BY c;
SELECT c FROM money WHERE c IN (3.125);
SELECT a + b, a * c, b * c FROM money ORDER BY c;
SELECT c / a, n / a FROM money WHERE a != 0 ORDER BY c;
SELECT * FROM money ORDER BY c FORMAT JSONEachRow;
SELECT * FROM money ORDER BY c FORMAT CSV;
SELECT * FROM money ORDER BY c FORMAT PrettyCompact;
DROP TABLE money;
CREATE TABLE prices (p Decimal(18, 2), q Decimal(38, 4), x UInt32) ENGINE = MergeTree ORDER BY (q, p) SETTINGS index_granularity = 16;
INSERT INTO prices SELECT (number - 50) / 4, (50 - number) / 8, number FROM numbers(100);
SELECT sum(p), sum(q), count() FROM prices WHERE q BETWEEN -1 AND 1;
SELECT x FROM prices WHERE p = 1.25;
SELECT min(p), max(q) FROM prices;
DROP TABLE prices;

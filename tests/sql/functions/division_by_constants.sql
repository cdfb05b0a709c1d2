-- { largeBlocks }
-- Quotients and remainders by constants have loops for small dividends, powers of two and the rest.
SELECT sum(number % 7), sum(number % 8), sum(number % 255), sum(number % 256), sum(number % 65537) FROM numbers(20000);
SELECT sum(intDiv(number, 7)), sum(intDiv(number, 8)), sum(intDiv(number, 1)), sum(intDiv(number, 4294967296)) FROM numbers(20000);
SELECT sum(n % 7), sum(n % 8), sum(n % 4294967296), sum(n % 18446744073709551615) FROM (SELECT number * 922337203685 AS n FROM numbers(20000));
SELECT sum(intDiv(n, 7)), sum(intDiv(n, 4294967295)), sum(intDiv(n, 2147483648)), sum(intDiv(n, 2147483647)) FROM (SELECT number * 922337203685 AS n FROM numbers(20000));
SELECT sum(toUInt32(n) % 10), sum(intDiv(toUInt32(n), 10)), sum(toUInt8(n) % 10), sum(intDiv(toUInt16(n), 1000)), sum(toUInt16(n) % 70000) FROM (SELECT number * 922337203685 AS n FROM numbers(20000));
SELECT sum(toInt32(number) % 7), sum(toInt64(number - 10000) % 7), sum(intDiv(toInt64(number) - 10000, 8)), sum(positiveModulo(toInt64(number) - 10000, 8)) FROM numbers(20000);
SELECT moduloOrZero(number, 0), intDivOrZero(number, 0) FROM numbers(3);
SELECT number % 0 FROM numbers(3); -- { serverError ILLEGAL_DIVISION }
SELECT intDiv(toUInt32(number), 0) FROM numbers(3); -- { serverError ILLEGAL_DIVISION }
SELECT toTypeName(materialize(toUInt64(1)) % 300), toTypeName(intDiv(materialize(toUInt32(1)), 300)), toTypeName(materialize(toUInt8(1)) % 4294967296);

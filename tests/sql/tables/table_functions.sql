-- { echoOn }
SELECT * FROM numbers(3) ORDER BY number;
SELECT * FROM numbers(5, 3) ORDER BY number;
SELECT count(), sum(number), toTypeName(any(number)) FROM numbers(50000);
SELECT count(), sum(number) FROM numbers_mt(50000);
SELECT max(number) FROM numbers(10, 0);
SELECT count() FROM numbers(0);
SELECT count(), sum(zero) FROM zeros(1000);
SELECT count(), toTypeName(any(zero)) FROM zeros_mt(20000);
SELECT dummy FROM system.one;
SELECT 1 FROM system.one WHERE dummy = 0;
SELECT number FROM numbers(100) WHERE number % 33 = 0 ORDER BY number;
SELECT * FROM numbers('a'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT * FROM nosuchfunction(1); -- { serverError UNKNOWN_FUNCTION }
SELECT sum(number) FROM numbers(10) WHERE number BETWEEN 3 AND 5;
SELECT n.number, z.zero FROM numbers(2) AS n, zeros(1) AS z ORDER BY n.number;
SELECT * FROM numbers(0, 10, 4) ORDER BY number;
SELECT * FROM generate_series(1, 7, 3) ORDER BY generate_series;
SELECT * FROM values('a UInt8, b String', (1, 'x'), (2, 'y')) ORDER BY a;

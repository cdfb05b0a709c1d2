-- { echoOn }
SELECT cityHash64(toUInt8(5)) = cityHash64(toUInt64(5)), cityHash64(toString(number)) % 10 FROM numbers(5) ORDER BY number;
SELECT toTypeName(1), materialize(1), toTypeName(materialize('a')), ignore(1, 2), identity(5), isConstant(1), isConstant(materialize(1));
SELECT number, cityHash64(number), intHash64(number) FROM numbers(3) ORDER BY number;
SELECT sum(cityHash64(number) % 1000), sum(intHash32(number) % 1000), sum(sipHash64(number) % 1000) FROM numbers(10000);
SELECT noSuchFunction(1); -- { serverError UNKNOWN_FUNCTION }
SELECT LENGTH('abc'), Length('abc');
SELECT COUNT(), SUM(number), Max(number) FROM numbers(3);

-- { echoOn }
SELECT 1 + 2 * 3, (1 + 2) * 3, 7 - 2 - 1, 2 * 3 % 4, -2 * -3, - - 5;
SELECT 7 / 2, 7 % 3, -7 % 3, 7 DIV 2, -7 DIV 2, 7 MOD 3;
SELECT intDiv(7, 2), intDiv(-7, 2), modulo(-7, 3), positiveModulo(-7, 3), intDivOrZero(1, 0), moduloOrZero(1, 0);
SELECT 1 / 0, -1 / 0, 0 / 0;
SELECT intDiv(1, 0); -- { serverError ILLEGAL_DIVISION }
SELECT 1 % 0; -- { serverError ILLEGAL_DIVISION }
SELECT 1 = 1, 1 == 1, 1 != 2, 1 <> 2, 1 < 2, 2 <= 2, 3 > 2, 2 >= 3;
SELECT 'a' < 'b', 'a' = 'a', 'B' < 'a', '' < 'a', 'abc' > 'ab';
SELECT 1 = 1.0, -1 < 18446744073709551615, toInt64(-1) = toUInt64(18446744073709551615), 0.1 + 0.2 = 0.3;
SELECT nan = nan, nan != nan, nan < 1, nan > 1, inf > 1e308;
SELECT 1 AND 0, 1 OR 0, NOT 1, NOT 0, xor(1, 1), xor(1, 0), 5 AND 2;
SELECT NULL AND 0, NULL AND 1, NULL OR 1, NULL OR 0, NOT NULL, 1 = NULL, NULL = NULL;
SELECT NOT 1 = 2, NOT 0 AND 0, 1 OR 1 AND 0;
SELECT 5 BETWEEN 1 AND 10, 5 NOT BETWEEN 1 AND 4, 'b' BETWEEN 'a' AND 'c';
SELECT 1 IN (1, 2, 3), 4 IN (1, 2, 3), 4 NOT IN (1, 2, 3), 'a' IN ('b', 'a'), (1, 2) IN ((1, 2), (3, 4));
SELECT 'abc' LIKE 'a%', 'abc' LIKE '_b_', 'abc' NOT LIKE '%z%', 'ABC' ILIKE 'abc', 'a%c' LIKE 'a\\%c', 'abc' LIKE 'a\\%c';
SELECT 'a' || 'b' || 'c', 'x' || toString(1);
SELECT 1 IS NULL, NULL IS NULL, 1 IS NOT NULL, NULL IS NOT NULL;
SELECT 1 ? 'yes' : 'no', 0 ? 1 : (2 ? 3 : 4);
SELECT CASE WHEN 1 THEN 'one' ELSE 'other' END, CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' ELSE 'c' END, CASE 3 WHEN 1 THEN 'a' END;
SELECT [10, 20, 30][1], [10, 20, 30][-1], [10, 20, 30][4], ['a', 'b'][2], (1, 'x').2, ((1, 2), 3).1.2;
SELECT 1::UInt8, '12'::Int32, toTypeName('12'::Int32), CAST('1.5' AS Float64), CAST(3, 'String');
SELECT -1::UInt8; -- { serverError CANNOT_PARSE_NUMBER }
SELECT -1::Int8, toTypeName(-1::Int8), (1 + 1)::String;
SELECT bitAnd(12, 10), bitOr(12, 10), bitXor(12, 10), bitNot(toUInt8(1)), bitShiftLeft(1, 4), bitShiftRight(256, 4), bitTest(5, 2), bitCount(255);
SELECT number % 2 = 0 AND number > 2 AS c FROM numbers(6) ORDER BY number;
SELECT -number AS m FROM numbers(3) ORDER BY m;
SELECT 'a' + 1; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT NOT 'a'; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT 'a' = 1; -- { serverError TYPE_MISMATCH }
SELECT '1' = 1, 1 = '1', toDate('2020-01-01') = '2020-01-01', toDateTime('2020-01-01 00:00:01', 'UTC') > '2020-01-01 00:00:00';

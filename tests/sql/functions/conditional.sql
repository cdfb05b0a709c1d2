-- { echoOn }
SELECT if(1, 'a', 'b'), if(0, 1, 2), if(number % 2, number, -number) FROM numbers(4) ORDER BY number;
SELECT multiIf(number = 0, 'zero', number < 3, 'few', 'many') FROM numbers(5) ORDER BY number;
SELECT CASE number WHEN 0 THEN 'zero' WHEN 1 THEN 'one' ELSE toString(number) END FROM numbers(4) ORDER BY number;
SELECT CASE WHEN number > 2 THEN number END FROM numbers(4) ORDER BY number;
SELECT if(number > 1, NULL, number), if(number = 0, 'x', NULL) FROM numbers(3) ORDER BY number;
SELECT if(number % 2 = 0, [number], []), if(number = 1, (1, 'a'), (2, 'bb')) FROM numbers(3) ORDER BY number;
SELECT if(number = 0, 0, intDiv(10, number)) FROM numbers(4) ORDER BY number;
SELECT number = 0 OR intDiv(10, number) > 3 FROM numbers(4) ORDER BY number;
SELECT number != 0 AND 10 % number = 0 FROM numbers(4) ORDER BY number;
SELECT multiIf(number = 0, -1, 10 % number = 0, 1, 0) FROM numbers(5) ORDER BY number;
SELECT ifNull(NULL, 'd'), ifNull('v', 'd'), nullIf(1, 1), nullIf(1, 2), coalesce(NULL, NULL, 3), coalesce(NULL, NULL);
SELECT if(1, 2); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT if('a', 1, 2); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT multiIf(1, 2); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT and(1, 1, 1), or(0, 0, 1), not(0), and(1, NULL), or(NULL, 1);
SELECT if(toString(number) = '1', toFixedString('ab', 2), toFixedString('cd', 2)) FROM numbers(2) ORDER BY number;
SELECT sum(if(number % 3 = 0, number, 0)), sum(number % 3 = 0 ? 1 : 0) FROM numbers(10);
SELECT toTypeName(if(number = 0, toDate('2024-01-01'), toDateTime('2024-01-01 00:00:00', 'UTC'))) FROM numbers(1);

SELECT 1 + 'a'; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT 'a' * 'b'; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT -'a'; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT [1] + 1; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT (1, 2) + 1; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT 1 AND 'x'; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT toDate('2024-01-01') * 2; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT toDate('2024-01-01') + toDate('2024-01-01'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT length(5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT length(); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT length('a', 'b'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT substring('a'); -- { serverError SYNTAX_ERROR }
SELECT substring(1, 2); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT toYear('2024-01-01'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT toYear(1.5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT [1] = ['a']; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT 1 = [1]; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT 'abc' = toDate('2024-01-01'); -- { serverError CANNOT_PARSE_DATE }
SELECT toDate('2024-01-01') = 'zzz'; -- { serverError CANNOT_PARSE_DATE }
SELECT 1 IN ('a'); -- { serverError TYPE_MISMATCH }
SELECT 'a' IN (1);
SELECT (1, 2) IN (1, 2);
SELECT 1 LIKE '1'; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT arraySum(['a']); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT arrayMap(x -> x + 1, ['a']); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT arrayFilter(x -> 'a', [1]); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT [1][1]['a']; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT tupleElement((1, 2), 3); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT (1, 2).x; -- { serverError BAD_ARGUMENTS }
SELECT tupleElement(1, 1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT toFixedString('a', 0); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT toFixedString('a', number) FROM numbers(1); -- { serverError ILLEGAL_COLUMN }
SELECT CAST('a' AS UInt8); -- { serverError CANNOT_PARSE_TEXT }
SELECT CAST([1] AS UInt8); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT CAST('2024' AS DateTime('UTC'));
SELECT round('a'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT sqrt('a'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT upper([1]); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT now('a', 'b'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT toDateTime('2024-01-01 00:00:00', 5);
SELECT if(1, 2, 3, 4); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT dateDiff('nounit', toDate('2024-01-01'), toDate('2024-01-02')); -- { serverError BAD_ARGUMENTS }
SELECT 1 ORDER BY x -> x; -- { serverError BAD_ARGUMENTS }
SELECT x -> x; -- { serverError BAD_ARGUMENTS }
SELECT * ;
SELECT count(*) + *; -- { serverError NOT_AN_AGGREGATE }
SELECT 'end';

-- singleValueOrNull as any other aggregate: over windows, under combinators, as states.
SELECT singleValueOrNull(number) OVER (ORDER BY number) AS s FROM numbers(3) ORDER BY number;
SELECT singleValueOrNull(number) OVER (ORDER BY number ROWS BETWEEN CURRENT ROW AND CURRENT ROW) FROM numbers(3) ORDER BY number;
SELECT toTypeName(singleValueOrNull(1)), singleValueOrNull(NULL), singleValueOrNull('a');
SELECT singleValueOrNull(x), toTypeName(singleValueOrNull(x)) FROM values('x Nullable(Int32)', 1, NULL, 1);
SELECT singleValueOrNull(x) FROM values('x Nullable(Int32)', NULL, NULL);
SELECT singleValueOrNull(number) FROM numbers(0);
SELECT singleValueOrNullIf(number, number = 2), singleValueOrNullIf(number, number > 7) FROM numbers(5);
SELECT singleValueOrNullArray([1, 1]), singleValueOrNullDistinct(number) FROM numbers(1);
SELECT singleValueOrNullOrNull(number), singleValueOrNullOrDefault(number) FROM numbers(2);
SELECT singleValueOrNull(x) FROM values('x Float64', nan, nan);
SELECT singleValueOrNull(x) FROM values('x Float64', nan);
SELECT number % 3 AS k, singleValueOrNull(toString(k)), singleValueOrNull(number) FROM numbers(4) GROUP BY k ORDER BY k;
SELECT toTypeName(singleValueOrNullState(1)), finalizeAggregation(singleValueOrNullState('a'));
SELECT singleValueOrNullMerge(s) FROM (SELECT singleValueOrNullState(number) AS s FROM numbers(2) GROUP BY number);
SELECT singleValueOrNullMerge(s) FROM (SELECT singleValueOrNullState(number) AS s FROM numbers(4) GROUP BY number % 2);
SELECT singleValueOrNullMerge(s) FROM (SELECT singleValueOrNullState(number % 2) AS s FROM numbers(4) WHERE number % 2 = 1 GROUP BY number);
SELECT singleValueOrNullMerge(s) FROM (SELECT singleValueOrNullState(x) AS s FROM values('x Nullable(String)', NULL, 'abc') GROUP BY x);
SELECT singleValueOrNull([1]); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT singleValueOrNull(map(1, 2)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT singleValueOrNull(); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT singleValueOrNull(1, 2); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT number, number = ALL (SELECT 1 UNION ALL SELECT NULL), number != ANY (SELECT arrayJoin([1, 2])) FROM numbers(3) ORDER BY number;

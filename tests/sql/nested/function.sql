SELECT nested(['a', 'b'], [1, 2], ['x', 'y']) AS n, toTypeName(n), n.b;
SELECT nested(['a', 'b'], [1, 2], ['x']); -- { serverError SIZES_OF_ARRAYS_DONT_MATCH }
SELECT nested(['a', 'b'], [1, 2]); -- { serverError BAD_ARGUMENTS }
SELECT nested([], []); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT nested(['a', 'a'], [1], [2]); -- { serverError DUPLICATE_COLUMN }
SELECT nested(materialize(['a']), [1]); -- { serverError ILLEGAL_COLUMN }
SELECT nested(['a'], 1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT nested(); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT nested(['a'], [NULL, 1]) AS n, toTypeName(n);
SELECT nested(['a', 'n'], range(number), arrayMap(x -> toString(x), range(number))) FROM numbers(3);

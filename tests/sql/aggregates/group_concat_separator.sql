-- The separator may be the second argument.
SELECT string_agg(toString(number), ','), group_concat(number, '|'), groupConcat(number, ', ') FROM numbers(3) SETTINGS max_threads = 1;
SELECT groupConcat(',')(number, '|'), groupConcat(',', 2)(number), GROUP_CONCAT(number, '') FROM numbers(3) SETTINGS max_threads = 1;
SELECT group_concat(number, ',') OVER (ORDER BY number) FROM numbers(3) ORDER BY number;
SELECT groupConcat(number, number) FROM numbers(3); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT string_agg(number, materialize('a')) FROM numbers(3); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT groupConcat(number, 1) FROM numbers(3); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT groupConcatIf(number, ',', number > 0) FROM numbers(3); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT groupConcat(number, ',', ';') FROM numbers(3); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }

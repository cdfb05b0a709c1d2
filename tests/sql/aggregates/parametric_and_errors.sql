-- { echoOn }
SELECT sum(number)(1) FROM numbers(1); -- { serverError BAD_ARGUMENTS }
SELECT sum(1)(number) FROM numbers(1); -- { serverError AGGREGATE_FUNCTION_DOESNT_ALLOW_PARAMETERS }
SELECT noSuchAggregate(1)(number) FROM numbers(1); -- { serverError UNKNOWN_FUNCTION }
SELECT sumNoSuch(number) FROM numbers(1); -- { serverError UNKNOWN_FUNCTION }
SELECT sum(sum(number)) FROM numbers(3); -- { serverError ILLEGAL_AGGREGATION }
SELECT number, sum(number) FROM numbers(3); -- { serverError NOT_AN_AGGREGATE }
SELECT number FROM numbers(3) WHERE sum(number) > 1; -- { serverError ILLEGAL_AGGREGATION }
SELECT number + 1 FROM numbers(3) GROUP BY number + 2; -- { serverError NOT_AN_AGGREGATE }
SELECT number % 2 AS g, number FROM numbers(3) GROUP BY g; -- { serverError NOT_AN_AGGREGATE }
SELECT count(1, 2, 3) FROM numbers(1); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT sum(number) AS number FROM numbers(3) ORDER BY number;
SELECT count() FROM numbers(3) GROUP BY sum(number); -- { serverError ILLEGAL_AGGREGATION }

-- { echoOn }
SELECT quantile(number), quantile(0.9)(number), quantile(0)(number), quantile(1)(number), median(number) FROM numbers(101);
SELECT quantiles(0.1, 0.5, 0.9)(number), quantilesExact(0.1, 0.5, 0.9)(number) FROM numbers(101);
SELECT quantile(0.5)(x), quantileExact(0.5)(x) FROM (SELECT arrayJoin([1.5, 2.5, 10]) AS x);
SELECT number % 2 AS g, quantile(0.5)(number), quantileExact(0.5)(number) FROM numbers(11) GROUP BY g ORDER BY g;
SELECT toTypeName(quantile(number)), toTypeName(quantileExact(number)), toTypeName(quantiles(0.5)(number)), toTypeName(quantile(toFloat32(number))) FROM numbers(1);
SELECT quantile(0.5)(number), quantileExact(0.5)(number) FROM numbers(0);
SELECT quantile(0.5)(toDate('2024-01-01') + number), quantile(toDateTime(number * 100, 'UTC')) FROM numbers(11);
SELECT quantile(2)(number) FROM numbers(1); -- { serverError PARAMETER_OUT_OF_BOUND }
SELECT quantile('a')(number) FROM numbers(1); -- { serverError CANNOT_CONVERT_TYPE }
SELECT quantile(0.5)(toString(number)) FROM numbers(1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT quantiles()(number) FROM numbers(1); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT quantileIf(0.5)(number, number > 50), quantileExactIf(0.9)(number, number < 10) FROM numbers(101);
SELECT quantile(x) FROM (SELECT arrayJoin([1, NULL, 3]) AS x);

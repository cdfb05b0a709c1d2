-- { echoOn }
SELECT uniqExact(number), uniqExact(toString(number)), uniqExact(number % 7, number % 5), uniqExact(toDate(number % 30)) FROM numbers(5000);
SELECT uniq(number), uniq(toString(number)), uniq(number % 7, number % 5) FROM numbers(5000);
SELECT number % 3 AS g, uniq(number), uniqExact(number) FROM numbers(30000) GROUP BY g ORDER BY g;
SELECT uniq(x), uniqExact(x), count(DISTINCT x) FROM (SELECT arrayJoin([1, NULL, 2, NULL, 1]) AS x);
SELECT uniqExact(x), uniq(x) FROM (SELECT arrayJoin(['a', '', 'b', 'a']) AS x);
SELECT uniq(toFloat64(number) / 2), uniqExact(toFloat32(number)), uniq(toDateTime(number, 'UTC')), uniq([number % 3, 1]), uniqExact((number % 3, 'a')) FROM numbers(100);
SELECT toTypeName(uniq(1)), toTypeName(uniqExact(1)), uniq(number) FROM numbers(0);
SELECT uniq() FROM numbers(1); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT count(DISTINCT number % 4) AS c FROM numbers(20) HAVING c > 2;

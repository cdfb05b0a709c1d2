-- { echoOn }
SELECT number FROM numbers(5) ORDER BY number DESC;
SELECT number FROM numbers(10) ORDER BY number % 3, number DESC;
SELECT number FROM numbers(10) ORDER BY number LIMIT 3;
SELECT number FROM numbers(10) ORDER BY number LIMIT 3 OFFSET 2;
SELECT number FROM numbers(10) ORDER BY number LIMIT 2, 3;
SELECT number FROM numbers(10) ORDER BY number OFFSET 7;
SELECT number FROM numbers(10) ORDER BY number LIMIT 0;
SELECT number FROM numbers(3) ORDER BY number LIMIT 100;
SELECT number FROM numbers(3) ORDER BY number OFFSET 100;
SELECT number % 3 AS k, number FROM numbers(10) ORDER BY k, number LIMIT 2 BY k;
SELECT number % 3 AS k, number FROM numbers(10) ORDER BY k, number LIMIT 1 OFFSET 1 BY k;
SELECT number % 3 AS k, number % 2 AS j, number FROM numbers(12) ORDER BY number LIMIT 1 BY k, j;
SELECT number % 3 AS k, number FROM numbers(10) ORDER BY k, number LIMIT 1 BY k LIMIT 2;
SELECT number AS n, -n AS m FROM numbers(4) ORDER BY m;
SELECT number FROM numbers(4) ORDER BY -number;
SELECT number, toString(number) AS s FROM numbers(12) ORDER BY s LIMIT 4;
SELECT number % 2, number FROM numbers(4) ORDER BY 1, 2 DESC;
SELECT x FROM (SELECT arrayJoin(['b', '', 'a', 'B', 'ab']) AS x) ORDER BY x;
SELECT x FROM (SELECT arrayJoin(['b', '', 'a', 'B', 'ab']) AS x) ORDER BY x DESC LIMIT 2;
SELECT x FROM (SELECT arrayJoin([3, NULL, 1, NULL, 2]) AS x) ORDER BY x;
SELECT x FROM (SELECT arrayJoin([3, NULL, 1, NULL, 2]) AS x) ORDER BY x DESC;
SELECT x FROM (SELECT arrayJoin([3, NULL, 1, NULL, 2]) AS x) ORDER BY x ASC NULLS FIRST LIMIT 3;
SELECT x FROM (SELECT arrayJoin([3, NULL, 1, NULL, 2]) AS x) ORDER BY x DESC NULLS LAST LIMIT 3;
SELECT a, b FROM (SELECT arrayJoin([(1, 'x'), (NULL, 'a'), (1, NULL), (NULL, NULL)]) AS t, t.1 AS a, t.2 AS b) ORDER BY a DESC, b NULLS FIRST;
SELECT x FROM (SELECT arrayJoin([[2], [1, 2], [], [1]]) AS x) ORDER BY x;
SELECT x FROM (SELECT arrayJoin([(2, 'a'), (1, 'b'), (1, 'a')]) AS x) ORDER BY x;
SELECT toDate('2024-01-03') - number AS d FROM numbers(3) ORDER BY d;
SELECT number FROM numbers(100000) ORDER BY number % 1000 DESC, number LIMIT 3;
SELECT number FROM numbers(100000) ORDER BY cityHash64(number) LIMIT 3;
SELECT s FROM (SELECT toString(number) AS s FROM numbers(20000)) ORDER BY s DESC LIMIT 3 OFFSET 100;
SELECT sum(number) FROM (SELECT number FROM numbers(100) ORDER BY number DESC LIMIT 10);
SELECT number FROM numbers(3) ORDER BY nosuch; -- { serverError UNKNOWN_IDENTIFIER }
SELECT number FROM numbers(3) ORDER BY 5; -- { serverError BAD_ARGUMENTS }
SELECT number FROM numbers(3) LIMIT 'a'; -- { serverError INVALID_LIMIT_EXPRESSION }
SELECT number FROM numbers(10) ORDER BY number LIMIT 1 + 1;
SELECT count() FROM (SELECT * FROM numbers(1000) LIMIT 10);
SELECT number FROM numbers(10) WHERE number > 5 ORDER BY number LIMIT 2;

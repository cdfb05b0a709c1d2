-- arrayJoin in lambdas, and nested.
SELECT arrayMap(x -> arrayJoin([1, 2]), [1, 2]) AS r ORDER BY r;
SELECT arrayMap(x -> x + arrayJoin([10, 20]), [1, 2]) AS r ORDER BY r;
SELECT arrayMap(x -> (x, arrayJoin([1, 2])), [10, 20]) AS r ORDER BY r;
SELECT arrayFilter(x -> x > arrayJoin([0, 1, 2]), [1, 2]) AS r ORDER BY r;
SELECT arrayMap(x -> arrayMap(y -> arrayJoin([1, 2]) + y, [x]), [10]) AS r ORDER BY r;
SELECT arraySum(x -> x * arrayJoin([1, 2]), [10, 20]) AS r, arrayJoin([1, 2]) AS j ORDER BY r;
SELECT arrayMap(x -> x + arrayJoin(arr), [1, 2]) AS r FROM (SELECT [10, 20] AS arr) ORDER BY r;
WITH x -> arrayJoin([x, x + 1]) AS f SELECT f(1) AS r ORDER BY r;
SELECT arrayMap(x -> arrayJoin([x, 2]), [1, 2]); -- { serverError BAD_ARGUMENTS }
SELECT arrayMap(x -> arrayMap(y -> arrayJoin([x]), [1]), [1, 2]); -- { serverError BAD_ARGUMENTS }
SELECT arrayJoin(arrayJoin([[1, 2], [3]])) AS r ORDER BY r;
SELECT arrayJoin(arrayMap(x -> x * 2, arrayJoin([[1, 2], [3]]))) AS r ORDER BY r;
SELECT arrayJoin(arrayJoin([[(1, 2)], [(3, 4)]])).1 AS r ORDER BY r;
SELECT arrayJoin(NULL); -- { serverError TYPE_MISMATCH }
-- untuple among arguments.
SELECT plus(untuple((1, 2))) FORMAT TSVWithNames;
SELECT concat(untuple(t)) FROM (SELECT ('x', 'y') AS t) FORMAT TSVWithNames;
SELECT tuple(untuple(t), 5) FROM (SELECT CAST(('x', 'y'), 'Tuple(a String, b String)') AS t) FORMAT TSVWithNames;
SELECT tuple(untuple(t) AS q, 5) FROM (SELECT CAST(('x', 'y'), 'Tuple(a String, b String)') AS t) FORMAT TSVWithNames;
SELECT sum(untuple(tuple(a))) FROM (SELECT 1 AS a) FORMAT TSVWithNames;
SELECT count() FROM (SELECT 1 AS a, ('x', 2) AS t) GROUP BY untuple(t);
SELECT untuple(); -- { serverError UNSUPPORTED_METHOD }

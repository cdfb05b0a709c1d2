-- Names of results with matchers among their arguments.
SELECT sum(COLUMNS('^a$')), greatest(sum(a2), max(b)) FROM (SELECT 1 AS a, 2 AS a2, 3 AS b) FORMAT TSVWithNames;
SELECT greatest(COLUMNS('^a')) FROM (SELECT 1 AS a, 2 AS a2, 3 AS b) FORMAT TSVWithNames;
SELECT COLUMNS('a') + COLUMNS('b') FROM (SELECT 1 AS a, 3 AS b) FORMAT TSVWithNames;
SELECT COLUMNS('a') + 1 FROM (SELECT 1 AS a, 3 AS b) FORMAT TSVWithNames;
SELECT -COLUMNS('a'), [COLUMNS('a|b'), 5], tuple(* EXCEPT a) FROM (SELECT 1 AS a, 3 AS b) FORMAT TSVWithNames;
SELECT sum(COLUMNS('a') APPLY(x -> x + 1)) FROM (SELECT 1 AS a) FORMAT TSVWithNames;
SELECT concat(* APPLY toString) FROM (SELECT 1 AS a, 3 AS b) FORMAT TSVWithNames;
SELECT plus(x.*) FROM (SELECT 1 AS a, 3 AS b) AS x FORMAT TSVWithNames;
SELECT plus(x.a, y.a), tuple(x.*, y.*) FROM (SELECT 1 AS a) AS x, (SELECT 2 AS a) AS y FORMAT TSVWithNames;
SELECT tuple(COLUMNS('a')), tuple(COLUMNS(x.a, y.a)) FROM (SELECT 1 AS a) AS x, (SELECT 2 AS a) AS y FORMAT TSVWithNames;
SELECT * REPLACE (b + 1 AS b) APPLY(x -> x + 1) FROM (SELECT 1 AS a, 3 AS b) FORMAT TSVWithNames;
SELECT * EXCEPT a REPLACE (b + 1 AS b) APPLY(x -> x * 2) FROM (SELECT 1 AS a, 3 AS b) FORMAT TSVWithNames;
SELECT * APPLY(x -> x + 1) APPLY(y -> y * 2) FROM (SELECT 1 AS a, 3 AS b) FORMAT TSVWithNames;
SELECT count(COLUMNS('a')), count(x.*) FROM (SELECT 1 AS a) AS x FORMAT TSVWithNames;
-- Matchers as keys.
SELECT a, b FROM (SELECT 1 AS a, 2 AS b UNION ALL SELECT 1, 2) GROUP BY *;
SELECT a, b, count() FROM (SELECT 1 AS a, 2 AS b UNION ALL SELECT 1, 2) AS t GROUP BY t.*;
SELECT a, count() FROM (SELECT 1 AS a, 2 AS b UNION ALL SELECT 1, 3) GROUP BY COLUMNS('a');
SELECT b FROM (SELECT 1 AS a, 2 AS b UNION ALL SELECT 1, 1) ORDER BY COLUMNS('b');
SELECT b FROM (SELECT 1 AS a, 2 AS b UNION ALL SELECT 1, 1) ORDER BY *; -- { serverError NOT_IMPLEMENTED }
SELECT a, b FROM (SELECT 1 AS a, 2 AS b UNION ALL SELECT 1, 2) ORDER BY b LIMIT 1 BY *;
-- ORDER BY ALL.
SELECT a AS all FROM (SELECT arrayJoin([3, 1, 2, 1]) AS a) ORDER BY all; -- { serverError UNEXPECTED_EXPRESSION }
SELECT a AS all FROM (SELECT arrayJoin([3, 1, 2, 1]) AS a) ORDER BY all SETTINGS enable_order_by_all = 0;
SELECT a AS all, b FROM (SELECT arrayJoin([3, 1, 2]) AS a, 4 - a AS b) ORDER BY all DESC SETTINGS enable_order_by_all = 0;
SELECT a FROM (SELECT arrayJoin([3, 1, 2]) AS a) ORDER BY ALL SETTINGS enable_order_by_all = 0; -- { serverError UNKNOWN_IDENTIFIER }
-- TOP.
SELECT TOP 2 number FROM numbers(5) ORDER BY number DESC;
SELECT TOP (2) number FROM numbers(5) ORDER BY number DESC;
SELECT TOP (1) WITH TIES number % 2 AS q FROM numbers(3) ORDER BY q;

-- GLOBAL forms, FULL JOIN USING with join_use_nulls, tuples, matchers, QUALIFY, ARRAY JOIN.
CREATE TABLE c (x Int32, s String) ENGINE = Memory;
INSERT INTO c VALUES (1, 'a'), (2, 'B'), (3, 'b'), (4, 'A'), (5, 'ä'), (6, 'z'), (7, 'é'), (8, 'e'), (9, '');
SELECT number FROM numbers(5) WHERE number GLOBAL IN (SELECT 2);
SELECT number FROM numbers(5) WHERE number GLOBAL NOT IN (SELECT 2) ORDER BY number;
SELECT number FROM numbers(5) WHERE number GLOBAL IN (1, 2) ORDER BY number;
SELECT globalIn(1, (1, 2)), globalNotIn(1, (1, 2));
SELECT a, b FROM (SELECT number a FROM numbers(3)) t1 GLOBAL ANY LEFT JOIN (SELECT number b FROM numbers(2)) t2 ON a = b ORDER BY a;
SELECT a, b FROM (SELECT number a FROM numbers(3)) t1 GLOBAL ALL INNER JOIN (SELECT number b FROM numbers(2)) t2 ON a = b ORDER BY a;
SELECT a, b FROM (SELECT number a FROM numbers(3)) t1 GLOBAL LEFT JOIN (SELECT number b FROM numbers(2)) t2 ON a = b ORDER BY a;
SELECT a FROM (SELECT number a FROM numbers(3)) t1 GLOBAL SEMI LEFT JOIN (SELECT number b FROM numbers(2)) t2 ON a = b ORDER BY a;
SELECT a, b FROM (SELECT number a FROM numbers(3)) t1 LOCAL INNER JOIN (SELECT number b FROM numbers(2)) t2 ON a = b ORDER BY a;
SELECT a, b FROM (SELECT number a FROM numbers(2)) t1 GLOBAL CROSS JOIN (SELECT number b FROM numbers(2)) t2 ORDER BY a, b;
SELECT * FROM (SELECT number AS k, 'l' AS l FROM numbers(3)) a FULL JOIN (SELECT number + 1 AS k, 'r' AS r FROM numbers(3)) b USING k ORDER BY k SETTINGS join_use_nulls = 1;
SELECT k, a.k, b.k, l, r, toTypeName(k), toTypeName(a.k), toTypeName(b.k) FROM (SELECT number AS k, 'l' AS l FROM numbers(3)) a FULL JOIN (SELECT number + 1 AS k, 'r' AS r FROM numbers(3)) b USING k ORDER BY k, a.k SETTINGS join_use_nulls = 1;
SELECT k, a.k, b.k, l, r FROM (SELECT number AS k, 'l' AS l FROM numbers(3)) a FULL JOIN (SELECT number + 1 AS k, 'r' AS r FROM numbers(3)) b USING k ORDER BY k, a.k;
SELECT k, a.k, b.k FROM (SELECT number AS k FROM numbers(3)) a RIGHT JOIN (SELECT number + 1 AS k FROM numbers(3)) b USING k ORDER BY k SETTINGS join_use_nulls = 1;
SELECT t.* FROM (SELECT (1, 'a') AS t);
SELECT t.* FROM (SELECT CAST((1, 'a') AS Tuple(x Int32, y String)) AS t);
SELECT t.x, t.y, t.1, t.2 FROM (SELECT CAST((1, 'a') AS Tuple(x Int32, y String)) AS t);
SELECT untuple(t) FROM (SELECT CAST((1, 'a') AS Tuple(x Int32, y String)) AS t) FORMAT TSVWithNames;
SELECT untuple(t) AS u FROM (SELECT CAST((1, 'a') AS Tuple(x Int32, y String)) AS t) FORMAT TSVWithNames;
SELECT untuple((1, 'a')) FORMAT TSVWithNames;
SELECT untuple((1, 'a')) AS z FORMAT TSVWithNames;
SELECT untuple(map(1, 2)); -- { serverError UNSUPPORTED_METHOD }
SELECT untuple(1); -- { serverError UNSUPPORTED_METHOD }
SELECT (1, 2).1, ((1, 'x'), 3).1.2, [(1, 2)].1;
SELECT tuple(1, 2).2;
SELECT map('a', 1)['a'], [1, 2, 3][2], [[1]][1][1], (1, [5]).2[1];
SELECT CAST((1, 2), 'Tuple(a Int8, b Int8)').b;
SELECT arrayMap(x -> x.1, [(1, 2)]);
SELECT COLUMNS('a') FROM (SELECT 1 AS aa, 2 AS ab, 3 AS c) FORMAT TSVWithNames;
SELECT COLUMNS('a') APPLY(toString) FROM (SELECT 1 AS aa, 2 AS ab, 3 AS c) FORMAT TSVWithNames;
SELECT COLUMNS('a') APPLY toString APPLY length FROM (SELECT 1 AS aa, 2 AS ab, 3 AS c) FORMAT TSVWithNames;
SELECT COLUMNS('a') APPLY(x -> x + 1) FROM (SELECT 1 AS aa, 2 AS ab, 3 AS c) FORMAT TSVWithNames;
SELECT * EXCEPT(c) APPLY(x -> x + 1) REPLACE(5 AS aa) FROM (SELECT 1 AS aa, 2 AS ab, 3 AS c) FORMAT TSVWithNames;
SELECT * EXCEPT('a.') FROM (SELECT 1 AS aa, 2 AS ab, 3 AS c) FORMAT TSVWithNames;
SELECT * EXCEPT c, REPLACE(5 AS aa) FROM (SELECT 1 AS aa, 2 AS ab, 3 AS c) FORMAT TSVWithNames; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT * REPLACE(aa + 1 AS aa) EXCEPT c FROM (SELECT 1 AS aa, 2 AS ab, 3 AS c) FORMAT TSVWithNames;
SELECT * EXCEPT STRICT zz FROM (SELECT 1 AS aa, 2 AS ab, 3 AS c) FORMAT TSVWithNames; -- { serverError BAD_ARGUMENTS }
SELECT * EXCEPT zz FROM (SELECT 1 AS aa, 2 AS ab, 3 AS c) FORMAT TSVWithNames;
SELECT * REPLACE STRICT (1 AS zz) FROM (SELECT 1 AS aa, 2 AS ab, 3 AS c) FORMAT TSVWithNames; -- { serverError BAD_ARGUMENTS }
SELECT COLUMNS(aa, c) FROM (SELECT 1 AS aa, 2 AS ab, 3 AS c) FORMAT TSVWithNames;
SELECT t.COLUMNS('a') FROM (SELECT 1 AS aa, 2 AS ab, 3 AS c) AS t FORMAT TSVWithNames;
SELECT t.* EXCEPT c FROM (SELECT 1 AS aa, 2 AS ab, 3 AS c) AS t FORMAT TSVWithNames;
SELECT * APPLY(sum) FROM (SELECT number AS a, number * 2 AS b FROM numbers(3)) FORMAT TSVWithNames;
SELECT * APPLY(quantiles(0.5)) FROM (SELECT number AS a, number * 2 AS b FROM numbers(3)) FORMAT TSVWithNames;
SELECT tuple(*) FROM (SELECT 1 AS a, 2 AS b) FORMAT TSVWithNames;
SELECT count(*) FROM (SELECT 1 AS a, 2 AS b) FORMAT TSVWithNames;
SELECT * FROM (SELECT 1 AS a, 2 AS b) WHERE and(*);
SELECT [*] FROM (SELECT 1 AS a, 2 AS b) FORMAT TSVWithNames;
SELECT COLUMNS('zzz') FROM (SELECT 1 AS a); -- { serverError EMPTY_LIST_OF_COLUMNS_QUERIED }
SELECT number FROM numbers(6) QUALIFY row_number() OVER (ORDER BY number DESC) <= 2 ORDER BY number;
SELECT number, sum(number) OVER () AS s FROM numbers(3) QUALIFY s = 3 ORDER BY number;
SELECT number FROM numbers(3) QUALIFY number > 1;
SELECT number % 2 AS k, count() AS c FROM numbers(7) GROUP BY k QUALIFY rank() OVER (ORDER BY c DESC) = 1;
SELECT a, b FROM (SELECT [1, 2] AS a, [3, 4] AS b) ARRAY JOIN a, b ORDER BY a;
SELECT a, x FROM (SELECT [1, 2] AS a) ARRAY JOIN a AS x ORDER BY x;
SELECT a, x, y FROM (SELECT [1, 2] AS a) ARRAY JOIN a AS x, arrayMap(z -> z * 10, a) AS y ORDER BY x;
SELECT a, x FROM (SELECT [] :: Array(Int32) AS a) LEFT ARRAY JOIN a AS x ORDER BY x;
SELECT x FROM (SELECT 1) ARRAY JOIN [1, 2, 3] AS x ORDER BY x;
SELECT x, y FROM (SELECT 1) ARRAY JOIN [1, 2] AS x ARRAY JOIN [3, 4] AS y ORDER BY x, y;
SELECT m, k.1, k.2 FROM (SELECT map('a', 1, 'b', 2) AS m) ARRAY JOIN m AS k ORDER BY k;
SELECT m FROM (SELECT map('a', 1, 'b', 2) AS m) ARRAY JOIN m ORDER BY m;
SELECT x, y FROM (SELECT [1, 2] AS a, [1] AS b) ARRAY JOIN a AS x, b AS y; -- { serverError SIZES_OF_ARRAYS_DONT_MATCH }
SELECT x, y FROM (SELECT [1, 2] AS a, [1] AS b) ARRAY JOIN a AS x, b AS y ORDER BY x SETTINGS enable_unaligned_array_join = 1;
SELECT num, x FROM (SELECT [5, 6] AS a) ARRAY JOIN a AS x, arrayEnumerate(a) AS num ORDER BY num;
SELECT x FROM (SELECT 1 AS a) ARRAY JOIN a AS x; -- { serverError TYPE_MISMATCH }
SELECT x FROM (SELECT [1, 2] AS a) ARRAY JOIN [a, a] AS x ORDER BY x;
SELECT 1 ARRAY JOIN [1, 2] AS x; -- { serverError SYNTAX_ERROR }
SELECT x FROM numbers(2) ARRAY JOIN [number, number + 10] AS x WHERE x > 0 ORDER BY x;
SELECT x, y FROM (SELECT [[1, 2], [3]] AS a) ARRAY JOIN a AS x ARRAY JOIN x AS y ORDER BY y;
SELECT arrayJoin([1, 2]) AS a, arrayJoin([1, 2]) AS b;
SELECT arrayJoin([1, 2]) AS a, arrayJoin([3, 4]) AS b ORDER BY a, b;
SELECT arrayJoin(map(1, 2, 3, 4)) AS a ORDER BY a;
SELECT count() FROM numbers(2) WHERE arrayJoin([0, 1, 1]);
SELECT sum(arrayJoin([1, 2, 3]));
CREATE TABLE ne (id Int32, n Nested(a Int32, b String)) ENGINE = Memory;
INSERT INTO ne VALUES (1, [1, 2], ['x', 'y']), (2, [], []), (3, [5], ['z']);
SELECT id, n.a, n.b FROM ne ARRAY JOIN n ORDER BY id, n.a;
SELECT id, n.a, n.b FROM ne LEFT ARRAY JOIN n ORDER BY id, n.a;
SELECT id, m.a, m.b FROM ne ARRAY JOIN n AS m ORDER BY id, m.a;
SELECT id, n.a, n.b FROM ne ARRAY JOIN n.a ORDER BY id, n.a;
SELECT id, m.a, n.a FROM ne ARRAY JOIN n AS m ORDER BY id, m.a;
SELECT id, n FROM ne ARRAY JOIN n ORDER BY id, n.a;
SELECT * APPLY(toString) EXCEPT(aa) FROM (SELECT 1 AS aa, 2 AS ab, 3 AS c) FORMAT TSVWithNames;
SELECT * APPLY(toString) EXCEPT('a') FROM (SELECT 1 AS aa, 2 AS ab, 3 AS c) FORMAT TSVWithNames;
SELECT * REPLACE(9 AS aa) APPLY(toString) FROM (SELECT 1 AS aa, 2 AS ab, 3 AS c) FORMAT TSVWithNames;
SELECT * APPLY(toString) REPLACE(9 AS aa) FROM (SELECT 1 AS aa, 2 AS ab, 3 AS c) FORMAT TSVWithNames;
SELECT * APPLY(quantile(0.5)) FROM (SELECT number AS a FROM numbers(3)) FORMAT TSVWithNames;
SELECT * APPLY(quantiles(0.25, 0.5)) APPLY(toString) FROM (SELECT number AS a FROM numbers(3)) FORMAT TSVWithNames;
SELECT k, v FROM (SELECT map('a', 1, 'b', 2) AS m) ARRAY JOIN mapKeys(m) AS k, mapValues(m) AS v ORDER BY k;
SELECT k FROM (SELECT CAST(map(), 'Map(String, UInt8)') AS m) LEFT ARRAY JOIN m AS k ORDER BY k;
SELECT k, x FROM (SELECT map('a', 1, 'b', 2) AS m, [5, 6] AS a) ARRAY JOIN m AS k, a AS x ORDER BY k;

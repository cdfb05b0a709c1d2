-- { echoOn }
SELECT tuple(1, 'a', [1, 2]) AS t, t.1, t.2, t.3, tupleElement(t, 2), toTypeName(t);
SELECT (1, 2) = (1, 2), (1, 2) < (1, 3), (2, 1) > (1, 9), (1, 'b') >= (1, 'a'), (1, 2) != (1, 2);
SELECT (1, 2) IN ((1, 2)), (1, 3) IN ((1, 2), (2, 3)), (1, 'a') NOT IN ((1, 'b'));
SELECT CAST((1, 'x') AS Tuple(id UInt32, name String)) AS t, t.id, t.name, tupleElement(t, 'name'), toTypeName(t);
SELECT (1, NULL) AS t, t.2 IS NULL, toTypeName(t);
CREATE TABLE tt (k UInt8, t Tuple(a UInt32, b String), u Tuple(Int8, Tuple(String, Array(UInt8)))) ENGINE = Memory;
INSERT INTO tt VALUES (1, (10, 'x'), (-1, ('p', [1, 2]))), (2, (20, 'y'), (2, ('q', []))), (3, (10, 'x'), (0, ('r', [9])));
SELECT * FROM tt ORDER BY k;
SELECT k, t.a, t.b, u.1, u.2.1, u.2.2[1] FROM tt ORDER BY k;
SELECT t, count() FROM tt GROUP BY t ORDER BY t;
SELECT k FROM tt WHERE t = (10, 'x') ORDER BY k;
SELECT k FROM tt WHERE t IN ((20, 'y'), (30, 'z')) ORDER BY k;
SELECT k FROM tt ORDER BY t DESC, k;
SELECT max(t), min(u) FROM tt;
SELECT (k, t.a) AS p FROM tt WHERE (k, t.a) IN (SELECT 1, 10) ORDER BY p;
SELECT (1, 2, 3).5; -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT (1, 2) = (1, 2, 3); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT arrayMap(x -> x.1 + x.2, [(1, 2), (3, 4)]), arraySort([(2, 'b'), (1, 'z'), (2, 'a')]), groupArray((number, number * 2)) FROM numbers(2);

-- TOP, and asterisks behind expressions and with patterns.
CREATE TABLE items (id UInt32, v Int32, n Nullable(Int32), pair Tuple(a UInt8, b String)) ENGINE = Memory;
INSERT INTO items VALUES (1, 10, NULL, (1, 'x')), (2, 20, 2, (2, 'y')), (3, 20, 3, (3, 'z'));
SELECT TOP 2 * FROM numbers(5);
SELECT TOP 2 *, number * 2 FROM numbers(5);
SELECT TOP (2) * EXCEPT number, 1 FROM numbers(5);
SELECT TOP -1 number FROM numbers(5);
SELECT TOP (-2) number FROM numbers(5);
SELECT TOP 0.5 number FROM numbers(4);
SELECT TOP 1 + 1 AS n FROM numbers(5);
SELECT TOP 1 WITH TIES v FROM items ORDER BY v DESC;
SELECT DISTINCT TOP 1 v FROM items ORDER BY v DESC;
SELECT TOP 2 id FROM items ORDER BY id LIMIT 1 BY v;
SELECT TOP 1 id FROM items ORDER BY id OFFSET 1;
SELECT TOP 1 id FROM items LIMIT 1; -- { serverError TOP_AND_LIMIT_TOGETHER }
SELECT pair.* FROM items ORDER BY id FORMAT TSVWithNames;
SELECT (id).* FROM numbers(2);
SELECT (1, 2).*, 3 FROM numbers(2);
SELECT tuple(1, 2).* EXCEPT number, 4 FROM numbers(2);
SELECT number::String.* APPLY toString FROM numbers(2) FORMAT TSVWithNames;
SELECT count((1, 2).*), [1].* FROM (SELECT count() AS c FROM numbers(3)) GROUP BY c;
SELECT (1, 2).COLUMNS('num') FROM numbers(1);
SELECT * LIKE 'i%' FROM items ORDER BY id;
SELECT items.* LIKE '%i%' FROM items ORDER BY id;
SELECT items.* ILIKE '%I%' EXCEPT id FROM items ORDER BY id;
SELECT * LIKE 'I%' FROM items; -- { serverError EMPTY_LIST_OF_COLUMNS_QUERIED }
SELECT items.COLUMNS(v, id) FROM items ORDER BY id LIMIT 1 FORMAT TSVWithNames;
SELECT i.COLUMNS(v, nope) FROM items AS i ORDER BY id LIMIT 1 FORMAT TSVWithNames;
SELECT COLUMNS(v, id) FROM items ORDER BY id LIMIT 1 FORMAT TSVWithNames;
SELECT COLUMNS('^(v|n)$') APPLY(sum, 'total_') FROM items FORMAT TSVWithNames;

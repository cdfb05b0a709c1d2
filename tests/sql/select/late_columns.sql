-- Columns that ORDER BY ... LIMIT only hands on.
CREATE TABLE t (id UInt32, k UInt8, v Nullable(Int32), s String, lc LowCardinality(String),
    arr Array(UInt16), n Nullable(String), tup Tuple(a UInt8, b String)) ENGINE = Memory;
INSERT INTO t SELECT number, number % 7, if(number % 11 = 0, NULL, toInt32(number * 37 % 101)),
    concat('text ', toString(number)), concat('lc', toString(number % 3)),
    range(number % 4), if(number % 5 = 0, NULL, concat('n', toString(number))),
    (number % 9, concat('b', toString(number))) FROM numbers(120);
INSERT INTO t SELECT number, number % 7, if(number % 11 = 0, NULL, toInt32(number * 37 % 101)),
    concat('more ', toString(number)), concat('lc', toString(number % 4)),
    range(number % 5), if(number % 4 = 0, NULL, concat('m', toString(number))),
    (number % 9, concat('c', toString(number))) FROM numbers(120, 80);

SELECT * FROM t ORDER BY id LIMIT 3;
SELECT * FROM t ORDER BY id DESC LIMIT 3 OFFSET 2;
SELECT s, v, id FROM t ORDER BY v NULLS FIRST, id DESC LIMIT 4;
SELECT n, lc, v FROM t ORDER BY v DESC NULLS LAST, id LIMIT 5;
SELECT * FROM t WHERE s LIKE '%7%' ORDER BY k, id LIMIT 4;
SELECT * FROM t WHERE id > 1000 ORDER BY k, id LIMIT 4;
SELECT s AS text, id AS number, s FROM t ORDER BY number LIMIT 2;
SELECT upper(s), length(arr), concat(lc, n) AS x, id + 1, x IS NULL FROM t WHERE k = 3 ORDER BY id DESC LIMIT 5;
SELECT arrayMap(y -> y + id, arr), arrayCount(y -> y > length(s), arr) FROM t ORDER BY id DESC LIMIT 2;
SELECT s FROM t ORDER BY length(n), id LIMIT 3;
SELECT s, upper(s) AS u FROM t ORDER BY u LIMIT 3;

-- Parts of columns.
SELECT arr.size0, n.null, tup.b, tup.a, id FROM t ORDER BY id DESC LIMIT 3;
SELECT length(arr), isNull(n), tup.2, tup FROM t ORDER BY v, id LIMIT 3;

-- Ties, LIMIT BY, limits within limits.
SELECT arraySort(groupArray(s)) FROM (SELECT s FROM t ORDER BY intDiv(id, 3) LIMIT 4 WITH TIES);
SELECT k, s, n FROM t ORDER BY k, id, s LIMIT 1 BY k LIMIT 3 OFFSET 1;
SELECT s, lc FROM (SELECT * FROM t ORDER BY id DESC, s LIMIT 20) ORDER BY k, id, s LIMIT 3;
SELECT * FROM (SELECT s, n FROM t ORDER BY id LIMIT 2) AS a UNION ALL SELECT * FROM (SELECT lc, n FROM t ORDER BY id DESC LIMIT 2) ORDER BY ALL;
SELECT max(s), count() FROM (SELECT s, n FROM t ORDER BY id DESC LIMIT 7);
SELECT id IN (SELECT id FROM t ORDER BY v DESC, id LIMIT 3) AS is_one, s FROM t ORDER BY is_one DESC, id, s LIMIT 4;
SELECT s, (SELECT s FROM t ORDER BY id DESC LIMIT 1) FROM t ORDER BY id LIMIT 1;
SELECT DISTINCT lc, k FROM t ORDER BY lc, k LIMIT 3;

-- Windows and ARRAY JOIN.
SELECT s, n, sum(id) OVER (PARTITION BY k ORDER BY id, s) AS r FROM t ORDER BY r DESC, id LIMIT 3;
SELECT s, lc, x FROM t ARRAY JOIN arr AS x ORDER BY x DESC, id, s LIMIT 5;
SELECT s, x FROM t LEFT ARRAY JOIN arr AS x ORDER BY id, x, s LIMIT 3;

-- Views and common table expressions.
CREATE VIEW w AS SELECT id, s, concat(s, '!') AS loud, arr FROM t WHERE k != 2;
SELECT loud, arr, s FROM w ORDER BY id DESC LIMIT 3;
WITH c AS (SELECT id, s, n, k FROM t WHERE id < 50) SELECT a.s, b.n FROM c AS a JOIN c AS b ON a.id = b.k ORDER BY a.id DESC, b.id LIMIT 3;

-- Joins.
CREATE TABLE u (key UInt32, grade Int32, title String, note Nullable(String), tag LowCardinality(String)) ENGINE = Memory;
INSERT INTO u SELECT number * 2, number % 5, concat('title ', toString(number)), if(number % 3 = 0, NULL, concat('note ', toString(number))), concat('tag', toString(number % 2)) FROM numbers(60);
SELECT t.s, u.title, u.note FROM t JOIN u ON t.id = u.key ORDER BY u.grade DESC, t.id, t.s LIMIT 4;
SELECT t.s, u.title, u.note, u.tag FROM t LEFT JOIN u ON t.id = u.key ORDER BY t.id, t.s LIMIT 4;
SELECT t.s, u.title, u.note, u.tag, upper(u.title) FROM t LEFT JOIN u ON t.id = u.key ORDER BY t.id, t.s LIMIT 4 SETTINGS join_use_nulls = 1;
SELECT t.s, t.n, t.tup, u.title FROM t RIGHT JOIN (SELECT key + 1 AS key, title FROM u) AS u ON t.id = u.key AND t.k = 3 ORDER BY u.key DESC LIMIT 4;
SELECT t.s, t.lc, t.arr, u.title, u.tag FROM t FULL JOIN u ON t.id = u.key + 100 ORDER BY t.id + u.key, u.key, t.id, t.s LIMIT 6 SETTINGS join_use_nulls = 1;
SELECT t.s, t.lc, t.arr, u.title, u.tag FROM t FULL JOIN u ON t.id = u.key + 100 ORDER BY t.id + u.key, u.key, t.id, t.s LIMIT 6;
SELECT s, n FROM t SEMI LEFT JOIN u ON t.id = u.key ORDER BY id DESC LIMIT 3;
SELECT s, n, u.title FROM t ANTI LEFT JOIN u ON t.id = u.key ORDER BY id, s LIMIT 3;
SELECT t.s, u.title FROM t ANY LEFT JOIN u ON t.id = u.key ORDER BY t.id DESC LIMIT 3;
SELECT t.s, u.title, u.note FROM t ASOF JOIN u ON t.k % 2 = u.grade % 2 AND t.id >= u.key ORDER BY t.id DESC LIMIT 3;
SELECT a.title, b.title, c.s FROM u AS a JOIN u AS b ON a.key = b.key + 2 LEFT JOIN t AS c ON c.id = a.key + b.key ORDER BY a.key DESC, c.s LIMIT 4;
SELECT a.title, x FROM u AS a LEFT JOIN (SELECT key, concat(title, '?') AS x FROM u WHERE grade = 1) AS b ON a.key = b.key ORDER BY a.key LIMIT 3;
SELECT * FROM t, u WHERE t.k = u.grade AND t.id < 9 ORDER BY u.key DESC, t.id LIMIT 2;

-- The settings.
SELECT s, n FROM t ORDER BY id DESC LIMIT 3 SETTINGS query_plan_optimize_lazy_materialization = 0;
SELECT s, n FROM t ORDER BY id DESC LIMIT 3 SETTINGS query_plan_max_limit_for_lazy_materialization = 2;
SELECT s, n FROM t ORDER BY id DESC LIMIT 3 SETTINGS query_plan_max_limit_for_lazy_materialization = 0;

-- Changed rows and columns.
ALTER TABLE t DELETE WHERE id % 3 = 0 SETTINGS mutations_sync = 1;
ALTER TABLE t UPDATE s = concat('new ', s) WHERE id % 4 = 1 SETTINGS mutations_sync = 1;
SELECT id, s, lc, arr FROM t ORDER BY id DESC LIMIT 5;
ALTER TABLE t ADD COLUMN extra String;
ALTER TABLE t DROP COLUMN lc;
SELECT * FROM t ORDER BY id, s LIMIT 2;
DROP VIEW w;

-- What the names in a view's text mean.
CREATE DATABASE views_d1;
CREATE DATABASE views_d2;
USE views_d1;
CREATE TABLE t (a Int32, b String) ENGINE = Memory;
INSERT INTO t VALUES (1, 'first');
CREATE TABLE views_d2.t (a Int32, b String) ENGINE = Memory;
INSERT INTO views_d2.t VALUES (2, 'second');
CREATE VIEW v AS SELECT a, b FROM t;
CREATE VIEW both AS SELECT t.a AS x, u.a AS y, views_d1.t.b FROM t, views_d2.t AS u;
CREATE VIEW views_d2.made_from_here AS SELECT a, b FROM t;
CREATE VIEW who AS SELECT currentDatabase() AS d, a FROM t;
USE views_d2;
SELECT * FROM views_d1.v;
SELECT * FROM views_d1.both;
SELECT * FROM made_from_here;
SELECT * FROM views_d1.who;
SELECT v.a, views_d1.v.b FROM views_d1.v;
SELECT q.a, views_d1.v.b FROM views_d1.v AS q;
SHOW CREATE VIEW views_d1.both;
SHOW CREATE made_from_here;
USE views_d1;
-- Common table expressions, aliases and sources of the query around it are not seen.
WITH t AS (SELECT 100 AS a, 'outer' AS b) SELECT * FROM v;
WITH t AS (SELECT 100 AS a, 'outer' AS b) SELECT v.a, t.a FROM v, t;
WITH 7 AS a SELECT v.a, a FROM v;
WITH v AS (SELECT 'hidden' AS a) SELECT * FROM v;
CREATE VIEW needs_z AS SELECT z FROM (SELECT 1 AS z);
SELECT 5 AS z, needs_z.z FROM needs_z;
-- Those of the view are not seen outside.
CREATE VIEW cte AS WITH q AS (SELECT a FROM t), 5 AS five SELECT q.a, five FROM q JOIN t ON q.a = t.a WHERE q.a IN (SELECT a FROM q);
SELECT * FROM cte;
SELECT five FROM cte;
SELECT * FROM cte, q; -- { serverError UNKNOWN_TABLE }
SHOW CREATE cte;
CREATE VIEW same_name AS WITH t AS (SELECT a + 10 AS a FROM t) SELECT * FROM t UNION ALL SELECT a FROM t;
SELECT * FROM same_name;
CREATE VIEW sets AS SELECT a IN one AS i, a NOT IN (SELECT a FROM t) AS n, (SELECT count() FROM t) AS c FROM t; -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE one (a Int32) ENGINE = Memory;
INSERT INTO one VALUES (1);
CREATE VIEW sets AS SELECT a IN one AS i, a NOT IN (SELECT a FROM t) AS n, (SELECT count() FROM t) AS c FROM t;
SHOW CREATE sets;
SELECT * FROM sets;
CREATE VIEW merged AS SELECT * FROM merge('^one$');
SHOW CREATE merged;
CREATE VIEW inner_view AS SELECT * FROM view(SELECT a FROM t);
SHOW CREATE inner_view;
CREATE VIEW unions AS SELECT a FROM t UNION ALL SELECT a FROM views_d2.t UNION ALL (SELECT a FROM t AS x WHERE x.a = 1);
SHOW CREATE unions;
SELECT * FROM unions ORDER BY a;
USE views_d2;
SELECT * FROM views_d1.sets;
SELECT * FROM views_d1.merged;
SELECT * FROM views_d1.cte;
USE default;
DROP DATABASE views_d1;
SELECT * FROM views_d2.made_from_here; -- { serverError UNKNOWN_DATABASE }
DROP DATABASE views_d2;

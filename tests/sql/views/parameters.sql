-- Views with parameters.
CREATE TABLE t (a UInt8, s String) ENGINE = Memory;
INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'z');
CREATE VIEW p AS SELECT a, s, {n:UInt8} AS n FROM t WHERE a >= {lo:UInt8} AND s != {no:String};
SHOW CREATE TABLE p;
SELECT name, engine, as_select, create_table_query FROM system.tables WHERE database = currentDatabase() AND name = 'p';
DESCRIBE TABLE p; -- { serverError UNSUPPORTED_METHOD }
SELECT * FROM p(n = 5, lo = 2, no = 'z');
SELECT * FROM p(n = 5, lo = 2); -- { serverError UNKNOWN_QUERY_PARAMETER }
SELECT * FROM p(n = 5, lo = 2, no = 'z', extra = 1) ORDER BY a;
SELECT * FROM p; -- { serverError EMPTY_LIST_OF_COLUMNS_QUERIED }
SELECT * FROM p(n = 500, lo = 2, no = 'z');
SELECT * FROM p(n = 1 + 1, lo = 2, no = concat('z', ''));
SELECT * FROM p(n = 1, lo = 'x', no = 'z'); -- { serverError BAD_QUERY_PARAMETER }
SELECT x.a, y.a FROM p(n = 1, lo = 1, no = '') AS x JOIN p(n = 1, lo = 3, no = '') AS y ON x.n = y.n ORDER BY ALL;
SELECT * FROM default.p(n = 5, lo = 3, no = 'q');
SELECT * FROM nosuch(n = 5); -- { serverError UNKNOWN_FUNCTION }
SELECT * FROM t(n = 5); -- { serverError UNKNOWN_FUNCTION }
CREATE VIEW q AS SELECT * FROM t WHERE a = {x:UInt8} OR a = {x:UInt8};
SELECT * FROM q(x = 2);
SELECT toTypeName(n) FROM p(n = 5, lo = 3, no = 'q');
SELECT * FROM q; -- { serverError EMPTY_LIST_OF_COLUMNS_QUERIED }
SELECT * FROM q(x = 1);
CREATE VIEW ar AS SELECT a FROM t WHERE a IN {l:Array(UInt8)};
SELECT * FROM ar(l = [1, 3]) ORDER BY a;
CREATE VIEW outer1 AS SELECT * FROM q(x = 3);
SELECT * FROM outer1;
DESCRIBE TABLE q(x = 1);
SELECT count() FROM (SELECT * FROM q(x = 1));
WITH 2 AS z SELECT * FROM q(x = z);
CREATE VIEW nl AS SELECT {v:Nullable(String)} AS v;
SELECT * FROM nl(v = NULL);
SELECT * FROM nl(v = 'abc');
CREATE VIEW dt AS SELECT {d:Date} AS d, {f:Float64} AS f, {i:Int32} AS i;
SELECT * FROM dt(d = '2020-01-01', f = 1.5, i = -4);
SELECT * FROM dt(d = toDate('2020-01-01'), f = 1.5, i = -4);
INSERT INTO p VALUES (1); -- { serverError EMPTY_LIST_OF_COLUMNS_PASSED }
DROP VIEW p;
CREATE OR REPLACE VIEW q AS SELECT 1 AS x;
SELECT * FROM q;
SELECT * FROM q(x = 1); -- { serverError UNKNOWN_FUNCTION }
CREATE VIEW esc AS SELECT {s:String} AS s, length({s:String}) AS n;
SELECT * FROM esc(s = 'a\tb\\c\nd''e');
SELECT * FROM esc(s = '');
SELECT n FROM esc(s = repeat('x', 10));
CREATE VIEW arr AS SELECT {a:Array(String)} AS a, {m:Map(String, UInt8)} AS m, {t:Tuple(UInt8, String)} AS t;
SELECT * FROM arr(a = ['x', 'y\'z'], m = {'k': 1}, t = (1, 'q')); -- { serverError SYNTAX_ERROR }
CREATE VIEW lim AS SELECT number FROM numbers(10) ORDER BY number LIMIT {l:UInt64} OFFSET {o:UInt64};
SELECT * FROM lim(l = 2, o = 3);
CREATE VIEW twice AS SELECT x.number FROM lim(l = 5, o = 1) AS x INNER JOIN lim(l = 5, o = 3) AS y ON x.number = y.number ORDER BY ALL;
SELECT * FROM twice;
CREATE VIEW agg AS SELECT s, count() AS c FROM t WHERE a > {min:UInt8} GROUP BY s HAVING c >= {c:UInt64};
SELECT * FROM agg(min = 1, c = 1) ORDER BY s;
SELECT * FROM agg(min = 200, c = 1);
SELECT sum(c) FROM agg(min = 0, c = 0);
INSERT INTO t SELECT a + 100, s FROM (SELECT a, s FROM t WHERE a IN (SELECT a FROM q2(x = 3))); -- { serverError UNKNOWN_FUNCTION }
CREATE VIEW q2 AS SELECT a FROM t WHERE a = {x:UInt8};
INSERT INTO t SELECT a + 100, s FROM t WHERE a IN (SELECT a FROM q2(x = 3));
SELECT * FROM t ORDER BY a;
SELECT * FROM q2(x = toUInt8(3)) UNION ALL SELECT * FROM q2(x = 1) ORDER BY a;
SELECT z.a FROM q2(x = 3) z;
SELECT q2.a FROM q2(x = 3);
SELECT count() FROM q2(x = a); -- { serverError UNKNOWN_IDENTIFIER }
SELECT * FROM q2(y = 3); -- { serverError UNKNOWN_QUERY_PARAMETER }
SELECT * FROM q2(); -- { serverError UNKNOWN_QUERY_PARAMETER }
SHOW CREATE VIEW q2;
EXISTS VIEW q2;
DROP VIEW q2;
SELECT * FROM q2(x = 3); -- { serverError UNKNOWN_FUNCTION }

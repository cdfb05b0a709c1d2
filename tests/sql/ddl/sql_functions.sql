-- Functions that users define by CREATE FUNCTION.
-- { echoOn }
CREATE FUNCTION uf_linear AS (x, k, b) -> k * x + b;
SELECT uf_linear(1, 2, 3) FORMAT TSVWithNames;
SELECT uf_linear(number, 2, 1) AS y FROM numbers(3) ORDER BY y;
SELECT uf_linear(1, 2); -- { serverError BAD_ARGUMENTS }
SELECT UF_LINEAR(1, 2, 3); -- { serverError UNKNOWN_FUNCTION }
CREATE FUNCTION uf_linear AS (x) -> x; -- { serverError FUNCTION_ALREADY_EXISTS }
CREATE FUNCTION IF NOT EXISTS uf_linear AS (x) -> x;
SELECT uf_linear(1, 1, 1);
CREATE OR REPLACE FUNCTION uf_linear AS (x) -> x + 100;
SELECT uf_linear(1);
SELECT name, origin, create_query, is_aggregate FROM system.functions WHERE name = 'uf_linear';
CREATE FUNCTION plus AS (x) -> x; -- { serverError FUNCTION_ALREADY_EXISTS }
CREATE FUNCTION sum AS (x) -> x; -- { serverError FUNCTION_ALREADY_EXISTS }
CREATE OR REPLACE FUNCTION plus AS (x) -> x; -- { serverError FUNCTION_ALREADY_EXISTS }
CREATE FUNCTION uf_1 AS x -> x + 1;
SELECT uf_1(2);
CREATE FUNCTION uf_2 AS () -> 42;
SELECT uf_2();
CREATE FUNCTION uf_3 AS (x) -> uf_1(uf_1(x));
SELECT uf_3(1), uf_3(uf_3(1));
CREATE FUNCTION uf_rec AS (x) -> uf_rec(x) + 1; -- { serverError CANNOT_CREATE_RECURSIVE_FUNCTION }
CREATE FUNCTION uf_rec AS (x) -> arrayMap(y -> uf_rec(y), x); -- { serverError CANNOT_CREATE_RECURSIVE_FUNCTION }
SELECT uf_rec(1); -- { serverError UNKNOWN_FUNCTION }
CREATE FUNCTION uf_ma AS (x) -> x;
CREATE FUNCTION uf_mb AS (x) -> uf_ma(x);
CREATE OR REPLACE FUNCTION uf_ma AS (x) -> uf_mb(x);
SELECT uf_ma(1); -- { serverError UNSUPPORTED_METHOD }
CREATE FUNCTION uf_bad AS (x) -> x + y;
SELECT uf_bad(1); -- { serverError UNKNOWN_IDENTIFIER }
SELECT uf_bad(1), 5 AS y;
CREATE FUNCTION uf_bad2 AS 5; -- { serverError BAD_ARGUMENTS }
CREATE FUNCTION uf_bad3 AS (x, x) -> x; -- { serverError BAD_ARGUMENTS }
CREATE FUNCTION uf_lam AS (arr) -> arrayMap(x -> x + 1, arr);
SELECT uf_lam([1, 2]);
CREATE FUNCTION uf_lam2 AS (x) -> arrayMap(x -> x + 1, x);
SELECT uf_lam2([1, 2]);
CREATE FUNCTION uf_sub AS (x) -> (SELECT max(number) FROM numbers(10)) + x;
SELECT uf_sub(1);
CREATE FUNCTION uf_ag AS (x) -> sum(x) / count();
SELECT uf_ag(number) FROM numbers(4);
SELECT number % 2 AS g, uf_ag(number) FROM numbers(6) GROUP BY g ORDER BY g;
CREATE FUNCTION uf_in AS (x) -> x IN (1, 2);
SELECT uf_in(1), uf_in(3);
CREATE FUNCTION uf_case AS (x) -> CASE WHEN x > 1 THEN 'big' ELSE 'small' END;
SELECT uf_case(1), uf_case(2);
SELECT uf_1(1) + uf_1(2) AS s, s + 1;
SELECT uf_1(a.number) FROM numbers(2) AS a ORDER BY 1;
SELECT number FROM numbers(5) WHERE uf_1(number) > 3 ORDER BY uf_1(number) DESC;
SELECT uf_1(number % 2) AS k, count() FROM numbers(5) GROUP BY k HAVING uf_1(k) > 1 ORDER BY k;
CREATE FUNCTION uf_alias AS (x) -> (x + 1 AS y) + y;
SELECT uf_alias(1);
CREATE FUNCTION `uf my func` AS (x) -> x;
SELECT `uf my func`(1);
CREATE FUNCTION uf_tup AS (t) -> t.1 + t.2;
SELECT uf_tup((1, 2));
CREATE FUNCTION uf_par AS (n) -> quantile(0.5)(n);
SELECT uf_par(number) FROM numbers(5);
SELECT arrayMap(uf_linear, [1, 2]);
SELECT arrayMap(x -> uf_linear(x), [1, 2]);
WITH (x) -> x * 3 AS uf_1 SELECT uf_1(5);
SELECT uf_linear(1) OVER (); -- { serverError UNKNOWN_AGGREGATE_FUNCTION }
CREATE TABLE t (a UInt8, b UInt64 DEFAULT uf_1(a), CONSTRAINT c CHECK uf_1(a) < 100) ENGINE = MergeTree ORDER BY uf_1(a);
INSERT INTO t (a) VALUES (5);
INSERT INTO t (a) VALUES (200); -- { serverError VIOLATED_CONSTRAINT }
SELECT a, b FROM t;
SELECT sorting_key FROM system.tables WHERE database = currentDatabase() AND name = 't';
SELECT name, default_expression FROM system.columns WHERE database = currentDatabase() AND table = 't' ORDER BY name;
CREATE VIEW v AS SELECT uf_1(a) AS q, arrayMap(x -> uf_1(x), [a]) AS r FROM t WHERE a IN (SELECT uf_1(4));
SELECT as_select = '' FROM system.tables WHERE database = currentDatabase() AND name = 'v';
SELECT * FROM v ORDER BY q;
ALTER TABLE t ADD COLUMN z UInt64 DEFAULT uf_1(b);
SELECT a, b, z FROM t;
SELECT name, create_query FROM system.functions WHERE name LIKE 'uf%' AND origin = 'SQLUserDefined' ORDER BY name;
DROP FUNCTION uf_1;
DROP FUNCTION uf_1; -- { serverError UNKNOWN_FUNCTION }
DROP FUNCTION IF EXISTS uf_1;
DROP FUNCTION plus; -- { serverError CANNOT_DROP_FUNCTION }
DROP FUNCTION IF EXISTS plus; -- { serverError CANNOT_DROP_FUNCTION }
SELECT uf_1(1); -- { serverError UNKNOWN_FUNCTION }
SELECT uf_3(1); -- { serverError UNKNOWN_FUNCTION }
SELECT * FROM v ORDER BY q;
INSERT INTO t (a) VALUES (6);
SELECT a, b, z FROM t ORDER BY a;
DROP FUNCTION uf_linear, uf_ag; -- { serverError SYNTAX_ERROR }
CREATE FUNCTION uf_lg ON CLUSTER c AS x -> x; -- { serverError QUERY_IS_PROHIBITED }
DROP FUNCTION uf_linear;
DROP FUNCTION uf_2;
DROP FUNCTION uf_3;
DROP FUNCTION uf_ma;
DROP FUNCTION uf_mb;
DROP FUNCTION uf_bad;
DROP FUNCTION uf_lam;
DROP FUNCTION uf_lam2;
DROP FUNCTION uf_sub;
DROP FUNCTION uf_ag;
DROP FUNCTION uf_in;
DROP FUNCTION uf_case;
DROP FUNCTION uf_alias;
DROP FUNCTION `uf my func`;
DROP FUNCTION uf_tup;
DROP FUNCTION uf_par;
SELECT count() FROM system.functions WHERE origin = 'SQLUserDefined';

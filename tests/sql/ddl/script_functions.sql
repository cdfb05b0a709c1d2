-- { configs: default }
CREATE FUNCTION plus_one AS x -> x + 1;
SELECT plus_one(2);
CREATE FUNCTION plus_one AS x -> x + 2; -- { serverError FUNCTION_ALREADY_EXISTS }
CREATE FUNCTION IF NOT EXISTS plus_one AS x -> x + 2;
SELECT plus_one(2);
CREATE OR REPLACE FUNCTION plus_one AS x -> x + 3;
SELECT plus_one(2);
CREATE FUNCTION two AS (a, b) -> a * b + plus_one(a);
SELECT two(2, 3);
SELECT two(2); -- { serverError BAD_ARGUMENTS }
SELECT plus_one(1, 2); -- { serverError BAD_ARGUMENTS }
CREATE FUNCTION noargs AS () -> 42;
SELECT noargs();
CREATE FUNCTION sum AS x -> x; -- { serverError FUNCTION_ALREADY_EXISTS }
CREATE FUNCTION upper AS x -> x; -- { serverError FUNCTION_ALREADY_EXISTS }
CREATE FUNCTION mut AS x -> y;
CREATE FUNCTION notlambda AS 5; -- { serverError BAD_ARGUMENTS }
CREATE FUNCTION agg AS x -> sum(x) / count();
SELECT agg(number) FROM numbers(4);
CREATE FUNCTION arr AS (xs) -> arrayMap(x -> x * 2, xs);
SELECT arr([1, 2]);
CREATE FUNCTION sub AS x -> (SELECT max(number) FROM numbers(5)) + x;
SELECT sub(1);
CREATE FUNCTION dup AS (x, x) -> x; -- { serverError BAD_ARGUMENTS }
SELECT name, origin, create_query FROM system.functions WHERE name IN ('plus_one', 'two') ORDER BY name;
CREATE TABLE t (a UInt8, b UInt16 DEFAULT plus_one(a), c UInt16 ALIAS plus_one(b)) ENGINE = MergeTree ORDER BY a;
SHOW CREATE TABLE t;
INSERT INTO t (a) VALUES (1);
SELECT a, b, c FROM t;
CREATE VIEW v AS SELECT plus_one(a) AS z FROM t;
SHOW CREATE VIEW v;
DROP FUNCTION plus_one;
SELECT * FROM v;
SELECT a, b, c FROM t;
DROP FUNCTION plus_one; -- { serverError UNKNOWN_FUNCTION }
DROP FUNCTION IF EXISTS plus_one;
DROP FUNCTION upper; -- { serverError CANNOT_DROP_FUNCTION }
SELECT two(1, 2); -- { serverError UNKNOWN_FUNCTION }
CREATE FUNCTION f_if AS (c, a, b) -> if(c, a, b);
SELECT f_if(1, 'x', 'y');
CREATE FUNCTION f_al AS x -> (x AS y) + y;
SELECT f_al(3);
CREATE FUNCTION f_str AS s -> concat('<', s, '>');
SELECT f_str('a'), F_STR('a'); -- { serverError UNKNOWN_FUNCTION }
CREATE FUNCTION f_on ON CLUSTER test_shard_localhost AS x -> x; -- { serverError QUERY_IS_PROHIBITED }
CREATE FUNCTION `weird name` AS x -> x;
SELECT `weird name`(1);
CREATE FUNCTION f_tuple AS (t) -> t.1 + t.2;
SELECT f_tuple((1, 2));
CREATE FUNCTION f_cast AS x -> x::String;
SELECT f_cast(1);
CREATE FUNCTION f_in AS x -> x IN (1, 2);
SELECT f_in(1);
CREATE FUNCTION f_between AS x -> x BETWEEN 1 AND 2;
SELECT f_between(3);
SELECT create_query FROM system.functions WHERE name LIKE 'f\\_%' AND origin = 'SQLUserDefined' ORDER BY name;
CREATE TEMPORARY TABLE tmp (a UInt8) ENGINE = Memory;
INSERT INTO tmp VALUES (1);
SELECT * FROM tmp;
CREATE TEMPORARY TABLE tmp (a UInt8); -- { serverError TABLE_ALREADY_EXISTS }
CREATE TEMPORARY TABLE IF NOT EXISTS tmp (b UInt8);
CREATE OR REPLACE TEMPORARY TABLE tmp (c UInt8);
DESCRIBE tmp;
CREATE TEMPORARY TABLE default.tmp2 (a UInt8); -- { serverError BAD_DATABASE_FOR_TEMPORARY_TABLE }
CREATE TABLE tmp3 (zz UInt8) ENGINE = Memory;
SELECT * FROM default.tmp3;
SELECT * FROM tmp3;
DROP TABLE tmp3;
RENAME TABLE tmp TO tmp9; -- { serverError UNKNOWN_TABLE }
TRUNCATE TEMPORARY TABLE tmp;
DETACH TEMPORARY TABLE tmp; -- { serverError SYNTAX_ERROR }
CREATE TEMPORARY TABLE rep (a UInt8) ENGINE = ReplicatedMergeTree('/x', 'r') ORDER BY a; -- { serverError INCORRECT_QUERY }
CREATE TEMPORARY TABLE kd (a UInt8) ENGINE = Log;
CREATE TEMPORARY TABLE vie AS SELECT 1 AS x;
DROP TABLE vie;
CREATE TEMPORARY DICTIONARY xx (a UInt64) PRIMARY KEY a SOURCE(NULL()) LAYOUT(FLAT()) LIFETIME(0); -- { serverError SYNTAX_ERROR }

-- { echoOn }
CREATE TABLE t (a UInt8, b String, CONSTRAINT c CHECK a > 3, CONSTRAINT d CHECK length(b) < 10) ENGINE = MergeTree ORDER BY a;
SHOW CREATE TABLE t FORMAT TSVRaw;
SELECT create_table_query FROM system.tables WHERE name = 't';
INSERT INTO t VALUES (5, 'x');
INSERT INTO t VALUES (5, 'x'), (2, 'y'), (1, 'zzzzzzzzzzzzzzzzz'); -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO t VALUES (5, 'xxxxxxxxxxxxxxxxxxxxx'); -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO t SELECT number, toString(number) FROM numbers(10); -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO t SELECT number + 200, repeat('x', number) FROM numbers(20); -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO t (b) VALUES ('x'); -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO t SELECT number, '' FROM numbers(3) WHERE number > 5;
INSERT INTO t FORMAT JSONEachRow {"a": 7, "b": "json"}
SELECT * FROM t ORDER BY a, b;
-- NULL is a violation, and so is a number that is not 1.
CREATE TABLE n (a Nullable(Int32), CONSTRAINT c CHECK a > 3) ENGINE = Memory;
INSERT INTO n VALUES (NULL); -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO n VALUES (5);
INSERT INTO n VALUES (2); -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO n VALUES (5), (NULL); -- { serverError VIOLATED_CONSTRAINT }
SELECT * FROM n;
CREATE TABLE u (a UInt8, CONSTRAINT c CHECK a) ENGINE = Memory;
INSERT INTO u VALUES (1);
INSERT INTO u VALUES (2); -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO u VALUES (0); -- { serverError VIOLATED_CONSTRAINT }
SELECT * FROM u;
CREATE TABLE bo (a Nullable(Bool), CONSTRAINT c CHECK a) ENGINE = Memory;
INSERT INTO bo VALUES (true);
INSERT INTO bo VALUES (false); -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO bo VALUES (NULL); -- { serverError VIOLATED_CONSTRAINT }
SELECT * FROM bo;
CREATE TABLE lc (a LowCardinality(Nullable(String)), CONSTRAINT c CHECK a = 'x') ENGINE = Memory;
INSERT INTO lc VALUES ('x');
INSERT INTO lc VALUES ('y'); -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO lc VALUES (NULL); -- { serverError VIOLATED_CONSTRAINT }
SELECT * FROM lc;
CREATE TABLE always (a UInt8, CONSTRAINT c CHECK 1) ENGINE = Memory;
INSERT INTO always VALUES (1);
CREATE TABLE never (a UInt8, CONSTRAINT c CHECK 0) ENGINE = Memory;
INSERT INTO never VALUES (1); -- { serverError VIOLATED_CONSTRAINT }
-- What cannot be bound.
CREATE TABLE bad (a UInt8, CONSTRAINT c CHECK zz > 3) ENGINE = Memory; -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE bad (a UInt8, CONSTRAINT c ASSUME zz > 3) ENGINE = Memory; -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE bad (a UInt8, CONSTRAINT c CHECK sum(a) > 3) ENGINE = Memory; -- { serverError ILLEGAL_AGGREGATION }
CREATE TABLE bad (a UInt8, CONSTRAINT c CHECK arrayJoin([a, 0])) ENGINE = Memory; -- { serverError INCORRECT_QUERY }
CREATE TABLE bad (a UInt8, al UInt8 ALIAS a + 1, CONSTRAINT c CHECK al > 3) ENGINE = Memory; -- { serverError UNKNOWN_IDENTIFIER }
CREATE TABLE bad (a UInt8, e UInt8 EPHEMERAL 1, CONSTRAINT c CHECK e > 3) ENGINE = Memory; -- { serverError UNKNOWN_IDENTIFIER }
-- Defaults are filled in before.
CREATE TABLE de (a UInt8, b UInt8 DEFAULT a * 2, m UInt8 MATERIALIZED a + 1, CONSTRAINT c CHECK b > 3, CONSTRAINT d CHECK m < 100) ENGINE = Memory;
INSERT INTO de (a) VALUES (1); -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO de (a) VALUES (2);
INSERT INTO de (a) VALUES (99); -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO de VALUES (2, 3); -- { serverError VIOLATED_CONSTRAINT }
SELECT a, b, m FROM de;
-- ASSUME is not checked.
CREATE TABLE assumed (a UInt8, CONSTRAINT c ASSUME a > 3, CONSTRAINT d CHECK a < 100) ENGINE = MergeTree ORDER BY a;
SHOW CREATE TABLE assumed;
INSERT INTO assumed VALUES (1);
INSERT INTO assumed VALUES (101); -- { serverError VIOLATED_CONSTRAINT }
SELECT * FROM assumed;
-- How expressions are written.
CREATE TABLE shown (`a b` UInt8, c UInt8, CONSTRAINT c CHECK c = 1 OR c = 2 OR c BETWEEN 5 AND 7, CONSTRAINT `odd name` CHECK `a b` > 3 AND arrayExists(x -> x > `a b`, [1, 2, 3, 4, 5, 6])) ENGINE = MergeTree ORDER BY c;
SHOW CREATE TABLE shown;
INSERT INTO shown VALUES (3, 1); -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO shown VALUES (4, 3); -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO shown VALUES (4, 6);
SELECT * FROM shown;
CREATE TABLE times (a DateTime, CONSTRAINT c CHECK a <= now()) ENGINE = Memory;
INSERT INTO times SELECT now() + 100; -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO times SELECT now() - 100;
CREATE TABLE divided (a UInt8, CONSTRAINT c CHECK intDiv(10, a) > 1) ENGINE = Memory;
INSERT INTO divided VALUES (0); -- { serverError ILLEGAL_DIVISION }
CREATE TABLE nowhere (a UInt8, CONSTRAINT c CHECK a > 1) ENGINE = Null;
INSERT INTO nowhere VALUES (1); -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO nowhere VALUES (2);
-- Copies have them.
CREATE TABLE copy AS assumed;
SHOW CREATE TABLE copy;
INSERT INTO copy VALUES (101); -- { serverError VIOLATED_CONSTRAINT }
CREATE TABLE copy2 ENGINE = MergeTree ORDER BY tuple() AS t;
SHOW CREATE TABLE copy2;
INSERT INTO copy2 VALUES (1, ''); -- { serverError VIOLATED_CONSTRAINT }
CREATE TABLE filled (x UInt8, CONSTRAINT q CHECK x > 1) ENGINE = Memory AS SELECT 1 AS x; -- { serverError VIOLATED_CONSTRAINT }
EXISTS filled;
CREATE TABLE filled (x UInt8, CONSTRAINT q CHECK x > 1) ENGINE = Memory AS SELECT 2 AS x;
SELECT * FROM filled;
INSERT INTO filled VALUES (1); -- { serverError VIOLATED_CONSTRAINT }
-- Other names.
RENAME TABLE copy TO other;
INSERT INTO other VALUES (101); -- { serverError VIOLATED_CONSTRAINT }
EXCHANGE TABLES other AND t;
INSERT INTO other VALUES (3, ''); -- { serverError VIOLATED_CONSTRAINT }
INSERT INTO t VALUES (3);
SELECT * FROM t;

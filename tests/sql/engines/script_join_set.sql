-- { configs: default }
CREATE TABLE j1 (id UInt32, v String, w Nullable(UInt8)) ENGINE = Join(ANY, LEFT, id);
INSERT INTO j1 VALUES (1, 'one', 1), (2, 'two', NULL), (1, 'uno', 3);
SELECT * FROM j1 ORDER BY id;
SELECT joinGet('j1', 'v', toUInt32(1)), joinGet('j1', 'v', toUInt32(9));
SELECT joinGetOrNull('j1', 'v', toUInt32(9)), joinGet(j1, 'w', toUInt32(2));
SELECT joinGet('j1', 'zz', toUInt32(1)); -- { serverError NO_SUCH_COLUMN_IN_TABLE }
SELECT joinGet('nope', 'v', toUInt32(1)); -- { serverError UNKNOWN_TABLE }
SELECT joinGet('j1', 'v', 'abc'); -- { serverError TYPE_MISMATCH }
SELECT joinGet('j1', 'v', 1); -- { serverError TYPE_MISMATCH }
SELECT number, v FROM numbers(3) ANY LEFT JOIN j1 ON number = id ORDER BY number; -- { serverError ALIAS_REQUIRED }
SELECT number AS id, v FROM numbers(3) AS n ANY LEFT JOIN j1 USING (id) ORDER BY id; -- { serverError UNKNOWN_IDENTIFIER }
SELECT id, v FROM (SELECT toUInt32(number) AS id FROM numbers(3)) ANY LEFT JOIN j1 USING (id) ORDER BY id; -- { serverError ALIAS_REQUIRED }
SELECT id, v FROM (SELECT toUInt32(number) AS id FROM numbers(3)) ALL INNER JOIN j1 USING (id) ORDER BY id; -- { serverError ALIAS_REQUIRED }
SELECT id, v FROM (SELECT toUInt32(number) AS id FROM numbers(3)) LEFT JOIN j1 USING (id) ORDER BY id; -- { serverError ALIAS_REQUIRED }
SHOW CREATE TABLE j1;
CREATE TABLE j2 (id UInt32, v String) ENGINE = Join(ALL, INNER, id) SETTINGS join_use_nulls = 1;
INSERT INTO j2 VALUES (1, 'a'), (1, 'b'), (3, 'c');
SELECT id, v FROM (SELECT toUInt32(number) AS id FROM numbers(4)) ALL INNER JOIN j2 USING (id) ORDER BY id, v; -- { serverError ALIAS_REQUIRED }
SET join_use_nulls = 1;
SELECT id, v FROM (SELECT toUInt32(number) AS id FROM numbers(4)) ALL INNER JOIN j2 USING (id) ORDER BY id, v; -- { serverError ALIAS_REQUIRED }
SET join_use_nulls = 0;
CREATE TABLE j3 (id UInt32, v String) ENGINE = Join(ALL, RIGHT, id);
CREATE TABLE j4 (id UInt32, v String) ENGINE = Join(ALL, FULL, id);
INSERT INTO j4 VALUES (1, 'a'), (7, 'g');
SELECT id, v FROM (SELECT toUInt32(number) AS id FROM numbers(3)) ALL FULL JOIN j4 USING (id) ORDER BY id, v; -- { serverError ALIAS_REQUIRED }
CREATE TABLE j5 (id UInt32, v String) ENGINE = Join(SEMI, LEFT, id);
CREATE TABLE j6 (id UInt32, v String) ENGINE = Join(ANTI, LEFT, id);
INSERT INTO j5 VALUES (1, 'a');
INSERT INTO j6 VALUES (1, 'a');
SELECT id, v FROM (SELECT toUInt32(number) AS id FROM numbers(3)) SEMI LEFT JOIN j5 USING (id) ORDER BY id, v; -- { serverError ALIAS_REQUIRED }
SELECT id FROM (SELECT toUInt32(number) AS id FROM numbers(3)) ANTI LEFT JOIN j6 USING (id) ORDER BY id; -- { serverError ALIAS_REQUIRED }
CREATE TABLE j7 (id UInt32, v String) ENGINE = Join(ASOF, LEFT, id); -- { serverError BAD_ARGUMENTS }
CREATE TABLE j8 (id UInt32, v String) ENGINE = Join(ANY, LEFT); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE j9 (id UInt32, v String) ENGINE = Join(ANY, LEFT, zz); -- { serverError NO_SUCH_COLUMN_IN_TABLE }
CREATE TABLE j10 (id UInt32, v String) ENGINE = Join(ZZ, LEFT, id); -- { serverError BAD_ARGUMENTS }
CREATE TABLE j11 (id UInt32, v String) ENGINE = Join('ANY', 'LEFT', 'id'); -- { serverError BAD_ARGUMENTS }
CREATE TABLE j12 (id UInt32, v String) ENGINE = Join; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE j13 (a UInt32, b String, v String) ENGINE = Join(ANY, LEFT, a, b);
INSERT INTO j13 VALUES (1, 'x', 'v1');
SELECT joinGet('j13', 'v', toUInt32(1), 'x');
SELECT joinGet('j13', 'v', toUInt32(1)); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE j14 (id UInt32, v String) ENGINE = Join(ANY, LEFT, id) SETTINGS persistent = 0, join_any_take_last_row = 1;
INSERT INTO j14 VALUES (1, 'first'), (1, 'second');
SELECT * FROM j14;
CREATE TABLE j15 (id UInt32, v String) ENGINE = Join(ANY, LEFT, id) SETTINGS max_rows_in_join = 1, join_overflow_mode = 'throw';
INSERT INTO j15 VALUES (1, 'first'), (2, 'second'); -- { serverError SET_SIZE_LIMIT_EXCEEDED }
CREATE TABLE j16 (id UInt32, v String) ENGINE = Join(ANY, LEFT, id) SETTINGS zz = 1; -- { serverError BAD_ARGUMENTS }
TRUNCATE TABLE j1;
SELECT count() FROM j1;
RENAME TABLE j13 TO j13b;
SELECT joinGet('j13b', 'v', toUInt32(1), 'x');
CREATE TABLE t (id UInt32, nm String ALIAS joinGet('j13b', 'v', id, 'x'), nm2 String DEFAULT joinGet('j13b', 'v', id, 'x')) ENGINE = MergeTree ORDER BY id;
INSERT INTO t (id) VALUES (1), (2);
SELECT id, nm, nm2 FROM t ORDER BY id;
CREATE TABLE s1 (a UInt32) ENGINE = Set;
INSERT INTO s1 VALUES (1), (3);
SELECT number FROM numbers(5) WHERE number IN s1 ORDER BY number;
SELECT number FROM numbers(5) WHERE number NOT IN s1 ORDER BY number;
SELECT 1 IN (SELECT * FROM s1); -- { serverError NOT_IMPLEMENTED }
SELECT * FROM s1; -- { serverError NOT_IMPLEMENTED }
CREATE TABLE s2 (a UInt32, b String) ENGINE = Set;
INSERT INTO s2 VALUES (1, 'x');
SELECT (1, 'x') IN s2, (1, 'y') IN s2;
SELECT 1 IN s2; -- { serverError NUMBER_OF_COLUMNS_DOESNT_MATCH }
CREATE TABLE s3 (a UInt32) ENGINE = Set(1); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE s4 (a UInt32) ENGINE = Set SETTINGS persistent = 0;
SHOW CREATE TABLE s4;
TRUNCATE TABLE s1;
SELECT 1 IN s1;
OPTIMIZE TABLE s1; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM numbers(5) WHERE toNullable(number) IN s2; -- { serverError NUMBER_OF_COLUMNS_DOESNT_MATCH }
CREATE TABLE l1 (a UInt8, b String) ENGINE = Log;
CREATE TABLE l2 (a UInt8, b String) ENGINE = TinyLog;
CREATE TABLE l3 (a UInt8, b String) ENGINE = StripeLog;
INSERT INTO l1 VALUES (1, 'a');
INSERT INTO l2 SELECT * FROM l1;
INSERT INTO l3 SELECT * FROM l2;
SELECT * FROM l3;
CREATE TABLE l4 (a UInt8) ENGINE = Log ORDER BY a; -- { serverError BAD_ARGUMENTS }
CREATE TABLE l5 (a UInt8) ENGINE = Log(1); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE l6 (a UInt8) ENGINE = Log SETTINGS disk = 'default';
CREATE TABLE l7 (a UInt8) ENGINE = TinyLog PARTITION BY a; -- { serverError BAD_ARGUMENTS }
TRUNCATE TABLE l1;
SELECT count() FROM l1;
OPTIMIZE TABLE l1; -- { serverError NOT_IMPLEMENTED }
SHOW CREATE TABLE l3;

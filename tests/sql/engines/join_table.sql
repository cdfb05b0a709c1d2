-- { fixedEngine }
-- Tables of the engine Join: INSERT, SELECT, JOIN, joinGet.
CREATE TABLE any_left (k UInt64, s String, n Nullable(Int32)) ENGINE = Join(ANY, LEFT, k);
INSERT INTO any_left VALUES (1, 'a', 10), (2, 'b', NULL), (1, 'again', 11);
SELECT * FROM any_left ORDER BY k, s;
INSERT INTO any_left VALUES (2, 'second', 5), (3, 'c', 30);
SELECT * FROM any_left ORDER BY k, s;
SELECT count(), sum(k) FROM any_left;
SELECT s FROM any_left WHERE k = 2;
SELECT k, s, n FROM (SELECT number AS k FROM numbers(5)) AS t ANY LEFT JOIN any_left USING (k) ORDER BY k;
SELECT k, s FROM (SELECT number AS k FROM numbers(5)) AS t ANY LEFT JOIN any_left AS j USING k ORDER BY k;
SELECT t.k, j.s, j.k FROM (SELECT number AS k FROM numbers(4)) AS t ANY LEFT JOIN any_left AS j ON t.k = j.k ORDER BY t.k;
SELECT t.x, s FROM (SELECT number AS x FROM numbers(4)) AS t ANY LEFT JOIN any_left AS j ON t.x = j.k ORDER BY t.x;
SELECT k, s FROM (SELECT number AS k FROM numbers(5)) AS t ALL LEFT JOIN any_left USING (k) ORDER BY k; -- { serverError INCOMPATIBLE_TYPE_OF_JOIN }
SELECT k, s FROM (SELECT number AS k FROM numbers(5)) AS t ANY INNER JOIN any_left USING (k) ORDER BY k; -- { serverError INCOMPATIBLE_TYPE_OF_JOIN }
SELECT k, s FROM (SELECT number AS k FROM numbers(5)) AS t LEFT JOIN any_left USING (k) ORDER BY k; -- { serverError INCOMPATIBLE_TYPE_OF_JOIN }
SELECT t.s FROM (SELECT 'a' AS s) AS t ANY LEFT JOIN any_left AS j USING (s); -- { serverError INCOMPATIBLE_TYPE_OF_JOIN }
SELECT t.k FROM (SELECT 1 AS k, 'a' AS s) AS t ANY LEFT JOIN any_left AS j USING (k, s); -- { serverError INCOMPATIBLE_TYPE_OF_JOIN }
SELECT k, s FROM any_left ANY LEFT JOIN (SELECT 1 AS k, 'z' AS z) AS r USING (k) ORDER BY k;
SELECT joinGet('any_left', 's', toUInt64(1)), joinGet('any_left', 's', toUInt64(9)), joinGet('any_left', 'n', toUInt64(2)), joinGet('any_left', 'n', toUInt64(3));
SELECT number, joinGet('any_left', 's', number), joinGetOrNull('any_left', 's', number) FROM numbers(5) ORDER BY number;
SELECT toTypeName(joinGet('any_left', 's', toUInt64(1))), toTypeName(joinGetOrNull('any_left', 's', toUInt64(1))), toTypeName(joinGetOrNull('any_left', 'n', toUInt64(1)));
SELECT joinGet(currentDatabase() || '.any_left', 's', toUInt64(1));
SELECT joinGet(any_left, 's', toUInt64(1));
SELECT joinGet(currentDatabase(), 's', toUInt64(1)); -- { serverError UNKNOWN_TABLE }
SELECT joinGet('any_left', 's', 1); -- { serverError TYPE_MISMATCH }
SELECT joinGet('any_left', 's', 'text'); -- { serverError TYPE_MISMATCH }
SELECT joinGet('any_left', 'nope', toUInt64(1)); -- { serverError NO_SUCH_COLUMN_IN_TABLE }
SELECT joinGet('any_left', 'k', toUInt64(1)); -- { serverError NO_SUCH_COLUMN_IN_TABLE }
SELECT joinGet('any_left', 's'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT joinGet('any_left', 's', toUInt64(1), toUInt64(1)); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT joinGet('no_such_table', 's', toUInt64(1)); -- { serverError UNKNOWN_TABLE }
SELECT joinGet(toString(number), 's', number) FROM numbers(1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
CREATE TABLE plain (k UInt64) ENGINE = Memory;
SELECT joinGet('plain', 's', toUInt64(1)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
TRUNCATE TABLE any_left;
SELECT count() FROM any_left;
SELECT k, s FROM (SELECT number AS k FROM numbers(2)) AS t ANY LEFT JOIN any_left USING (k) ORDER BY k;
SELECT joinGet('any_left', 's', toUInt64(1));
INSERT INTO any_left SELECT number, toString(number), NULL FROM numbers(1000);
SELECT count(), sum(k) FROM any_left;
SELECT sum(length(joinGet('any_left', 's', number))) FROM numbers(2000);
CREATE TABLE all_inner (a Int32, b String, v Float64, w Array(UInt8)) ENGINE = Join(ALL, INNER, a, b);
INSERT INTO all_inner VALUES (1, 'x', 1.5, [1, 2]), (1, 'x', 2.5, []), (2, 'y', 3, [3]);
SELECT a, b, v, w FROM (SELECT toInt32(number) AS a, 'x' AS b FROM numbers(3)) AS t ALL INNER JOIN all_inner USING (a, b) ORDER BY v;
SELECT a, b, v FROM (SELECT toInt32(1) AS a, 'x' AS b) AS t INNER JOIN all_inner USING (a, b) ORDER BY v;
SELECT a, b, v FROM (SELECT toInt32(1) AS a, 'x' AS b) AS t INNER JOIN all_inner USING (b, a) ORDER BY v;
SELECT a, v FROM (SELECT toInt32(1) AS a) AS t INNER JOIN all_inner USING (a) ORDER BY v; -- { serverError INCOMPATIBLE_TYPE_OF_JOIN }
SELECT a, b, v FROM (SELECT toInt32(1) AS a, 'x' AS b) AS t LEFT JOIN all_inner USING (a, b) ORDER BY v; -- { serverError INCOMPATIBLE_TYPE_OF_JOIN }
SELECT joinGet('all_inner', 'v', toInt32(1), 'x'); -- { serverError INCOMPATIBLE_TYPE_OF_JOIN }
CREATE TABLE semi_left (k String, v UInt8) ENGINE = Join(SEMI, LEFT, k);
INSERT INTO semi_left VALUES ('a', 1), ('a', 2), ('b', 3);
SELECT * FROM semi_left ORDER BY k, v;
SELECT k FROM (SELECT arrayJoin(['a', 'c', 'b']) AS k) AS t SEMI LEFT JOIN semi_left USING (k) ORDER BY k;
SELECT k FROM (SELECT arrayJoin(['a', 'c', 'b']) AS k) AS t ANTI LEFT JOIN semi_left USING (k) ORDER BY k; -- { serverError INCOMPATIBLE_TYPE_OF_JOIN }
CREATE TABLE anti_left (k String, v UInt8) ENGINE = Join(ANTI, LEFT, k);
INSERT INTO anti_left VALUES ('a', 1), ('a', 2), ('b', 3);
SELECT * FROM anti_left ORDER BY k, v;
SELECT k FROM (SELECT arrayJoin(['a', 'c', 'b']) AS k) AS t ANTI LEFT JOIN anti_left USING (k) ORDER BY k;
CREATE TABLE right_all (k UInt8, v String) ENGINE = Join(ALL, RIGHT, k);
INSERT INTO right_all VALUES (1, 'one'), (1, 'uno'), (2, 'two');
SELECT * FROM right_all ORDER BY k, v;
SELECT k, v FROM (SELECT toUInt8(1) AS k) AS t ALL RIGHT JOIN right_all USING (k) ORDER BY k, v;
CREATE TABLE full_all (k UInt8, v String) ENGINE = Join(ALL, FULL, k);
INSERT INTO full_all VALUES (1, 'one'), (2, 'two');
SELECT k, v FROM (SELECT arrayJoin([toUInt8(1), 5]) AS k) AS t ALL FULL JOIN full_all USING (k) ORDER BY k, v;
CREATE TABLE right_any (k UInt8, v String) ENGINE = Join(ANY, RIGHT, k);
INSERT INTO right_any VALUES (1, 'one'), (1, 'uno'), (2, 'two');
SELECT k, count() FROM right_any GROUP BY k ORDER BY k;
CREATE TABLE inner_any (k UInt8, v String) ENGINE = Join(ANY, INNER, k);
INSERT INTO inner_any VALUES (1, 'one'), (1, 'uno'), (2, 'two');
SELECT * FROM inner_any ORDER BY k;
CREATE TABLE take_last (k UInt8, v String) ENGINE = Join(ANY, LEFT, k) SETTINGS join_any_take_last_row = 1;
INSERT INTO take_last VALUES (1, 'one'), (1, 'uno'), (2, 'two');
SELECT * FROM take_last ORDER BY k;
INSERT INTO take_last VALUES (2, 'dos');
SELECT * FROM take_last ORDER BY k;
SELECT joinGet('take_last', 'v', toUInt8(2));
CREATE TABLE nulls (k UInt8, v String) ENGINE = Join(ANY, LEFT, k) SETTINGS join_use_nulls = 1;
INSERT INTO nulls VALUES (1, 'one');
SELECT k, v FROM (SELECT number::UInt8 AS k FROM numbers(3)) AS t ANY LEFT JOIN nulls USING (k) ORDER BY k SETTINGS join_use_nulls = 1;
SELECT k, v FROM (SELECT number::UInt8 AS k FROM numbers(3)) AS t ANY LEFT JOIN nulls USING (k) ORDER BY k SETTINGS join_use_nulls = 0; -- { serverError INCOMPATIBLE_TYPE_OF_JOIN }
SELECT joinGet('nulls', 'v', toUInt8(7));
SELECT k, s FROM (SELECT number AS k FROM numbers(2)) AS t ANY LEFT JOIN any_left USING (k) ORDER BY k SETTINGS join_use_nulls = 1; -- { serverError INCOMPATIBLE_TYPE_OF_JOIN }
CREATE TABLE nullable_key (k Nullable(UInt8), v String) ENGINE = Join(ANY, LEFT, k);
INSERT INTO nullable_key VALUES (NULL, 'null'), (1, 'one'), (NULL, 'again');
SELECT * FROM nullable_key ORDER BY k, v;
SHOW CREATE TABLE take_last;
SELECT name, engine, engine_full, primary_key FROM system.tables WHERE database = currentDatabase() AND name = 'take_last';
CREATE TABLE bad (k UInt8) ENGINE = Join; -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE bad (k UInt8) ENGINE = Join(ANY, LEFT); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE bad (k UInt8) ENGINE = Join(SOME, LEFT, k); -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (k UInt8) ENGINE = Join(ANY, SIDEWAYS, k); -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (k UInt8) ENGINE = Join(ANY, LEFT, nope); -- { serverError NO_SUCH_COLUMN_IN_TABLE }
CREATE TABLE bad (k UInt8) ENGINE = Join(ANY, LEFT, k + 1); -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (k UInt8) ENGINE = Join(ANY, LEFT, k) SETTINGS nonsense = 1; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (k UInt8) ENGINE = Join(ANY, LEFT, k) ORDER BY k; -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (k UInt8) ENGINE = Join(SEMI, INNER, k); -- { serverError BAD_ARGUMENTS }
CREATE TABLE bad (k UInt8) ENGINE = Join(ASOF, LEFT, k); -- { serverError BAD_ARGUMENTS }
CREATE TABLE lower_case (k UInt8, v String) ENGINE = Join(any, left, k);
INSERT INTO lower_case VALUES (1, 'x');
SELECT * FROM lower_case;
CREATE TABLE not_persistent (k UInt8, v String) ENGINE = Join(ANY, LEFT, k) SETTINGS persistent = 1, max_rows_in_join = 100;
INSERT INTO not_persistent VALUES (1, 'x');
SELECT * FROM not_persistent;
RENAME TABLE not_persistent TO renamed;
SELECT joinGet('renamed', 'v', toUInt8(1));
SELECT k, v FROM (SELECT toUInt8(1) AS k) AS t ANY LEFT JOIN renamed USING (k);
OPTIMIZE TABLE renamed;
ALTER TABLE renamed ADD COLUMN z Int8; -- { serverError NOT_IMPLEMENTED }
DROP TABLE renamed;
CREATE TABLE low (k LowCardinality(String), v LowCardinality(String), d Date) ENGINE = Join(ANY, LEFT, k);
INSERT INTO low VALUES ('a', 'b', '2024-02-29'), ('b', 'c', '1970-01-01');
SELECT k, v, d FROM (SELECT arrayJoin(['a', 'z']) AS k) AS t ANY LEFT JOIN low USING (k) ORDER BY k; -- { serverError INCOMPATIBLE_TYPE_OF_JOIN }
SELECT joinGet('low', 'd', 'a');
SELECT k FROM any_left FINAL; -- { serverError ILLEGAL_FINAL }
SELECT DISTINCT v FROM (SELECT number AS k FROM numbers(3)) AS l ANY LEFT JOIN (SELECT k, s AS v FROM any_left) AS r USING (k) ORDER BY v;

-- A value that cannot be converted makes the ALTER fail, and the table stays as it was. The
-- reference leaves an unfinished mutation behind instead, so each table is altered only once.
CREATE TABLE a (k UInt8, s String) ENGINE = MergeTree ORDER BY k;
INSERT INTO a VALUES (1, '5'), (2, 'abc');
ALTER TABLE a MODIFY COLUMN s UInt32; -- { serverError UNFINISHED }
CREATE TABLE b (k UInt8, s String) ENGINE = MergeTree ORDER BY k;
INSERT INTO b VALUES (1, '5');
INSERT INTO b VALUES (2, 'x');
ALTER TABLE b MODIFY COLUMN s Nullable(DateTime), ADD COLUMN z UInt8;
CREATE TABLE c (k UInt8, s String) ENGINE = MergeTree ORDER BY k;
INSERT INTO c VALUES (1, 'b');
ALTER TABLE c MODIFY COLUMN s Enum8('a' = 1); -- { serverError UNFINISHED }
CREATE TABLE d (k UInt8, s String) ENGINE = MergeTree ORDER BY k;
INSERT INTO d VALUES (1, 'too long');
ALTER TABLE d MODIFY COLUMN s FixedString(2); -- { serverError UNFINISHED }
CREATE TABLE e (k UInt8, a Array(String)) ENGINE = MergeTree ORDER BY k;
INSERT INTO e VALUES (1, ['1', '2']), (2, ['q']);
ALTER TABLE e MODIFY COLUMN a Array(UInt8); -- { serverError UNFINISHED }
CREATE TABLE f (k UInt8, s String) ENGINE = MergeTree ORDER BY k;
INSERT INTO f VALUES (1, '5');
ALTER TABLE f MODIFY COLUMN s UInt32;
SELECT * FROM f;

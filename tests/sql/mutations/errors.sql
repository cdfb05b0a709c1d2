-- What mutations refuse.
CREATE TABLE t (id UInt64, a Int32, b String, p UInt8, m UInt64 MATERIALIZED a * 2, al Int32 ALIAS a + 1, n Nullable(Int32)) ENGINE = MergeTree ORDER BY (id, toString(b)) PARTITION BY p;
INSERT INTO t (id, a, b, p) SELECT number, number, toString(number), number % 2 FROM numbers(10);
ALTER TABLE t UPDATE id = 1 WHERE 1; -- { serverError CANNOT_UPDATE_COLUMN }
ALTER TABLE t UPDATE p = 1 WHERE 1; -- { serverError CANNOT_UPDATE_COLUMN }
ALTER TABLE t UPDATE b = 'x' WHERE 1; -- { serverError CANNOT_UPDATE_COLUMN }
ALTER TABLE t UPDATE zz = 1 WHERE 1; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
ALTER TABLE t UPDATE al = 1 WHERE 1; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
ALTER TABLE t UPDATE m = 1 WHERE 1; -- { serverError CANNOT_UPDATE_COLUMN }
ALTER TABLE t UPDATE a = 'abc' WHERE 1; -- { serverError CANNOT_PARSE_TEXT }
ALTER TABLE t UPDATE a = zz WHERE 1; -- { serverError UNKNOWN_IDENTIFIER }
ALTER TABLE t UPDATE a = 1, a = 2 WHERE 1; -- { serverError MULTIPLE_ASSIGNMENTS_TO_COLUMN }
ALTER TABLE t UPDATE a = 1 WHERE zz = 1; -- { serverError UNKNOWN_IDENTIFIER }
ALTER TABLE t UPDATE a = 1 WHERE b; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
ALTER TABLE t UPDATE a = [1] WHERE 1; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
ALTER TABLE t UPDATE a = sum(a) WHERE 1; -- { serverError UNKNOWN_IDENTIFIER }
ALTER TABLE t UPDATE a = nosuchfunction(a) WHERE 1; -- { serverError UNKNOWN_FUNCTION }
ALTER TABLE t DELETE WHERE zz = 1; -- { serverError UNKNOWN_IDENTIFIER }
ALTER TABLE t DELETE WHERE b; -- { serverError BAD_ARGUMENTS }
ALTER TABLE t DELETE WHERE count() > 1; -- { serverError ILLEGAL_AGGREGATION }
ALTER TABLE t DELETE WHERE (1, 2); -- { serverError BAD_ARGUMENTS }
ALTER TABLE t DELETE WHERE id = 'x'; -- { serverError TYPE_MISMATCH }
DELETE FROM t WHERE zz = 1; -- { serverError UNKNOWN_IDENTIFIER }
DELETE FROM t WHERE b; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
DELETE FROM t WHERE sum(a) > 1; -- { serverError UNKNOWN_IDENTIFIER }
DELETE FROM nosuch WHERE 1; -- { serverError UNKNOWN_TABLE }
ALTER TABLE nosuch DELETE WHERE 1; -- { serverError UNKNOWN_TABLE }
ALTER TABLE nosuch UPDATE a = 1 WHERE 1; -- { serverError UNKNOWN_TABLE }
UPDATE nosuch SET a = 1 WHERE 1; -- { serverError UNKNOWN_TABLE }
ALTER TABLE t DELETE IN PARTITION 'x' WHERE 1; -- { serverError TYPE_MISMATCH }
ALTER TABLE t DELETE IN PARTITION 300 WHERE 1; -- { serverError ARGUMENT_OUT_OF_BOUND }
ALTER TABLE t DELETE IN PARTITION ALL WHERE 1; -- { serverError SUPPORT_IS_DISABLED }
ALTER TABLE t MATERIALIZE COLUMN a; -- { serverError BAD_ARGUMENTS }
ALTER TABLE t MATERIALIZE COLUMN zz; -- { serverError NO_SUCH_COLUMN_IN_TABLE }
ALTER TABLE t CLEAR COLUMN id; -- { serverError ALTER_OF_COLUMN_IS_FORBIDDEN }
ALTER TABLE t CLEAR COLUMN zz; -- { serverError NOT_FOUND_COLUMN_IN_BLOCK }
ALTER TABLE t CLEAR COLUMN IF EXISTS zz;
-- Nothing of a statement happens if one of its commands fails.
ALTER TABLE t UPDATE a = 77 WHERE 1, DELETE WHERE zz = 1; -- { serverError UNKNOWN_IDENTIFIER }
ALTER TABLE t DELETE WHERE 1, UPDATE id = 1 WHERE 1; -- { serverError CANNOT_UPDATE_COLUMN }
SELECT count(), sum(a) FROM t;
SET enable_lightweight_delete = 0;
DELETE FROM t WHERE 1; -- { serverError SUPPORT_IS_DISABLED }
SET enable_lightweight_delete = 1;
SET enable_lightweight_update = 0;
UPDATE t SET a = 1 WHERE 1; -- { serverError SUPPORT_IS_DISABLED }
SET enable_lightweight_update = 1;
SELECT count(), sum(a) FROM t;
SET readonly = 1;
DELETE FROM t WHERE 1; -- { serverError READONLY }
ALTER TABLE t DELETE WHERE 1; -- { serverError READONLY }
SELECT count(), sum(a) FROM t;

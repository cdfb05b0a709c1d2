-- { configs: default }
-- mergeTreeIndex shows the sparse index.
CREATE TABLE t (a UInt32, b String, c UInt8 ALIAS a % 2) ENGINE = MergeTree ORDER BY (a, length(b)) SETTINGS index_granularity = 3, min_bytes_for_wide_part = 0;
INSERT INTO t SELECT number, toString(number * 100) FROM numbers(10);
SELECT * FROM mergeTreeIndex(currentDatabase(), t) ORDER BY mark_number FORMAT TSVWithNamesAndTypes;
SELECT part_name, max(mark_number), sum(rows_in_granule) FROM mergeTreeIndex(currentDatabase(), 't') GROUP BY part_name;
SELECT mark_number FROM mergeTreeIndex(currentDatabase(), t) WHERE a >= 6 AND `length(b)` = 3 ORDER BY mark_number;
DESCRIBE mergeTreeIndex(currentDatabase(), t, with_marks = true);
SELECT count(), countIf(a.mark.1 IS NULL), countIf(`b.mark`.1 IS NULL) FROM mergeTreeIndex(currentDatabase(), t, with_marks = 1);
SELECT a.mark, b.mark FROM mergeTreeIndex(currentDatabase(), t, with_marks = 1) WHERE mark_number = 0 FORMAT Null;
DESCRIBE mergeTreeIndex(currentDatabase(), t, with_minmax = true);
INSERT INTO t VALUES (100, 'x');
SELECT part_name, a FROM mergeTreeIndex(currentDatabase(), t) WHERE rows_in_granule = 1 ORDER BY ALL;
CREATE TABLE u (x Int8) ENGINE = MergeTree ORDER BY tuple();
INSERT INTO u SELECT 1 FROM numbers(5);
SELECT * FROM mergeTreeIndex(currentDatabase(), u) ORDER BY ALL FORMAT TSVWithNames;
SELECT * FROM mergeTreeIndex(currentDatabase(), nosuch); -- { serverError UNKNOWN_TABLE }
SELECT * FROM mergeTreeIndex(currentDatabase(), t, foo = 1); -- { serverError BAD_ARGUMENTS }
SELECT * FROM mergeTreeIndex(currentDatabase(), t, 1); -- { serverError BAD_ARGUMENTS }
SELECT * FROM mergeTreeIndex(t); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT * FROM mergeTreeIndex(system, one); -- { serverError BAD_ARGUMENTS }
INSERT INTO FUNCTION mergeTreeIndex(currentDatabase(), t) VALUES (1); -- { serverError NOT_IMPLEMENTED }

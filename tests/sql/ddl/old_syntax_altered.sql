-- A table in the old syntax is altered whatever the session allows.
SET allow_deprecated_syntax_for_merge_tree = 1;
CREATE TABLE s (d Date, k UInt32, j UInt32, v UInt32) ENGINE = SummingMergeTree(d, (k, j), 8192);
SET allow_deprecated_syntax_for_merge_tree = 0;
ALTER TABLE s ADD COLUMN w UInt32;
ALTER TABLE s COMMENT COLUMN w 'x';
ALTER TABLE s RENAME COLUMN w TO w2;
INSERT INTO s VALUES ('2024-01-01', 1, 2, 3, 4), ('2024-01-01', 1, 2, 3, 4);
OPTIMIZE TABLE s FINAL;
SELECT * FROM s;
CREATE TABLE s2 (d Date, k UInt32, j UInt32, v UInt32) ENGINE = SummingMergeTree(d, (k, j), 8192); -- { serverError BAD_ARGUMENTS }
SELECT GROUPING(number % 2) AS g, count() FROM numbers(4) GROUP BY ROLLUP(number % 2) ORDER BY ALL;

-- INSERTs that are sent again, where the table remembers them.
DROP TABLE IF EXISTS dedup;
CREATE TABLE dedup (x UInt8) ENGINE = MergeTree ORDER BY x
SETTINGS non_replicated_deduplication_window = 100;
INSERT INTO dedup VALUES (1);
INSERT INTO dedup VALUES (1);
SELECT 'same rows', count() FROM dedup;
INSERT INTO dedup SETTINGS deduplicate_insert = 'disable' VALUES (1);
SELECT 'disabled', count() FROM dedup;
INSERT INTO dedup
SETTINGS deduplicate_insert = 'backward_compatible_choice', insert_deduplicate = 0 VALUES (1);
SELECT 'disabled by the older setting', count() FROM dedup;
INSERT INTO dedup SETTINGS insert_deduplication_token = 't' VALUES (1);
SELECT 'a token over the same rows', count() FROM dedup;
INSERT INTO dedup SETTINGS insert_deduplication_token = 't' VALUES (2);
SELECT 'the same token over other rows', count() FROM dedup;
INSERT INTO dedup VALUES (1), (2);
INSERT INTO dedup VALUES (2), (1);
SELECT 'another order', count() FROM dedup;
INSERT INTO dedup SELECT 9;
INSERT INTO dedup SELECT 9;
SELECT 'of a query', count() FROM dedup;
INSERT INTO dedup SETTINGS insert_deduplication_token = 'u' SELECT 9;
INSERT INTO dedup SETTINGS insert_deduplication_token = 'u' SELECT 9;
SELECT 'of a query with a token', count() FROM dedup;
INSERT INTO dedup SETTINGS insert_deduplication_token = 't' SELECT 77;
SELECT 'a token that VALUES had', count() FROM dedup;
TRUNCATE TABLE dedup;
INSERT INTO dedup SETTINGS insert_deduplication_token = 't' VALUES (1);
INSERT INTO dedup VALUES (1);
SELECT 'after TRUNCATE', count() FROM dedup;
DROP TABLE dedup;

DROP TABLE IF EXISTS dedup_parts;
CREATE TABLE dedup_parts (x UInt8) ENGINE = MergeTree ORDER BY x PARTITION BY x
SETTINGS non_replicated_deduplication_window = 100;
INSERT INTO dedup_parts VALUES (1), (2);
INSERT INTO dedup_parts VALUES (2), (3);
SELECT 'a statement is one', count() FROM dedup_parts;
INSERT INTO dedup_parts VALUES (2);
INSERT INTO dedup_parts VALUES (1), (2);
SELECT 'and not its partitions', count() FROM dedup_parts;
DROP TABLE dedup_parts;

-- Without a window equal rows are stored each time.
DROP TABLE IF EXISTS plain;
CREATE TABLE plain (x UInt8) ENGINE = MergeTree ORDER BY x;
INSERT INTO plain VALUES (1);
INSERT INTO plain VALUES (1);
SELECT 'no window', count() FROM plain;
DROP TABLE plain;

-- { configs: default }
-- Expired rows of a key become one row. No merge in the background comes before OPTIMIZE, which applies the rules to all rows
-- at once: merges are stopped, or their parts may not have more than a byte.
CREATE TABLE g (k UInt32, l UInt32, d DateTime, v UInt32, s String) ENGINE = MergeTree ORDER BY (k, l) TTL d + INTERVAL 1 DAY GROUP BY k SET v = sum(v), s = max(s);
SHOW CREATE TABLE g;
SYSTEM STOP MERGES g;
INSERT INTO g VALUES (1, 1, '2000-01-01 00:00:00', 1, 'a'), (1, 2, '2000-01-01 00:00:00', 2, 'b'), (1, 3, '2100-01-01 00:00:00', 4, 'c'), (2, 5, '2000-01-01 00:00:00', 5, 'e'), (2, 6, '2000-01-02 00:00:00', 6, 'f');
SELECT group_by_ttl_info.expression, group_by_ttl_info.min, group_by_ttl_info.max, delete_ttl_info_min FROM system.parts WHERE database = currentDatabase() AND table = 'g' AND active;
SYSTEM START MERGES g;
OPTIMIZE TABLE g FINAL;
SELECT * FROM g ORDER BY ALL;
INSERT INTO g VALUES (1, 1, '2000-01-01 00:00:00', 10, 'z');
OPTIMIZE TABLE g FINAL;
SELECT * FROM g ORDER BY ALL;
DROP TABLE g;
-- Columns that are not set keep any value that is not NULL; a value may read other columns.
CREATE TABLE n (k UInt32, n Nullable(UInt32), d DateTime, e UInt32 DEFAULT 5) ENGINE = MergeTree ORDER BY k TTL d GROUP BY k SET e = bitOr(max(e), k) SETTINGS max_bytes_to_merge_at_max_space_in_pool = 1;
SYSTEM STOP MERGES n;
INSERT INTO n VALUES (1, NULL, '2000-01-01 00:00:00', 1), (1, 3, '2001-01-01 00:00:00', 2), (2, 3, '2001-01-01 00:00:00', 2), (3, NULL, '2001-01-01 00:00:00', 2);
SYSTEM START MERGES n;
OPTIMIZE TABLE n FINAL;
SELECT * FROM n ORDER BY ALL;
DROP TABLE n;
-- Several rules are applied one after the other; a computed key.
CREATE TABLE m (k UInt32, d Date, e UInt32) ENGINE = MergeTree ORDER BY (k, toStartOfMonth(d), d) TTL d GROUP BY k, toStartOfMonth(d) SET e = sum(e), d = max(toStartOfMonth(d)), d + INTERVAL 1 YEAR GROUP BY k SET e = min(e) SETTINGS max_bytes_to_merge_at_max_space_in_pool = 1;
SYSTEM STOP MERGES m;
INSERT INTO m VALUES (1, '2000-01-05', 1), (1, '2000-01-08', 2), (1, '2000-02-08', 4), (2, '2100-02-08', 4), (2, '2000-02-08', 8);
SYSTEM START MERGES m;
OPTIMIZE TABLE m FINAL;
SELECT * FROM m ORDER BY ALL;
DROP TABLE m;
-- Rows of several granules and parts, and rows that are dropped before others are grouped.
CREATE TABLE p (k UInt32, i UInt32, d DateTime, v UInt64, w String) ENGINE = MergeTree ORDER BY (k, i) TTL d + INTERVAL 1 DAY GROUP BY k SET v = sum(v), w = max(w), d = max(d), d + INTERVAL 20 YEAR SETTINGS index_granularity = 64, max_bytes_to_merge_at_max_space_in_pool = 1;
SYSTEM STOP MERGES p;
INSERT INTO p SELECT number % 7, number, if(number % 3 = 0, toDateTime('2080-01-01 00:00:00'), toDateTime('2020-01-01 00:00:00') + number), number, toString(number % 10) FROM numbers(3000);
INSERT INTO p SELECT number % 7, number, toDateTime('2020-01-01 00:00:00') + number, 1, 'x' FROM numbers(1000);
INSERT INTO p SELECT number % 7, number, toDateTime('2001-01-01 00:00:00') + number, 1000000, 'y' FROM numbers(1000);
SYSTEM START MERGES p;
OPTIMIZE TABLE p FINAL;
SELECT count(), sum(v), sum(cityHash64(k, i, d, v, w)) FROM p;
SELECT * FROM p WHERE d < '2079-01-01 00:00:00' ORDER BY ALL LIMIT 40;
SELECT k, count() FROM p WHERE i < 100 GROUP BY k ORDER BY k;
DROP TABLE p;
-- What is refused.
CREATE TABLE e (k UInt32, l UInt32, d DateTime, v UInt32) ENGINE = MergeTree ORDER BY (k, l) TTL d GROUP BY l SET v = sum(v); -- { serverError BAD_TTL_EXPRESSION }
CREATE TABLE e (k UInt32, l UInt32, d DateTime, v UInt32) ENGINE = MergeTree ORDER BY (k, l) PRIMARY KEY k TTL d GROUP BY k, l SET v = sum(v); -- { serverError BAD_TTL_EXPRESSION }
CREATE TABLE e (k UInt32, l UInt32, d DateTime, v UInt32) ENGINE = MergeTree ORDER BY (k, l) TTL d GROUP BY k SET v = k + 1; -- { serverError BAD_TTL_EXPRESSION }
CREATE TABLE e (k UInt32, l UInt32, d DateTime, v UInt32) ENGINE = MergeTree ORDER BY (k, l) TTL d GROUP BY k SET v = sum(v), v = max(v); -- { serverError BAD_TTL_EXPRESSION }
CREATE TABLE e (k UInt32, l UInt32, d DateTime, v UInt32) ENGINE = MergeTree ORDER BY (k, l) TTL d GROUP BY k SET z = sum(v); -- { serverError NO_SUCH_COLUMN_IN_TABLE }
CREATE TABLE e (k UInt32, l UInt32, d DateTime, v UInt32) ENGINE = MergeTree ORDER BY (k, l) TTL d GROUP BY k SET v = sum(v, k); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
CREATE TABLE e (k UInt32, l UInt32, d DateTime, v UInt32) ENGINE = MergeTree ORDER BY (k, l) TTL v GROUP BY k SET v = sum(v); -- { serverError BAD_TTL_EXPRESSION }

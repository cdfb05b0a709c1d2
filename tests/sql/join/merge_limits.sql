-- { configs: default }
-- Limits of what a join holds do not concern merge joins. Without the optimiser all joins use hash tables.

CREATE TABLE a (v UInt32) ENGINE = Memory;
CREATE TABLE b (w UInt32) ENGINE = Memory;
INSERT INTO a SELECT number FROM numbers(20);
INSERT INTO b SELECT number FROM numbers(20);
SELECT count() FROM a JOIN b ON a.v = b.w SETTINGS join_algorithm = 'full_sorting_merge', max_rows_in_join = 3;
SELECT count() FROM a JOIN b ON a.v = b.w SETTINGS join_algorithm = 'partial_merge', max_rows_in_join = 3;
SELECT count() FROM a JOIN b ON a.v = b.w SETTINGS join_algorithm = 'auto', max_rows_in_join = 3; -- { serverError SET_SIZE_LIMIT_EXCEEDED }
SELECT count() FROM a JOIN b ON a.v = b.w SETTINGS join_algorithm = 'hash', max_rows_in_join = 3; -- { serverError SET_SIZE_LIMIT_EXCEEDED }
SELECT count() FROM a JOIN b ON a.v = b.w SETTINGS join_algorithm = 'full_sorting_merge', max_bytes_in_join = 3;
SELECT count() FROM a JOIN b ON a.v = b.w SETTINGS join_algorithm = 'full_sorting_merge', max_rows_in_join = 3, join_overflow_mode = 'break';
SELECT count() FROM a JOIN b ON a.v = b.w SETTINGS join_algorithm = 'partial_merge', max_rows_in_join = 3, join_overflow_mode = 'break';

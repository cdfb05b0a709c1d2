-- { configs: default }
-- A query that has read enough answers with what it has.
SELECT count() < 100000 AND count() > 10 FROM numbers(100000) WHERE NOT ignore(number) SETTINGS max_rows_to_read = 12, read_overflow_mode = 'break', max_block_size = 5, max_threads = 1;
SELECT sum(n), count() FROM (SELECT number % 2 AS n FROM numbers(100000)) SETTINGS max_rows_to_read = 12, read_overflow_mode = 'break', max_block_size = 5, max_threads = 1;
SELECT count() FROM (SELECT number FROM numbers(5) ORDER BY number LIMIT 3) SETTINGS max_rows_to_read = 12, read_overflow_mode = 'break';
SELECT count() FROM numbers(100000) WHERE NOT ignore(number) SETTINGS max_rows_to_read = 12, read_overflow_mode = 'throw'; -- { serverError TOO_MANY_ROWS }
SELECT count() FROM numbers(10) WHERE NOT ignore(number) SETTINGS max_execution_time = 100, timeout_overflow_mode = 'break';
-- Where the conditions let nothing through, too: this would take hours.
SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1 SETTINGS max_rows_to_read = 1000, read_overflow_mode = 'break', max_threads = 1;

-- { echoOn }
SELECT count() FROM numbers(10) SETTINGS max_threads = 2, max_block_size = 3;
SET max_result_rows = 0;
SET nosuchsetting = 1; -- { serverError UNKNOWN_SETTING }
SELECT 1 SETTINGS nosuchsetting = 1; -- { serverError UNKNOWN_SETTING }
SET max_threads = 'abc'; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }

-- Limits of speed. The numbers are beyond or below what any machine does.
SELECT sum(sleepEachRow(0.001)) FROM numbers(300) SETTINGS min_execution_speed_bytes = 1000000000000000000, timeout_before_checking_execution_speed = 0.0001, max_block_size = 1; -- { serverError TOO_SLOW }
SELECT sum(sleepEachRow(0.001)) FROM numbers(300) SETTINGS min_execution_speed = 1000000000000000000, timeout_before_checking_execution_speed = 0.0001, max_block_size = 1; -- { serverError TOO_SLOW }
SELECT sum(number) FROM numbers(300000) SETTINGS min_execution_speed = 1;
SELECT sum(number) FROM numbers(300000) SETTINGS min_execution_speed = 1000000000000000000;
SELECT sum(number) FROM numbers(3000) SETTINGS max_execution_speed = 1000000000000, max_execution_speed_bytes = 1000000000000;
SELECT sum(number) FROM numbers(3000) SETTINGS max_execution_speed = 1;
SELECT sum(number) FROM numbers(3000) SETTINGS max_estimated_execution_time = 10000;

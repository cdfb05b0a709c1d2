-- Memory limits: the statement ends with MEMORY_LIMIT_EXCEEDED, and nothing of it stays.

CREATE TABLE kept (n UInt64, s String) ENGINE = Memory;
INSERT INTO kept SELECT number, toString(number) FROM numbers(1000);
INSERT INTO kept SELECT number, toString(number) FROM numbers(5000000) SETTINGS max_memory_usage = 20000000; -- { serverError MEMORY_LIMIT_EXCEEDED }
SELECT count(), max(n) FROM kept;

SELECT length(range(100000000)) SETTINGS max_memory_usage = 50000000; -- { serverError MEMORY_LIMIT_EXCEEDED }
SELECT length(groupArray(number)) FROM numbers(20000000) SETTINGS max_memory_usage = 30000000; -- { serverError MEMORY_LIMIT_EXCEEDED }
SELECT uniqExact(number), uniqExact(number + 1) FROM numbers(5000000) SETTINGS max_memory_usage = 30000000; -- { serverError MEMORY_LIMIT_EXCEEDED }
SELECT count() FROM numbers(10) WHERE number IN (SELECT number FROM numbers(5000000)) SETTINGS max_memory_usage = 30000000, max_rows_in_set = 10000000; -- { serverError MEMORY_LIMIT_EXCEEDED }

SELECT count(), sum(n) FROM kept SETTINGS max_memory_usage = 30000000;
DROP TABLE kept;

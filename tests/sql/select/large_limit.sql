-- { largeBlocks }
-- A large LIMIT lets the first rows pass in order.
SELECT number FROM numbers(1000000000) LIMIT 70000 OFFSET 69998 FORMAT Null;
SELECT count(), min(number), max(number), sum(number) FROM (SELECT number FROM numbers(300000) LIMIT 100000 OFFSET 12345);
SELECT number FROM numbers(200000) LIMIT 65536 OFFSET 199999;
SELECT number FROM numbers(200000) LIMIT 65536 OFFSET 200000;
SELECT number + 1 AS m FROM numbers(200000) WHERE number > 199997 LIMIT 100000;
SELECT number + 1 AS m FROM numbers(200000) WHERE number > 199995 LIMIT 100000 OFFSET 2;
SELECT number FROM numbers(200000) WHERE number % 50000 = 0 LIMIT 100000 SETTINGS exact_rows_before_limit = 1;
CREATE TABLE copied (n UInt64) ENGINE = Memory;
INSERT INTO copied SELECT number FROM numbers(200000) LIMIT 80000 OFFSET 10;
SELECT count(), min(n), max(n) FROM copied;
DROP TABLE copied;

-- { configs: default }
-- Rows that a buffer writes have the DEFAULTs of the table and reach its views.
CREATE TABLE target (a UInt32, b UInt32 DEFAULT a * 10, c String MATERIALIZED concat('c', toString(a))) ENGINE = Memory;
CREATE TABLE sums (s UInt64) ENGINE = Memory;
CREATE MATERIALIZED VIEW adds TO sums AS SELECT sum(b) AS s FROM target;
CREATE TABLE buffer (a UInt32) ENGINE = Buffer(currentDatabase(), target, 1, 100, 100, 1000, 1000, 1000000, 1000000);
INSERT INTO buffer SELECT number FROM numbers(4);
SELECT count() FROM target;
SELECT sum(a) FROM buffer;
OPTIMIZE TABLE buffer;
SELECT a, b, c FROM target ORDER BY a;
SELECT s FROM sums;
-- An INSERT that is too large for the buffer goes past it.
INSERT INTO buffer SELECT 1 FROM numbers(2000);
SELECT count(), sum(b) FROM target;
SELECT sum(s) FROM sums;

-- { configs: default }
-- Keys that are times, compared with texts: the index finds the instant in the time zone of the comparison.
CREATE TABLE z (k DateTime('Asia/Kolkata'), b DateTime('Europe/Berlin'), u DateTime) ENGINE = MergeTree ORDER BY (k, b, u) SETTINGS index_granularity = 2;
INSERT INTO z SELECT toDateTime(1635638400, 'UTC') + 900 * number AS t, t, t FROM numbers(40);
SELECT toUnixTimestamp(k) FROM z WHERE k = '2021-10-31 06:30:00';
SELECT toUnixTimestamp(b) FROM z WHERE b = '2021-10-31 02:30:00' ORDER BY k;
SELECT toUnixTimestamp(u) FROM z WHERE u = '2021-10-31 02:30:00';
SELECT toUnixTimestamp(u) FROM z WHERE '2021-10-31 08:30:00' = u SETTINGS session_timezone = 'Asia/Kathmandu';
SELECT toUnixTimestamp(u) FROM z WHERE u = '2021-10-31 02:30:00' SETTINGS session_timezone = 'America/St_Johns';
SELECT count() FROM z WHERE u != '2021-10-31 02:30:00';
SELECT count() FROM z WHERE u = '2021-10-31 02:30:01';
SELECT count() FROM z WHERE k = '2021-10-31';
SELECT trim(explain) FROM (EXPLAIN indexes = 1 SELECT * FROM z WHERE k = '2021-10-31 06:30:00') WHERE match(explain, 'Condition|Search');

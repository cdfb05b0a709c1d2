-- The partition key is computed in the table's time zone. A condition that is computed in another one skips no partition.
CREATE TABLE z (t DateTime, v UInt32) ENGINE = MergeTree PARTITION BY toYYYYMMDD(t) ORDER BY v;
INSERT INTO z SELECT toDateTime('2024-03-01 00:00:00', 'UTC') + number * 3600, number FROM numbers(96);
SELECT count(), min(v), max(v) FROM z WHERE toYYYYMMDD(t) = 20240302;
SELECT (SELECT sum(v) FROM z WHERE toYYYYMMDD(t) = 20240302) = (SELECT sumIf(v, toYYYYMMDD(t) = 20240302) FROM z) SETTINGS session_timezone = 'Asia/Tokyo';
SELECT (SELECT sum(v) FROM z WHERE toYYYYMMDD(t) = 20240302) = (SELECT sumIf(v, toYYYYMMDD(t) = 20240302) FROM z) SETTINGS session_timezone = 'America/New_York';
SET session_timezone = 'Asia/Tokyo';
SELECT (SELECT sum(v) FROM z WHERE toYYYYMMDD(t) IN (20240301, 20240303)) = (SELECT sumIf(v, toYYYYMMDD(t) IN (20240301, 20240303)) FROM z);
SELECT (SELECT sum(v) FROM z WHERE toYYYYMMDD(t) > 20240302) = (SELECT sumIf(v, toYYYYMMDD(t) > 20240302) FROM z);

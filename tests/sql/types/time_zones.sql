-- { echoOn }
SELECT toDateTime('2024-07-01 12:00:00', 'Europe/Berlin') AS t, toTypeName(t), toUnixTimestamp(t), toHour(t);
SELECT toTimeZone(toDateTime('2024-07-01 12:00:00', 'UTC'), 'America/New_York') AS t, toTypeName(t), toHour(t), toDate(t);
SELECT toDateTime('2024-07-01 12:00:00', 'Europe/Berlin') = toDateTime('2024-07-01 10:00:00', 'UTC');
SELECT toHour(toDateTime('2024-07-01 12:00:00', 'UTC'), 'Asia/Tokyo'), toDate(toDateTime('2024-07-01 20:00:00', 'UTC'), 'Asia/Tokyo'), toString(toDateTime('2024-07-01 12:00:00', 'UTC'), 'Asia/Kolkata');
SELECT toDateTime('2024-03-31 01:59:59', 'Europe/Berlin') + 1 AS t, t + INTERVAL 1 HOUR, t - INTERVAL 1 SECOND;
SELECT toDateTime('2024-10-26 12:00:00', 'Europe/Berlin') + INTERVAL 1 DAY, toDateTime('2024-10-26 12:00:00', 'Europe/Berlin') + 86400;
SELECT toStartOfDay(toDateTime('2024-07-01 23:30:00', 'America/Los_Angeles')) AS t, toUnixTimestamp(t), toTypeName(t);
SELECT toStartOfHour(toDateTime('2024-07-01 12:34:56', 'Asia/Kolkata')), toStartOfFifteenMinutes(toDateTime('2024-07-01 12:34:56', 'Asia/Kathmandu'));
SELECT toStartOfMonth(toDateTime('2024-07-31 23:00:00', 'UTC'), 'Asia/Tokyo'), toMonday(toDateTime('2024-07-07 23:00:00', 'UTC'), 'Asia/Tokyo');
SELECT toYYYYMMDD(toDateTime('2024-12-31 23:30:00', 'UTC'), 'Europe/Moscow'), toYear(toDateTime('2024-12-31 23:30:00', 'UTC'), 'Europe/Moscow');
SELECT formatDateTime(toDateTime('2024-07-01 12:00:00', 'UTC'), '%F %T', 'Asia/Tokyo'), formatDateTime(toDateTime('2024-07-01 12:00:00', 'Asia/Tokyo'), '%F %T');
SELECT toDateTime(toDate('2024-07-01'), 'Europe/Berlin') AS t, toUnixTimestamp(t);
SELECT dateDiff('hour', toDateTime('2024-03-31 00:00:00', 'Europe/Berlin'), toDateTime('2024-04-01 00:00:00', 'Europe/Berlin')), dateDiff('day', toDateTime('2024-03-30 23:00:00', 'UTC'), toDateTime('2024-03-31 22:00:00', 'UTC'), 'Europe/Berlin');
SELECT toDateTime('2024-07-01 12:00:00', 'No/Such_Zone'); -- { serverError BAD_ARGUMENTS }
CREATE TABLE tz (k UInt8, t DateTime('Europe/Berlin'), u DateTime('UTC')) ENGINE = Memory;
INSERT INTO tz VALUES (1, '2024-07-01 12:00:00', '2024-07-01 12:00:00'), (2, 0, 0), (3, 1719828000, 1719828000);
SELECT k, t, u, t = u, t < u FROM tz ORDER BY k;
SELECT k FROM tz WHERE t = '2024-07-01 12:00:00' ORDER BY k;
SELECT k FROM tz WHERE u = toDateTime('2024-07-01 14:00:00', 'Europe/Berlin') ORDER BY k;
SELECT toHour(t) AS h, count() FROM tz GROUP BY h ORDER BY h;
SELECT toTypeName(max(t)), max(t), min(u) FROM tz;

-- Before 1970, west of Greenwich, past the last day.
SELECT toDateTime(0, 'America/New_York'), toString(toDateTime(3600, 'America/New_York')), formatDateTime(toDateTime(0, 'America/New_York'), '%F %T');
SELECT toStartOfDay(toDateTime(0, 'America/New_York')), toStartOfHour(toDateTime(0, 'America/New_York')), toMonday(toDateTime(0, 'America/New_York'));
SELECT number, date_diff('week', toDate32('1970-01-01') - number, toDate32('1970-01-01')), date_diff('week', toDate32('1970-01-01'), toDate32('1970-01-01') - number) FROM numbers(30) ORDER BY number;
SELECT number, age('week', toDate32('1970-01-01') - number, toDate32('1970-01-01')), age('week', toDate32('1970-01-01'), toDate32('1970-01-01') - number) FROM numbers(30) ORDER BY number;
SELECT number, age('week', toDateTime('2020-01-10 03:04:05') + number * 40000, toDateTime('2020-01-10 00:00:00')), age('week', toDateTime('2020-01-10 00:00:00'), toDateTime('2020-01-10 03:04:05') + number * 40000) FROM numbers(50) ORDER BY number;
SELECT age('week', toDateTime('2020-01-10 03:04:05'), toDateTime('2020-01-03 03:04:06')), age('week', toDateTime('2020-01-10 03:04:05'), toDateTime('2020-01-03 03:04:04')), age('week', toDateTime('2020-01-10 03:04:05'), toDateTime('2020-01-17 01:04:04'));
SELECT age('day', toDateTime64('2020-01-10 03:04:05.5', 3), toDateTime64('2020-01-11 03:04:05.4', 3)), age('second', toDateTime64('2020-01-10 03:04:05.5', 3), toDateTime64('2020-01-10 03:04:06.4', 3)), age('month', toDateTime64('2020-01-10 03:04:05.5', 3), toDateTime64('2020-02-10 03:04:05.4', 3));
-- Zones of half and quarter hours: shorter units than an hour are counted in UTC.
WITH toDateTime('2020-01-01 10:53:30', 'Asia/Kathmandu') AS t SELECT toStartOfHour(t), toStartOfInterval(t, INTERVAL 15 MINUTE), toStartOfInterval(t, INTERVAL 1 HOUR), toStartOfInterval(t, INTERVAL 30 MINUTE), timeSlot(t), toStartOfFifteenMinutes(t), toStartOfTenMinutes(t), toStartOfFiveMinutes(t), toStartOfMinute(t);
WITH toDateTime('2020-01-01 10:53:30', 'Asia/Kolkata') AS t SELECT toStartOfHour(t), toStartOfInterval(t, INTERVAL 15 MINUTE), toStartOfInterval(t, INTERVAL 30 MINUTE), timeSlot(t), toStartOfTenMinutes(t);
SELECT toStartOfHour(t), toStartOfInterval(t, INTERVAL 15 MINUTE) FROM (SELECT toDateTime(1603580400 + number * 1000, 'Europe/Berlin') AS t FROM numbers(16)) ORDER BY toUnixTimestamp(t);
SELECT toStartOfMonth(toDate32('2299-12-31')), toStartOfYear(toDate32('2299-12-31')), toMonday(toDate32('1900-01-01')), toStartOfWeek(toDate32('2299-12-31')), toLastDayOfWeek(toDate32('2299-12-31')), toStartOfISOYear(toDate32('2299-12-31'));
SELECT toStartOfDay(toDate32('2299-12-31')), toStartOfHour(toDateTime64('2299-12-31 00:00:00', 3)), toStartOfMonth(toDate32('1960-05-05')), toStartOfHour(toDateTime64('1960-12-31 00:30:00', 3)), toStartOfFiveMinutes(toDateTime64('2299-02-03 00:07:00.5', 1));
SELECT toStartOfInterval(toDate32('2299-12-31'), INTERVAL 1 MONTH), toStartOfInterval(toDate32('1960-12-31'), INTERVAL 1 YEAR), toStartOfInterval(toDate32('1960-12-31'), INTERVAL 2 DAY), toStartOfInterval(toDateTime64('2200-12-31 01:02:03.4', 1), INTERVAL 1 WEEK);
-- Strict reading of text behind -OrNull and -OrZero.
SELECT toDateTimeOrNull('5.6'), toDateTimeOrZero('5.6'), toDateTimeOrNull('5'), toDateTimeOrNull('1577836800.5'), toDateTimeOrNull('2020-01-01 00:00:00.5'), toDateTimeOrNull('20200101'), toDateTimeOrNull('1234'), toDateTimeOrNull('12345');
SELECT toDateTimeOrNull('2020-01-01T00:00:01'), toDateTimeOrNull('2020-01-01 00:00:01Z'), toDateTimeOrNull('2020-01-01 00:00'), toDateTimeOrNull('2020-1-1 0:0:1'), toDateTimeOrNull('2020-02-31 00:00:00'), toDateTimeOrNull('2020-01-01 25:61:61'), toDateTimeOrNull('99999999999'), toDateTimeOrNull('2020-13-01 00:00:00'), toDateTimeOrNull('Jan 5 2020');
SELECT toDateTime64OrNull('5', 1), toDateTime64OrNull('1577836800.5', 1), toDateTime64OrNull('2020-01-01 00:00:00.5', 1), toDateTime64OrNull('2020-13-01 00:00:00', 1), toDateTime64OrNull('-1.5', 3), toDateTime64OrNull('x', 1), toDateTime64OrNull('', 3), toDateTime64OrNull('2020-01-01 00:00:00Z', 3);
SELECT parseDateTimeBestEffortOrNull(if(number = 1, NULL, '2020-01-01 00:00:01')), parseDateTimeBestEffortUSOrNull(if(number = 1, NULL, 'x')), parseDateTime64BestEffortOrNull(if(number = 1, NULL, '2020-01-01 00:00:01.5')) FROM numbers(3) ORDER BY number;
-- The default of Date32 in a column is its first day.
SELECT toDate32OrDefault('x'), defaultValueOfTypeName('Date32'), toDate32OrZero('x'), toDate32OrNull('2020-13-01'), toDate32('2020-13-01'), any(toDate32('2020-01-01')) FROM numbers(0);
CREATE TABLE defaults (a UInt8, d Date32, e Enum8('x' = 1, 'y' = 2), t Tuple(Date32, Enum8('z' = 3)), n Nullable(Date32)) ENGINE = Memory;
INSERT INTO defaults (a) VALUES (1);
SELECT * FROM defaults;
DROP TABLE defaults;
SELECT toBool(toDateTime(256, 'UTC')), toBool(toDate(0)), toUInt8(toBool(toDate(256))), toUInt8(toBool(toDate32('1960-01-01'))), toBool(toDateTime64(0.5, 3)), toBool(toDateTime64(0, 3)), toUInt8(CAST(toDate('2020-01-01') AS Bool));
SELECT avg(toDate('2020-01-01') + number), avg(toDate32('1960-01-01') + number), avg(toDateTime('2020-01-01 00:00:00') + number) FROM numbers(3);

-- Times with fractions of a second, before 1970 too.
SELECT toDateTime64('1960-01-01 00:00:00.5', 3, 'UTC'), toDateTime64(-0.5, 3, 'UTC'), toDateTime64('2300-01-01 00:00:00', 3, 'UTC');
SELECT toDateTime64('2020-01-01 00:00:00.123456789', 0, 'UTC'), toDateTime64('2020-01-01 00:00:00.123456789', 5, 'UTC'), toDateTime64('2020-01-01 00:00:00.123456789', 9, 'UTC');
SELECT toTypeName(toDateTime64('2020-01-01 00:00:00', 9)), toTypeName('2020-01-01'::DateTime64), toTypeName(now64()), toTypeName(now64(6)), toTypeName(now64(0, 'UTC'));
SELECT toDateTime64('2020-01-01 00:00:00', 10); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT toDateTime64('x', 3); -- { serverError CANNOT_PARSE_DATETIME }
SELECT toDateTime64('', 3); -- { serverError CANNOT_PARSE_DATETIME }
SELECT toDateTime64('9999-01-01 00:00:00', 9, 'UTC'); -- { serverError DECIMAL_OVERFLOW }
SELECT toDateTime64OrNull('x', 3), toDateTime64OrZero('x', 3, 'UTC'), toDateTime64OrDefault('x', 3, 'UTC');
SELECT toDateTime64(1577836800.5, 3, 'UTC'), toDateTime64(1577836800, 3, 'UTC'), toDateTime64(toDate('2020-01-01'), 3, 'UTC'), toDateTime64(toDateTime('2020-01-01 00:00:00', 'UTC'), 3, 'UTC');
WITH toDateTime64('2020-01-01 00:00:00.123', 3, 'UTC') AS t SELECT t::DateTime64(6), t::DateTime64(1), t::DateTime, t::Date, t::Date32, t::String, t::Int64, t::Float64, t::UInt32, t::Decimal(18, 2);
SELECT toTypeName(CAST(toDateTime64('2020-01-01', 3, 'UTC'), 'DateTime64(6)')), toTypeName(CAST(toDateTime64('2020-01-01', 3, 'UTC'), 'DateTime')), toTypeName(CAST(toDateTime('2020-01-01', 'UTC'), 'DateTime64(3)'));
SELECT toDateTime64('2020-01-01 00:00:00', 3, 'UTC')::UInt8; -- { serverError DECIMAL_OVERFLOW }
-- Common types and comparison.
SELECT toTypeName([toDateTime64('2020-01-01', 3), toDateTime64('2020-01-01', 6)]), toTypeName([toDateTime64('2020-01-01', 3), toDateTime('2020-01-01 00:00:00')]), toTypeName([toDateTime64('2020-01-01', 3), toDate('2020-01-01')]);
SELECT toDateTime64('2020-01-01 00:00:00.1', 3, 'UTC') = toDateTime64('2020-01-01 00:00:00.100000', 6, 'UTC'), toDateTime64('2020-01-01', 3, 'UTC') = toDateTime('2020-01-01 00:00:00', 'UTC'), toDateTime64('2020-01-01', 3, 'UTC') = toDate('2020-01-01'), toDateTime64('2020-01-01 00:00:00.5', 3, 'UTC') > '2020-01-01 00:00:00';
WITH toDateTime64('2020-01-01 00:00:00.5', 1, 'UTC') AS t SELECT t IN ('2020-01-01 00:00:00.5'), t = '2020-01-01 00:00:00.50', t BETWEEN '2020-01-01' AND '2020-01-02', t IN (toDateTime('2020-01-01 00:00:00', 'UTC'));
-- Parts, starts, differences.
WITH toDateTime64('2020-01-15 10:20:30.123456', 6, 'UTC') AS t SELECT toYear(t), toQuarter(t), toMonth(t), toDayOfYear(t), toDayOfWeek(t), toHour(t), toMinute(t), toSecond(t), toMillisecond(t), toMicrosecond(t), toNanosecond(t), toYYYYMM(t), toYYYYMMDD(t), toYYYYMMDDhhmmss(t), toISOWeek(t);
WITH toDateTime64('2020-01-15 10:20:30.123456', 6, 'UTC') AS t SELECT toStartOfSecond(t) AS a, toTypeName(a), toStartOfMillisecond(t) AS b, toTypeName(b), toStartOfMinute(t) AS c, toTypeName(c), toStartOfFiveMinutes(t), toStartOfHour(t), toStartOfDay(t) AS d, toTypeName(d), toStartOfMonth(t) AS e, toTypeName(e), toMonday(t);
WITH toDateTime64('2020-01-15 10:20:30.123456', 6, 'UTC') AS t SELECT toStartOfInterval(t, INTERVAL 15 SECOND) AS a, toTypeName(a), toStartOfInterval(t, INTERVAL 100 MILLISECOND) AS b, toTypeName(b), toStartOfInterval(t, INTERVAL 1 DAY), toStartOfInterval(t, INTERVAL 1 MONTH), date_trunc('hour', t) AS h, toTypeName(h);
SELECT toStartOfSecond(toDateTime('2020-01-01 00:00:00', 'UTC')); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
WITH toDateTime64('2020-01-15 10:20:30.123', 3, 'UTC') AS t SELECT t + 1, t - 1, t + INTERVAL 1 DAY, t - INTERVAL 1 MONTH, addHours(t, 3), subtractYears(t, 70), t + INTERVAL 5 MILLISECOND, toTypeName(t + INTERVAL 1 MICROSECOND), addNanoseconds(t, 7);
WITH toDateTime64('2020-01-15 10:20:30.123', 3, 'UTC') AS t SELECT t - toDateTime64('2020-01-15 10:20:29', 3, 'UTC') AS d, toTypeName(d), t - toDateTime('2020-01-15 10:20:29', 'UTC') AS e, toTypeName(e);
SELECT dateDiff('second', toDateTime64('2020-01-15 10:20:30.9', 3, 'UTC'), toDateTime64('2020-01-15 10:20:31.1', 6, 'UTC')), dateDiff('microsecond', toDateTime64('2020-01-15 10:20:30.123', 3, 'UTC'), toDateTime64('2020-01-15 10:20:31.123456', 6, 'UTC')), dateDiff('millisecond', toDateTime('2020-01-15 10:20:30', 'UTC'), toDateTime('2020-01-15 10:20:31', 'UTC')), dateDiff('month', toDate32('1960-01-01'), toDateTime64('2020-01-01', 3, 'UTC')), age('day', toDateTime64('2020-01-01 12:00:00', 3, 'UTC'), toDateTime64('2020-01-02 11:00:00', 3, 'UTC'));
SELECT toDateTime('2020-01-15 10:20:30', 'UTC') + INTERVAL 5 MILLISECOND AS x, toTypeName(x);
SELECT toDate('2020-01-15') + INTERVAL 5 MILLISECOND; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT formatDateTime(toDateTime64('2020-01-15 10:20:30.123456789', 9, 'UTC'), '%F %T.%f'), formatDateTime(toDateTime64('1950-01-15 10:20:30.12', 2, 'UTC'), '%Y-%m-%d %f');
WITH toDateTime64('2020-01-15 10:20:30.123', 3, 'UTC') AS t SELECT toUnixTimestamp(t), toUnixTimestamp64Second(t), toUnixTimestamp64Milli(t), toUnixTimestamp64Micro(t), toUnixTimestamp64Nano(t), toTypeName(toUnixTimestamp64Milli(t));
SELECT fromUnixTimestamp64Milli(1577836800123, 'UTC') AS a, toTypeName(a), fromUnixTimestamp64Second(1577836800, 'UTC'), fromUnixTimestamp64Micro(1577836800123456, 'UTC'), fromUnixTimestamp64Nano(1577836800123456789, 'UTC'), fromUnixTimestamp64Milli(-1, 'UTC');
SELECT parseDateTime64BestEffort('2020-01-01T00:00:00.5Z', 6, 'UTC'), parseDateTime64BestEffortOrNull('x'), parseDateTime64BestEffortOrZero('x', 3, 'UTC');
WITH toDateTime64('2020-01-15 10:20:30.123', 3, 'UTC') AS t SELECT toTimeZone(t, 'Asia/Tokyo') AS x, toTypeName(x), timezoneOf(x), timezoneOffset(x), toHour(x), toString(t, 'Asia/Tokyo');
SELECT min(t), max(t), avg(t), toTypeName(avg(t)), any(t) = min(t), uniqExact(t), quantile(t) FROM (SELECT toDateTime64('2020-01-01 00:00:00.5', 1, 'UTC') + number AS t FROM numbers(3));
SELECT sum(toDateTime64('2020-01-01 00:00:00.5', 1, 'UTC')); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
-- Storage.
CREATE TABLE moments (t DateTime64(6, 'UTC'), d Date32, z DateTime64(3, 'Asia/Tokyo'), n Nullable(DateTime64(0, 'UTC'))) ENGINE = MergeTree PARTITION BY toYYYYMM(t) ORDER BY (d, t);
INSERT INTO moments VALUES ('2020-01-01 00:00:00.123456', '1950-05-05', '2020-01-01 00:00:00.5', NULL), (1577836800.5, 5, 1577836800, '2020-01-01 00:00:01'), (toDateTime64('2021-01-01', 3, 'UTC'), '2020-01-01', toDateTime64('2021-01-01 00:00:00.75', 3, 'UTC'), 0);
SELECT * FROM moments ORDER BY t;
SELECT * FROM moments ORDER BY d DESC FORMAT JSONEachRow;
SELECT * FROM moments ORDER BY t FORMAT CSV;
SELECT t FROM moments WHERE t >= '2020-01-01 00:00:00.2' ORDER BY t;
SELECT t FROM moments WHERE t = '2020-01-01 00:00:00.5';
SELECT d, max(t) FROM moments GROUP BY d ORDER BY d;
SELECT toStartOfDay(z), count() FROM moments GROUP BY 1 ORDER BY 1;
SELECT toDateTime(z), toDate(z), toDate32(z) FROM moments ORDER BY z;
DROP TABLE moments;

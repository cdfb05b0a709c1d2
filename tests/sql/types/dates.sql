-- { echoOn }
SELECT toDate('2024-02-29'), toDate(0), toDate(19782), toDate('1970-01-01'), toDate('2149-06-06'), toTypeName(toDate(0));
SELECT toDateTime('2024-02-29 12:34:56', 'UTC'), toDateTime(0, 'UTC'), toDateTime(1709210096, 'UTC'), toTypeName(toDateTime(0, 'UTC')), toTypeName(toDateTime(0));
SELECT toYear(d), toQuarter(d), toMonth(d), toDayOfMonth(d), toDayOfWeek(d), toDayOfYear(d), toISOWeek(d), toISOYear(d), toWeek(d), toYearWeek(d) FROM (SELECT toDate('2024-02-29') AS d);
SELECT toHour(t), toMinute(t), toSecond(t), toUnixTimestamp(t), toDate(t) FROM (SELECT toDateTime('2024-02-29 12:34:56', 'UTC') AS t);
SELECT toStartOfYear(d), toStartOfQuarter(d), toStartOfMonth(d), toMonday(d), toStartOfWeek(d), toStartOfISOYear(d), toLastDayOfMonth(d) FROM (SELECT toDate('2024-02-29') AS d);
SELECT toStartOfDay(t), toStartOfHour(t), toStartOfMinute(t), toStartOfFiveMinutes(t), toStartOfTenMinutes(t), toStartOfFifteenMinutes(t) FROM (SELECT toDateTime('2024-02-29 12:34:56', 'UTC') AS t);
SELECT toTypeName(toStartOfMonth(t)), toTypeName(toStartOfHour(t)), toTypeName(toMonday(t)), toTypeName(toStartOfDay(t)), toTypeName(toStartOfDay(toDate(0))) FROM (SELECT toDateTime(0, 'UTC') AS t);
SELECT toStartOfInterval(t, INTERVAL 15 MINUTE), toStartOfInterval(t, INTERVAL 1 DAY), toStartOfInterval(t, INTERVAL 1 MONTH), toStartOfInterval(t, INTERVAL 3 HOUR) FROM (SELECT toDateTime('2024-02-29 12:34:56', 'UTC') AS t);
SELECT toYYYYMM(d), toYYYYMMDD(d), toYYYYMMDDhhmmss(toDateTime('2024-02-29 12:34:56', 'UTC')) FROM (SELECT toDate('2024-02-29') AS d);
SELECT d + 1, d - 1, d + INTERVAL 1 MONTH, d - INTERVAL 1 YEAR, d + INTERVAL 2 WEEK, toTypeName(d + 1), toTypeName(d + INTERVAL 1 DAY) FROM (SELECT toDate('2024-01-31') AS d);
SELECT t + 60, t + INTERVAL 1 HOUR, t - INTERVAL 90 SECOND, t + INTERVAL 1 MONTH, toTypeName(t + 1) FROM (SELECT toDateTime('2024-01-31 23:59:30', 'UTC') AS t);
SELECT toDate('2024-03-01') - toDate('2024-02-01'), toTypeName(toDate('2024-03-01') - toDate('2024-02-01')), toDateTime('2024-01-01 00:01:00', 'UTC') - toDateTime('2024-01-01 00:00:00', 'UTC');
SELECT toDate('2024-01-01') < toDate('2024-01-02'), toDate('2024-01-01') = toDateTime('2024-01-01 00:00:00', 'UTC'), toDate('2024-01-01') >= '2023-12-31';
SELECT addDays(toDate('2024-02-28'), 2), addMonths(toDate('2024-01-31'), 1), addYears(toDate('2024-02-29'), 1), addWeeks(toDate('2024-01-01'), 1), subtractDays(toDate('2024-03-01'), 1), subtractMonths(toDate('2024-03-31'), 1);
SELECT addHours(toDateTime('2024-01-01 23:00:00', 'UTC'), 2), addMinutes(toDateTime('2024-01-01 23:00:00', 'UTC'), 90), addSeconds(toDateTime('2024-01-01 23:00:00', 'UTC'), -1), toTypeName(addHours(toDate('2024-01-01'), 1));
SELECT dateDiff('day', toDate('2024-01-01'), toDate('2024-03-01')), dateDiff('month', toDate('2024-01-31'), toDate('2024-03-01')), dateDiff('year', toDate('2023-12-31'), toDate('2024-01-01')), dateDiff('hour', toDateTime('2024-01-01 00:59:59', 'UTC'), toDateTime('2024-01-01 02:00:00', 'UTC')), dateDiff('week', toDate('2024-01-01'), toDate('2024-01-20'));
SELECT dateTrunc('month', toDate('2024-02-29')), date_trunc('hour', toDateTime('2024-02-29 12:34:56', 'UTC')), toTypeName(dateTrunc('month', toDate('2024-02-29')));
SELECT formatDateTime(toDateTime('2024-02-09 02:03:04', 'UTC'), '%Y-%m-%d %H:%M:%S %y %e %j %u %p %I %%'), formatDateTime(toDate('2024-02-09'), '%d.%m.%Y');
SELECT EXTRACT(YEAR FROM toDate('2024-02-29')), EXTRACT(MONTH FROM toDate('2024-02-29')), extract(DAY FROM toDate('2024-02-29')), EXTRACT(HOUR FROM toDateTime('2024-02-29 12:34:56', 'UTC'));
SELECT toDate('garbage'); -- { serverError CANNOT_PARSE_DATE }
SELECT toDateOrZero('x'), toDateOrNull('x'), toDateTimeOrZero('x', 'UTC'), toDateTimeOrNull('x', 'UTC'), toDateOrNull('2024-05-06');
SELECT today() = toDate(now()), yesterday() = today() - 1, now() >= toDateTime(0), toTypeName(now()), toTypeName(today());
SELECT toUInt16(toDate('2024-01-01')), toInt32(toDateTime('2024-01-01 00:00:00', 'UTC')), toDate(1704067200), toDate('2024-01-01 12:13:14');
SELECT number, toDate('2024-02-27') + number AS d, toDayOfWeek(d), toStartOfMonth(d) FROM numbers(4) ORDER BY number;

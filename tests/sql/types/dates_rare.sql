-- { echoOn }
SELECT toDate('2024-02-30'), toDate('20240115');
SELECT toDateTime('2024-01-01 25:00:00', 'UTC');
SELECT parseDateTimeBestEffort('15 Jan 2024 10:20:30', 'UTC'), parseDateTimeBestEffort('2024-01-15T10:20:30Z', 'UTC'), parseDateTimeBestEffortOrNull('nope');
SELECT makeDate(2024, 2, 29), makeDateTime(2024, 2, 29, 12, 34, 56, 'UTC'), fromUnixTimestamp(0, '%Y-%m-%d') IS NOT NULL;
SELECT monthName(toDate('2024-02-29')), dateName('weekday', toDate('2024-02-29')), toDaysSinceYearZero(toDate('1970-01-01')), toRelativeDayNum(toDate('1970-01-02')), toRelativeMonthNum(toDate('1970-02-01'));
SELECT timeSlot(toDateTime('2024-01-01 12:44:59', 'UTC')), timeSlots(toDateTime('2024-01-01 12:00:00', 'UTC'), toUInt32(1200), 600);
SELECT toDayOfWeek(toDate('2024-09-01')), toDayOfWeek(toDate('2024-09-01'), 2), toStartOfWeek(toDate('2024-09-01'), 1), toWeek(toDate('2024-12-31'), 3);

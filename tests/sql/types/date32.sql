-- Days before 1970 and after 2149.
SELECT toDate32('1925-01-01'), toDate32('2300-01-01'), toTypeName(toDate32('2020-01-01')), toDate32(-1), toInt32(toDate32('1960-01-01'));
SELECT toDate32('x'); -- { serverError CANNOT_PARSE_DATE }
SELECT toDate32OrNull('x'), toDate32(100000), toDate32(1577836800);
SELECT toDate32('2020-01-01')::Date, toDate('2020-01-01')::Date32, toDate32('2020-01-01')::DateTime('UTC'), toDateTime('2020-01-01 12:00:00', 'UTC')::Date32, toDate32('2020-01-01')::UInt16;
SELECT toTypeName([toDate32('2020-01-01'), toDate('2020-01-01')]), toTypeName([toDate32('2020-01-01'), toDateTime('2020-01-01 00:00:00')]), toTypeName([toDate32('2020-01-01'), toDateTime64('2020-01-01', 2)]);
SELECT toDate32('1960-01-15') - toDate32('1960-01-10'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
WITH toDate32('1950-03-04') AS d SELECT toYear(d), toMonth(d), toDayOfMonth(d), toDayOfWeek(d), toDayOfYear(d), toQuarter(d), toYYYYMM(d), toISOWeek(d), formatDateTime(d, '%F');
SELECT toDate32('1960-01-15') - 1, addDays(toDate32('1960-01-15'), 1), addMonths(toDate32('1960-01-31'), 1), addHours(toDate32('1960-01-15'), 1) AS h, toTypeName(h);
SELECT toDate32('1960-01-15') < toDate('1970-01-01'), toDate32('2020-01-01') = '2020-01-01', toDate32('2020-01-01') IN ('2020-01-01', '2020-01-02'), toDate('2020-01-01') IN (toDate32('2020-01-01'));
SELECT date_trunc('year', toDate32('2020-05-05')) AS x, toTypeName(x);

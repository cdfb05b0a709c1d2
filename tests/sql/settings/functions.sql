-- { configs: default }
-- Settings of functions.
SET decimal_check_overflow = 0;
SELECT toDecimal64(900000000000000000, 0) * 100::Decimal(18, 0), 999999999::Decimal(9, 0) * 999999999::Decimal(9, 0) * 999999999::Decimal(9, 0);
SELECT materialize(toDecimal64(900000000000000000, 0)) * 100, materialize(toDecimal64(900000000000000000, 0)) - toDecimal64(1, 10);
SELECT materialize(toDecimal128('99999999999999999999999999999999999999', 0)) * 10::Decimal(38, 0), toDecimal128('99999999999999999999999999999999999999', 0) + 1::Decimal(38, 0);
SELECT materialize(toDecimal64(900000000000000000, 0))::Decimal(18, 5); -- { serverError DECIMAL_OVERFLOW }
SELECT materialize(1::Decimal(9, 0)) / 0::Decimal(9, 0); -- { serverError ILLEGAL_DIVISION }
SET decimal_check_overflow = 1;
SELECT materialize(toDecimal64(900000000000000000, 0)) * 100; -- { serverError DECIMAL_OVERFLOW }

SET enable_extended_results_for_datetime_functions = 1;
SELECT toTypeName(toStartOfYear(toDate32('1960-05-05'))), toStartOfYear(toDate32('1960-05-05')), toStartOfMonth(toDateTime64('1960-05-05 10:11:12.345', 3, 'UTC')), toMonday(toDate32('1960-05-05')), toStartOfWeek(toDate32('2200-05-05')), toStartOfWeek(toDateTime64('1960-05-05 10:11:12.345', 3, 'UTC'), 1);
SELECT toLastDayOfMonth(toDate32('1960-05-05')), toLastDayOfWeek(toDate32('1960-05-05')), toStartOfQuarter(toDate32('1960-05-05')), toStartOfISOYear(toDate32('1960-05-05'));
SELECT toStartOfDay(toDate32('1960-05-05')) AS a, toTypeName(a), toStartOfDay(toDateTime64('1960-05-05 10:11:12.345', 3, 'UTC')) AS b, toTypeName(b);
SELECT toStartOfHour(toDateTime64('1960-05-05 10:11:12.345', 3, 'UTC')) AS a, toTypeName(a), toStartOfMinute(toDateTime64('1960-05-05 10:11:12.345', 3, 'UTC')), toStartOfFiveMinutes(toDateTime64('1960-05-05 10:11:12.345', 3, 'UTC')), toStartOfTenMinutes(toDateTime64('1960-05-05 10:11:12.345', 3, 'UTC')), toStartOfFifteenMinutes(toDateTime64('1960-05-05 10:11:12.345', 3, 'UTC')), timeSlot(toDateTime64('1960-05-05 10:11:12.345', 3, 'UTC'));
SELECT toStartOfYear(toDate('2020-05-05')) AS a, toTypeName(a), toStartOfHour(toDateTime('2020-05-05 10:11:12', 'UTC')) AS b, toTypeName(b);
SELECT toStartOfHour(toDateTime64('2200-05-05 10:11:12.345', 6, 'Asia/Kolkata')), toStartOfDay(toDateTime64('1960-05-05 10:11:12.345', 6, 'Europe/Berlin'));
SELECT toStartOfInterval(toDate32('1960-05-05'), INTERVAL 1 YEAR) AS a, toTypeName(a), toStartOfMonth(materialize(toDate32('2299-05-05')));
SELECT date_trunc('month', toDate32('1960-05-05')) AS a, toTypeName(a), date_trunc('hour', toDateTime64('1960-05-05 10:11:12.345', 3, 'UTC')) AS b, toTypeName(b);
SET enable_extended_results_for_datetime_functions = 0;

SELECT formatDateTime(toDateTime('2020-02-03 04:05:06', 'UTC'), '%M %m %e %c %l %k %h %i') SETTINGS formatdatetime_parsedatetime_m_is_month_name = 0;
SELECT formatDateTime(toDateTime('2020-02-03 04:05:06', 'UTC'), '%M %m|%e|%c|%l|%k|%h|%i|%H|%I|%d|%j|%G') SETTINGS formatdatetime_format_without_leading_zeros = 1;
SELECT formatDateTime(toDateTime('2020-12-13 14:15:16', 'UTC'), '%M %m|%e|%c|%l|%k|%h|%i|%H|%I|%d|%j|%G') SETTINGS formatdatetime_format_without_leading_zeros = 1;
SELECT formatDateTime(toDateTime('2020-02-03 04:05:06', 'UTC'), '%f'), formatDateTime(toDateTime64('2020-02-03 04:05:06.100', 3, 'UTC'), '%f'), formatDateTime(toDateTime64('2020-02-03 04:05:06.000', 3, 'UTC'), '%f'), formatDateTime(toDate('2020-02-03'), '%f') SETTINGS formatdatetime_f_prints_single_zero = 1;
SELECT formatDateTime(toDateTime('2020-02-03 04:05:06', 'UTC'), '%f'), formatDateTime(toDateTime64('2020-02-03 04:05:06.100', 3, 'UTC'), '%f'), formatDateTime(toDateTime64('2020-02-03 04:05:06.1', 0, 'UTC'), '%f'), formatDateTime(toDateTime64('2020-02-03 04:05:06.123456789', 9, 'UTC'), '%f') SETTINGS formatdatetime_f_prints_scale_number_of_digits = 1;

-- Means of dates and times, greatest and least of values with NULL inside, states over no rows.
SELECT avg(d), toTypeName(avg(d)) FROM (SELECT toDate('2020-01-01') + number d FROM numbers(4));
SELECT avg(arrayJoin([toDateTime(0, 'UTC'), toDateTime(1, 'UTC')])), avg(arrayJoin([toDateTime(2, 'UTC'), toDateTime(3, 'UTC')]));
SELECT avg(arrayJoin([toDate('1970-01-01'), toDate('1970-01-01'), toDate('1970-01-02')]));
SELECT avg(arrayJoin([toDate('1970-01-01'), toDate('1970-01-02'), toDate('1970-01-02')]));
SELECT avg(arrayJoin([toDate32('1969-12-30'), toDate32('1969-12-31')])), avg(arrayJoin([toDate32('1970-01-02'), toDate32('1970-01-03')]));
SELECT avg(arrayJoin([toDate32('1969-12-31'), toDate32('1970-01-01')]));
SELECT avg(toDate32('2020-01-01')), toTypeName(avg(toDate32('2020-01-01'))), avg(toDateTime64('2020-01-01 00:00:00.5', 3, 'UTC'));
SELECT avg(arrayJoin([toDateTime64(0.001, 3, 'UTC'), toDateTime64(0.002, 3, 'UTC')])), avg(arrayJoin([toDateTime64(-0.001, 3, 'UTC'), toDateTime64(-0.002, 3, 'UTC')]));
SELECT avg(arrayJoin([toDateTime64('2262-04-11 23:47:16.854775807', 9, 'UTC'), toDateTime64('2262-04-11 23:47:16.854775807', 9, 'UTC')]));
SELECT avg(arrayJoin([toDateTime64('2020-04-11 23:47:16.123456789', 9, 'UTC'), toDateTime64('2020-04-11 23:47:16.123456788', 9, 'UTC')]));
SELECT avg(arrayJoin([toDate('1970-01-02'), NULL])), toTypeName(avg(arrayJoin([toDate('1970-01-02'), NULL])));
SELECT avg(d) FROM (SELECT toDate('1970-01-02') d) WHERE 0;
SELECT toTypeName(avgState(toDate('1970-01-02'))), finalizeAggregation(avgState(toDate('1970-01-05')));
SELECT hex(avgState(toDate('1970-01-05'))), hex(avgState(toDate32('1970-01-05'))), hex(avgState(toDateTime64(5, 3, 'UTC')));
SELECT avgMerge(s), toTypeName(avgMerge(s)) FROM (SELECT avgState(d) s FROM (SELECT toDate('1970-01-05') + number d FROM numbers(3)));
SELECT avg(d) OVER () FROM (SELECT toDate('1970-01-02') d);
SELECT avg(toIntervalDay(1)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }

SELECT max(t), min(t) FROM (SELECT arrayJoin([(1, NULL), (1, 3), (1, 2)]) t);
SELECT max(t), min(t) FROM (SELECT arrayJoin([(1, NULL, 5), (1, NULL, 7)]) t);
SELECT max(t), min(t) FROM (SELECT arrayJoin([(nan, 1), (1., 2)]) t);
SELECT max(a), min(a) FROM (SELECT arrayJoin([[1, NULL], [1, 2], [1]]) a);
SELECT max((1, x)), min((1, x)) FROM (SELECT CAST(NULL, 'Nullable(UInt8)') x);
SELECT max(m) FROM (SELECT arrayJoin([map(1, NULL), map(1, 3)]) m);
SELECT argMax(toString(t), t), argMin(toString(t), t) FROM (SELECT arrayJoin([(1, NULL), (1, 3), (1, 2)]) t);
SELECT max(t) OVER () FROM (SELECT arrayJoin([(1, NULL), (1, 3)]) t);
SELECT t FROM (SELECT arrayJoin([(1, NULL), (1, 3), (1, 2)]) t) ORDER BY t;
SELECT t FROM (SELECT arrayJoin([(1, NULL), (1, 3), (1, 2)]) t) ORDER BY t DESC;
SELECT t FROM (SELECT arrayJoin([(1, NULL), (1, 3), (1, 2)]) t) ORDER BY t DESC LIMIT 2;
SELECT arraySort([(1, NULL), (1, 3), (1, 2)]), arrayReverseSort([(1, NULL), (1, 3), (1, 2)]);

-- Whether there were any rows is part of the state.
SELECT sumOrNullMerge(s), avgOrNullMerge(a) FROM (SELECT sumOrNullState(number) s, avgOrNullState(number) a FROM numbers(0));
SELECT sumOrDefaultMerge(s), avgOrDefaultMerge(a) FROM (SELECT sumOrDefaultState(number) s, avgOrDefaultState(number) a FROM numbers(0));
SELECT sumOrNullMerge(s) FROM (SELECT sumOrNullState(number) s FROM numbers(0) UNION ALL SELECT sumOrNullState(number) s FROM numbers(3));
SELECT finalizeAggregation(sumOrNullState(number)), finalizeAggregation(avgOrDefaultState(number)) FROM numbers(0);
SELECT sumMergeOrNull(s) FROM (SELECT sumOrNullState(number) s FROM numbers(0));
SELECT sumMergeOrNull(s) FROM (SELECT sumState(number) s FROM numbers(0)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT sumMerge(s), toTypeName(sumMerge(s)) FROM (SELECT sumState(number) s FROM numbers(0)) SETTINGS aggregate_functions_null_for_empty = 1;
SELECT sumMerge(s), toTypeName(s) FROM (SELECT sumState(number) s FROM numbers(3)) GROUP BY s SETTINGS aggregate_functions_null_for_empty = 1;
SELECT x % 2 k, sumIf(x, x > 1), maxIf(x, x > 100) FROM (SELECT number x FROM numbers(4)) GROUP BY k ORDER BY k SETTINGS aggregate_functions_null_for_empty = 1;

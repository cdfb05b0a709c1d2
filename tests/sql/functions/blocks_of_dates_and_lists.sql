-- { largeBlocks }
-- Loops over blocks of rows: dates of zones around changes of the clock, texts of a fixed length,
-- lists that are moved in blocks. Sums of hashes stand for the rows.
SELECT 'zones';
SELECT sum(cityHash64(number, toStartOfDay(t), toMonday(t), toStartOfWeek(t), toLastDayOfWeek(t, 1), toMinute(t), toMonth(t), toHour(t), toDate(t), timeSlot(t)))
FROM (SELECT number, toDateTime(90000 + number * 35790, 'Europe/Paris') AS t FROM numbers(120000));
SELECT sum(cityHash64(number, toStartOfDay(t), toMonday(t), toMinute(t), toMonth(t), toHour(t), toStartOfInterval(t, INTERVAL 1 DAY), toStartOfInterval(t, INTERVAL 3 DAY)))
FROM (SELECT number, toDateTime(90000 + number * 35790, 'America/New_York') AS t FROM numbers(120000));
SELECT sum(cityHash64(number, toStartOfDay(t), toStartOfWeek(t), toMinute(t), toMonth(t)))
FROM (SELECT number, toDateTime(1616893200 + number * 7 % 90000, 'Europe/Paris') AS t FROM numbers(9000));
SELECT sum(cityHash64(number, toStartOfDay(t), toStartOfWeek(t), toMinute(t), toMonth(t), toStartOfDay(u), toMinute(u)))
FROM (SELECT number, toDateTime(number * 61, 'America/Sao_Paulo') AS t, toDateTime(1541400000 + number * 61, 'America/Sao_Paulo') AS u FROM numbers(30000));
SELECT sum(cityHash64(number, toStartOfDay(t), toMonday(t), toMinute(t), toMonth(t), toStartOfDay(u), toMonth(u)))
FROM (SELECT number, toDateTime(90000 + number * 61, 'Asia/Tokyo') AS t, toDateTime(4294960000 + number % 7000, 'Asia/Tokyo') AS u FROM numbers(30000));
SELECT toStartOfDay(toDateTime(s, 'Pacific/Apia')) FROM (SELECT arrayJoin([1325200000, 1325289600, 1679800000, 1682600000, 1682700000]) AS s) ORDER BY s;
SELECT 'intervals';
SELECT sum(cityHash64(number, toStartOfInterval(t, INTERVAL 1 MONTH), toStartOfInterval(t, INTERVAL 1 QUARTER), toStartOfInterval(t, INTERVAL 1 YEAR), toStartOfInterval(t, INTERVAL 1 WEEK), toStartOfInterval(t, INTERVAL 5 MONTH)))
FROM (SELECT number, toDateTime(number * 429491, 'UTC') AS t FROM numbers(10000));
SELECT sum(cityHash64(number, toStartOfInterval(d, INTERVAL 1 MONTH), toStartOfInterval(d, INTERVAL 1 QUARTER), toStartOfInterval(d, INTERVAL 1 YEAR), toMonday(d), toStartOfWeek(d)))
FROM (SELECT number, toDate(number) AS d FROM numbers(65536));
SELECT d, toStartOfInterval(d, INTERVAL 1 MONTH), toMonday(d) FROM (SELECT arrayJoin([toDate32('1970-01-01'), toDate32('1975-05-31'), toDate32('2148-12-31')]) AS d) ORDER BY d;
SELECT sum(cityHash64(number, toStartOfMillisecond(t), toStartOfMicrosecond(t), toStartOfSecond(t), toStartOfMillisecond(u), toStartOfInterval(u, INTERVAL 7 MILLISECOND)))
FROM (SELECT number, toDateTime64('1969-12-31 23:59:59.5', 3, 'UTC') + toIntervalMillisecond(number) AS t, toDateTime64('1969-12-31 23:59:59.5', 6, 'UTC') + toIntervalMicrosecond(number * 77) AS u FROM numbers(10000));
SELECT sum(cityHash64(number, subtractYears(t, number % 40), addYears(t, number % 9), addMonths(t, number % 50), subtractMonths(t, number % 77), addQuarters(t, number % 5)))
FROM (SELECT number, toDateTime('2020-02-28 10:00:00', 'UTC') + number * 3600 AS t FROM numbers(10000));
SELECT 'texts';
SELECT sum(cityHash64(formatDateTime(t, '%j %T'), formatDateTime(t, '%d/%m/%y %H:%i:%S'), formatDateTime(t, '%Y-%m-%d'), formatDateTime(t, '%D %F %R'), formatDateTime(t, '%C%%%u%w%Q'), formatDateTime(t, '%I:%i')))
FROM (SELECT toDateTime(number * 42949, 'Europe/Paris') AS t FROM numbers(100000));
SELECT formatDateTime(arrayJoin([toDate('2020-02-29'), toDate('1970-01-01'), toDate('2149-06-06')]), '%d.%m.%Y %j %T %u%w%Q %I') AS x ORDER BY x;
SELECT formatDateTime(arrayJoin([toDateTime64('1955-03-04 01:02:03.5', 3, 'UTC'), toDateTime64('2199-03-04 13:02:03.5', 3, 'UTC')]), '%d.%m.%Y %j %T %I%C%y') AS x ORDER BY x;
SELECT 'transform';
SELECT transform(s, ['1', '', '7777777', '3', '1'], ['one', 'empty', 'seven', NULL, 'never'], 'other') AS x, count() FROM (SELECT arrayJoin(['1', '', '7777777', '77777777', '3', '12', '1\0']) AS s) GROUP BY x ORDER BY x;
SELECT transform(s, ['1', '', '77777777', 'a longer string'], [1, 2, 3, 4], 0) AS x, transform(s, ['1', '77777777'], ['x', 'y']) AS y FROM (SELECT arrayJoin(['1', '', '7777777', '77777777', 'a longer string']) AS s) ORDER BY x, y;
SELECT sum(cityHash64(number, transform(number % 20, [1, 3, 5, 7], [10, 30, 50, 70], 0), transform(toUInt32(number), range(1, 20), range(101, 120), number), transform(toInt8(number % 250 - 125), [-5, 3], [1, 2], 7), transform(number % 3, [0, 1], ['a', 'b'], 'c')))
FROM numbers(1000);
SELECT transform(n, [1, NULL, 2], ['one', 'none', 'two'], 'other') FROM (SELECT arrayJoin([1, 2, 3, NULL]) AS n) ORDER BY n;
SELECT 'lists';
SELECT sum(cityHash64(arrayReverse(range(n)), arrayReverse(arrayMap(x -> toString(x), range(n))), range(n % 50), range(n % 7, n), range(n, n % 11, -3), range(toInt16(n) - 50, toInt16(n), 1 + n % 4))) FROM (SELECT number % 70 AS n FROM numbers(1000));
SELECT range(toUInt8(200), toUInt8(255), toUInt8(20)), range(-5, 5, 3), range(18446744073709551610, 18446744073709551615), range(0), arrayReverse(emptyArrayString());
SELECT sum(cityHash64(arraySlice(a, 2, 5), arraySlice(a, -3), arraySlice(a, 1, -2), arrayPopFront(a), arrayPopBack(a), arraySlice(s, 2, 5), arrayPopBack(s), arraySlice(arrayZip(a, s), 2, 20)))
FROM (SELECT range(number % 60) AS a, arrayMap(x -> repeat('x', x % 5), a) AS s FROM numbers(500));
SELECT sum(cityHash64([number, number + 1], [number, 1, 2], [1, 2, 3, number], [toString(number), 'a'], arrayZip([number, 1], ['a', 'bc']), [number, 1, 2, 3, 4, number], arrayPopFront([number, 1, 2]))) FROM numbers(1000);
SELECT arrayZip([number, 1], ['', 'bc']), arrayZip(['a'], [number]), [number, NULL], [] FROM numbers(2) ORDER BY number;
SELECT sum(has([1, 5, 77, 99, 1000], number)), sum(has([1.5, 2, nan], number)), sum(has([-1, 3], number)), sum(has(range(100), number)), sum(has([NULL, 2], number)), has([nan], nan) FROM numbers(1000) GROUP BY ALL;
SELECT sum(hasAll(a, [1, 2, 3])), sum(hasAny(a, [1, 70])), sum(hasAll(a, [])), sum(hasAll(a, [1, 300])), sum(hasAny(a, [-1, 5])) FROM (SELECT range(number % 150) AS a FROM numbers(1000));
SELECT sum(cityHash64(arraySplit(x -> x % 3 = 0, a), arrayReverseSplit(x -> x % 3 = 0, a), arrayCompact(x -> intDiv(x, 4), a), arrayCompact(arrayMap(x -> toString(intDiv(x, 3)), a)), arrayCount(x -> x % 3 = 0, a), arrayFilter(x -> x % 3 = 1, a), arrayEnumerate(a)))
FROM (SELECT range(number % 150) AS a FROM numbers(1000));
SELECT sum(cityHash64(arrayFirst(x -> x > 65, a), arrayLast(x -> x < 66, a), arrayFirstIndex(x -> x % 100 = 99, a), arrayLastIndex(x -> x % 100 = 3, a), arrayExists(x -> x = 70, a), arrayAll(x -> x < 70, a)))
FROM (SELECT range(number % 150) AS a FROM numbers(1000));
SELECT arraySplit(x -> 1, emptyArrayUInt8()), arrayReverseSplit(x -> x, [1, 0, 1]), arrayCompact([1, 1, 2]), arrayCompact(emptyArrayUInt8());

-- { echoOn }
SELECT concat('a', 'b', 'c'), concat('a', 1, 2.5), concat('x', toDate('2024-01-01')), 'a' || 'b', concatWithSeparator(',', 'a', 'b'), concat('only');
SELECT substring('hello', 2, 3), substring('hello', 2), substring('hello', -3), substring('hello', -3, 2), substr('hello', 10), mid('hello', 1, 2), substring('hello', 0), substring('hello', 2, 0);
SELECT substringUTF8('äöü', 2, 1), substring('äöü', 1, 2), left('hello', 2), right('hello', 2), left('hello', -1), right('hello', -1);
SELECT replaceOne('aaa', 'a', 'b'), replaceAll('aaa', 'a', 'b'), replace('hello', 'l', 'LL'), replaceAll('abc', '', 'x'), replaceRegexpOne('hello', 'l+', 'L'), replaceRegexpAll('hello world', 'o', '0'), replaceRegexpAll('abc', '(b)', '[\\1]'), replaceRegexpAll('a1b22', '\\d+', '#');
SELECT like('abc', 'a_c'), notLike('abc', 'a%'), ilike('ABC', 'a%'), like('a\nb', 'a_b'), like('', '%'), like('abc', ''), like('äb', '_b');
SELECT match('hello123', '\\d+'), match('hello', '^h.*o$'), match('abc', 'B'), match('abc', '(?i)B'), extract('key=value', '=(.*)'), extract('abc', 'z'), extractAll('a1b22c333', '\\d+'), match('a.b', 'a\\.b');
SELECT hex('abc'), hex(255), hex(toUInt16(1)), unhex('616263'), hex(''), lower(hex('\xff\x00')), bin(5), base64Encode('hello'), base64Decode('aGVsbG8='), hex(toInt8(-1));
SELECT greatest('a', 'b'), least('abc', 'abd'), 'abc' < 'abd', max(s), min(s) FROM (SELECT arrayJoin(['b', 'a', 'c']) AS s);
SELECT s, upper(s), length(s), substring(s, 2), position(s, 'l'), s LIKE '%l%', s || '!' FROM (SELECT arrayJoin(['hello', '', 'x', 'ünï', 'all']) AS s) ORDER BY s;
SELECT s FROM (SELECT arrayJoin(['b', 'a', 'B', 'ä', '', 'aa']) AS s) ORDER BY s;
SELECT substring(s, n, 2), repeat(s, n), left(s, n) FROM (SELECT arrayJoin(['hello', 'ab', '']) AS s, arrayJoin([1, 2]) AS n) ORDER BY s, n;
SELECT position(s, p), startsWith(s, p), replaceAll(s, p, '_') FROM (SELECT arrayJoin([('hello', 'l'), ('abc', 'c'), ('', 'a')]) AS t, t.1 AS s, t.2 AS p) ORDER BY s;
SELECT length(repeat('x', 1000)), length(concat(repeat('a', 100), repeat('b', 200)));
SELECT substring('a', 'b'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT length(1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT upper(1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT concat();
SELECT match('a', '('); -- { serverError CANNOT_COMPILE_REGEXP }
SELECT replaceRegexpAll('a', '[', ''); -- { serverError BAD_ARGUMENTS }
SELECT repeat('x', 10000000000); -- { serverError TOO_LARGE_STRING_SIZE }

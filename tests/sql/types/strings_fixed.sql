-- { echoOn }
SELECT toFixedString('abc', 5), length(toFixedString('abc', 5)), hex(toFixedString('abc', 5)), toTypeName(toFixedString('abc', 5));
SELECT toFixedString('abcdef', 3); -- { serverError TOO_LARGE_STRING_SIZE }
SELECT toFixedString('abc', 3) = 'abc', toFixedString('abc', 5) = 'abc', toFixedString('ab', 3) < toFixedString('abc', 3);
SELECT concat(toFixedString('ab', 2), 'c'), toTypeName(concat(toFixedString('ab', 2), 'c')), upper(toFixedString('abc', 3)), substring(toFixedString('hello', 5), 2, 3);
SELECT toString(toFixedString('abc', 5)), length(toString(toFixedString('abc', 5))), toStringCutToZero(toFixedString('abc', 5));
SELECT CAST('ab' AS FixedString(4)) IN ('ab', 'cd'), empty(toFixedString('', 2)), notEmpty(toFixedString('a', 2)), reverse(toFixedString('abc', 3));
CREATE TABLE fs (k UInt8, f FixedString(4)) ENGINE = Memory;
INSERT INTO fs VALUES (1, 'abcd'), (2, 'xy'), (3, ''), (4, 'xy');
SELECT k, f, length(f) FROM fs ORDER BY k;
SELECT hex(f), count() FROM fs GROUP BY f ORDER BY f;
SELECT k FROM fs WHERE f = 'xy' ORDER BY k;
SELECT k FROM fs WHERE f = 'xy\0\0' ORDER BY k;
SELECT min(f), max(f), uniqExact(f), any(f) = 'abcd' OR 1 FROM fs;
SELECT arraySort(groupArray(f)) FROM fs;
INSERT INTO fs VALUES (5, 'toolong'); -- { serverError TOO_LARGE_STRING_SIZE }
SELECT count() FROM fs;
SELECT toTypeName(if(k = 1, f, toFixedString('zzzz', 4))), toTypeName(if(k = 1, f, 'longer text')) FROM fs WHERE k = 1;
SELECT CREATE; -- { serverError UNKNOWN_IDENTIFIER }

-- { echoOn }
SELECT 1, -1, 255, 256, 65535, 65536, 4294967295, 4294967296, 18446744073709551615;
SELECT toTypeName(1), toTypeName(-1), toTypeName(255), toTypeName(256), toTypeName(-129);
SELECT toTypeName(65536), toTypeName(4294967296), toTypeName(-2147483649), toTypeName(18446744073709551615);
SELECT toTypeName(18446744073709551616);
SELECT toTypeName(-9223372036854775808), -9223372036854775808;
SELECT 0x10, 0xFF, 0b101, toTypeName(0xFFFF);
SELECT 1.5, -0.25, 1e3, 1.0, 1e100, 0.1 + 0.2, toTypeName(1.5), toTypeName(1e3);
SELECT inf, -inf, nan, toTypeName(inf);
SELECT 1_000_000;
SELECT 'abc', 'it''s', 'it\'s', 'tab\tnew\nline\\', '\x41\x42', 'ünïcödé', '';
SELECT toTypeName('abc'), length('ünïcödé');
SELECT NULL, toTypeName(NULL), isNull(NULL);
SELECT true, false, toTypeName(true), true + 1;
SELECT [1, 2, 3], [], ['a', 'b'], toTypeName([1, 2]), toTypeName([]), toTypeName(['a']);
SELECT [1, -1], toTypeName([1, -1]), [1, 256], toTypeName([1, 256]), toTypeName([1, 1.5]);
SELECT [1, NULL], toTypeName([1, NULL]), [[1], [2, 3]], toTypeName([[1], []]);
SELECT (1, 'a'), toTypeName((1, 'a')), tuple(1), toTypeName(tuple(1)), (1, (2, 'x'));
SELECT toTypeName((NULL, 1)), toTypeName([(1, 'a')]);
SELECT DATE '2024-02-29', toTypeName(DATE '2024-02-29');
SELECT 1 AS `odd name`, 2 AS "another one", `odd name` + "another one";
SELECT 'a' 'b'; -- { serverError SYNTAX_ERROR }
SELECT 1 /* inline */ + /* another */ 2 -- trailing
, 3;

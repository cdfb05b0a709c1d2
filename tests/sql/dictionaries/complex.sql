-- Keys of several columns, and ranges.
CREATE TABLE src (a UInt64, b String, c Date, d Nullable(String), i Int16, v String) ENGINE = Memory;
INSERT INTO src VALUES (1, 'x', '2020-01-01', NULL, -1, 'v1'), (2, 'y', '2020-01-02', 'q', -2, 'v2'), (2, 'z', '2020-01-03', 'q', 3, 'v3');
CREATE DICTIONARY two (a UInt64, b String, v String DEFAULT '?') PRIMARY KEY a, b SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0);
SELECT dictGet('two', 'v', (2, 'y')), dictGet('two', 'v', (1, 'x')), dictHas('two', (2, 'z')), dictHas('two', (1, 'y')), dictGet('two', 'v', (3, ''));
SELECT number, dictGet('two', 'v', (number, 'y')), dictGet('two', 'v', (number, if(number = 1, 'x', 'z'))) FROM numbers(4) ORDER BY number;
SELECT a, b, dictGet('two', 'v', (a, b)), dictGetOrDefault('two', 'v', (a + 1, b), b || '!'), dictGetOrNull('two', 'v', (a, v)) FROM src ORDER BY a, b;
SELECT dictGet('two', 'v', (toNullable(2), 'y')), dictGet('two', 'v', ('2', 'y')), dictGet('two', 'v', (toInt8(2), toFixedString('y', 1)));
SELECT dictGet('two', ('v', 'v2'), (1, 'x')); -- { serverError BAD_ARGUMENTS }
SELECT dictGet('two', 'v', 2); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT dictGet('two', 'v', (2, 'y', 1)); -- { serverError TYPE_MISMATCH }
SELECT dictGet('two', 'v', tuple(2)); -- { serverError TYPE_MISMATCH }
SELECT dictGet('two', 'v', (-2, 'y')); -- { serverError CANNOT_CONVERT_TYPE }
SELECT dictGet('two', 'v', (NULL, 'y')); -- { serverError CANNOT_CONVERT_TYPE }
SELECT dictHas('two', 2); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT dictGetKeys('two', 'v', 'v2'), toTypeName(dictGetKeys('two', 'v', 'v2'));
SELECT dictGetHierarchy('two', (2, 'y')); -- { serverError UNSUPPORTED_METHOD }
SELECT * FROM two ORDER BY ALL;
CREATE DICTIONARY one (b String, v String) PRIMARY KEY b SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0);
SELECT dictGet('one', 'v', 'x'), dictGet('one', 'v', tuple('y')), dictGet('one', 'v', 5), dictHas('one', 'z');
SELECT dictGet('one', 'v', b) FROM src ORDER BY b;
CREATE DICTIONARY packed (a UInt64, c Date, i Int16, v String) PRIMARY KEY a, c, i SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(COMPLEX_KEY_HASHED_ARRAY()) LIFETIME(0);
SELECT dictGet('packed', 'v', (a, c, i)), dictHas('packed', (a, c, i + 1)) FROM src ORDER BY a, c;
SELECT dictGet('packed', 'v', (1, toDate('2020-01-01'), -1)), dictGet('packed', 'v', (2, '2020-01-03', 3));
CREATE DICTIONARY small (i Int16, v String) PRIMARY KEY i SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(COMPLEX_KEY_HASHED()) LIFETIME(0);
SELECT dictGet('small', 'v', -1), dictGet('small', 'v', tuple(-2)), dictHas('small', 3), dictHas('small', 4);
SELECT dictGet('small', 'v', 100000); -- { serverError CANNOT_CONVERT_TYPE }
CREATE DICTIONARY cached (a UInt64, b String, v String) PRIMARY KEY a, b SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(COMPLEX_KEY_CACHE(SIZE_IN_CELLS 10)) LIFETIME(1000);
SELECT a, b, dictGet('cached', 'v', (a, b)), dictHas('cached', (a, 'q')) FROM src ORDER BY a, b;
CREATE DICTIONARY direct (a UInt64, b String, v String) PRIMARY KEY a, b SOURCE(CLICKHOUSE(TABLE 'src')) LAYOUT(COMPLEX_KEY_DIRECT());
SELECT a, b, dictGet('direct', 'v', (a, b)), dictHas('direct', (a, 'q')) FROM src ORDER BY a, b;
SELECT dictGet('direct', 'v', (2, 'it\'s \\ odd'));
-- Ranges
CREATE TABLE periods (id UInt64, s Date, e Date, v String, x Int32) ENGINE = Memory;
INSERT INTO periods VALUES (1, '2020-01-01', '2020-12-31', 'year', 1), (1, '2020-06-01', '2020-06-30', 'june', 2), (2, '2021-01-01', '2021-01-31', 'jan', 3), (2, '2021-03-01', '2021-03-31', 'mar', 4);
CREATE DICTIONARY pmax (id UInt64, s Date, e Date, v String DEFAULT '?', x Int32) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'periods')) LAYOUT(RANGE_HASHED(RANGE_LOOKUP_STRATEGY 'max')) RANGE(MIN s MAX e) LIFETIME(0);
CREATE DICTIONARY pmin (id UInt64, s Date, e Date, v String DEFAULT '?', x Int32) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'periods')) LAYOUT(RANGE_HASHED()) RANGE(MIN s MAX e) LIFETIME(0);
SELECT day, dictGet('pmax', 'v', 1, day), dictGet('pmin', 'v', 1, day), dictGet('pmin', 'v', 2, day), dictHas('pmax', 1, day), dictHas('pmin', 2, day), dictHas('pmin', 7, day) FROM (SELECT arrayJoin(['2019-12-31', '2020-01-01', '2020-06-01', '2020-06-15', '2020-06-30', '2020-12-31', '2021-01-01', '2021-02-01', '2021-03-31', '2022-01-01'])::Date AS day) ORDER BY day;
SELECT dictGet('pmin', ('v', 'x'), 1, toDate('2020-02-02')), dictGetOrDefault('pmin', 'v', 1, toDate('2019-02-02'), 'none'), dictGetOrNull('pmin', 'v', 1, toDate('2019-02-02')), dictGetOrDefault('pmin', ('v', 'x'), 1, toDate('2019-02-02'), ('none', 8));
SELECT dictGet('pmin', 'v', 1, toDateTime('2020-06-15 00:00:00'));
SELECT * FROM pmin ORDER BY ALL;
SELECT v, x, s FROM pmax WHERE id = 2 ORDER BY s;
SELECT dictGet('pmin', 'v', 1); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT dictGet('pmin', 'v', 1, '2020-06-15'); -- { serverError ILLEGAL_COLUMN }
SELECT dictGet('pmin', 's', 1, toDate('2020-06-15')); -- { serverError BAD_ARGUMENTS }
SELECT dictGetOrDefault('pmin', 'v', 1, toDate('2020-06-15')); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT dictHas('pmin', 1); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT dictGetHierarchy('pmin', 1); -- { serverError UNSUPPORTED_METHOD }
CREATE DICTIONARY pcomplex (v String, s Date, e Date, x Int32 DEFAULT -1) PRIMARY KEY v SOURCE(CLICKHOUSE(TABLE 'periods')) LAYOUT(COMPLEX_KEY_RANGE_HASHED()) RANGE(MIN s MAX e) LIFETIME(0);
SELECT dictGet('pcomplex', 'x', 'year', toDate('2020-05-05')), dictGet('pcomplex', 'x', tuple('june'), toDate('2020-06-05')), dictGet('pcomplex', 'x', 'june', toDate('2020-05-05'));
CREATE DICTIONARY pnumber (id UInt64, lo Int64, hi Int64, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT 1 AS id, -10 AS lo, -5 AS hi, \'neg\' AS v UNION ALL SELECT 1, 0, 10, \'pos\'')) LAYOUT(RANGE_HASHED()) RANGE(MIN lo MAX hi) LIFETIME(0);
SELECT number, dictGet('pnumber', 'v', 1, toInt64(number) - 11) FROM numbers(24) ORDER BY number;
CREATE DICTIONARY pnorange (id UInt64, s Date, e Date, v String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'periods')) LAYOUT(RANGE_HASHED()) LIFETIME(0);

-- Ranges whose bounds are NULL.
CREATE TABLE s (id UInt64, a Nullable(Date), b Nullable(Date), v String) ENGINE = Memory;
INSERT INTO s VALUES (1, NULL, '2020-01-10', 'old'), (1, '2020-01-11', NULL, 'new'), (2, NULL, NULL, 'all'), (3, '2020-01-01', '2020-01-31', 'long'), (3, '2020-01-10', '2020-01-20', 'short');
CREATE DICTIONARY d (id UInt64, a Date, b Date, v String DEFAULT '-') PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE s)) LAYOUT(RANGE_HASHED()) RANGE(MIN a MAX b) LIFETIME(0);
SELECT dictGet('d', 'v', 1, toDate('1980-01-01')), dictGet('d', 'v', 1, toDate('2020-01-11')), dictGet('d', 'v', 2, toDate('2100-01-01')), dictGet('d', 'v', 3, toDate('2020-01-15')), dictGet('d', 'v', 3, toDate('2021-01-15'));
SELECT * FROM d ORDER BY id, v;
SELECT dictHas('d', 1, toDate('1970-01-01')), dictHas('d', 4, toDate('1970-01-01')), dictHas('d', 3, toDate('2019-12-31'));
SELECT dictGetOrDefault('d', 'v', 9, toDate('2020-01-11'), 'other'), dictGetOrNull('d', 'v', 9, toDate('2020-01-11'));
-- without open ends, such rows do not count
CREATE DICTIONARY closed (id UInt64, a Date, b Date, v String DEFAULT '-') PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE s)) LAYOUT(RANGE_HASHED(CONVERT_NULL_RANGE_BOUND_TO_OPEN 0)) RANGE(MIN a MAX b) LIFETIME(0);
SELECT dictGet('closed', 'v', 1, toDate('1980-01-01')), dictGet('closed', 'v', 2, toDate('2100-01-01')), dictGet('closed', 'v', 3, toDate('2020-01-15'));
SELECT * FROM closed ORDER BY id, v;
-- Nullable attributes, the range with the greatest beginning
CREATE DICTIONARY latest (id UInt64, a Nullable(Date), b Nullable(Date), v String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE s)) LAYOUT(RANGE_HASHED(RANGE_LOOKUP_STRATEGY 'max' CONVERT_NULL_RANGE_BOUND_TO_OPEN 1)) RANGE(MIN a MAX b) LIFETIME(0);
SELECT dictGet('latest', 'v', 1, toDate('1980-01-01')), dictGet('latest', 'v', 3, toDate('2020-01-15')), dictGet('latest', 'v', 3, toDate('2020-01-25'));
SELECT * FROM latest ORDER BY id, v;
SHOW CREATE DICTIONARY latest;
-- several keys, numbers as bounds
CREATE TABLE n (k String, l UInt8, a Nullable(Int64), b Nullable(Int64), v UInt32) ENGINE = Memory;
INSERT INTO n VALUES ('x', 1, NULL, -5, 10), ('x', 1, -4, 4, 20), ('x', 1, 5, NULL, 30), ('y', 2, NULL, NULL, 40);
CREATE DICTIONARY c (k String, l UInt8, a Int64, b Int64, v UInt32) PRIMARY KEY k, l SOURCE(CLICKHOUSE(TABLE n)) LAYOUT(COMPLEX_KEY_RANGE_HASHED()) RANGE(MIN a MAX b) LIFETIME(0);
SELECT arrayMap(x -> dictGet('c', 'v', ('x', 1), x), [-1000, -5, -4, 0, 5, 1000]), dictGet('c', 'v', ('y', 2), 7), dictGet('c', 'v', ('z', 2), 7);
SELECT * FROM c ORDER BY ALL;
-- bounds of texts are refused
SELECT dictGet('d', 'v', 1, '2020-01-11'); -- { serverError ILLEGAL_COLUMN }

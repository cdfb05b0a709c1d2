-- The values of one key of a map.
DROP TABLE IF EXISTS k;
CREATE TABLE k (id UInt8, m Map(String, UInt64), u Map(UInt16, String), lc Map(LowCardinality(String), Array(UInt8)), d Map(Date, UInt8)) ENGINE = Memory;
INSERT INTO k VALUES (1, {'a': 1, 'b': 2}, {7: 'seven'}, {'x': [1, 2]}, {'2024-01-02': 3}), (2, {}, {}, {}, {}), (3, {'b': 5}, {8: 'e'}, {'y': []}, {});
SELECT m.key_a, m.key_b, m.key_c FROM k ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT u.key_7, lc.key_x, d.`key_2024-01-02` FROM k ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT k.m.key_a, `m.key_b` FROM k WHERE m.key_b > 1 ORDER BY id;
SELECT m.key_ FROM k ORDER BY id;
SELECT u.key_x FROM k; -- { serverError UNKNOWN_IDENTIFIER }
SELECT id.key_a FROM k; -- { serverError UNKNOWN_IDENTIFIER }
DROP TABLE k;

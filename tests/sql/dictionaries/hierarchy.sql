-- Trees: keys whose attribute names their parent.
CREATE TABLE h (id UInt64, p UInt64, n String, np Nullable(UInt64)) ENGINE = Memory;
INSERT INTO h VALUES (1, 0, 'a', NULL), (2, 1, 'b', 1), (3, 1, 'c', 1), (4, 2, 'd', 2), (5, 2, 'e', 2), (6, 3, 'f', 3), (20, 99, 'z', 99);
CREATE DICTIONARY hd (id UInt64, p UInt64 HIERARCHICAL, n String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'h')) LAYOUT(HASHED()) LIFETIME(0);
CREATE DICTIONARY hf (id UInt64, p UInt64 HIERARCHICAL, n String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'h')) LAYOUT(FLAT()) LIFETIME(0);
CREATE DICTIONARY ha (id UInt64, p UInt64 HIERARCHICAL, n String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'h')) LAYOUT(HASHED_ARRAY()) LIFETIME(0);
CREATE DICTIONARY hc (id UInt64, p UInt64 HIERARCHICAL, n String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'h')) LAYOUT(CACHE(SIZE_IN_CELLS 100)) LIFETIME(1000);
CREATE DICTIONARY hx (id UInt64, p UInt64 HIERARCHICAL, n String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'h')) LAYOUT(DIRECT());
CREATE DICTIONARY hn (id UInt64, np Nullable(UInt64) HIERARCHICAL, n String) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'h')) LAYOUT(HASHED()) LIFETIME(0);
CREATE DICTIONARY plain (id UInt64, p UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'h')) LAYOUT(HASHED()) LIFETIME(0);
CREATE DICTIONARY two (id UInt64, p UInt64 HIERARCHICAL, np UInt64 HIERARCHICAL) PRIMARY KEY id SOURCE(CLICKHOUSE(TABLE 'h')) LAYOUT(HASHED()) LIFETIME(0); -- { serverError BAD_ARGUMENTS }
SELECT number, dictGetHierarchy('hd', number), dictGetRoot('hd', number), arraySort(dictGetChildren('hd', number)), arraySort(dictGetDescendants('hd', number)), arraySort(dictGetDescendants('hd', number, 1)), arraySort(dictGetDescendants('hd', number, 2)) FROM numbers(8) ORDER BY number;
SELECT number, dictGetHierarchy('hf', number), dictGetRoot('hf', number), arraySort(dictGetChildren('hf', number)), arraySort(dictGetDescendants('hf', number)) FROM numbers(8) ORDER BY number;
SELECT number, dictGetHierarchy('ha', number), arraySort(dictGetChildren('ha', number)), arraySort(dictGetDescendants('ha', number, 2)) FROM numbers(8) ORDER BY number;
SELECT number, dictGetHierarchy('hn', number), dictGetRoot('hn', number), arraySort(dictGetChildren('hn', number)), arraySort(dictGetDescendants('hn', number)) FROM numbers(8) ORDER BY number;
SELECT dictGetHierarchy('hd', 20), dictGetRoot('hd', 20), dictGetRoot('hd', 555), dictGetDescendants('hd', 99), dictGetDescendants('hd', 1, 5);
SELECT dictGetHierarchy('hc', 4), dictIsIn('hc', 4, 1), dictGetHierarchy('hx', 4), dictIsIn('hx', 4, 1), dictGetRoot('hx', 4);
SELECT number, dictGetHierarchy('hx', number), dictIsIn('hc', number, 2) FROM numbers(6) ORDER BY number;
SELECT dictIsIn('hd', 4, 1), dictIsIn('hd', 4, 4), dictIsIn('hd', 4, 3), dictIsIn('hd', 77, 77), dictIsIn('hd', 4, 0), toTypeName(dictIsIn('hd', 4, 1));
SELECT number, dictIsIn('hd', number, 1), dictIsIn('hd', 4, number), dictIsIn('hd', number, number) FROM numbers(7) ORDER BY number;
SELECT toTypeName(dictGetHierarchy('hd', 3)), toTypeName(dictGetChildren('hd', 3)), toTypeName(dictGetRoot('hd', 3));
SELECT dictGetHierarchy('hd', toUInt8(4)), dictGetHierarchy('hd', toInt64(4)), dictGetHierarchy('hd', '4'), dictGetHierarchy(hd, 4);
SELECT dictIsIn('hd', toNullable(4), 1);
SELECT arraySort(groupArray(id)) FROM h WHERE dictIsIn('hd', id, 2);
SELECT arraySort(dictGetKeys('hd', 'p', 1)), dictGetKeys('hd', 'n', 'nothing'), toTypeName(dictGetKeys('hd', 'p', 1));
SELECT n, dictGetKeys('hd', 'n', n) FROM h ORDER BY n;
SELECT arraySort(dictGetKeys('hd', 'p', '1')), dictGetKeys('hn', 'np', NULL), arraySort(dictGetKeys('hn', 'np', 2));
SELECT number, arraySort(dictGetKeys('hd', 'p', number)) FROM numbers(4) ORDER BY number;
SELECT dictGetChildren('hc', 1); -- { serverError NOT_IMPLEMENTED }
SELECT dictGetChildren('hx', 1); -- { serverError NOT_IMPLEMENTED }
SELECT dictGetDescendants('hx', 1); -- { serverError NOT_IMPLEMENTED }
SELECT dictGetHierarchy('plain', 1); -- { serverError UNSUPPORTED_METHOD }
SELECT dictIsIn('plain', 1, 2); -- { serverError UNSUPPORTED_METHOD }
SELECT dictGetChildren('plain', 1); -- { serverError UNSUPPORTED_METHOD }
SELECT dictGetHierarchy('hd', 'x'); -- { serverError CANNOT_PARSE_TEXT }
SELECT dictGetHierarchy('hd', -1); -- { serverError CANNOT_CONVERT_TYPE }
SELECT dictGetHierarchy('hd'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT dictGetHierarchy('nosuch', 1); -- { serverError BAD_ARGUMENTS }
SELECT dictGetDescendants('hd', 1, -1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT dictGetDescendants('hd', 1, number) FROM numbers(2); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT dictGetDescendants('hd', 1, 'x'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT dictGetDescendants('hd', 1, 1, 1); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT dictIsIn('hd', 1); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT dictGetKeys('hd', 'p', 'x'); -- { serverError CANNOT_PARSE_TEXT }
SELECT dictGetKeys('hd', 'p', NULL); -- { serverError CANNOT_CONVERT_TYPE }
SELECT dictGetKeys('hd', 'q', 'b'); -- { serverError ILLEGAL_COLUMN }
SELECT dictGetKeys('hd', 'p'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }

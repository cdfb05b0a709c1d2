-- Alternatives of Variants within arrays, maps and tuples by their names.
CREATE TABLE w (k UInt32, a Array(Variant(UInt64, String)), m Map(String, Variant(UInt64, String)), t Tuple(x Variant(UInt64, String), y Array(Variant(UInt64, Array(String))))) ENGINE = Memory;
INSERT INTO w VALUES (1, [1, 'a', NULL], {'a': 1, 'b': 'x'}, ('z', [1, ['q']])), (2, [], {}, (NULL, []));
SELECT a.UInt64, a.String, a.size0 FROM w ORDER BY k;
SELECT m.values.UInt64, m.values.String, m.keys FROM w ORDER BY k;
SELECT t.x.String, t.y.UInt64, t.y.`Array(String)`, t.y.size0 FROM w ORDER BY k;
SELECT k FROM w WHERE has(a.UInt64, 1) ORDER BY k;
SELECT x.UInt64 FROM w ARRAY JOIN a.UInt64 AS y, a AS x ORDER BY k, y;
SELECT a.Int8 FROM w; -- { serverError UNKNOWN_IDENTIFIER }

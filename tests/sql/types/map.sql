-- Keys to values.
SELECT map('a', 1, 'b', 2) AS m, toTypeName(m), m['a'], m['z'], length(m), empty(m), mapKeys(m), mapValues(m);
SELECT toTypeName(map()), map(1, 'x')[1], map('a', [1, 2])['b'], map('a', NULL)['a'], toTypeName(map('a', NULL)), map('a', 1, 'a', 2)['a'];
SELECT map('a'); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT mapFromArrays(['a', 'b'], [1, 2]), toTypeName(mapFromArrays(['a', 'b'], [1, 2])), mapContains(map('a', 1), 'a'), mapContains(map('a', 1), 'b'), has(map('a', 1), 'a');
SELECT mapFromArrays(['a', 'b'], [1]); -- { serverError SIZES_OF_ARRAYS_DONT_MATCH }
SELECT mapAdd(map('a', 1), map('a', 2, 'b', 3)) AS s, toTypeName(s), mapSubtract(map('a', toInt8(1)), map('a', toInt8(2))) AS d, toTypeName(d), mapUpdate(map('a', 1), map('a', 5, 'b', 6)), mapConcat(map('a', 1), map('b', 2));
SELECT mapFilter((k, v) -> v > 1, map('a', 1, 'b', 2)), mapApply((k, v) -> (k, v + 1), map('a', 1)), mapExists((k, v) -> v = 1, map('a', 1)), mapAll((k, v) -> v = 1, map('a', 2)), mapSort(map('b', 1, 'a', 2)), mapReverseSort(map('a', 1, 'b', 2));
SELECT CAST(([1, 2], ['a', 'b']) AS Map(UInt8, String)), CAST([(1, 'a')] AS Map(UInt8, String)), toString(map('a', 1)), map('a', 1)::Map(String, UInt64) AS w, toTypeName(w);
SELECT map('a', 1) = map('a', 1), map('a', 1) = map('a', 2), map('a', 1) < map('b', 1);
SELECT toTypeName([map('a', 1), map('b', 1000)]), [map('a', 1), map('b', 1000)];
CREATE TABLE maps (id UInt8, m Map(String, UInt64), n Map(UInt8, Array(String)), l Map(LowCardinality(String), Nullable(Float64))) ENGINE = Memory;
INSERT INTO maps VALUES (1, {'a':1, 'b':2}, {1:['x', 'y']}, {'k':1.5, 'z':NULL}), (2, {}, {}, {}), (3, map('q', 5), map(3, ['w']), map('k', 2));
SELECT * FROM maps ORDER BY id;
SELECT m['a'], n[1], l['k'], l['none'], mapKeys(l), m.keys, m.values, length(m) FROM maps ORDER BY id;
SELECT id FROM maps WHERE m['a'] = 1;
SELECT DISTINCT m FROM maps ORDER BY m;
SELECT m, count() FROM maps GROUP BY m ORDER BY m;
SELECT groupArray(m['a']), groupArray(m) FROM (SELECT * FROM maps ORDER BY id);
SELECT * FROM maps ORDER BY id FORMAT JSONEachRow;
SELECT * FROM maps ORDER BY id FORMAT CSV;
SELECT * FROM maps ORDER BY id FORMAT PrettyCompact;
SELECT arrayJoin(mapKeys(m)) AS k, count() FROM maps GROUP BY k ORDER BY k;
DROP TABLE maps;

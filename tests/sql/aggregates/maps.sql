-- { echoOn }
CREATE TABLE mp (g UInt8, m Map(String, UInt64), i Map(UInt8, Int32)) ENGINE = Memory;
INSERT INTO mp VALUES (1, {'a': 1, 'b': 2}, {1: -5}), (1, {'a': 10}, {2: 7, 1: 1}), (2, {}, {}), (2, {'c': 0}, {3: 0});
SELECT sumMap(m), minMap(m), maxMap(m), avgMap(i), countMap(m) FROM mp;
SELECT g, sumMap(m), sumMap(i), uniqMap(i), arraySort(groupArrayMap(m)['a']) FROM mp GROUP BY g ORDER BY g;
SELECT toTypeName(sumMap(m)), toTypeName(avgMap(m)), toTypeName(maxMap(i)), toTypeName(quantileMap(0.5)(m)) FROM mp;
SELECT sumMapIf(m, g = 1), sumMapMerge(s), finalizeAggregation(sumMapState(m)) FROM (SELECT g, m, sumMapState(m) AS s FROM mp GROUP BY g, m);
SELECT sumMap(m) FROM mp WHERE g > 5;
SELECT avgMap([1, 2]); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }

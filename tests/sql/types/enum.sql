-- Names for small numbers: literals, conversions, order, storage.
SELECT toTypeName(CAST('red' AS Enum('red', 'green'))), toTypeName(CAST('b', 'Enum8(\'a\' = -1, \'b\')'));
SELECT toTypeName(CAST('far', 'Enum(\'near\' = 1, \'far\' = 1000)')), toTypeName(CAST('x', 'Enum16(\'x\')'));
SELECT toTypeName(CAST('it\'s' AS Enum8('it\'s' = 3, 'back\\slash' = 4)));
SELECT CAST('blue' AS Enum('red', 'green')); -- { serverError UNKNOWN_ELEMENT_OF_ENUM }
SELECT CAST(7 AS Enum('red', 'green')); -- { serverError UNKNOWN_ELEMENT_OF_ENUM }
SELECT CAST('' AS Enum('red', 'green')); -- { serverError UNKNOWN_ELEMENT_OF_ENUM }
SELECT CAST(2 AS Enum('red', 'green')), CAST('2' AS Enum('red', 'green')), CAST(1.5 AS Enum('red', 'green'));
SELECT CAST('red' AS Enum('red', 'red')); -- { serverError SYNTAX_ERROR }
SELECT CAST('red' AS Enum8('red' = 1, 'rot' = 1)); -- { serverError SYNTAX_ERROR }
SELECT CAST('red' AS Enum8('red' = 200)); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT CAST('red' AS Enum('red' = 5, 'green')) AS x, toInt32(x), toString(x), x::Int8, x::String;
SELECT CAST(CAST('a' AS Enum8('a' = 5)) AS Enum16('a' = 3)); -- { serverError CANNOT_CONVERT_TYPE }
SELECT CAST(CAST('a' AS Enum8('a' = 5)) AS Enum16('b' = 3, 'a' = 5));
SELECT CAST('a' AS Enum('a', 'b')) + 1; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT length(CAST('a' AS Enum('a', 'b'))); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT concat(CAST('a' AS Enum('a', 'b')), 'x');
-- Comparison: by number with numbers and names of the type, by text with other strings.
WITH CAST('b' AS Enum('a' = 2, 'b' = 1)) AS e SELECT e = 'b', e != 'a', e < 'a', e > 'a', e = 1, e < 2;
WITH materialize(CAST('b' AS Enum('a' = 2, 'b' = 1))) AS e SELECT e = 'b', e = 'zz', e = materialize('zz'), e < materialize('c');
SELECT CAST('a' AS Enum('a', 'b')) != 'zz'; -- { serverError UNKNOWN_ELEMENT_OF_ENUM }
WITH CAST('a' AS Enum('a', 'b')) AS e SELECT e IN ('a', 'zz'), e IN ('zz'), e NOT IN ('zz'), e IN (1), e IN (2);
SELECT CAST('a' AS Enum('a', 'b')) = NULL, CAST('a' AS Enum('a', 'b')) = CAST('x' AS Enum('x'));
-- Common types.
SELECT if(1, CAST('a' AS Enum('a', 'b')), 'zz') AS x, toTypeName(x);
SELECT [CAST('a' AS Enum('a', 'b')), 'c'] AS x, toTypeName(x);
SELECT [CAST('a' AS Enum('a')), CAST('a' AS Enum('a' = 2))] AS x, toTypeName(x);
SELECT greatest(CAST('a' AS Enum('a', 'b')), CAST('b' AS Enum('a', 'b'))) AS x, toTypeName(x);
SELECT CAST(NULL AS Nullable(Enum('a', 'b'))), CAST('a' AS Nullable(Enum('a', 'b')));
SELECT defaultValueOfTypeName('Enum8(\'z\' = 5, \'a\' = 7)');
-- Storage.
CREATE TABLE colours (c Enum8('red' = -3, 'green' = 5), w Enum16('far' = 1000, 'near' = -1000), n Nullable(Enum8('u' = 1, 'v' = 2)), l Array(Enum8('i' = 1, 'j' = 2))) ENGINE = Memory;
INSERT INTO colours VALUES ('red', 'far', 'u', ['i', 'j']), ('green', 'near', NULL, []), (5, 'far', 'v', ['j']);
INSERT INTO colours VALUES ('blue', 'far', 'u', []); -- { serverError UNKNOWN_ELEMENT_OF_ENUM }
INSERT INTO colours (w) VALUES ('near');
SELECT * FROM colours ORDER BY c, w, n;
SELECT c, count(), min(w), max(w), countIf(n = 'v') FROM colours GROUP BY c ORDER BY c;
SELECT DISTINCT c FROM colours ORDER BY c DESC;
SELECT count() FROM colours WHERE c = 'red' AND w != 'near';
SELECT c FROM colours WHERE c > 'red' ORDER BY w;
SELECT uniq(c), uniqExact(w), arraySort(groupArray(c)), min(n) FROM colours WHERE n IS NOT NULL;
SELECT l[1], arrayMap(x -> toString(x), l) FROM colours WHERE notEmpty(l) ORDER BY n;
SELECT * FROM colours ORDER BY c, w, n FORMAT JSONEachRow;
SELECT * FROM colours ORDER BY c, w, n FORMAT CSV;
DROP TABLE colours;
CREATE TABLE parts (e Enum8('b' = 1, 'a' = 2), x UInt8) ENGINE = MergeTree PARTITION BY e ORDER BY (e, x);
INSERT INTO parts VALUES ('a', 1), ('b', 2), ('a', 0);
SELECT * FROM parts ORDER BY e, x;
SELECT x FROM parts WHERE e = 'a' ORDER BY x;
DROP TABLE parts;

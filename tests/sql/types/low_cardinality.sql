-- A name over the type within; functions keep it where the reference does.
SELECT toTypeName(toLowCardinality('a')), toTypeName(toLowCardinality(toNullable('a'))), toTypeName(CAST('a' AS LowCardinality(String))), toTypeName(toLowCardinality(1));
SELECT toTypeName(lower(toLowCardinality('a'))), toTypeName(concat(toLowCardinality('a'), 'b')), toTypeName(concat(toLowCardinality('a'), materialize('b'))), toTypeName(length(materialize(toLowCardinality('a')))), toTypeName(materialize(toLowCardinality('a')) = 'b'), toTypeName(concat(materialize(toLowCardinality('a')), materialize(toLowCardinality('a'))));
SELECT toTypeName(min(toLowCardinality('a'))), toTypeName(groupArray(toLowCardinality('a'))), toTypeName(tuple(toLowCardinality('a'))), toTypeName([toLowCardinality('a')][1]), toTypeName(arrayMap(x -> x, [toLowCardinality('a')])), toTypeName(toNullable(toLowCardinality('a'))), toTypeName(assumeNotNull(toLowCardinality(toNullable('a')))), toTypeName(isNull(toLowCardinality('a')));
SELECT toTypeName([toLowCardinality('a'), 'b']), toTypeName([toLowCardinality('a'), toLowCardinality('b')]), toTypeName(if(number = 1, materialize(toLowCardinality('a')), 'b')), toTypeName(materialize(toLowCardinality(1)) AND 1), toTypeName(map(toLowCardinality('a'), 1)), toTypeName(splitByChar(',', toLowCardinality('a'))) FROM numbers(1);
SELECT toLowCardinality([1]); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT CAST('a' AS LowCardinality(Array(String))); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT toTypeName(x), toTypeName(count()), toTypeName(max(x)) FROM (SELECT materialize(toLowCardinality('a')) AS x) GROUP BY x;
CREATE TABLE words (a LowCardinality(String), b LowCardinality(Nullable(String)), c Array(LowCardinality(String)), d LowCardinality(FixedString(3))) ENGINE = Memory;
INSERT INTO words VALUES ('x', 'y', ['p', 'q'], 'abc'), ('y', NULL, [], 'de'), ('x', 'z', ['p'], 'abc'), ('', '', [''], '');
SELECT * FROM words ORDER BY a, b;
SELECT a, count(), toTypeName(a), uniqExact(b), arraySort(groupArray(b)) FROM words GROUP BY a ORDER BY a;
SELECT b, count() FROM words GROUP BY b ORDER BY b;
SELECT a, b FROM words WHERE a = 'x' AND b = 'z';
SELECT a, b FROM words WHERE a IN ('x', 'q') AND a LIKE 'x%' ORDER BY b;
SELECT a || b, length(c), has(c, 'p'), c[1], upper(a), b IS NULL FROM words ORDER BY a, b;
SELECT DISTINCT a, d FROM words ORDER BY a DESC;
SELECT l.a, r.b FROM words AS l INNER JOIN words AS r ON l.a = r.a ORDER BY l.a, l.b, r.b;
SELECT * FROM words ORDER BY a, b FORMAT JSONEachRow;
SELECT min(a), max(b), uniq(d) FROM words;
SELECT arrayJoin(c) AS q, toTypeName(q) FROM words ORDER BY q;
SELECT a, arrayMap(x -> x || a, c) FROM words ORDER BY a, b;
DROP TABLE words;
CREATE TABLE many (a LowCardinality(String), n UInt32) ENGINE = MergeTree PARTITION BY n % 2 ORDER BY a;
INSERT INTO many SELECT toString(number % 7), number FROM numbers(1000);
SELECT a, count(), sum(n) FROM many WHERE a != '3' GROUP BY a ORDER BY a;
DESCRIBE TABLE many;
DROP TABLE many;

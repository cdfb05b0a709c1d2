-- transform_null_in: NULL is a value like any other.
SET transform_null_in = 1;
SELECT NULL IN (1, NULL), NULL IN (NULL), NULL IN (1), NULL NOT IN (1, NULL);
SELECT NULL IN (SELECT NULL), NULL IN (SELECT 1);
SELECT x, x IN (1, NULL), x NOT IN (1, NULL), x IN (1), x IN (NULL) FROM (SELECT arrayJoin([1, 2, NULL]) AS x) ORDER BY x;
SELECT x, x IN (SELECT arrayJoin([1, NULL])), x NOT IN (SELECT arrayJoin([1, NULL])), x IN (SELECT 1) FROM (SELECT arrayJoin([1, 2, NULL]) AS x) ORDER BY x;
SELECT x FROM (SELECT arrayJoin([NULL, 1, 2]) AS x) WHERE x IN (SELECT NULL::Nullable(UInt8));
SELECT x FROM (SELECT arrayJoin([NULL, 1, 2]) AS x) WHERE (x, 1) IN (SELECT arrayJoin([NULL, 1]), 1) ORDER BY x;
SELECT x FROM (SELECT arrayJoin([NULL, 1, 2]) AS x) WHERE (x, 1) NOT IN ((NULL, 1), (3, 3)) ORDER BY x;
SELECT (NULL, 1) IN ((NULL, 1)), (NULL, 1) IN ((NULL, 2)), (1, NULL) IN (SELECT 1, NULL);
SELECT s, s IN ('a', NULL), s IN (SELECT arrayJoin(['a', NULL])) FROM (SELECT arrayJoin(['a', 'b', NULL]) AS s) ORDER BY s;
SELECT s, s IN (SELECT arrayJoin(['a', NULL])) FROM (SELECT toLowCardinality(arrayJoin(['a', 'b', NULL])) AS s) ORDER BY s;
SELECT count() FROM numbers(10) WHERE number IN (SELECT toNullable(number) FROM numbers(3));
-- Values that the left side's type cannot hold are not NULL.
SELECT x, x IN (SELECT arrayJoin([300, 1])) FROM (SELECT arrayJoin([1, NULL]::Array(Nullable(UInt8))) AS x) ORDER BY x;
SELECT x, x IN (SELECT arrayJoin([300, NULL])) FROM (SELECT arrayJoin([1, NULL]::Array(Nullable(UInt8))) AS x) ORDER BY x;
CREATE TABLE null_in (a Nullable(UInt8), b UInt8) ENGINE = Memory;
INSERT INTO null_in VALUES (1, 1), (NULL, 2), (3, 3);
SELECT b FROM null_in WHERE a IN (SELECT a FROM null_in) ORDER BY b;
SELECT b FROM null_in WHERE a IN (SELECT a FROM null_in) ORDER BY b SETTINGS transform_null_in = 0;
SELECT b FROM null_in WHERE (a, b) IN null_in ORDER BY b;
SELECT b FROM null_in WHERE (b, a) NOT IN (SELECT b, a FROM null_in WHERE b < 3) ORDER BY b;
SELECT b FROM null_in WHERE (a, b) IN null_in ORDER BY b SETTINGS transform_null_in = 0;
DROP TABLE null_in;

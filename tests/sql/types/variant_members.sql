-- IN with a Variant on the left: a number that is no alternative is one of the widest type of its kind.
SET allow_suspicious_variant_types = 1;
CREATE TABLE v (k UInt32, v Variant(String, UInt64, Float64)) ENGINE = Memory;
INSERT INTO v VALUES (1, 'a'), (2, 5), (3, 1.5), (4, NULL), (5, '5'), (6, '-5'), (7, -5);
SELECT k FROM v WHERE v IN (5) ORDER BY k;
SELECT k FROM v WHERE v IN ('5') ORDER BY k;
SELECT k FROM v WHERE v IN (-5) ORDER BY k;
SELECT k FROM v WHERE v IN (1.5, 'a', 5) ORDER BY k;
SELECT k FROM v WHERE v IN (5, 'zz', NULL) ORDER BY k;
SELECT k FROM v WHERE v NOT IN (5) ORDER BY k;
SELECT k FROM v WHERE v IN [5, 7] ORDER BY k;
SELECT k FROM v WHERE v IN (toUInt8(5)) ORDER BY k;
SELECT k FROM v WHERE v IN (toInt32(5)) ORDER BY k;
SELECT k FROM v WHERE (k, v) IN ((2, 5), (1, 'a')) ORDER BY k;
SELECT v IN (5) FROM v ORDER BY k;
CREATE TABLE w (v Variant(Int32, Date)) ENGINE = Memory;
INSERT INTO w VALUES (5), ('2020-01-01'::Date);
SELECT v IN (5), v IN ('2020-01-01'), v IN (toDate('2020-01-01')), v IN (300), v IN (-1) FROM w ORDER BY toString(v);

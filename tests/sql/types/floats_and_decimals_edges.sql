SELECT toDecimal32(999999.9, 1), toDecimal32(0.29, 2), toDecimal32(1.005, 3), toDecimal128(1.1, 20), toDecimal32(toFloat32(999999.9), 1), toDecimal64(toFloat32(0.1), 10), CAST(0.1 AS Decimal(38, 38)), CAST(-999999.9 AS Decimal(9, 1));
SELECT toDecimal32('999999.9', 1), toDecimal32('1.99', 1), toDecimal32('-1.99', 1), CAST('999999.95' AS Decimal(9, 1));
SELECT 1e23, -0., nan, inf, -inf, toFloat32(1e23), 1e22, 9007199254740993., 5e-324, toFloat32('1e-45'), toFloat64('-0'), toFloat64('-nan');
SELECT toFloat64('+-5'); -- { serverError CANNOT_PARSE_NUMBER }
SELECT cosh(1), sinh(1);
-- NaNs of either sign, and zeros of either sign, are groups of their own.
SELECT count() FROM (SELECT x FROM (SELECT arrayJoin([nan, -nan, nan, 0., -0.]) AS x) GROUP BY x);
SELECT count() FROM (SELECT DISTINCT x FROM (SELECT arrayJoin([nan, -nan, nan, 0., -0.]) AS x));
-- Within tuples and lists, NULL and NaN lose against everything.
SELECT max((1, x)), min((1, x)), max([x]), min([x]) FROM (SELECT arrayJoin([NULL, 3, 1]) AS x);
SELECT max((1, x)), min((1, x)) FROM (SELECT arrayJoin([nan, 3, 1]) AS x);
SELECT argMax(y, (1, x)), argMin(y, (1, x)) FROM (SELECT arrayJoin([(NULL, 1), (3, 2), (1, 3)]) AS t, t.1 AS x, t.2 AS y);
SELECT arrayMax([(1, NULL), (1, 3)]), arrayMin([(1, NULL), (1, 3)]), arrayReverseSort([(1, NULL), (1, 3), (1, nan)]), arrayMax([nan, 1]), arrayMax([[nan], [1]]);
SELECT x FROM (SELECT arrayJoin([(1, NULL), (1, 3), (1, 1)]) AS x) ORDER BY x DESC;
SELECT x FROM (SELECT arrayJoin([(1, NULL), (1, 3), (1, 1)]) AS x) ORDER BY x;

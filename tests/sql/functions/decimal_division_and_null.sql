-- A quotient of decimals is NULL where a side is NULL, whatever number lies under it, and is not
-- computed for rows that a condition excludes. Any other division by zero is an error.

CREATE TABLE amounts (day UInt8, sold Nullable(Decimal(7, 2)), returned Nullable(Decimal(7, 2)), pieces Nullable(Int32)) ENGINE = Memory;
INSERT INTO amounts VALUES (1, 10, 4, 2), (2, 12.5, NULL, NULL), (3, NULL, 3, 0), (4, NULL, NULL, 7), (5, 0, 8, NULL);

SELECT day, sold / returned, returned / pieces, pieces / sold FROM amounts WHERE day != 5 AND (day != 3 OR sold IS NULL AND pieces = 1) ORDER BY day;
SELECT day, sold / returned AS share FROM amounts ORDER BY share NULLS FIRST, day;
SELECT day, 1 / nullIf(sold, 0), toDecimal64(1, 3) / nullIf(sold, 0) FROM amounts ORDER BY day;
SELECT sum(sold) / sum(if(day > 9, returned, NULL)) FROM amounts SETTINGS aggregate_functions_null_for_empty = 1;
SELECT a.day, a.sold / b.sold FROM amounts AS a LEFT JOIN amounts AS b ON a.day + 1 = b.day AND b.sold > 0 ORDER BY a.day SETTINGS join_use_nulls = 1;

-- Conditions in front of the quotient.
SELECT number, if(number = 0, NULL, toDecimal32(6, 2) / toDecimal32(number, 2)) FROM numbers(4) ORDER BY number;
SELECT CASE WHEN n = 0 THEN NULL ELSE CAST(5 AS decimal(15, 4)) / CAST(n AS decimal(15, 4)) END FROM (SELECT count() AS n FROM numbers(0));
SELECT CASE WHEN n = 0 THEN -1 ELSE toDecimal128(5, 4) / n END FROM (SELECT materialize(0) AS n);
SELECT number FROM numbers(4) WHERE number != 0 AND toDecimal32(6, 2) / toDecimal32(number, 2) > 2.5 ORDER BY number;

-- Without a condition.
SELECT returned / sold FROM amounts WHERE day = 5; -- { serverError ILLEGAL_DIVISION }
SELECT toDecimal32(1, 2) / materialize(toDecimal32(0, 2)); -- { serverError ILLEGAL_DIVISION }
SELECT returned / pieces FROM amounts WHERE day = 3; -- { serverError ILLEGAL_DIVISION }

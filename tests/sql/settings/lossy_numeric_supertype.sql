-- allow_lossy_numeric_supertype: numbers without a common type become Float64 rather than a Variant.

SET allow_lossy_numeric_supertype = 1;

SELECT if(number = 0, toDecimal32(1.25, 2), 0.5) AS x, toTypeName(x) FROM numbers(2) ORDER BY number;
SELECT coalesce(if(number = 0, NULL, toDecimal32(1.25, 2)), 0.5) AS x, toTypeName(x) FROM numbers(2) ORDER BY number;
SELECT ifNull(if(number = 0, NULL, toDecimal64(1.25, 2)), toFloat32(0.5)) AS x, toTypeName(x) FROM numbers(2) ORDER BY number;
SELECT multiIf(number = 0, toInt64(7), number = 1, 2.5, toDecimal64(3, 3)) AS x, toTypeName(x) FROM numbers(3) ORDER BY number;
SELECT multiIf(number = 0, toInt64(7), number = 1, 2.5, NULL) AS x, toTypeName(x) FROM numbers(3) ORDER BY number;
SELECT CASE number WHEN 0 THEN toInt128(7) WHEN 1 THEN 2.5 END AS x, toTypeName(x) FROM numbers(3) ORDER BY number; -- { serverError NO_COMMON_TYPE }
SELECT [toDecimal32(1, 2), 0.5] AS x, toTypeName(x), arraySum(x);
SELECT map('a', toDecimal32(1, 2), 'b', 1.5) AS x, toTypeName(x);
SELECT sum(toDecimal32(9, 2) - coalesce(toNullable(toDecimal32(number, 2)), 0.0)) AS x, toTypeName(x) FROM numbers(3);

-- Numbers that have a common type keep it.
SELECT toTypeName(if(number = 0, toDecimal32(1, 2), toUInt64(1))), toTypeName(if(number = 0, toInt32(1), 1.5)), toTypeName([1, NULL]) FROM numbers(1);

-- Without a floating-point number, or with another type, nothing changes.
SELECT toTypeName(if(number = 0, toUInt64(1), -1)), toTypeName(if(number = 0, toInt64(1), 'a')), toTypeName(if(number = 0, [toDecimal32(1, 2)], [1.5])) FROM numbers(1);
SELECT toTypeName(x) FROM (SELECT 1.5 AS x UNION ALL SELECT toDecimal32(1, 2));

-- use_variant_as_common_type does not matter.
SELECT if(number = 0, toDecimal32(1.25, 2), 0.5) AS x, toTypeName(x) FROM numbers(1) SETTINGS use_variant_as_common_type = 0;
SELECT if(number = 0, toUInt64(1), -1) FROM numbers(1) SETTINGS use_variant_as_common_type = 0; -- { serverError NO_COMMON_TYPE }

SET allow_lossy_numeric_supertype = 0;
SELECT toTypeName(if(number = 0, toDecimal32(1.25, 2), 0.5)) FROM numbers(1);

-- What is known of functions with branches holds under each of their names.
SELECT toTypeName(GREATEST(true, false)), toTypeName(greatest(true, false)), toTypeName(Least(true, 2));
SELECT GREATEST('a', toFixedString('b', 2)), LEAST(1, toInt64(-2)), GREATEST(1, NULL);
SELECT COALESCE(NULL, 1, 2), toTypeName(COALESCE(toLowCardinality('a'), 'b')), IFNULL(NULL, 'x'), IF(1, 'a', 'b');
SELECT toTypeName(caseWithExpr(1, 1, 2, 300)), toTypeName(caseWithoutExpr(1, 2, 300)), CASE 2 WHEN 1 THEN 'a' ELSE 'b' END;
SELECT if(toInt128(1), 1, 2); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT if(1.5, 1, 2); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT if(toUInt16(1), 1, 2); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT IF(toInt32(1), 1, 2); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT toUInt16(0) ? 'a' : 'b'; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT if(NULL, 1, 2), if(true, 1, 2), if(toNullable(toUInt8(0)), 1, 2);
SELECT if(1)(2, 3); -- { serverError FUNCTION_CANNOT_HAVE_PARAMETERS }
SELECT (1, 2) IN ((1, 2), (3, 4)), tuple(1, 2) IN tuple(tuple(1, 2)), 1 IN tuple(1, 2);
SELECT number % 2 AS a, count() FROM numbers(4) GROUP BY (a, number % 1) ORDER BY a;
SELECT number % 2 AS a, count() FROM numbers(4) GROUP BY tuple(a) ORDER BY a;

-- Distances on the earth, points in polygons and ellipses, geohashes.
SELECT round(greatCircleDistance(37.6, 55.8, 30.3, 59.9), 3), round(geoDistance(37.6, 55.8, 30.3, 59.9), 3), round(greatCircleAngle(0., 0., 45., 0.), 6);
SELECT round(greatCircleDistance(-74.006, 40.7128, 139.6917, 35.6895), 3), round(geoDistance(-74.006, 40.7128, 139.6917, 35.6895), 3), round(greatCircleAngle(-74.006, 40.7128, 139.6917, 35.6895), 6);
SELECT toTypeName(geoDistance(1, 2, 3, 4)), toTypeName(geoDistance(toFloat32(1), 2, 3, 4)), toTypeName(geoDistance(1., 2, 3, 4)), geoDistance(5., 6., 5., 6.);
SELECT greatCircleDistance('1', 2, 3, 4); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT number, round(greatCircleDistance(number * 7, 10., 20., number - 5), 2) FROM numbers(6) ORDER BY number;
SELECT pointInPolygon((3, 3), [(6, 0), (8, 4), (5, 8), (0, 2)]), pointInPolygon((3., 3.), [(6., 0.), (8., 4.), (5., 8.), (0., 2.)]);
SELECT pointInPolygon((x, y), [(1, 1), (4, 1), (4, 4), (1, 4)]) AS r, arraySort(groupArray((x, y))) FROM (SELECT number % 6 AS x, intDiv(number, 6) AS y FROM numbers(36)) GROUP BY r ORDER BY r;
SELECT pointInPolygon((x, y), materialize([(1, 1), (4, 1), (4, 4), (1, 4)])) AS r, arraySort(groupArray((x, y))) FROM (SELECT number % 6 AS x, intDiv(number, 6) AS y FROM numbers(36)) GROUP BY r ORDER BY r;
SELECT pointInPolygon((x, y), [(0, 0), (5, 0), (5, 5), (0, 5)], [(1, 1), (3, 1), (3, 3), (1, 3)]) AS r, count() FROM (SELECT number % 6 AS x, intDiv(number, 6) AS y FROM numbers(36)) GROUP BY r ORDER BY r;
SELECT pointInPolygon((3, 3), [[(0, 0), (6, 0), (6, 6), (0, 6)], [(2, 2), (4, 2), (4, 4), (2, 4)]]), pointInPolygon((13, 3), [[[(0, 0), (6, 0), (6, 6), (0, 6)]], [[(12, 2), (14, 2), (14, 4), (12, 4)]]]);
SELECT pointInPolygon((3, 3), [(6, 0), (8, 4)]); -- { serverError BAD_ARGUMENTS }
SELECT pointInPolygon(3, [(0, 0), (6, 6), (0, 6)]); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT pointInPolygon((3, 3, 3), [(0, 0), (6, 6), (0, 6)]); -- { serverError BAD_ARGUMENTS }
SELECT pointInPolygon((3, 3), 'x'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT pointInEllipses(10., 10., 10., 9.1, 1., 0.9999), pointInEllipses(0., 0., 5., 5., 1., 1., 0.5, 0.5, 1., 1.);
SELECT pointInEllipses(10., 10., 10.); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT pointInEllipses(1, 10., 1., 1., 1., 1.); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT geohashEncode(-5.60302734375, 42.593994140625), geohashEncode(-5.60302734375, 42.593994140625, 5), geohashEncode(0.1, 0.1, 0), geohashEncode(179.9, -89.9, 13), geohashEncode(toFloat32(1), 2., 3);
SELECT geohashEncode(1, 2); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT geohashDecode('ezs42'), toTypeName(geohashDecode('ezs42')), geohashDecode(''), geohashDecode('ezs42d000000');
SELECT geohashesInBox(24.48, 40.56, 24.785, 40.81, 4), geohashesInBox(1., 1., 0., 0., 3), geohashesInBox(-1., -1., 1., 1., 2);
SELECT geohashesInBox(-180., -90., 180., 90., 12); -- { serverError TOO_LARGE_ARRAY_SIZE }

-- Distances between vectors and their lengths.
SELECT L1Distance([1, 2], [3, 5]), L2Distance([0, 0], [3, 4]), L2SquaredDistance([0, 0], [3, 4]), LinfDistance([1, 2], [3, 7]), round(LpDistance([1, 2], [3, 4], 3), 10), round(cosineDistance([1., 2.], [3., 4.]), 12);
SELECT L1Norm([1, -2]), L2Norm([3, 4]), L2SquaredNorm([3, 4]), LinfNorm([1, -5]), LpNorm([3, 4], 2);
SELECT toTypeName(L2Distance([1, 2], [3, 4])), toTypeName(L2Distance([toFloat32(1)], [toFloat32(3)])), toTypeName(L2Distance([toUInt8(1)], [toFloat32(1)])), toTypeName(L2Norm([toFloat32(1)])), toTypeName(L1Norm([1]));
SELECT L1Norm((1, 2)), toTypeName(L1Norm((1, 2))), L2Norm((3, 4)), LinfNorm((1, -5)), L2SquaredNorm((1, 2)), toTypeName(L2SquaredNorm((1, 2))), round(LpNorm((1, 2), 3), 10);
SELECT L1Distance((1, 2), (3, 4)), toTypeName(L1Distance((1, 2), (3, 4))), round(L2Distance((1, 2), (3, 4)), 10), L2SquaredDistance((1, 2), (3, 4)), toTypeName(L2SquaredDistance((1, 2), (3, 4))), LinfDistance((1, 2), (3, 7)), round(LpDistance((1, 2), (3, 4), 3), 10), round(cosineDistance((1, 2), (3, 4)), 12);
SELECT distanceL2((1, 2), (2, 3)) = L2Distance((1, 2), (2, 3)), normL1((1, 2)), normLinf([1, 2]), distanceL2Squared([1], [3]);
SELECT number, round(L2Distance([number, 1], [3, toFloat64(number)]), 9), round(cosineDistance([number + 1, 1], materialize([1, 2])), 9) FROM numbers(4) ORDER BY number; -- { serverError NO_COMMON_TYPE }
SELECT L2Distance(arrayMap(x -> toFloat32(x * 0.1), range(100)), arrayMap(x -> toFloat32(x * 0.37 + 1), range(100))), round(L2Distance(arrayMap(x -> x * 0.1, range(100)), arrayMap(x -> x * 0.37 + 1, range(100))), 8), L1Norm(range(20)), L2SquaredNorm(range(33)), LinfNorm(range(33)), isNaN(cosineDistance([0, 0], [1, 1]));
SELECT L2Distance([1, 2], [3]); -- { serverError SIZES_OF_ARRAYS_DONT_MATCH }
SELECT L2Distance([1, 2], ['a', 'b']); -- { serverError NO_COMMON_TYPE }
SELECT L2Distance('a', 'b'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT L2Distance([1, 2], (1, 2)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT L2Distance((1, 2), (3, 4, 5)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT LpDistance([1, 2], [3, 4], 0.5); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT L2Distance([1, NULL], [3, 4]); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT tupleHammingDistance((1, 2, 3), (3, 2, 1)), toTypeName(tupleHammingDistance((1, 2), (3, 4))), tupleHammingDistance(('a', 1), ('b', 1)), tupleHammingDistance((number, 2), (1, 2)) FROM numbers(2) ORDER BY number;
SELECT tupleHammingDistance((1, 2), (3, 4, 5)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }

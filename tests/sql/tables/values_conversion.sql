-- Values of the table function values are read as their columns' types.
SELECT * FROM values('d Date', '2020-01-01');
SELECT * FROM values('d Date, u UUID', ('2020-01-01', '61f0c404-5cb3-11e7-907b-a6006ad3dba0'));
SELECT * FROM values('d UInt8', '12', 13);
SELECT * FROM values('d Nullable(UInt8)', NULL, '5');
SELECT * FROM values('d String', 5);
SELECT * FROM values('d Array(Date)', ['2020-01-01']);
SELECT * FROM values('a UInt8, d Tuple(UInt8, Date)', (1, (1, '2020-01-01')));
SELECT * FROM values('d Enum8(\'a\' = 1)', 'a');
SELECT * FROM values('d DateTime, e DateTime64(3)', ('2020-01-01 00:00:00', '2020-01-01 00:00:00.123'));
SELECT * FROM values('d DateTime(\'Asia/Tokyo\')', '2020-01-01 00:00:00');
SELECT * FROM values('d DateTime', toDate('2020-01-01'));
SELECT * FROM values('d Decimal(9, 2)', '1.25', 1.5, 2);
SELECT * FROM values('d Float64', '1.25', 1, 2.5);
SELECT * FROM values('d Float32', 0.1, 1);
SELECT * FROM values('d Bool', true, 0, 'true');
SELECT * FROM values('d Int256', '1', 2, '-57896044618658097711785492504343953926634992332820282019728792003956564819968');
SELECT * FROM values('d UInt8', 300); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT * FROM values('d UInt8', -1); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT * FROM values('d UInt8', 1.5); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT * FROM values('d Array(UInt8)', [300]); -- { serverError ARGUMENT_OUT_OF_BOUND }
SELECT * FROM values('d UInt8', NULL); -- { serverError TYPE_MISMATCH }
SELECT * FROM values('d UInt8', 'abc'); -- { serverError TYPE_MISMATCH }
SELECT * FROM values('d FixedString(2)', 'abc'); -- { serverError TOO_LARGE_STRING_SIZE }
SELECT * FROM values('d Enum8(\'a\' = 1)', 'zzz'); -- { serverError UNKNOWN_ELEMENT_OF_ENUM }

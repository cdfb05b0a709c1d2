-- { echoOn }
CREATE TABLE t (k UInt32, g String, i Int32, f Float64, n Nullable(Int64)) ENGINE = Memory;
INSERT INTO t SELECT number, concat('g', toString(number % 3)), toInt32(number) - 5, number / 4, if(number % 4 = 0, NULL, toInt64(number)) FROM numbers(20);
SELECT sumOrNull(number), sumWithOverflow(toUInt8(200)), toTypeName(sumWithOverflow(toUInt8(1))), sumKahan(number / 2) FROM numbers(3);
SELECT groupBitAnd(k + 1), groupBitOr(k), groupBitXor(k) FROM t WHERE k < 4;

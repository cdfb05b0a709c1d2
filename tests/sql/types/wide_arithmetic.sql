-- Arithmetic of integers of 128 and 256 bits.
SELECT toTypeName(toInt256(1) + toUInt8(1)), toTypeName(toUInt256(1) + toInt8(1)), toTypeName(toUInt128(1) + toUInt8(1)), toTypeName(toInt128(1) + toUInt64(1)), toTypeName(toUInt128(1) - toUInt8(1)), toTypeName(toUInt256(1) - 1), toTypeName(toInt128(1) * toInt64(1)), toTypeName(toUInt128(1) * toInt256(1)), toTypeName(toInt128(1) / 2), toTypeName(toUInt128(1) + toInt128(1)), toTypeName(toInt128(1) + true);
SELECT toTypeName(intDiv(toInt256(1), toUInt8(1))), toTypeName(intDiv(toUInt8(1), toInt256(1))), toTypeName(intDiv(toUInt128(1), toInt8(1))), toTypeName(intDiv(toInt128(1), toInt256(1))), toTypeName(toInt256(1) % toUInt8(1)), toTypeName(toUInt8(1) % toInt256(1)), toTypeName(toInt8(1) % toUInt256(1)), toTypeName(toUInt256(1) % toInt8(1)), toTypeName(toInt128(1) % toInt64(1)), toTypeName(toInt64(1) % toInt128(1)), toTypeName(toInt64(1) % toUInt128(1)), toTypeName(positiveModulo(toInt128(-5), 3)), toTypeName(toInt128(5) % 2.5), toTypeName(intDiv(toInt128(5), 2.5)), toTypeName(intDiv(2.5, toInt128(2))), toTypeName(moduloOrZero(toUInt128(5), toInt64(3)));
SELECT toTypeName(gcd(toInt128(4), 6)), toTypeName(lcm(toUInt256(4), 6)), toTypeName(-toUInt128(1)), toTypeName(-toInt256(1)), toTypeName(abs(toInt128(-1))), toTypeName(abs(toUInt256(1)));
CREATE TABLE w (k UInt8, a Int128, b UInt128, c Int256, d UInt256) ENGINE = Memory;
INSERT INTO w VALUES (1, 5, 5, 5, 5), (2, -7, 7, -7, 7), (3, 170141183460469231731687303715884105727, 340282366920938463463374607431768211455, 57896044618658097711785492504343953926634992332820282019728792003956564819967, 115792089237316195423570985008687907853269984665640564039457584007913129639935), (4, -170141183460469231731687303715884105728, 1, -57896044618658097711785492504343953926634992332820282019728792003956564819968, 1), (5, -12345678901234567890123456789, 98765432109876543210987654321, -1234567890123456789012345678901234567890123456789012345678, 9876543210987654321098765432109876543210987654321098765432);
SELECT k, a + 1, b + 1, c + 1, d + 1 FROM w ORDER BY k;
SELECT k, a - b, b - a, c - d, d - b FROM w ORDER BY k;
SELECT k, a * a, b * b, c * c, d * d, a * c FROM w ORDER BY k;
SELECT k, a + toInt8(-1), b * toInt8(-1), toUInt64(18446744073709551615) + a, toInt64(-1) * d FROM w ORDER BY k;
SELECT k, intDiv(a, 3), intDiv(b, 3), intDiv(c, 3), intDiv(d, 3), intDiv(a, toInt64(-3)), intDiv(d, toUInt128(7)) FROM w ORDER BY k;
SELECT k, a % 3, b % 3, c % 3, d % 3, a % toInt64(-4), c % toUInt8(4), b % toInt8(-4), d % toInt256(-1000) FROM w ORDER BY k;
SELECT k, intDiv(1000000, b), toInt64(-1000000) % b, 1000000 % d, toInt64(-7) % a FROM w ORDER BY k;
SELECT k, positiveModulo(a, 4), positiveModulo(c, 1000), moduloOrZero(a, 0), intDivOrZero(d, 0) FROM w ORDER BY k;
SELECT k, -a, -b, -c, -d, abs(a), abs(c), abs(b) FROM w ORDER BY k;
SELECT k, gcd(b, 12), lcm(d, 1), gcd(c, toInt128(-6)) FROM w ORDER BY k; -- { serverError DECIMAL_OVERFLOW }
SELECT a / 2, d / b, c / 0.5 FROM w WHERE k = 1;
SELECT toUInt128(1) / 0, toInt256(-7) / 2, toFloat64(toUInt128(7)) / 2;
SELECT intDiv(toInt128(7), 2.5), toInt256(7) % 2.5, intDiv(2.5, toInt128(2)), positiveModulo(toInt128(-7), 2.5);
SELECT toInt128(1) - 1.5; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT toInt128(1) * toFloat32(1.5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT intDiv(toInt128(1), 0); -- { serverError ILLEGAL_DIVISION }
SELECT intDiv(toInt128(1), toInt256(0)); -- { serverError ILLEGAL_DIVISION }
SELECT toInt256(1) % 0; -- { serverError ILLEGAL_DIVISION }
SELECT intDiv(1, toUInt256(0)); -- { serverError ILLEGAL_DIVISION }
SELECT intDiv(toInt128('-170141183460469231731687303715884105728'), -1); -- { serverError ILLEGAL_DIVISION }
SELECT toInt128('-170141183460469231731687303715884105728') % -1; -- { serverError ILLEGAL_DIVISION }
SELECT intDiv(a, 0) FROM w; -- { serverError ILLEGAL_DIVISION }
SELECT gcd(toInt128(0), 5); -- { serverError ILLEGAL_DIVISION }
SELECT lcm(toUInt256(4), 0); -- { serverError ILLEGAL_DIVISION }
SELECT toInt128(1) + toDecimal32(1.5, 1), toUInt256(3) * toDecimal64(1.5, 2), toTypeName(toUInt256(3) * toDecimal64(1.5, 2)), toDecimal64(7.5, 1) / toInt128(2), toDecimal64(7.5, 1) % toInt256(2);
SELECT (toInt128(1), 2) + (3, toUInt256(4)), [toInt128(1)] + [2];
SELECT toInt128(5) + INTERVAL 1 DAY; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT toDate('2020-01-01') + toInt128(1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
-- Bits.
SELECT toTypeName(bitAnd(toInt128(1), toUInt8(1))), toTypeName(bitOr(toUInt128(1), toInt8(1))), toTypeName(bitXor(toUInt256(1), toUInt128(1))), toTypeName(bitNot(toInt256(1))), toTypeName(bitShiftLeft(toUInt128(1), toInt8(3))), toTypeName(bitCount(toInt128(-1))), toTypeName(bitCount(toInt256(-1)));
SELECT k, bitAnd(a, 255), bitOr(c, 1), bitXor(b, d), bitNot(a), bitNot(d), bitCount(a), bitCount(c) FROM w ORDER BY k;
SELECT k, bitShiftLeft(a, 1), bitShiftRight(a, 1), bitShiftLeft(d, 100), bitShiftRight(c, 200), bitShiftRight(b, 120) FROM w ORDER BY k;
SELECT bitShiftLeft(toInt128(1), 127), bitShiftRight(toInt128(-1), 200), bitShiftLeft(toInt256(1), 300), bitShiftRight(toInt128(-1), 128), byteSwap(toInt128(1));
SELECT bitShiftRight(8, toInt128(1)); -- { serverError NOT_IMPLEMENTED }
SELECT bitRotateLeft(toUInt256(1), 1); -- { serverError NOT_IMPLEMENTED }
SELECT bitTest(toInt128(5), 2); -- { serverError NOT_IMPLEMENTED }
SELECT bitHammingDistance(toInt128(1), 2); -- { serverError ILLEGAL_COLUMN }
SELECT bitAnd(toInt128(1), 1.5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
-- Rounding and mathematics.
SELECT k, round(a, -3), floor(c, -10), ceil(b, -5), roundBankers(b, -1), round(a, 2) FROM w WHERE k != 3 ORDER BY k;
SELECT sign(toInt256(-3)), sign(toUInt128(0)), sign(toUInt256(-1)), toTypeName(round(toUInt128(5))), sqrt(toInt128(16)), exp(toUInt256(0));
SELECT pow(toInt128(2), 3); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT isNaN(toInt128(1)); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT roundToExp2(toInt128(9)); -- { serverError NOT_IMPLEMENTED }
SELECT least(toInt128(1), toUInt8(2)), greatest(toUInt128(1), toInt8(-2)), toTypeName(greatest(toUInt128(1), toInt8(2))), least(toUInt64(5), toInt128(-1)), greatest(toInt256(7), NULL);
SELECT least(toInt128(1), 1.5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }

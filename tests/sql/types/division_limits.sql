-- The least number of a type has no magnitude: divisions and divisors of it.
SELECT intDiv(toInt64('-9223372036854775808'), -1); -- { serverError ILLEGAL_DIVISION }
SELECT intDiv(toInt8(-128), toUInt8(255)); -- { serverError ILLEGAL_DIVISION }
SELECT intDiv(toUInt16(32768), toInt8(-1)); -- { serverError ILLEGAL_DIVISION }
SELECT intDivOrZero(toInt64('-9223372036854775808'), -1), intDivOrZero(toInt8(-128), toUInt8(255)), intDivOrZero(toUInt16(32768), toInt8(-1));
SELECT intDiv(toUInt64(18446744073709551615), -1), intDiv(toInt16(-32768), toUInt8(255));
SELECT intDiv(toInt64('-9223372036854775808'), number - 1) FROM numbers(1); -- { serverError ILLEGAL_DIVISION }
SELECT toInt8(-128) % -1; -- { serverError ILLEGAL_DIVISION }
SELECT toInt64('-9223372036854775808') % materialize(toInt64(-1)); -- { serverError ILLEGAL_DIVISION }
SELECT toInt64('-9223372036854775808') % toUInt64(18446744073709551615), toInt64('-9223372036854775808') % toUInt8(255);
SELECT moduloOrZero(toInt64('-9223372036854775808'), -1), moduloOrZero(toInt64('-9223372036854775808'), 0);
SELECT positiveModulo(toInt64('-9223372036854775808'), -1); -- { serverError ILLEGAL_DIVISION }
SELECT positiveModulo(toInt8(-127), toInt8(-128)); -- { serverError ILLEGAL_DIVISION }
SELECT positiveModulo(toInt16(-127), toInt8(-128)); -- { serverError ILLEGAL_DIVISION }
SELECT positiveModulo(toInt64('-9223372036854775808'), toInt64('-9223372036854775808')), positiveModulo(toInt8(-127), toInt16(-128)), positiveModulo(toInt8(-5), toUInt8(200));
SELECT gcd(toInt64('-9223372036854775808'), -1); -- { serverError ILLEGAL_DIVISION }
SELECT gcd(toInt64('-9223372036854775808'), 2); -- { serverError DECIMAL_OVERFLOW }
SELECT gcd(toInt64('9223372036854775807'), 2); -- { serverError DECIMAL_OVERFLOW }
SELECT gcd(toInt64('-9223372036854775808'), 0); -- { serverError ILLEGAL_DIVISION }
SELECT gcd(toInt8(-128), toInt16(-1)); -- { serverError ILLEGAL_DIVISION }
SELECT gcd(toUInt64(9223372036854775808), toInt8(2)); -- { serverError DECIMAL_OVERFLOW }
SELECT gcd(toInt8(-128), toInt8(-128)), gcd(toInt32(-2147483648), toInt32(-2147483648)), gcd(toUInt64(18446744073709551615), toInt8(5));
SELECT lcm(toInt64('-9223372036854775808'), 3); -- { serverError DECIMAL_OVERFLOW }
SELECT lcm(toInt32(-2147483648), -1); -- { serverError ILLEGAL_DIVISION }
SELECT lcm(toInt32(-2147483648), 3), lcm(toInt8(-128), toInt8(-128)), lcm(toUInt64(18446744073709551615), 2), lcm(toInt64(3037000500), toInt64(3037000501));
SELECT abs(toInt64('-9223372036854775808')), -toInt64('-9223372036854775808'), negate(toInt8(-128));
SELECT intDivOrZero(nan, 1); -- { serverError ILLEGAL_DIVISION }
SELECT intDivOrZero(1., 0), intDivOrZero(nan, 0), intDiv(1e10, toInt64(1));
-- Arrays by numbers that are NULL: the default stands for it.
SELECT a / n, a * n, intDivOrZero(a, n), n / a FROM (SELECT [10, 20] AS a, materialize(NULL::Nullable(UInt8)) AS n);
SELECT intDiv(a, n) FROM (SELECT [10, 20] AS a, materialize(NULL::Nullable(UInt8)) AS n); -- { serverError ILLEGAL_DIVISION }

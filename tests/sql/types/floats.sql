-- { echoOn }
SELECT 1.0, 0.1, 1e21, 1e20, 123456789012345680000, 1e-7, 0.000001, 1.7976931348623157e308, 5e-324;
SELECT toFloat32(0.1), toFloat32(1e10), toFloat32(16777217), toFloat64(toFloat32(0.1));
SELECT -0.0, 0.0 = -0.0, 1e15, 1e16, 1234567.125, 100000000000000000000.0, 12345678901234567.0;
SELECT toFloat64('1.5'), toFloat64('1e5'), toFloat64('inf'), toFloat64('nan'), toFloat64('-0'), toFloat64('.5');
SELECT toFloat64('x'); -- { serverError CANNOT_PARSE_NUMBER }
SELECT toFloat64OrZero('x'), toFloat64OrNull('x'), toFloat32OrZero('2.5');
SELECT round(2.5), round(3.5), round(-2.5), round(2.567, 2), round(1234, -2), round(0.5), round(1.5);
SELECT floor(2.7), floor(-2.7), ceil(2.1), ceil(-2.1), trunc(2.7), trunc(-2.7), floor(2.75, 1), floor(1234, -2);
SELECT toTypeName(round(5)), toTypeName(floor(2.5)), toTypeName(round(toFloat32(2.5)));
SELECT sqrt(16), cbrt(27), pow(2, 10), power(2, 0.5) = sqrt(2), exp(0), log(1), ln(1), log2(8), log10(1000), exp2(3), exp10(2);
SELECT sqrt(-1), log(0), log(-1);
SELECT abs(-2.5), sign(-0.5), 7.5 % 2, -7.5 % 2, 5.5 - 5.5;
SELECT toTypeName(1.5 % 2), toTypeName(intDiv(7.5, 2)), intDiv(7.5, 2);
SELECT 1.1 + 2.2, 3 * 1.1, 1 / 3, 2 / 3, 10 / 4, toFloat32(1) / 3;
SELECT toString(0.1), toString(toFloat32(0.3)), toString(1e100), toString(-1.5);
SELECT min(x), max(x), sum(x), count() FROM (SELECT arrayJoin([1.5, -2.5, 0.25]) AS x);
SELECT x FROM (SELECT arrayJoin([1.5, nan, -inf, inf, 0, -1]) AS x) ORDER BY x;
SELECT x FROM (SELECT arrayJoin([1.5, nan, -inf, inf, 0, -1]) AS x) ORDER BY x DESC;
SELECT x FROM (SELECT arrayJoin([1.5, nan, -inf, inf, 0, -1]) AS x) ORDER BY x NULLS FIRST;

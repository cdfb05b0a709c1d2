-- Floats are distinct by their bits: the zeros of both signs, and NaNs.
SELECT uniq(x), uniqExact(x), uniqHLL12(x), uniqCombined(x), uniqCombined64(x) FROM (SELECT arrayJoin([0., -0.]) AS x);
SELECT uniq(x), uniqExact(x), uniqHLL12(x), uniqCombined(x), uniqCombined64(x) FROM (SELECT arrayJoin([toFloat32(0), toFloat32(-0.), toFloat32(nan), reinterpretAsFloat32(unhex('0100C07F'))]) AS x);
SELECT count() FROM (SELECT x FROM (SELECT arrayJoin([nan, reinterpretAsFloat64(unhex('010000000000F87F')), 0., -0., nan]) AS x) GROUP BY x);
SELECT count() FROM (SELECT DISTINCT x FROM (SELECT arrayJoin([nan, reinterpretAsFloat64(unhex('010000000000F87F')), 0., -0., nan]) AS x));

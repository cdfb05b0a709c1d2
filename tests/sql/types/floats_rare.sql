-- { echoOn }
SELECT sin(0), cos(0), tan(0), asin(0), acos(1), atan(0), atan2(0, 1), sinh(0), cosh(0), tanh(0), hypot(3, 4);
SELECT round(pi(), 10), round(e(), 10), degrees(pi()), radians(180) = pi();
SELECT isFinite(1), isFinite(inf), isInfinite(-inf), isNaN(nan), isNaN(1), ifNotFinite(1 / 0, 42);
SELECT roundToExp2(100), roundDuration(125), roundAge(30), roundBankers(2.5), roundBankers(3.5);

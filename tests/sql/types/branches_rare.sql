-- Which type functions of several branches have: FixedString stays, LowCardinality stays beside constants.
CREATE TABLE lc (a LowCardinality(String), n LowCardinality(Nullable(String)), s String, f FixedString(3), g FixedString(3), h FixedString(5), u UInt8, fn Nullable(FixedString(3))) ENGINE = Memory;
INSERT INTO lc VALUES ('a', NULL, 's', 'abc', 'def', 'hello', 1, 'xyz');
SELECT toTypeName(coalesce(a, a)), toTypeName(coalesce(n, a)), toTypeName(coalesce(n, 'x')), toTypeName(coalesce(n, s)), toTypeName(coalesce(n, n)), toTypeName(coalesce(n)), toTypeName(coalesce(a)), toTypeName(coalesce(NULL, n)), toTypeName(coalesce(NULL, a)) FROM lc;
SELECT toTypeName(coalesce(f, g)), toTypeName(coalesce(fn, f)), toTypeName(coalesce(fn, h)), toTypeName(coalesce(fn, s)), toTypeName(coalesce(fn, 'abc')), toTypeName(coalesce(NULL, f)), toTypeName(coalesce(f)) FROM lc;
SELECT toTypeName(ifNull(a, a)), toTypeName(ifNull(n, a)), toTypeName(ifNull(n, 'x')), toTypeName(ifNull(n, s)), toTypeName(ifNull(n, n)), toTypeName(ifNull(fn, f)), toTypeName(ifNull(fn, h)), toTypeName(ifNull(fn, 'abc')), toTypeName(ifNull(NULL, f)), toTypeName(ifNull(NULL, a)) FROM lc;
SELECT toTypeName(nullIf(a, 'x')), toTypeName(nullIf(n, 'x')), toTypeName(nullIf(s, a)), toTypeName(nullIf(f, 'abc')), toTypeName(nullIf(f, g)), toTypeName(nullIf(fn, g)), toTypeName(nullIf(f, s)) FROM lc;
SELECT toTypeName(if(u, a, a)), toTypeName(if(u, a, 'x')), toTypeName(if(u, n, a)), toTypeName(if(u, a, s)), toTypeName(if(u, n, NULL)), toTypeName(if(1, a, s)), toTypeName(if(NULL, a, a)), toTypeName(if(1, a, a)) FROM lc;
SELECT toTypeName(if(u, f, g)), toTypeName(if(u, f, h)), toTypeName(if(u, f, s)), toTypeName(if(u, fn, g)), toTypeName(if(u, f, NULL)), toTypeName(if(1, f, 'x')), toTypeName(if(NULL, f, g)) FROM lc;
SELECT toTypeName(multiIf(u, a, a)), toTypeName(multiIf(u, f, g)), toTypeName(multiIf(u, f, h)), toTypeName(multiIf(u, n, u, a, s)), toTypeName(CASE WHEN u THEN f END) FROM lc;
SELECT coalesce(n, a), coalesce(fn, f), nullIf(a, 'a'), nullIf(f, 'abc'), nullIf(f, f), if(u, f, h), coalesce(NULL, f), ifNull(n, 'zz') FROM lc;
SELECT coalesce(NULL, NULL), toTypeName(coalesce(NULL, NULL)), ifNull(NULL, 1), coalesce(NULL, 2, 3), coalesce(1);

-- Constants are known before the query runs.
SELECT isConstant((SELECT 1)), isConstant((SELECT count() FROM numbers(10))), isConstant(1 IN (SELECT 1)), isConstant(EXISTS (SELECT 1)), isConstant(number), isConstant((SELECT max(number) FROM numbers(3)) + 1) FROM numbers(1);
SELECT isConstant(1), isConstant(materialize(1)), isConstant(rand()), isConstant('a' || 'b'), isConstant([1, 2]), isConstant(now()), isConstant(number + 1) FROM numbers(1);
SELECT byteSize('abc'), byteSize(1, 'a'), byteSize(map('a', 1)), byteSize([1, 2, 3]), byteSize((1, 'a')), byteSize(NULL);
SELECT isConstant(byteSize('abc')), isConstant(byteSize(materialize('a')));
SELECT hex(coalesce(n, f)), hex(if(u, s, f)), hex(multiIf(u, s, f)), hex(ifNull(n, f)), hex(CAST(f, 'String')) FROM (SELECT materialize(toFixedString('a', 3)) f, CAST(NULL, 'Nullable(String)') n, 'x' s, materialize(0) u);

-- Arrays whose names begin alike are the elements of a nested structure.
DROP TABLE IF EXISTS n;
CREATE TABLE n (id UInt8, `nn.a` Array(UInt8), `nn.b` Array(Nullable(String)), x UInt8, `one.k` Array(UInt8), `z.a` UInt8) ENGINE = Memory;
INSERT INTO n VALUES (1, [1, 2], ['p', NULL], 3, [5], 1), (2, [], [], 0, [6], 2), (3, [8], ['z'], 0, [], 3);
SELECT * FROM n ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT nn FROM n ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT n.nn, one FROM n ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT nn.a, nn.a.size0, nn.b.null, nn.b.size, length(nn) FROM n ORDER BY id FORMAT TSVWithNamesAndTypes;
SELECT id, nn.a, nn.b FROM n ARRAY JOIN nn ORDER BY ALL FORMAT TSVWithNamesAndTypes;
SELECT id, nn.a, nn.b FROM n LEFT ARRAY JOIN nn ORDER BY ALL FORMAT TSVWithNamesAndTypes;
SELECT id, k.a, k.b, nn.a FROM n ARRAY JOIN nn AS k ORDER BY ALL FORMAT TSVWithNamesAndTypes;
SELECT id, nn FROM n ARRAY JOIN nn ORDER BY ALL FORMAT TSVWithNamesAndTypes;
SELECT id, nn.a, nn.b FROM n ARRAY JOIN nn.a ORDER BY ALL FORMAT TSVWithNamesAndTypes;
SELECT nn.* FROM n ORDER BY id;
SELECT nn.size0 FROM n; -- { serverError UNKNOWN_IDENTIFIER }
SELECT z FROM n; -- { serverError UNKNOWN_IDENTIFIER }
SELECT nn.c FROM n; -- { serverError UNKNOWN_IDENTIFIER }
SELECT count() FROM n WHERE nn.a.size0 = 1;
DROP TABLE n;

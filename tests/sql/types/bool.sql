-- { echoOn }
CREATE TABLE b (k UInt8, v Bool, n Nullable(Bool)) ENGINE = Memory;
INSERT INTO b VALUES (1, true, true), (2, false, NULL), (3, 1, 0), (4, 'false', false);
SELECT * FROM b ORDER BY k;
SELECT k FROM b WHERE v ORDER BY k;
SELECT k FROM b WHERE NOT v ORDER BY k;
SELECT v, count() FROM b GROUP BY v ORDER BY v;
SELECT sum(v), avg(v), min(v), max(v), toTypeName(max(v)), toTypeName(sum(v)) FROM b;
SELECT v AND n, v OR n, toTypeName(v AND n), toTypeName(v = true), toTypeName(NOT v) FROM b ORDER BY k;
SELECT v = 1, v + 1, v::UInt8, toString(v), CAST(v AS Int32), if(v, 'y', 'n') FROM b ORDER BY k;
SELECT toBool('yes'), toBool('off'), true = 1, true::String, toTypeName([true, false]), toTypeName([true, 1]), [true, 2];
SELECT toBool('maybe'); -- { serverError CANNOT_PARSE_BOOL }
SELECT true > false, true AND false, toTypeName(true AND false), toTypeName(if(1, true, false)), toTypeName(if(1, true, 5));

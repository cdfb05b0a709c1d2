-- { fixedEngine }
-- TinyLog and StripeLog are Log under other names.
CREATE TABLE tiny (a UInt8, s Array(String) DEFAULT ['x']) ENGINE = TinyLog;
CREATE TABLE stripe (a UInt8, s Nullable(String)) ENGINE = StripeLog();
INSERT INTO tiny (a) VALUES (2), (1);
INSERT INTO tiny VALUES (3, ['y', 'z']);
INSERT INTO stripe SELECT a, s[2] FROM tiny;
INSERT INTO stripe VALUES (9, NULL);
SELECT * FROM tiny ORDER BY a;
SELECT * FROM stripe ORDER BY a;
SELECT name, engine, engine_full FROM system.tables WHERE database = currentDatabase() ORDER BY name;
SHOW CREATE TABLE tiny;
TRUNCATE TABLE tiny;
SELECT count() FROM tiny;
CREATE TABLE keyed (a UInt8) ENGINE = TinyLog ORDER BY a; -- { serverError BAD_ARGUMENTS }
DROP TABLE stripe;
EXISTS TABLE stripe;

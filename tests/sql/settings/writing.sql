-- { fixedEngine }
-- Settings that change what CREATE and INSERT do.
SET data_type_default_nullable = 1;
CREATE TABLE dn (a Int32, b Int32 NOT NULL, c String NULL, d Nullable(Int32), x DEFAULT 1) ENGINE = Memory;
SHOW CREATE TABLE dn;
CREATE TABLE bad (a Array(Int32)) ENGINE = Memory; -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SET data_type_default_nullable = 0;
CREATE TABLE dn (a Int32) ENGINE = Memory; -- { serverError TABLE_ALREADY_EXISTS }
CREATE TABLE dn (a Int32) ENGINE = Memory SETTINGS create_if_not_exists = 1;
SHOW CREATE TABLE dn;

CREATE TABLE mt (a Int32, m Int32 MATERIALIZED a + 1) ENGINE = Memory;
INSERT INTO mt (a, m) VALUES (1, 2); -- { serverError ILLEGAL_COLUMN }
SET insert_allow_materialized_columns = 1;
INSERT INTO mt (a, m) VALUES (1, 5);
INSERT INTO mt VALUES (7);
SELECT a, m FROM mt ORDER BY a;

SET allow_ddl = 0;
CREATE TABLE no (a Int32) ENGINE = Memory; -- { serverError QUERY_IS_PROHIBITED }
DROP TABLE mt; -- { serverError QUERY_IS_PROHIBITED }
INSERT INTO mt VALUES (8);
SELECT count() FROM mt;

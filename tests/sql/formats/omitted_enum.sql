-- The default of an Enum is its first value, also where the input has none.
CREATE TABLE omitted_enum (id UInt8, e Enum8('x' = 1, 'y' = 2), t Tuple(a UInt8, e Enum8('p' = 5))) ENGINE = Memory;
INSERT INTO omitted_enum FORMAT JSONEachRow {"id": 1} {"id": 2, "e": "y", "t": {"a": 1, "e": "p"}}
INSERT INTO omitted_enum (id) VALUES (4);
SELECT * FROM omitted_enum ORDER BY id;
SELECT count() FROM omitted_enum WHERE e = 'x';
SELECT e = 'x' FROM format(JSONEachRow, 'id UInt8, e Enum16(\'x\' = -5, \'y\' = 2)', '{"id": 1}');
DROP TABLE omitted_enum;

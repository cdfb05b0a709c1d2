-- Values that say nothing about their type (empty arrays, NULL) do not decide it.
DESCRIBE format(JSONEachRow, '{"a":[1,2]} {"a":[]}');
DESCRIBE format(JSONEachRow, '{"a":[]} {"a":[1.5]} {"a":[null]}');
DESCRIBE format(JSONEachRow, '{"a":[[],[1]]} {"a":[["x"]]}');
DESCRIBE format(JSONEachRow, '{"a":[]} {"b":[null]}');
DESCRIBE format(JSONEachRow, '{"a":[true]} {"a":[1]}');
DESCRIBE format(JSONEachRow, '{"a":["2024-01-01"]} {"a":[]}');
DESCRIBE format(JSONCompactEachRow, '[1, []], [2, ["2024-01-01 00:00:00"]]');
SELECT * FROM format(JSONEachRow, '{"a":[1,2]} {"a":[]}') FORMAT JSONEachRow;
-- Objects in arrays join their keys, in the order of the keys' names.
SELECT * FROM format(JSONEachRow, '{"items":[{"sku":"q","n":1},{"sku":"w"}]} {"items":[]} {"items":[{"more":[]},{"more":[2]}]}') FORMAT JSONEachRow;
SELECT items.sku, items.n FROM format(JSONEachRow, '{"items":[{"sku":"q","n":1},{"sku":"w"}]} {"items":[]}');
SELECT a.b, a.c.d FROM format(JSONEachRow, '{"a":{"c":null,"b":[]}} {"a":{"c":{"d":2},"b":[1]}}') FORMAT JSONEachRow;
SELECT user.name, user.geo.lat FROM format(JSONEachRow, '{"user":{"name":"x","geo":{"lat":1.5}}} {"user":{"name":"y","geo":{"lat":null}}}');
SELECT a.z, a.b FROM format(JSONEachRow, '{"a":{"z":1}} {"a":{"b":"t"}}');

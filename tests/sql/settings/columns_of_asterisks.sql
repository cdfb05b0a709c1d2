-- asterisk_include_*, names of tuples' elements, and NULL in least and greatest.
CREATE TABLE sums (a UInt32, m UInt32 MATERIALIZED a + 1, al UInt32 ALIAS a * 2, s String, e UInt8 EPHEMERAL 3) ENGINE = Memory;
INSERT INTO sums (a, s) VALUES (1, 'x'), (2, 'y');
SELECT * FROM sums ORDER BY a FORMAT TSVWithNames SETTINGS asterisk_include_alias_columns = 1;
SELECT * FROM sums ORDER BY a FORMAT TSVWithNames SETTINGS asterisk_include_materialized_columns = 1;
SELECT sums.* EXCEPT a FROM sums ORDER BY a FORMAT TSVWithNames SETTINGS asterisk_include_materialized_columns = 1, asterisk_include_alias_columns = 1;
SELECT COLUMNS('a|m') FROM sums ORDER BY a FORMAT TSVWithNames SETTINGS asterisk_include_materialized_columns = 1;
SELECT * FROM (SELECT * FROM sums SETTINGS asterisk_include_alias_columns = 1) ORDER BY a FORMAT TSVWithNames;
SELECT count(*), max(tuple(*)) FROM sums SETTINGS asterisk_include_alias_columns = 1;
SELECT * FROM sums AS l JOIN sums AS r USING a ORDER BY a FORMAT TSVWithNames SETTINGS asterisk_include_materialized_columns = 1, asterisk_include_alias_columns = 1;
CREATE VIEW view_of_sums AS SELECT * FROM sums;
SELECT * FROM view_of_sums ORDER BY a FORMAT TSVWithNames SETTINGS asterisk_include_alias_columns = 1;
INSERT INTO sums (a, s) SELECT * FROM sums WHERE 0 SETTINGS asterisk_include_alias_columns = 1; -- { serverError NUMBER_OF_COLUMNS_DOESNT_MATCH }

SET enable_named_columns_in_function_tuple = 1;
SELECT (a, s) AS t, toTypeName(t), t.a FROM sums ORDER BY a;
SELECT toTypeName(tuple(a + 1 AS z, sums.s)), toTypeName((a, 1)), toTypeName((a, a)), toTypeName((a, tuple(s))) FROM sums LIMIT 1;
SELECT toTypeName(tuple(*)), toTypeName(tuple(a + 1, s)), toTypeName(groupArray((a, s))) FROM sums GROUP BY ALL LIMIT 1;
SELECT toTypeName(tuple(1 AS `1x`, 2 AS b)), toTypeName(tuple(1 AS `a b`)), toTypeName(tuple(1 AS null, 2 AS c)), toTypeName(tuple(1 AS _z)), toTypeName(tuple());
SELECT untuple((a, s)) FROM sums ORDER BY a FORMAT TSVWithNames;
SELECT a FROM sums WHERE (a, s) IN ((1, 'x'), (2, 'z')) ORDER BY (s, a);
SELECT (a, s), count() FROM sums GROUP BY (a, s) ORDER BY ALL;
SELECT (1 AS p, 2 AS q) = (1, 2), (a, s) = (1, 'x') FROM sums ORDER BY a;
SELECT toTypeName([(a, s), (1, 'b')]) FROM sums LIMIT 1;
SET enable_named_columns_in_function_tuple = 0;

SET least_greatest_legacy_null_behavior = 1;
SELECT least(NULL, 1), greatest('a', NULL), least(1, 2), toTypeName(greatest(1, NULL));
SELECT x, y, least(x, 1), greatest(x, y), greatest(x, y, 3), toTypeName(least(x, y)) FROM (SELECT arrayJoin([NULL, 2, 0]) AS x, if(x = 0, NULL, 1) AS y) ORDER BY x;
SET least_greatest_legacy_null_behavior = 0;
SELECT x, y, least(x, 1), greatest(x, y), greatest(x, y, 3) FROM (SELECT arrayJoin([NULL, 2, 0]) AS x, if(x = 0, NULL, 1) AS y) ORDER BY x;
SELECT 1 SETTINGS replace_running_query = 1, replace_running_query_max_wait_ms = 10;

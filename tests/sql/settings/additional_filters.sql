CREATE TABLE t (x UInt32, y String, m UInt32 MATERIALIZED x * 2, l UInt32 ALIAS x * 3) ENGINE = MergeTree ORDER BY x;
INSERT INTO t (x, y) VALUES (1, 'a'), (2, 'b'), (3, 'c');
SELECT * FROM t ORDER BY x SETTINGS additional_table_filters = {'t':'x != 2'};
SELECT y FROM t ORDER BY x SETTINGS additional_table_filters = {'default.t':'m != 2'};
SELECT y FROM t ORDER BY x SETTINGS additional_table_filters = {'t':'l != 3'};
SELECT y FROM t ORDER BY x SETTINGS additional_table_filters = {'t':'y != \'a\' AND x + 1 < 4'};
SELECT y, l FROM t ORDER BY x SETTINGS additional_table_filters = {'u':'x = 1', 't':'x = 2'};
SELECT y FROM t AS q ORDER BY x SETTINGS additional_table_filters = {'q':'x != 2'};
SELECT y FROM t AS q ORDER BY x SETTINGS additional_table_filters = {'q':'q.x != 2'}; -- { serverError UNKNOWN_IDENTIFIER }
SELECT y AS x FROM t ORDER BY x SETTINGS additional_table_filters = {'t':'x != 2'};
SELECT a.y, b.y FROM t AS a LEFT JOIN t AS b USING (x) ORDER BY a.x SETTINGS additional_table_filters = {'b':'x != 2'};
SELECT a.y, b.y FROM t AS a LEFT JOIN t AS b USING (x) ORDER BY a.x SETTINGS additional_table_filters = {'b':'l != 6'};
SELECT a.y, b.y FROM t AS a LEFT JOIN t AS b USING (x) ORDER BY a.x SETTINGS additional_table_filters = {'t':'x != 2'};
SELECT number FROM numbers(5) SETTINGS additional_table_filters = {'system.numbers':'number != 2'};
SELECT number FROM system.numbers LIMIT 4 SETTINGS max_threads = 1, additional_table_filters = {'system.numbers':'number != 2'};
SELECT * FROM (SELECT x FROM t) AS z ORDER BY x SETTINGS additional_table_filters = {'z':'x != 2'};
SELECT count() FROM t SETTINGS additional_table_filters = {'t':'x != 2'};
SELECT x FROM t WHERE x IN (SELECT x FROM t) ORDER BY x SETTINGS additional_table_filters = {'t':'x != 2'};
SELECT x FROM t WHERE x IN t ORDER BY x SETTINGS additional_table_filters = {'t':'x != 2'}; -- { serverError NUMBER_OF_COLUMNS_DOESNT_MATCH }
SELECT x FROM t ORDER BY x SETTINGS additional_table_filters = {'t':'x IN (SELECT 1)'};
SELECT x FROM t ORDER BY x SETTINGS additional_table_filters = {'t':'x'};
SELECT x FROM t SETTINGS additional_table_filters = {'t':'nope != 2'}; -- { serverError UNKNOWN_IDENTIFIER }
SELECT x FROM t SETTINGS additional_table_filters = {'t':'x +'}; -- { serverError SYNTAX_ERROR }
SELECT x FROM t SETTINGS additional_table_filters = {'t':'y'}; -- { serverError ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER }
SELECT x FROM t SETTINGS additional_table_filters = 'x'; -- { serverError CANNOT_PARSE_INPUT_ASSERTION_FAILED }
SELECT x FROM (SELECT x FROM t ORDER BY x SETTINGS additional_table_filters = {'t':'x != 2'}) ORDER BY x;

CREATE VIEW v AS SELECT * FROM t;
SELECT x FROM v ORDER BY x SETTINGS additional_table_filters = {'v':'x != 2'};
SELECT x FROM v ORDER BY x SETTINGS additional_table_filters = {'t':'x != 2'};
DROP VIEW v;

CREATE TABLE r (k UInt32, v UInt32) ENGINE = ReplacingMergeTree(v) ORDER BY k;
INSERT INTO r VALUES (1, 1), (2, 1);
INSERT INTO r VALUES (1, 2);
SELECT * FROM r FINAL ORDER BY k SETTINGS additional_table_filters = {'r':'v = 1'};
SELECT * FROM r FINAL ORDER BY k SETTINGS additional_table_filters = {'r':'k = 1'};
DROP TABLE r;

SELECT x FROM t ORDER BY x SETTINGS additional_result_filter = 'x != 2';
SELECT x AS z FROM t ORDER BY z LIMIT 2 SETTINGS additional_result_filter = 'z != 2';
SELECT sum(x) AS s FROM t SETTINGS additional_result_filter = 's > 100';
SELECT x FROM t UNION ALL SELECT x FROM t ORDER BY x SETTINGS additional_result_filter = 'x = 2';
SELECT * FROM (SELECT x FROM t) ORDER BY x SETTINGS additional_result_filter = 'x > 1';
SELECT y FROM t SETTINGS additional_result_filter = 'x != 2'; -- { serverError UNKNOWN_IDENTIFIER }
DROP TABLE t;

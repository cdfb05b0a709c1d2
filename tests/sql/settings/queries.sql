-- { configs: default }
-- Settings that change what names, joins and groups mean.
CREATE TABLE j (k Int, v String) ENGINE = Memory;
INSERT INTO j VALUES (1, 'a'), (1, 'b'), (2, 'c');
SET prefer_column_name_to_alias = 1;
SELECT k + 10 AS k, v FROM j WHERE k = 1 ORDER BY v;
SELECT v, max(k) AS k FROM j GROUP BY v HAVING max(k) > 1;
SELECT -k AS k FROM j ORDER BY k;
SELECT avg(k) AS k, max(k) FROM j;
SELECT substring(v, 1, 1) AS v, count() FROM j GROUP BY v ORDER BY v;
SELECT k % 2 AS k, count() FROM j GROUP BY k ORDER BY k DESC;
WITH 100 AS k SELECT k FROM j ORDER BY k;
WITH 100 AS z SELECT z FROM j LIMIT 1;
SELECT max(k) AS k, count() FROM j GROUP BY v ORDER BY k; -- { serverError NOT_AN_AGGREGATE }
SET prefer_column_name_to_alias = 0;
SELECT k + 10 AS k, v FROM j WHERE k = 11 ORDER BY v;
SELECT avg(k) AS k, max(k) FROM j; -- { serverError ILLEGAL_AGGREGATION }

SELECT 'x', count() FROM j WHERE 0 GROUP BY 'x';
SET empty_result_for_aggregation_by_constant_keys_on_empty_set = 0;
SELECT 'x', count() FROM j WHERE 0 GROUP BY 'x';
SELECT 'x', count() FROM j GROUP BY 'x';
SELECT 'x', count() FROM j WHERE 0 GROUP BY 'x', toString(1) HAVING count() = 0;
SELECT 'x', count() FROM j WHERE 0 GROUP BY 'x' WITH TOTALS;
SELECT 'x', count() FROM j WHERE 0 GROUP BY 'x' WITH ROLLUP;
SELECT 'x', count() FROM j WHERE 0 GROUP BY 'x', k;
SELECT 'x' FROM j WHERE 0 GROUP BY 'x';
SELECT toString(1) || 'y' AS q, count() FROM j WHERE 0 GROUP BY q;
SELECT 'x', count() FROM j WHERE 0 GROUP BY 'x' SETTINGS empty_result_for_aggregation_by_empty_set = 1;

SELECT * FROM (SELECT 1 AS k) AS l ANY LEFT JOIN j USING k;
SET join_any_take_last_row = 1;
SELECT * FROM (SELECT 1 AS k) AS l ANY LEFT JOIN j USING k;
SELECT * FROM (SELECT 1 AS k) AS l ANY INNER JOIN j USING k;
SELECT * FROM (SELECT 1 AS k) AS l SEMI LEFT JOIN j USING k;
SELECT * FROM j ANY RIGHT JOIN (SELECT 1 AS k) AS l USING k;
SELECT * FROM (SELECT arrayJoin([1, 2, 3]) AS k) AS l ANY LEFT JOIN j USING k ORDER BY k;
SELECT * FROM (SELECT arrayJoin([1, 2, 3]) AS k) AS l ALL LEFT JOIN j USING k ORDER BY k, v;

CREATE TABLE ai (k Int AUTO_INCREMENT) ENGINE = Memory; -- { serverError SYNTAX_ERROR }
SET compatibility_ignore_auto_increment_in_create_table = 1;
CREATE TABLE ai (k Int AUTO_INCREMENT, b Int NOT NULL AUTO_INCREMENT COMMENT 'x') ENGINE = Memory;
DESCRIBE TABLE ai;

SET compatibility = 'x'; -- { serverError BAD_ARGUMENTS }
SET compatibility = '26.8';
SELECT getSetting('network_compression_method'), getSetting('compatibility');
SET compatibility = '';

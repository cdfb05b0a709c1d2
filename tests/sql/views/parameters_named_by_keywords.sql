-- Parameters of a view, columns and aliases whose names are keywords.
CREATE TABLE visits (id UInt32, day Date) ENGINE = Memory;
INSERT INTO visits VALUES (1, '2024-01-01'), (2, '2024-01-15'), (3, '2024-02-01'), (4, '2024-03-01');
CREATE VIEW between_days AS SELECT id, day FROM visits WHERE day >= {from:Date} AND day < {to:Date};
SELECT * FROM between_days(from = '2024-01-01', to = '2024-02-01') ORDER BY id;
SELECT id FROM between_days(to = '2024-12-31', from = '2024-01-15') WHERE id > 2 ORDER BY id;
SELECT count() FROM between_days(`from` = '2024-01-01', `to` = '2024-02-01');
CREATE VIEW clauses AS SELECT {where:UInt8} AS a, {union:String} AS b, {group:UInt8} AS c, {order:UInt8} AS d, {settings:UInt8} AS e, {limit:UInt8} AS f;
SELECT * FROM clauses(where = 1, union = 'u', group = 2, order = 3, settings = 4, limit = 5);
CREATE VIEW words AS SELECT {as:UInt8} AS a, {in:UInt8} AS b, {and:UInt8} AS c, {like:UInt8} AS d, {then:UInt8} AS e, {case:UInt8} AS f, {end:UInt8} AS g;
SELECT * FROM words(as = 1, in = 2, and = 3, like = 4, then = 5, case = 6, end = 7);
CREATE VIEW selected AS SELECT {select:UInt8} AS a;
SELECT * FROM selected(select = 9);
SELECT * FROM selected(SELECT = 9); -- { serverError UNKNOWN_QUERY_PARAMETER }
CREATE VIEW absent AS SELECT {null:UInt8} AS a;
SELECT * FROM absent(null = 9); -- { serverError UNKNOWN_QUERY_PARAMETER }
SELECT from, to FROM (SELECT number AS from, number + 1 AS to FROM numbers(2)) ORDER BY from;
SELECT (from), plus(from, 1), from = 1, from % 2, max(from) OVER () FROM (SELECT number AS from FROM numbers(2)) WHERE from < 5 ORDER BY from;
SELECT where <> 1, as || 'x', [union], select FROM (SELECT 1 AS where, 'a' AS as, 3 AS union, 4 AS select);
SELECT like, then, sum(in) FROM (SELECT 1 AS like, 2 AS then, 3 AS in) GROUP BY like, then;

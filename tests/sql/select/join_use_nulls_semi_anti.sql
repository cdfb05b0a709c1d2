-- With join_use_nulls, the other side of SEMI and ANTI joins is Nullable as well.
SET join_use_nulls = 1;
CREATE TABLE ta (k Int32, v String) ENGINE = Memory;
CREATE TABLE tb (k Int32, w String) ENGINE = Memory;
INSERT INTO ta VALUES (1, 'a'), (2, 'b');
INSERT INTO tb VALUES (1, 'x'), (3, 'z');

SELECT a.k, b.k, w, toTypeName(b.k), toTypeName(a.k) FROM ta AS a LEFT ANTI JOIN tb AS b ON a.k = b.k;
SELECT a.k, b.k, w, toTypeName(b.k), toTypeName(a.k) FROM ta AS a LEFT SEMI JOIN tb AS b ON a.k = b.k;
SELECT a.k, b.k, w, toTypeName(b.k), toTypeName(a.k) FROM ta AS a RIGHT ANTI JOIN tb AS b ON a.k = b.k;
SELECT a.k, b.k, w, toTypeName(b.k), toTypeName(a.k) FROM ta AS a RIGHT SEMI JOIN tb AS b ON a.k = b.k;
SELECT k, w, toTypeName(w), toTypeName(k) FROM ta AS a LEFT ANTI JOIN tb AS b USING k;
SELECT count() FROM ta AS a LEFT ANTI JOIN tb AS b ON a.k = b.k LEFT ANTI JOIN ta AS c ON b.k = c.k;

DROP TABLE ta;
DROP TABLE tb;

-- { fixedEngine }
-- What no algorithm of the list computes is refused.

CREATE TABLE a (x UInt32, y UInt32) ENGINE = Memory;
CREATE TABLE b (x UInt32, y UInt32) ENGINE = Memory;
INSERT INTO a SELECT number, number % 3 FROM numbers(6);
INSERT INTO b SELECT number * 2, number % 3 FROM numbers(6);

SET join_algorithm = 'nested_loop'; -- { serverError UNKNOWN_JOIN }
SET join_algorithm = 'hash,quick'; -- { serverError UNKNOWN_JOIN }
SET join_algorithm = '';
SELECT count() FROM a JOIN b ON a.x = b.x; -- { serverError NOT_IMPLEMENTED }
SET join_algorithm = 'direct';
SELECT count() FROM a JOIN b ON a.x = b.x; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM a CROSS JOIN b;
SELECT count() FROM a JOIN b ON a.x < b.x; -- { serverError INVALID_JOIN_ON_EXPRESSION }
SET join_algorithm = 'ie_join,direct';
SELECT count() FROM a LEFT JOIN b ON a.x = b.x; -- { serverError NOT_IMPLEMENTED }
SET join_algorithm = 'full_sorting_merge';
SELECT count() FROM a SEMI LEFT JOIN b ON a.x = b.x; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM a ANTI RIGHT JOIN b ON a.x = b.x; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM a JOIN b ON a.x < b.x; -- { serverError INVALID_JOIN_ON_EXPRESSION }
SELECT count() FROM a JOIN b ON a.x = b.x OR a.y = b.y; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM a LEFT JOIN b ON a.x = b.x AND a.y < b.y; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM a LEFT JOIN b ON a.x = b.x AND a.y = 1; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM a LEFT JOIN b ON a.x = b.x AND b.y = 1;
SELECT count() FROM a JOIN b ON a.x = b.x AND a.y = 1;
SELECT count() FROM a FULL JOIN b ON a.x = b.x AND a.y = 1; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM a JOIN b ON a.x = b.x AND a.y <= b.y;
SET join_algorithm = 'partial_merge';
SELECT count() FROM a ANTI LEFT JOIN b ON a.x = b.x; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM a ANY RIGHT JOIN b ON a.x = b.x; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM a ASOF JOIN b ON a.x = b.x AND a.y >= b.y; -- { serverError NOT_IMPLEMENTED }
SET join_algorithm = 'grace_hash';
SELECT count() FROM a ASOF JOIN b ON a.x = b.x AND a.y >= b.y; -- { serverError NOT_IMPLEMENTED }
SELECT count() FROM a LEFT JOIN b ON a.x = b.x AND a.y < b.y;
SELECT count() FROM a JOIN b ON a.x = b.x OR a.y = b.y; -- { serverError NOT_IMPLEMENTED }
SET join_algorithm = 'partial_merge,hash';
SELECT count() FROM a ANTI LEFT JOIN b ON a.x = b.x;
SELECT count() FROM a JOIN b ON a.x = b.x OR a.y = b.y;
SELECT count() FROM a JOIN b ON a.x < b.x;
SET join_algorithm = 'auto';
SELECT count() FROM a JOIN b ON a.x < b.x; -- { serverError INVALID_JOIN_ON_EXPRESSION }
SELECT count() FROM a ASOF JOIN b ON a.x = b.x AND a.y >= b.y;
SELECT count() FROM a JOIN b ON a.x = b.x OR a.y = b.y;
SELECT count() FROM a LEFT JOIN b ON a.x = b.x AND a.y < b.y; -- { serverError NOT_IMPLEMENTED }
SET join_algorithm = 'default';
SELECT count() FROM a JOIN b ON a.x < b.x;
SELECT count() FROM a JOIN b ON b.y; -- { serverError INVALID_JOIN_ON_EXPRESSION }
SELECT count() FROM a LEFT JOIN b ON a.x; -- { serverError INVALID_JOIN_ON_EXPRESSION }
SELECT count() FROM a JOIN b ON a.x = b.x AND b.y;
SELECT count() FROM a JOIN b ON a.x AND b.y;

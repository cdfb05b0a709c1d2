-- Tests of two samples, rank correlation, spans, exponential averages.
CREATE TABLE samples (a Float64, b UInt8) ENGINE = Memory;
INSERT INTO samples VALUES (10, 0), (11, 0), (12, 0), (13, 1), (12, 1), (1, 1), (7.5, 0), (8, 1);
WITH studentTTest(a, b) AS t, welchTTest(a, b) AS w SELECT round(t.1, 9), round(t.2, 9), round(w.1, 9), round(w.2, 9), toTypeName(t) FROM samples;
WITH studentTTest(0.95)(a, b) AS t, welchTTest(0.9)(a, b) AS w SELECT round(t.3, 8), round(t.4, 8), round(w.3, 8), round(w.4, 8), toTypeName(w) FROM samples;
WITH mannWhitneyUTest(a, b) AS m, mannWhitneyUTest('less')(a, b) AS l, mannWhitneyUTest('greater')(a, b) AS g, mannWhitneyUTest('two-sided', 0)(a, b) AS n SELECT m.1, round(m.2, 9), l.1, round(l.2, 9), g.1, round(g.2, 9), n.1, round(n.2, 9), toTypeName(m) FROM samples;
SELECT studentTTest(a, b), welchTTest(a, b) FROM samples WHERE b = 0;
SELECT mannWhitneyUTest(a, b) FROM samples WHERE b = 0; -- { serverError BAD_ARGUMENTS }
SELECT studentTTest('a', 1); -- { serverError BAD_ARGUMENTS }
SELECT studentTTest(1.5)(1, 1); -- { serverError BAD_ARGUMENTS }
SELECT mannWhitneyUTest('x')(1, 1); -- { serverError BAD_ARGUMENTS }
SELECT round(rankCorr(a, b), 9), rankCorr(a, a), rankCorr(a, -a) FROM samples;
SELECT rankCorr(a, a) FROM samples WHERE a = 1;
SELECT maxIntersections(a, b), maxIntersectionsPosition(a, b), intervalLengthSum(a, b), toTypeName(maxIntersections(a, b)), toTypeName(maxIntersectionsPosition(a, b)), toTypeName(intervalLengthSum(a, b)) FROM values('a Int32, b Int32', (1, 5), (3, 7), (10, 12));
SELECT maxIntersections(a, b), maxIntersectionsPosition(a, b), intervalLengthSum(a, b), toTypeName(intervalLengthSum(a, b)) FROM values('a Float64, b Float64', (1.5, 5), (3, 7.25), (10, 12), (9, 8));
SELECT intervalLengthSum(a, b), toTypeName(intervalLengthSum(a, b)) FROM values('a Date, b Date', ('2020-01-01', '2020-01-05'), ('2020-01-03', '2020-01-08'));
SELECT maxIntersections(a, b) FROM values('a Int32, b Int32', (1, 1), (1, 2), (2, 3));
SELECT maxIntersections('a', 'b'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT intervalLengthSum(1, 2.5); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT number % 3 AS k, maxIntersections(number, number + k * 4), intervalLengthSum(number, number + k), maxIntersectionsMerge(s) FROM (SELECT number, maxIntersectionsState(number, number + 3) AS s FROM numbers(20) GROUP BY number) GROUP BY k ORDER BY k;
SELECT round(exponentialMovingAverage(5)(number, number), 9), round(exponentialMovingAverage(0.5)(toFloat64(number), number * 2), 9) FROM numbers(5);
SELECT exponentialMovingAverage(number, number) FROM numbers(5); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT number, round(exponentialTimeDecayedSum(10)(number, number) OVER w, 9), round(exponentialTimeDecayedAvg(10)(number, number) OVER w, 9), round(exponentialTimeDecayedMax(10)(number, number) OVER w, 9), round(exponentialTimeDecayedCount(10)(number) OVER w, 9) FROM numbers(6) WINDOW w AS (ORDER BY number) ORDER BY number;
SELECT number, round(exponentialTimeDecayedSum(3)(number, number * 2) OVER (PARTITION BY number % 2 ORDER BY number ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), 9) FROM numbers(6) ORDER BY number;

-- { echoOn }
CREATE TABLE f (k UInt32, a Int16, s String, d Date, n Nullable(UInt8)) ENGINE = Memory;
INSERT INTO f SELECT number, toInt16(number) - 50, concat('s', toString(number % 10)), toDate('2024-01-01') + number, if(number % 5 = 0, NULL, number % 3) FROM numbers(100);
SELECT count() FROM f WHERE a > 0;
SELECT count() FROM f WHERE a > 0 AND a < 10;
SELECT count() FROM f WHERE a < -45 OR a > 45;
SELECT count() FROM f WHERE NOT (a > 0);
SELECT count() FROM f WHERE s = 's3' AND k > 50;
SELECT count() FROM f WHERE s IN ('s1', 's2') AND a % 2 = 0;
SELECT count() FROM f WHERE s != 's1' AND s NOT LIKE 's2%';
SELECT count() FROM f WHERE d >= '2024-02-01' AND d < toDate('2024-03-01');
SELECT count() FROM f WHERE d BETWEEN '2024-01-10' AND '2024-01-20';
SELECT count() FROM f WHERE n = 1;
SELECT count() FROM f WHERE n IS NULL;
SELECT count() FROM f WHERE n != 1;
SELECT count() FROM f WHERE n;
SELECT count() FROM f WHERE 1;
SELECT count() FROM f WHERE 0;
SELECT count() FROM f WHERE NULL;
SELECT count() FROM f WHERE k IN (SELECT number FROM numbers(5));
SELECT count() FROM f WHERE (k % 7 = 0) = (k % 2 = 0);
SELECT count() FROM f WHERE if(k > 50, s = 's1', s = 's2');
SELECT count() FROM f WHERE length(s) = 2 AND startsWith(s, 's') AND substring(s, 2) = '7';
SELECT count() FROM f WHERE k > 10 AND k > 20 AND k < 90 AND k < 80 AND s > 's5';
SELECT k FROM f WHERE k = 42 AND a = -8;
SELECT k, s FROM f WHERE k > 95 AND s >= 's6' ORDER BY k;
SELECT k FROM f WHERE k < 3 OR s = 's9' AND k < 20 ORDER BY k;
SELECT max(k) FROM f WHERE a = 1000;
SELECT count() FROM f WHERE xor(k > 50, s = 's1');
SELECT count() FROM f WHERE toUInt8(k) = 5 AND toString(k) = '5';
SELECT count() FROM f WHERE 'a'; -- { serverError ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER }
SELECT count() FROM f WHERE a;
SELECT count() FROM f WHERE s; -- { serverError ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER }
SELECT count() FROM f WHERE intDiv(10, k) > 1; -- { serverError ILLEGAL_DIVISION }
SELECT count() FROM f WHERE k != 0 AND intDiv(10, k) > 1;
SELECT sum(k) FROM f WHERE k IN (1, 3, 5) OR k IN (7, 9);
SELECT count() FROM f WHERE d = '2024-01-31';
SELECT count() FROM f WHERE toYYYYMM(d) = 202402;

-- { echoOn }
SELECT number, sum(NULL) OVER (), count(NULL) OVER (), any(NULL) OVER (ORDER BY number), lag(NULL) OVER (ORDER BY number) FROM numbers(2) ORDER BY number;
SELECT number, max((number, 1)) OVER (ORDER BY number), min([number]) OVER (ORDER BY number ROWS 1 PRECEDING) FROM numbers(3) ORDER BY number;
SELECT y, max(x) OVER (ORDER BY y), any(x) OVER (ORDER BY y ROWS 1 PRECEDING) FROM values('x LowCardinality(Nullable(String)), y UInt8', ('1', 1), (NULL, 2), ('0', 3)) ORDER BY y;
SELECT number, sumMap([number], [1]) OVER (ORDER BY number), sumForEach([number, 1]) OVER (ORDER BY number), sumIf(number, NULL) OVER (ORDER BY number) FROM numbers(3) ORDER BY number;
SELECT n, countIf(x > 1) OVER w, avgIf(x, n > 2) OVER w, median(x) OVER w, max(x) OVER w FROM values('n UInt8, x Nullable(UInt8)', (1, NULL), (2, 5), (3, NULL), (4, 7)) WINDOW w AS (ORDER BY n) ORDER BY n;
SELECT n, median(x) OVER (ORDER BY n), quantiles(0.1, 0.5)(x) OVER (ORDER BY n), quantileExact(x) OVER (ORDER BY n) FROM values('n UInt8, x Nullable(Float64)', (1, NULL), (2, 5), (3, nan), (4, 7)) ORDER BY n;
SELECT number, avgOrDefault(number) OVER w, minOrNull(number) OVER w, sumOrDefault(number) OVER w, countOrNull(number) OVER w FROM numbers(3) WINDOW w AS (ORDER BY number ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING) ORDER BY number;
SELECT number, any(d) OVER (ORDER BY number), max(t) OVER (ORDER BY number DESC), median(d) OVER (ORDER BY number), quantileExact(t) OVER (ORDER BY number), median(toDecimal32(number, 2)) OVER (ORDER BY number) FROM (SELECT number, toDate('2020-01-01') + number AS d, toDateTime('2020-01-01 00:00:00', 'UTC') + number AS t FROM numbers(4)) ORDER BY number;
SELECT number, groupArrayMovingSum(2)(number) OVER (ORDER BY number), groupConcat(',')(number) OVER (ORDER BY number) FROM numbers(4) ORDER BY number;
SELECT number, sum(number) OVER (PARTITION BY (number % 2, 1)), sum(number) OVER (PARTITION BY [number % 2] ORDER BY number), sum(number) OVER (PARTITION BY toString(number % 2), number % 3), sum(number) OVER (PARTITION BY tuple()) FROM numbers(6) ORDER BY number;
SELECT x, count() OVER (PARTITION BY x) FROM values('x Float64', (nan), (1), (nan)) ORDER BY x;
SELECT a, b, sum(b) OVER (ORDER BY a), rank() OVER (ORDER BY a DESC) FROM (SELECT [number % 2] AS a, number AS b FROM numbers(4)) ORDER BY a, b;
SELECT number, quantileTDigest(0.5)(number) OVER (ORDER BY number ROWS 2 PRECEDING), varPop(number) OVER (ORDER BY number ROWS 1 PRECEDING), corr(number, number * 2) OVER (ORDER BY number) FROM numbers(4) ORDER BY number;

-- { echoOn }
SELECT round(stddevPop(number), 8), round(stddevSamp(number), 8), round(varPop(number), 8), round(varSamp(number), 8) FROM numbers(10);
SELECT round(covarPop(number, number * 2), 8), round(covarSamp(number, number * 2), 8), round(corr(number, number * 2), 8) FROM numbers(10);
SELECT varPop(x), varSamp(x), stddevSamp(x) FROM (SELECT arrayJoin([2, 4, 4, 4, 5, 5, 7, 9]) AS x);
SELECT varSamp(number), stddevSamp(number), varPop(number) FROM numbers(1);
SELECT varPop(number), varSamp(number) FROM numbers(0);
SELECT number % 2 AS g, round(stddevPop(number), 6) FROM numbers(10) GROUP BY g ORDER BY g;
SELECT toTypeName(varPop(number)), toTypeName(stddevPop(toFloat32(number))) FROM numbers(1);

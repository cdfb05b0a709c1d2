-- { echoOn }
SELECT round(skewPop(x), 6), round(kurtPop(x), 6), round(skewSamp(x), 6), round(kurtSamp(x), 6) FROM (SELECT arrayJoin([1, 2, 2, 3, 9]) AS x);
SELECT avgWeighted(number, number + 1), toTypeName(avgWeighted(number, 1)) FROM numbers(4);
SELECT round(entropy(number % 4), 6), round(VAR_POP(number), 4), round(STDDEV_SAMP(number), 4) FROM numbers(8);
SELECT simpleLinearRegression(number, number * 2 + 1) FROM numbers(5);
SELECT deltaSum(x), boundingRatio(x, x * 3) FROM (SELECT arrayJoin([1, 2, 3]) AS x);

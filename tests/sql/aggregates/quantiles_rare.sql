-- { echoOn }
SELECT quantileExact(number), quantileExact(0.25)(number), quantileExactLow(number), quantileExactHigh(number), medianExact(number) FROM numbers(10);
SELECT quantileDeterministic(0.5)(number, number) FROM numbers(101);
SELECT quantileExactWeighted(0.5)(number, number) FROM numbers(10);
SELECT quantileTiming(0.5)(number), quantilesTiming(0.5, 0.9)(number) FROM numbers(100);

-- { echoOn }
SELECT uniq(number % 10), uniqExact(number % 10), uniqHLL12(number % 10), uniqCombined(number % 10), uniqCombined64(number % 10) FROM numbers(1000);
SELECT uniq(number), uniqCombined(number), uniqHLL12(number) FROM numbers(100000);
SELECT uniq(toString(number)), uniqCombined(toString(number)), uniqHLL12(toString(number)) FROM numbers(100000);
SELECT uniq(intHash64(number)), uniqCombined(18)(number), uniqCombined(12)(number) FROM numbers(200000);
SELECT uniqUpTo(3)(number), uniqUpTo(3)(number % 2) FROM numbers(10);
SELECT countDistinctIf(number % 5, number > 2) FROM numbers(10);

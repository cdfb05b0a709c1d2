-- { echoOn }
SELECT topK(2)(x), topKWeighted(2)(x, length(x)) FROM (SELECT arrayJoin(['a', 'a', 'a', 'bb', 'bb', 'c']) AS x);
SELECT groupArrayInsertAt(0, 5)(number, number * 2) FROM numbers(2);
SELECT groupArrayMovingSum(2)(number), groupArrayMovingAvg(2)(number) FROM numbers(4) SETTINGS max_threads = 1;
SELECT arrayStringConcat(arraySort(groupArray(toString(number))), ','), groupConcat(',')(toString(number)) FROM numbers(3) SETTINGS max_threads = 1;
SELECT sumMap([1, 2], [number, 1]), minMap([1, 2], [number, 1]), maxMap([number % 2], [number]) FROM numbers(4);
SELECT groupArraySorted(3)(10 - number), groupArrayLast(2)(number) FROM numbers(10) SETTINGS max_threads = 1;
SELECT histogram(2)(number) FROM numbers(4);

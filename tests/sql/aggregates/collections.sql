-- { echoOn }
SELECT groupArray(number), groupArray(3)(number), toTypeName(groupArray(number)) FROM numbers(5) SETTINGS max_threads = 1;
SELECT arraySort(groupArray(number)), arraySort(groupUniqArray(number % 3)), length(groupUniqArray(2)(number)) FROM numbers(10);
SELECT number % 2 AS g, arraySort(groupArray(number)), arraySort(groupArray(toString(number))), arraySort(groupUniqArray(number % 4)) FROM numbers(10) GROUP BY g ORDER BY g;
SELECT arraySort(groupArray((number, toString(number)))), arraySort(groupArray([number])), groupArray(toNullable(number)) FROM numbers(2);
SELECT groupArray(x), groupUniqArray(x) FROM (SELECT arrayJoin([NULL, 1, NULL]) AS x);
SELECT groupArray(number), groupUniqArray(number) FROM numbers(0);
SELECT arraySort(groupUniqArrayArray(a)), arraySort(groupArrayArray(a)) FROM (SELECT arrayJoin([[1, 2], [2, 3]]) AS a);
SELECT topK(3)(x) FROM (SELECT arrayJoin([1, 1, 1, 2, 2, 3, 4, 1, 2, 3]) AS x);
SELECT toTypeName(groupArray('a')), toTypeName(topK(2)(1)), toTypeName(groupUniqArray(toNullable(1)));
SELECT groupArray(0)(number) FROM numbers(1); -- { serverError BAD_ARGUMENTS }
SELECT groupArray(number, 1) FROM numbers(1); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }

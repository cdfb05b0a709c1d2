-- { echoOn }
SELECT greatest(1, 2.5, -1), least('a', 'b'), greatest(toDate('2024-01-01'), toDate('2024-06-01')), clamp(15, 1, 10);
SELECT transform(number, [0, 1, 2], ['zero', 'one', 'two'], 'other'), transform(number, [1], [100]) FROM numbers(4) ORDER BY number;

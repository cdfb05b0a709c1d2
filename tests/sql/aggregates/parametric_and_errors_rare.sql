-- { echoOn }
SELECT sequenceMatch('(?1)(?2)')(toDateTime(number), number = 1, number = 2), sequenceCount('(?1)')(toDateTime(number), number < 3, number = 9) FROM numbers(5);
SELECT windowFunnel(10)(toDateTime(number), number = 1, number = 2, number = 3) FROM numbers(5);
SELECT retention(number = 1, number = 2, number = 100) FROM numbers(5);

-- Prime numbers.
-- { echoOn }
DESCRIBE primes(5);
SELECT * FROM primes(5);
SELECT * FROM primes(2, 3);
SELECT * FROM primes(0, 3, 2);
SELECT * FROM primes(3, 4, 2);
SELECT * FROM primes(0);
SELECT count(), sum(prime), max(prime) FROM primes(1000);
SELECT * FROM primes(0, 5, 0); -- { serverError BAD_ARGUMENTS }
SELECT * FROM primes(1, 2, 3, 4); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT * FROM primes('a'); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT * FROM primes(-1); -- { serverError ILLEGAL_TYPE_OF_ARGUMENT }
SELECT * FROM primes() LIMIT 3;
SELECT prime FROM primes() WHERE prime > 100 LIMIT 1;
SELECT * FROM system.primes LIMIT 3;
SELECT max(prime) FROM primes(30000);
SELECT prime % 10 AS d, count() FROM primes(1000) GROUP BY d ORDER BY d;
SELECT p.prime + 2 FROM primes(100) AS p WHERE p.prime + 2 IN (SELECT prime FROM primes(100)) ORDER BY 1 LIMIT 5;
SELECT * FROM numbers(3, 5);
SELECT * FROM numbers(0, 10, 3);
SELECT * FROM numbers(10, 0);
SELECT * FROM numbers(0, 10, 0); -- { serverError BAD_ARGUMENTS }
SELECT * FROM zeros(2);
SELECT * FROM zeros(2, 3); -- { serverError NUMBER_OF_ARGUMENTS_DOESNT_MATCH }
SELECT * FROM generateSeries(0, 10, 4);

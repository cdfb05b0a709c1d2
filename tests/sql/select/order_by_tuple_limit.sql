-- { largeBlocks }
SELECT number FROM numbers(100000) ORDER BY (number % 100, intHash64(number)) LIMIT 4;
SELECT number FROM numbers(100000) ORDER BY (number % 100, intHash64(number)) DESC LIMIT 3 OFFSET 2;
SELECT t FROM (SELECT ((intHash32(number) % 7, toString(number % 1000)), number) AS t FROM numbers(100000)) ORDER BY t LIMIT 3;
SELECT t FROM (SELECT (if(number % 5 = 0, NULL, intHash32(number) % 70), number) AS t FROM numbers(100000)) ORDER BY t DESC LIMIT 3;
SELECT t FROM (SELECT (if(number % 5 = 0, NULL, intHash32(number) % 70), number) AS t FROM numbers(100000)) ORDER BY t ASC NULLS FIRST LIMIT 3;
SELECT t FROM (SELECT (if(number % 50000 = 7, NULL, intHash32(number)), number) AS t FROM numbers(100000)) ORDER BY t DESC NULLS FIRST LIMIT 4;
SELECT t FROM (SELECT (if(number % 5 = 0, nan, (intHash32(number) % 70) / 2), number) AS t FROM numbers(100000)) ORDER BY t LIMIT 3;
SELECT t FROM (SELECT (if(number % 5 = 0, nan, (intHash32(number) % 70) / 2), number) AS t FROM numbers(100000)) ORDER BY t DESC NULLS FIRST LIMIT 3;
SELECT t FROM (SELECT tuple(intHash64(number)) AS t FROM numbers(100000)) ORDER BY t LIMIT 3;
SELECT sum(number), count() FROM (SELECT number FROM numbers(200000) ORDER BY number % 100 LIMIT 150000);
SELECT sum(cityHash64(number, k)) FROM (SELECT number, number % 3 AS k FROM numbers_mt(300000) ORDER BY k, number);

-- Lambdas over the pieces of an address.
SELECT
    length(arrayFilter(x -> position(x, '=') > 0, splitByChar('&', Referer))) AS arguments,
    count() AS views,
    max(arraySum(arrayMap(x -> length(x), splitByChar('&', Referer)))) AS bytes
FROM hits
WHERE EventDate BETWEEN '2013-07-20' AND '2013-07-23' AND Referer != ''
GROUP BY arguments
ORDER BY arguments
LIMIT 30

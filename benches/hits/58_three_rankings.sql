-- Separate rankings set one below the other.
SELECT * FROM
(
    SELECT 'region' AS kind, toString(RegionID) AS name, count() AS views FROM hits GROUP BY name ORDER BY views DESC, name LIMIT 5
    UNION ALL
    SELECT 'system' AS kind, toString(OS) AS name, count() AS views FROM hits GROUP BY name ORDER BY views DESC, name LIMIT 5
    UNION ALL
    SELECT 'model' AS kind, MobilePhoneModel AS name, count() AS views FROM hits WHERE name != '' GROUP BY name ORDER BY views DESC, name LIMIT 5
)
ORDER BY kind, views DESC, name

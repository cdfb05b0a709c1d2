SELECT * FROM
(
    (SELECT 'region' AS kind, RegionID::VARCHAR AS name, count(*) AS views FROM hits GROUP BY name ORDER BY views DESC, name LIMIT 5)
    UNION ALL
    (SELECT 'system' AS kind, OS::VARCHAR AS name, count(*) AS views FROM hits GROUP BY name ORDER BY views DESC, name LIMIT 5)
    UNION ALL
    (SELECT 'model' AS kind, MobilePhoneModel AS name, count(*) AS views FROM hits WHERE MobilePhoneModel != '' GROUP BY name ORDER BY views DESC, name LIMIT 5)
)
ORDER BY kind, views DESC, name

-- Two keys, one of them a string of few values.
SELECT MobilePhone, MobilePhoneModel, uniqExact(UserID) AS visitors, count() AS views
FROM hits
WHERE MobilePhoneModel != ''
GROUP BY MobilePhone, MobilePhoneModel
ORDER BY visitors DESC, MobilePhone, MobilePhoneModel
LIMIT 10

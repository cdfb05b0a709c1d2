SELECT MobilePhone, MobilePhoneModel, count(DISTINCT UserID) AS visitors, count(*) AS views
FROM hits
WHERE MobilePhoneModel != ''
GROUP BY MobilePhone, MobilePhoneModel
ORDER BY visitors DESC, MobilePhone, MobilePhoneModel
LIMIT 10

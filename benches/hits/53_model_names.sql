-- Case, pieces and joins of short strings.
SELECT
    lower(MobilePhoneModel) AS model,
    upper(substring(BrowserLanguage, 1, 1)) AS initial,
    concat(model, '/', initial, '-', toString(max(OS))) AS label,
    max(length(concat(MobilePhoneModel, BrowserLanguage, toString(UserAgent)))) AS bytes,
    count() AS views
FROM hits
WHERE MobilePhoneModel NOT IN ('', 'iPhone')
GROUP BY model, initial
ORDER BY views DESC, model, initial
LIMIT 20

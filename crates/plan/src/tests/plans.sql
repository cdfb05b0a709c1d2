SELECT count() FROM hits;
-- Values [count()] rows: 1

SELECT count() FROM hits WHERE URL = 'x' AND CounterID = 62;
-- Aggregating keys: [] [count()]
--   ReadFrom .hits [] filter: equals(CounterID, 62) AND equals(URL, 'x')

SELECT 1;
-- Expression [1 := 1]
--   Values [] rows: 1

SELECT URL FROM hits LIMIT 10;
-- Limit limit: 10
--   ReadFrom .hits [URL] limit: 10

SELECT RegionID, count() AS c FROM hits WHERE CounterID IN (1, 2) GROUP BY RegionID HAVING c > 10 AND RegionID != 0 ORDER BY c DESC, RegionID LIMIT 10;
-- Sorting [c DESC, RegionID] limit: 10
--   Filter greater(c, 10)
--     Aggregating keys: [RegionID] [count()]
--       ReadFrom .hits [RegionID] filter: notEquals(RegionID, 0) AND CounterID IN (2 values)

SELECT UserID FROM hits WHERE UserID = 435090932899640449;
-- ReadFrom .hits [UserID] filter: equals(UserID, 435090932899640449)

SELECT * FROM (SELECT UserID, EventTime, URL FROM hits) WHERE UserID = 1 ORDER BY EventTime LIMIT 5;
-- Expression [UserID, EventTime, URL]
--   Fetch .hits [URL]
--     Sorting [EventTime] limit: 5
--       ReadFrom .hits [UserID, EventTime, (address)] filter: equals(UserID, 1) threshold: EventTime

SELECT SearchPhrase FROM hits WHERE SearchPhrase != '' ORDER BY EventTime, SearchPhrase LIMIT 10;
-- Expression [SearchPhrase]
--   Sorting [EventTime, SearchPhrase] limit: 10
--     ReadFrom .hits [SearchPhrase, EventTime] filter: notEquals(SearchPhrase, '') threshold: EventTime

SELECT sum(ResolutionWidth), sum(ResolutionWidth + 1), sum(ResolutionWidth + 2), sum(3 + ResolutionWidth) FROM hits;
-- Expression [sum(ResolutionWidth), sum(plus(ResolutionWidth, 1)) := plus(sum(ResolutionWidth), multiply(1, #5)), sum(plus(ResolutionWidth, 2)) := plus(sum(ResolutionWidth), multiply(2, #5)), sum(plus(3, ResolutionWidth)) := plus(sum(ResolutionWidth), multiply(3, #5))]
--   Aggregating keys: [] [sum(ResolutionWidth), count()]
--     ReadFrom .hits [ResolutionWidth]

SELECT 1, URL, count() AS c FROM hits GROUP BY 1, URL ORDER BY c DESC LIMIT 10;
-- Sorting [c DESC] limit: 10
--   Expression [1 := 1, URL, c]
--     Aggregating keys: [URL] [count()]
--       ReadFrom .hits [URL]

SELECT RegionID, RegionID - 1, RegionID - 2, count() FROM hits GROUP BY RegionID, RegionID - 1, RegionID - 2;
-- Expression [RegionID, minus(RegionID, 1) := minus(RegionID, 1), minus(RegionID, 2) := minus(RegionID, 2), count()]
--   Aggregating keys: [RegionID] [count()]
--     ReadFrom .hits [RegionID]

SELECT DISTINCT RegionID FROM hits LIMIT 5;
-- Limit limit: 5
--   Distinct limit: 5
--     ReadFrom .hits [RegionID]

SELECT DISTINCT RegionID FROM hits ORDER BY UserID LIMIT 5;
-- Expression [RegionID]
--   Sorting [UserID] limit: 5
--     LimitBy [RegionID] offset: 0 limit: 1
--       ReadFrom .hits [RegionID, UserID]

SELECT RegionID, UserID FROM hits GROUP BY RegionID, UserID LIMIT 10;
-- Limit limit: 10
--   Aggregating keys: [RegionID, UserID] [] limit: 10
--     ReadFrom .hits [RegionID, UserID]

SELECT URL FROM hits WHERE 1 = 2;
-- Values [URL] rows: 0

SELECT URL FROM hits WHERE 1 = 1;
-- ReadFrom .hits [URL]

SELECT h.URL, s.name FROM small AS s JOIN hits AS h ON s.id = h.RegionID WHERE h.CounterID = 1 AND s.name != '';
-- Join Inner All [RegionID = id]
--   ReadFrom .hits [RegionID, URL] filter: equals(CounterID, 1)
--   ReadFrom .small [id, name] filter: notEquals(name, '')

SELECT h.URL, s.name FROM hits AS h, small AS s WHERE s.id = h.RegionID;
-- Join Inner All [RegionID = id]
--   ReadFrom .hits [RegionID, URL]
--   ReadFrom .small [id, name]

SELECT h.URL, s.name FROM hits AS h LEFT JOIN small AS s ON s.id = h.RegionID AND s.name = 'x' AND h.CounterID > 1 WHERE s.name = 'y' AND h.UserID = 1;
-- Join Inner All [RegionID = id]
--   ReadFrom .hits [RegionID, URL] filter: greater(CounterID, 1) AND equals(UserID, 1)
--   ReadFrom .small [id, name] filter: equals(name, 'y') AND equals(name, 'x')

SELECT id, name, URL FROM small FULL JOIN (SELECT RegionID AS id, URL FROM hits) AS h USING id;
-- Expression [id := if(#5, id, RegionID), name, URL]
--   Join Full All [RegionID = id]
--     ReadFrom .hits [RegionID, URL]
--     Expression [id, name, #5 := 1]
--       ReadFrom .small [id, name]

SELECT count() FROM hits WHERE UserID IN (SELECT id FROM small ORDER BY id);
-- Set 1
--   Expression [id := accurateCastOrNull(id, 'Int64')]
--     ReadFrom .small [id]
-- Aggregating keys: [] [count()]
--   ReadFrom .hits [] filter: UserID IN (subquery)

SELECT count() FROM hits WHERE UserID NOT IN (SELECT UserID FROM hits WHERE URL = '' ORDER BY UserID);
-- Set 1
--   ReadFrom .hits [UserID] filter: equals(URL.size, 0)
-- Aggregating keys: [] [count()]
--   ReadFrom .hits [] filter: UserID NOT IN (subquery)

SELECT count() FROM hits WHERE UserID = (SELECT max(UserID) FROM hits);
-- Scalar 1
--   Aggregating keys: [] [max(UserID)]
--     ReadFrom .hits [UserID]
-- Aggregating keys: [] [count()]
--   ReadFrom .hits [] filter: equals(UserID, scalar Nullable(Int64))

SELECT count() FROM (SELECT URL FROM hits ORDER BY URL);
-- Values [count()] rows: 1

SELECT tag, count() FROM hits ARRAY JOIN Tags AS tag WHERE CounterID = 1 AND tag != '' GROUP BY tag;
-- Aggregating keys: [tag] [count()]
--   Filter notEquals(tag, '')
--     ArrayJoin Inner [#5 -> tag]
--       Expression [#5 := Tags]
--         ReadFrom .hits [Tags] filter: equals(CounterID, 1)

SELECT arrayJoin(Tags) AS tag FROM hits WHERE CounterID = 1;
-- ArrayJoin Inner [#3 -> tag]
--   Expression [#3 := Tags]
--     ReadFrom .hits [Tags] filter: equals(CounterID, 1)

SELECT RegionID FROM hits ORDER BY RegionID LIMIT 2 BY CounterID LIMIT 10;
-- Expression [RegionID]
--   Limit limit: 10
--     LimitBy [CounterID] offset: 0 limit: 2
--       Sorting [RegionID]
--         ReadFrom .hits [RegionID, CounterID]

SELECT x FROM (SELECT UserID AS x FROM hits UNION ALL SELECT id FROM small) WHERE x = 1 LIMIT 3;
-- Limit limit: 3
--   Union [x]
--     Expression [#3 := UserID]
--       ReadFrom .hits [UserID] filter: equals(UserID, 1) limit: 3
--     Expression [#4 := CAST(id, 'Int64')]
--       ReadFrom .small [id] filter: equals(CAST(id, 'Int64'), 1) limit: 3

SELECT URL FROM hits ORDER BY EventTime DESC LIMIT 10 OFFSET 5;
-- Expression [URL]
--   Fetch .hits [URL]
--     Limit offset: 5 limit: 10
--       Sorting [EventTime DESC] limit: 15
--         ReadFrom .hits [EventTime, (address)] threshold: EventTime

SELECT max(c) FROM (SELECT RegionID, count() AS c, max(URL) FROM hits GROUP BY RegionID);
-- Aggregating keys: [] [max(c)]
--   Aggregating keys: [RegionID] [count()]
--     ReadFrom .hits [RegionID]

SELECT RegionID, count() FROM hits GROUP BY RegionID ORDER BY length(URL) LIMIT 1;
-- Code: 215. Column '.hits.URL' is not under aggregate function and not in GROUP BY keys (NOT_AN_AGGREGATE)

SELECT CounterID, c FROM (SELECT CounterID, count() AS c FROM hits GROUP BY CounterID) WHERE CounterID = 5 AND c > 1;
-- Filter greater(c, 1)
--   Aggregating keys: [CounterID] [count()]
--     ReadFrom .hits [CounterID] filter: equals(CounterID, 5)

WITH URL = 'x' AS is_x SELECT countIf(is_x), UserID FROM hits WHERE is_x OR UserID = 1 GROUP BY UserID;
-- Expression [countIf(is_x), UserID]
--   Aggregating keys: [UserID] [countIf(#4)]
--     Expression [UserID, #4 := equals(URL, 'x')]
--       ReadFrom .hits [URL, UserID] filter: (equals(UserID, 1) OR equals(URL, 'x'))

SELECT isNull(URL), SearchPhrase = 'x' AS x FROM hits ORDER BY EventTime LIMIT 3;
-- Expression [isNull(URL), x := equals(SearchPhrase, 'x')]
--   Fetch .hits [SearchPhrase]
--     Sorting [EventTime] limit: 3
--       Expression [isNull(URL) := 0, EventTime, (address)]
--         ReadFrom .hits [EventTime, (address)] threshold: EventTime

SELECT URL = 'x' AS a, isNull(a) AS b, UserID, isNull(UserID), count() FROM hits GROUP BY a, b, UserID, isNull(UserID);
-- Expression [a, b := 0, UserID, isNull(UserID) := 0, count()]
--   Aggregating keys: [a, UserID] [count()]
--     Expression [a := equals(URL, 'x'), UserID]
--       ReadFrom .hits [URL, UserID]

SELECT h.URL FROM hits AS h JOIN small AS s ON s.id = h.RegionID AND 1 = 2;
-- Values [URL] rows: 0

SELECT RegionID IN (SELECT id FROM small), (RegionID, UserID) IN ((1, 2), (3, 4)) FROM hits;
-- Set 1
--   ReadFrom .small [id]
-- Expression [in(RegionID, _subquery_1) := RegionID IN (subquery), in((RegionID, UserID), ((1, 2), (3, 4))) := RegionID, UserID IN (2 values)]
--   ReadFrom .hits [RegionID, UserID]

SELECT toString(RegionID) AS name, toString(RegionID) = '' AS e, count() FROM hits GROUP BY name, e;
-- Expression [name := toString(RegionID), e := equals(toString(RegionID), ''), count()]
--   Aggregating keys: [RegionID] [count()]
--     ReadFrom .hits [RegionID]

SELECT count() FROM hits WHERE NOT (CounterID IN (1, 2)) AND NOT (RegionID = 1 OR RegionID = 2 OR RegionID = 3000000000 OR URL = '') AND NOT CounterID > 5;
-- Aggregating keys: [] [count()]
--   ReadFrom .hits [] filter: lessOrEquals(CounterID, 5) AND notEquals(URL.size, 0) AND CounterID NOT IN (2 values) AND RegionID NOT IN (2 values)

SELECT UserID, row_number() OVER (PARTITION BY UserID), sum(ResolutionWidth) OVER (PARTITION BY UserID ORDER BY EventTime), max(EventDate) OVER (ORDER BY EventTime DESC ROWS 3 PRECEDING) FROM hits;
-- Expression [UserID, row_number() OVER (PARTITION BY UserID), sum(ResolutionWidth) OVER (PARTITION BY UserID ORDER BY EventTime ASC), max(EventDate) OVER (ORDER BY EventTime DESC ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)]
--   Window partition: [] order: [EventTime DESC] [max(EventDate) ROWS BETWEEN 3 PRECEDING AND CURRENT ROW]
--     Window partition: [UserID] order: [EventTime] [row_number() over the first 0 of the order, sum(ResolutionWidth)]
--       ReadFrom .hits [UserID, EventTime, ResolutionWidth, EventDate]

SELECT UserID FROM (SELECT UserID, RegionID, rank() OVER (PARTITION BY UserID ORDER BY EventTime) AS r, count() OVER () AS c FROM hits) WHERE UserID = 7 AND r = 1;
-- Expression [UserID]
--   Filter equals(UserID, 7) AND equals(r, 1)
--     Window partition: [UserID] order: [EventTime] [rank()]
--       ReadFrom .hits [UserID, EventTime]

SELECT RegionID, count() AS c FROM hits GROUP BY RegionID QUALIFY c > 0.1 * max(c) OVER ();
-- Expression [RegionID, c]
--   Filter greater(c, multiply(0.1, #3))
--     Window partition: [] order: [] [max(c)]
--       Aggregating keys: [RegionID] [count()]
--         ReadFrom .hits [RegionID]

SELECT Tags.size0, Age.null, Place.city FROM hits WHERE Place.at.size0 > 1;
-- ReadFrom .hits [Tags.size0, Age.null, Place.city] filter: greater(Place.at.size0, 1)

SELECT count(Age), sum(length(Tags)), countIf(Place.city = 'x') FROM hits WHERE isNotNull(Age) AND notEmpty(tupleElement(Place, 'at'));
-- Aggregating keys: [] [sum(#9), sum(#7), countIf(#8)]
--   Expression [#7 := Tags.size0, #8 := equals(Place.city, 'x'), #9 := equals(Age.null, 0)]
--     ReadFrom .hits [Place.city, Tags.size0, Age.null] filter: equals(Age.null, 0) AND notEquals(Place.at.size0, 0)

SELECT count(Age), max(Age), sum(length(Tags)) FROM hits GROUP BY Tags;
-- Expression [count(Age), max(Age), sum(length(Tags))]
--   Aggregating keys: [Tags] [count(Age), max(Age), sum(#6)]
--     Expression [Tags, Age, #6 := length(Tags)]
--       ReadFrom .hits [Tags, Age]

SELECT Tags FROM hits WHERE empty(Tags) AND isNull(Age);
-- ReadFrom .hits [Tags] filter: Age.null AND empty(Tags)

SELECT length(h.Tags), isNull(h.Age) FROM small AS s LEFT JOIN hits AS h ON s.id = h.RegionID WHERE length(h.Tags) > 3;
-- Expression [length(Tags) := length(Tags), isNull(Age) := isNull(Age)]
--   Join Inner All [RegionID = id]
--     ReadFrom .hits [RegionID, Tags, Age] filter: greater(length(Tags), 3)
--     ReadFrom .small [id]

SELECT a, length(Tags) FROM (SELECT isNull(Age) AS a, Tags FROM hits) ORDER BY a LIMIT 5;
-- Expression [a, length(Tags) := length(Tags)]
--   Fetch .hits [Tags]
--     Sorting [a] limit: 5
--       Expression [a := Age.null, (address)]
--         ReadFrom .hits [Age.null, (address)]

SELECT arrayMap(x -> x + length(Tags), Place.at) FROM hits;
-- Expression [arrayMap(lambda(tuple(x), plus(x, length(Tags))), Place.at) := arrayMap((#1) -> plus(#1, Tags.size0), Place.at)]
--   ReadFrom .hits [Place.at, Tags.size0]

SELECT brand, sum(amount) FROM parts, customers, nations, sales WHERE sales.part = parts.part AND sales.customer = customers.customer AND customers.nation = nations.nation AND region = 3 GROUP BY brand;
-- Aggregating keys: [brand] [sum(amount)]
--   Expression [brand, amount]
--     Join Inner All [part = part]
--       Join Inner All [customer = customer]
--         ReadFrom .sales [part, customer, amount]
--         Join Inner All [nation = nation]
--           ReadFrom .customers [customer, nation]
--           ReadFrom .nations [nation] filter: equals(region, 3)
--       ReadFrom .parts [part, brand]

SELECT count() FROM sales JOIN parts USING part JOIN days ON days.day = sales.day WHERE brand = 7 AND sales.day < 100;
-- Aggregating keys: [] [count()]
--   Join Inner All [day = day]
--     Join Inner All [part = part]
--       ReadFrom .sales [part, day] filter: less(day, 100)
--       ReadFrom .parts [part] filter: equals(brand, 7)
--     ReadFrom .days [day] filter: less(day, 100)

SELECT count() FROM sales LEFT JOIN days ON days.day = sales.day SEMI LEFT JOIN parts ON parts.part = sales.part ANTI LEFT JOIN nations ON nations.nation = sales.customer JOIN customers ON customers.customer = sales.customer WHERE age = 30;
-- Aggregating keys: [] [count()]
--   Join Left Semi [part = part]
--     Join Left All [day = day]
--       Join Left Anti [customer = nation]
--         Join Inner All [customer = customer]
--           ReadFrom .sales [day, part, customer]
--           ReadFrom .customers [customer] filter: equals(age, 30)
--         ReadFrom .nations [nation]
--       ReadFrom .days [day]
--     ReadFrom .parts [part]

SELECT year, brand FROM sales LEFT JOIN days ON days.day = sales.day LEFT JOIN parts ON parts.part = sales.part WHERE year = 2 AND amount = 0;
-- Join Left All [part = part]
--   Join Inner All [day = day]
--     ReadFrom .sales [day, part] filter: equals(amount, 0)
--     ReadFrom .days [day, year] filter: equals(year, 2)
--   ReadFrom .parts [part, brand]

SELECT count() FROM customers AS a, customers AS b, nations AS m, nations AS n WHERE a.nation = m.nation AND b.nation = n.nation AND a.age = b.age AND ((m.region = 1 AND n.region = 2) OR (m.region = 2 AND n.region = 1));
-- Aggregating keys: [] [count()]
--   Join Inner All [age = age] where: ((equals(region, 1) AND equals(region, 2)) OR (equals(region, 2) AND equals(region, 1)))
--     Join Inner All [nation = nation]
--       ReadFrom .customers [nation, age]
--       ReadFrom .nations [nation, region] filter: region IN (2 values)
--     Join Inner All [nation = nation]
--       ReadFrom .customers [nation, age]
--       ReadFrom .nations [nation, region] filter: region IN (2 values)

SELECT count() FROM nations AS a, nations AS b, nations AS c, customers WHERE a.nation + b.nation = customers.customer AND c.nation = b.region;
-- Aggregating keys: [] [count()]
--   Join Inner All [customer = #7]
--     ReadFrom .customers [customer]
--     Expression [#7 := plus(nation, nation)]
--       Join Cross All []
--         Join Inner All [region = nation]
--           ReadFrom .nations [nation, region]
--           ReadFrom .nations [nation]
--         ReadFrom .nations [nation]

SELECT DISTINCT part, total FROM (SELECT part, sum(amount) AS total FROM sales GROUP BY part);
-- Aggregating keys: [part] [sum(amount)]
--   ReadFrom .sales [part, amount]

SELECT count(), sum(amount) FROM sales LEFT JOIN (SELECT part, count() AS n FROM sales GROUP BY part) AS g ON g.part = sales.part;
-- Aggregating keys: [] [count(), sum(amount)]
--   ReadFrom .sales [amount]

SELECT RegionID, sumOrNull(ResolutionWidth), sumOrNull(Age) FROM hits GROUP BY RegionID;
-- Expression [RegionID, sumOrNull(ResolutionWidth) := CAST(#6, 'Nullable(Int64)'), sumOrNull(Age)]
--   Aggregating keys: [RegionID] [sum(ResolutionWidth), sumOrNull(Age)]
--     ReadFrom .hits [RegionID, ResolutionWidth, Age]

SELECT name, sum(amount), avg(amount) FROM sales JOIN names ON customer = nr GROUP BY name;
-- Aggregating keys: [name] [sumMerge(#7), avgMerge(#8)]
--   Expression [name, #7, #8]
--     Join Inner All [customer = nr]
--       Aggregating keys: [customer] [sumState(amount), avgState(amount)]
--         ReadFrom .sales [customer, amount]
--       ReadFrom .names [nr, name]

SELECT name, year, count() FROM sales LEFT JOIN names ON part = nr JOIN days ON days.day = sales.day AND amount > year GROUP BY name, year;
-- Aggregating keys: [name, year] [countMerge(#9)]
--   Expression [name, year, #9]
--     Join Left All [part = nr]
--       Aggregating keys: [year, part] [countState()]
--         Expression [year, part]
--           Join Inner All [day = day] where: greater(amount, year)
--             ReadFrom .sales [part, day, amount]
--             ReadFrom .days [day, year]
--       ReadFrom .names [nr, name]

SELECT name, uniq(amount) FROM sales JOIN names ON customer = nr GROUP BY name;
-- Aggregating keys: [name] [uniq(amount)]
--   Expression [name, amount]
--     Join Inner All [customer = nr]
--       ReadFrom .sales [customer, amount]
--       ReadFrom .names [nr, name]

SELECT URL, concat(URL, SearchPhrase), length(Tags), EventTime FROM hits WHERE CounterID = 62 ORDER BY EventTime LIMIT 10 OFFSET 3;
-- Expression [URL, concat(URL, SearchPhrase) := concat(URL, SearchPhrase), length(Tags) := length(Tags), EventTime]
--   Fetch .hits [URL, SearchPhrase, Tags]
--     Limit offset: 3 limit: 10
--       Sorting [EventTime] limit: 13
--         ReadFrom .hits [EventTime, (address)] filter: equals(CounterID, 62) threshold: EventTime

SELECT URL, rand(), SearchPhrase FROM hits WHERE SearchPhrase LIKE '%x%' ORDER BY EventTime LIMIT 10;
-- Expression [URL, rand(), SearchPhrase]
--   Fetch .hits [URL]
--     Sorting [EventTime] limit: 10
--       Expression [rand() := rand(), SearchPhrase, EventTime, (address)]
--         ReadFrom .hits [SearchPhrase, EventTime, (address)] filter: like(SearchPhrase, '%x%') threshold: EventTime

SELECT URL FROM hits ORDER BY EventTime LIMIT 9999;
-- Expression [URL]
--   Sorting [EventTime] limit: 9999
--     ReadFrom .hits [URL, EventTime] threshold: EventTime

SELECT URL FROM hits ORDER BY EventTime LIMIT 20000;
-- Expression [URL]
--   Sorting [EventTime] limit: 20000
--     ReadFrom .hits [URL, EventTime] threshold: EventTime

SELECT h.URL, s.name, h.EventTime FROM hits AS h JOIN small AS s ON h.RegionID = s.id ORDER BY h.EventTime LIMIT 10;
-- Expression [URL, name, EventTime]
--   Fetch .hits [URL]
--     Sorting [EventTime] limit: 10
--       Expression [name, EventTime, (address)]
--         Join Inner All [RegionID = id]
--           ReadFrom .hits [RegionID, EventTime, (address)]
--           ReadFrom .small [id, name]

SELECT s.name, upper(h.URL) FROM small AS s LEFT JOIN (SELECT RegionID, URL, lower(SearchPhrase) AS l FROM hits WHERE CounterID > 5) AS h ON h.RegionID = s.id ORDER BY s.id LIMIT 10;
-- Expression [name, upper(URL) := upper(URL)]
--   Fetch .hits [URL]
--     Sorting [id] limit: 10
--       Expression [name, id, #9]
--         Join Right All [RegionID = id]
--           Expression [RegionID, #9 := toNullable((address))]
--             ReadFrom .hits [RegionID, (address)] filter: greater(CounterID, 5)
--           ReadFrom .small [id, name]

SELECT * FROM (SELECT URL, UserID, SearchPhrase, EventTime FROM hits ORDER BY EventTime DESC LIMIT 100) ORDER BY UserID LIMIT 3;
-- Expression [URL, UserID, SearchPhrase, EventTime]
--   Fetch .hits [URL, SearchPhrase]
--     Sorting [UserID] limit: 3
--       Sorting [EventTime DESC] limit: 100
--         ReadFrom .hits [UserID, EventTime, (address)] threshold: EventTime

SELECT URL, Tags, sum(UserID) OVER (PARTITION BY CounterID) AS s FROM hits ORDER BY s LIMIT 5;
-- Expression [URL, Tags, s]
--   Fetch .hits [URL, Tags]
--     Sorting [s] limit: 5
--       Expression [s, (address)]
--         Window partition: [CounterID] order: [] [sum(UserID)]
--           ReadFrom .hits [CounterID, UserID, (address)]

SELECT count(), max(u) FROM (SELECT URL AS u FROM hits ORDER BY EventTime LIMIT 50);
-- Aggregating keys: [] [count(), max(URL)]
--   Expression [URL]
--     Fetch .hits [URL]
--       Sorting [EventTime] limit: 50
--         ReadFrom .hits [EventTime, (address)] threshold: EventTime

SELECT length(Tags), Tags.size0, Age IS NULL, URL FROM hits WHERE CounterID = 7 ORDER BY UserID LIMIT 2;
-- Expression [length(Tags) := length(Tags), Tags.size0, isNull(Age) := isNull(Age), URL]
--   Fetch .hits [Tags, Tags.size0, Age, URL]
--     Sorting [UserID] limit: 2
--       ReadFrom .hits [UserID, (address)] filter: equals(CounterID, 7) threshold: UserID

SELECT count() FROM sales AS a JOIN customers AS b ON a.customer < b.customer AND a.day > 3;
-- Aggregating keys: [] [count()]
--   Join Inner All [] band: customer > customer
--     ReadFrom .sales [customer] filter: greater(day, 3)
--     ReadFrom .customers [customer]

SELECT count() FROM sales AS a JOIN customers AS b ON a.customer BETWEEN b.nation AND b.age;
-- Aggregating keys: [] [count()]
--   Join Inner All [] band: nation <= customer AND age >= customer where: lessOrEquals(customer, age)
--     ReadFrom .sales [customer]
--     ReadFrom .customers [nation, age]

SELECT a.day FROM sales AS a LEFT JOIN customers AS b ON b.age > a.customer AND b.age <= a.part;
-- Join Left All [] band: age > customer AND age <= part
--   ReadFrom .sales [customer, part, day]
--   ReadFrom .customers [age]

SELECT a.day FROM sales AS a SEMI LEFT JOIN customers AS b ON a.customer = b.customer OR a.part = b.age AND a.day = b.nation;
-- Join Left Semi [] alternatives: [customer = customer] OR [age = part AND nation = day]
--   ReadFrom .sales [customer, part, day]
--   ReadFrom .customers [customer, age, nation]

SELECT count() FROM sales AS a, customers AS b WHERE (a.customer = b.customer OR a.day = b.nation) AND a.part < b.age;
-- Aggregating keys: [] [count()]
--   Join Inner All [] alternatives: [customer = customer] OR [nation = day] where: less(part, age)
--     ReadFrom .sales [customer, day, part]
--     ReadFrom .customers [customer, nation, age]

SELECT p.url, upper(p.url), v.url FROM pages AS p JOIN views AS v ON p.page = v.page AND p.site = v.site;
-- Expression [url, upper(url) := upper(url), url]
--   Fetch .pages [url]
--     Join Inner All [page = page, site = site]
--       ReadFrom .views [page, site, url]
--       ReadFrom .pages [page, site, (address)]

SELECT p.text, count() FROM pages AS p JOIN views AS v ON p.page = v.page AND p.site = v.site GROUP BY p.text ORDER BY count() DESC LIMIT 3;
-- Sorting [count() DESC] limit: 3
--   Aggregating keys: [text] [count()]
--     Expression [text]
--       Fetch .pages [text]
--         Join Inner All [page = page, site = site]
--           ReadFrom .views [page, site]
--           ReadFrom .pages [page, site, (address)]

SELECT p.url, v.url FROM pages AS p JOIN views AS v ON p.page = v.page AND p.site = v.site LIMIT 5;
-- Expression [url, url]
--   Fetch .pages [url]
--     Limit limit: 5
--       Join Inner All [page = page, site = site]
--         ReadFrom .views [page, site, url]
--         ReadFrom .pages [page, site, (address)]

SELECT p.url FROM pages AS p JOIN views AS v ON p.page = v.page AND p.site = v.site JOIN names AS n ON n.nr = p.site;
-- Join Inner All [page = page, site = site]
--   ReadFrom .views [page, site]
--   Join Inner All [site = nr]
--     ReadFrom .pages [page, site, url]
--     ReadFrom .names [nr]

SELECT n.name, t.url FROM names AS n JOIN (SELECT p.url, p.site FROM pages AS p JOIN views AS v ON p.page = v.page AND p.site = v.site) AS t ON n.nr = t.site;
-- Expression [name, url]
--   Join Inner All [page = page, site = site]
--     ReadFrom .views [page, site]
--     Join Inner All [site = nr]
--       ReadFrom .pages [page, site, url]
--       ReadFrom .names [nr, name]

SELECT p.url FROM pages AS p LEFT JOIN views AS v ON p.page = v.page AND p.site = v.site;
-- Join Left All [page = page, site = site]
--   ReadFrom .pages [page, site, url]
--   ReadFrom .views [page, site]

SELECT v.url, n.nation FROM views AS v JOIN nations AS n ON v.page BETWEEN n.region AND n.nation WHERE n.region = 3;
-- Expression [url, nation]
--   Fetch .views [url]
--     Join Inner All [] band: region <= page AND nation >= page where: lessOrEquals(page, nation)
--       ReadFrom .views [page, (address)]
--       ReadFrom .nations [region, nation] filter: equals(region, 3)

SELECT p.url, n.region FROM nations AS n LEFT JOIN pages AS p ON p.page BETWEEN n.region AND n.nation AND p.site > 50 ORDER BY p.page;
-- Expression [url, region]
--   Sorting [page]
--     Expression [url, region, page]
--       Join Right All [] band: region <= page AND nation >= page where: lessOrEquals(page, nation)
--         ReadFrom .pages [page, url] filter: greater(site, 50)
--         ReadFrom .nations [region, nation]

SELECT sum(site), groupBitXor(page) FROM (SELECT * FROM pages ORDER BY page);
-- Aggregating keys: [] [sum(site), groupBitXor(page)]
--   ReadFrom .pages [page, site]

SELECT groupArray(site) FROM (SELECT * FROM pages ORDER BY page);
-- Aggregating keys: [] [groupArray(site)]
--   Expression [site]
--     Sorting [page]
--       ReadFrom .pages [page, site]

SELECT count(), sum(price) FROM visits AS v JOIN orders AS o ON v.user = o.user;
-- Aggregating keys: [] [count(), sum(price)]
--   Join Inner All [user = #5] by merging, both in order, ranges: 3
--     ReadFrom .visits [user] in order of key columns: 1
--     Expression [price, #5 := CAST(user, 'Int64')]
--       ReadFrom .orders [user, price] in order of key columns: 1

SELECT v.user, price FROM visits AS v LEFT JOIN orders AS o ON v.day = o.day AND v.user = o.user WHERE v.pages > 3;
-- Join Left All [user = #6, day = day] by merging, both in order, ranges: 3
--   ReadFrom .visits [day, user] filter: greater(pages, 3) in order of key columns: 2
--   Expression [day, price, #6 := CAST(user, 'Int64')]
--     ReadFrom .orders [day, user, price] in order of key columns: 2

SELECT count() FROM visits AS v JOIN orders AS o ON v.day = o.day;
-- Aggregating keys: [] [count()]
--   Join Inner All [day = day]
--     ReadFrom .visits [day]
--     ReadFrom .orders [day]

SELECT count() FROM visits AS v JOIN users AS u ON v.user = u.user;
-- Aggregating keys: [] [count()]
--   Join Inner All [#3 = user]
--     Expression [#3 := CAST(user, 'Nullable(Int64)')]
--       ReadFrom .visits [user]
--     ReadFrom .users [user]

SELECT count() FROM users AS u LEFT JOIN visits AS v ON v.user = u.user;
-- Aggregating keys: [] [count()]
--   Join Right All [#3 = user]
--     Expression [#3 := CAST(user, 'Nullable(Int64)')]
--       ReadFrom .visits [user]
--     ReadFrom .users [user]

SELECT count() FROM visits AS v JOIN (SELECT user, pages FROM visits WHERE pages > 0) AS w ON v.user = w.user JOIN orders AS o ON w.user = o.user;
-- Aggregating keys: [] [count()]
--   Join Inner All [user = user]
--     ReadFrom .visits [user]
--     Join Inner All [#5 = user] by merging, both in order, ranges: 3
--       Expression [#5 := CAST(user, 'Int64')]
--         ReadFrom .orders [user] in order of key columns: 1
--       ReadFrom .visits [user] filter: greater(pages, 0) in order of key columns: 1

SELECT count() FROM visits AS v ASOF JOIN orders AS o ON v.user = o.user AND v.day >= o.day;
-- Aggregating keys: [] [count()]
--   Join Inner Asof [user = #5] closest: day GreaterOrEquals day by merging, both in order, ranges: 3
--     ReadFrom .visits [user, day] in order of key columns: 2
--     Expression [day, #5 := CAST(user, 'Int64')]
--       ReadFrom .orders [user, day] in order of key columns: 2

SELECT count(DISTINCT UserID) FROM hits;
-- Aggregating keys: [] [count()]
--   Aggregating keys: [UserID] []
--     ReadFrom .hits [UserID]

SELECT count(DISTINCT Age, UserID), sum(RegionID) FROM hits;
-- Aggregating keys: [] [uniqExact(Age, UserID), sum(RegionID)]
--   ReadFrom .hits [Age, UserID, RegionID]

SELECT count(DISTINCT Age), sum(RegionID) FROM hits;
-- Aggregating keys: [] [count(Age), sumMerge(#4)]
--   Aggregating keys: [Age] [sumState(RegionID)]
--     ReadFrom .hits [Age, RegionID]

SELECT count(DISTINCT Age), count(DISTINCT UserID) FROM hits;
-- Aggregating keys: [] [uniqExact(Age), uniqExact(UserID)]
--   ReadFrom .hits [Age, UserID]

SELECT id, count(DISTINCT name) FROM small GROUP BY id;
-- Aggregating keys: [id] [uniqExact(name)]
--   ReadFrom .small [id, name]

SELECT amount, count(DISTINCT customer) FROM sales GROUP BY amount;
-- Aggregating keys: [amount] [count()]
--   Aggregating keys: [amount, customer] []
--     ReadFrom .sales [amount, customer]

SELECT amount, count(DISTINCT day, customer), max(day) FROM sales GROUP BY amount;
-- Aggregating keys: [amount] [count(), maxMerge(#6)]
--   Aggregating keys: [amount, day, customer] [maxState(day)]
--     ReadFrom .sales [amount, day, customer]

SELECT count() FROM (SELECT DISTINCT UserID, RegionID FROM hits);
-- Aggregating keys: [] [count()]
--   Expression []
--     Aggregating keys: [UserID, RegionID] []
--       ReadFrom .hits [UserID, RegionID]

SELECT count() FROM (SELECT DISTINCT UserID, RegionID FROM hits LIMIT 10);
-- Aggregating keys: [] [count()]
--   Expression []
--     Limit limit: 10
--       Distinct limit: 10
--         ReadFrom .hits [UserID, RegionID]

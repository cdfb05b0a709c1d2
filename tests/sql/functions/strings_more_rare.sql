-- { echoOn }
select substringIndex('a.b.c','.',1), substringIndex('a.b.c','.',-1), substringIndex('a.b.c','.',0), substringIndex('a.b.c','.',5), substringIndex('a.b.c','.',-5), substringIndex(NULL,'.',1), substringIndex('a.b.c','.',toInt64(-9223372036854775808));
select substringIndex('a..b','..',1); -- { serverError BAD_ARGUMENTS }
select encodeXMLComponent('<a b="c">&\'x'), decodeXMLComponent('&lt;&gt;&amp;&quot;&apos;&#65;&#x41;&foo;&'), hasSubsequence('garbage','arg'), hasSubsequence('abc',''), hasSubsequence('abc','ca'), hasSubsequenceCaseInsensitive('ABC','ac'), hasSubsequenceUTF8('привет','пвт'), sigmoid(0), sigmoid(1), soundex('Robert'), soundex(''), soundex('Ashcraft'), soundex('12'), soundex('Tymczak'), soundex('Pfister'), soundex('a b'), soundex('Honeyman');
select multiSearchAllPositions('abc',['','c']), multiSearchFirstPosition('abc',['','c']), multiSearchAny('abc',['']), multiSearchFirstIndex('abc',['']), multiSearchAllPositions('',['']), multiSearchAny('',['']), multiSearchFirstIndex('',['']), multiSearchFirstPosition('',['']);
select sign(toDecimal32(-1.5,2)), sign(toDecimal64(0,2)), sign(-0.0), sign(materialize(toDecimal128(5,1)));

-- { echoOn }
SELECT length('abc'), length(''), empty(''), notEmpty('a'), lengthUTF8('ünï'), char_length('ünï'), octet_length('ü');
SELECT lower('AbC'), upper('aBc'), lcase('X'), ucase('x'), lowerUTF8('ÄÖ'), upperUTF8('äö'), reverse('abc'), reverseUTF8('äbc');
SELECT trim('  a b  '), trimLeft('  a'), trimRight('a  '), ltrim(' x'), rtrim('x '), trimBoth(' y '), TRIM(BOTH 'x' FROM 'xxaxx'), TRIM(LEADING 'ab' FROM 'abac');
SELECT position('hello', 'l'), position('hello', 'z'), position('hello', ''), position('hello', 'l', 4), positionCaseInsensitive('HeLLo', 'll'), locate('hello', 'l'), positionUTF8('äöü', 'ü'), POSITION('l' IN 'hello');
SELECT startsWith('hello', 'he'), endsWith('hello', 'lo'), startsWith('a', 'abc'), countSubstrings('aXbXc', 'X'), countSubstrings('aaaa', 'aa'), hasToken('hello big world', 'big');
SELECT splitByChar(',', 'a,b,,c'), splitByString('--', 'a--b--c'), splitByChar(',', ''), splitByString('', 'abc'), splitByWhitespace(' a  b '), alphaTokens('a1bc,d'), arrayStringConcat(['a', 'b', 'c'], '-'), arrayStringConcat(['a', 'b']);
SELECT ascii('A'), char(65, 66), repeat('ab', 3), space(3) || '|', leftPad('7', 3, '0'), rightPad('ab', 4, '*'), lpad('abc', 2), rpad('a', 3) || '|', repeat('x', 0);
SELECT toString(12), toString(-1.5), toString(toDate('2024-01-01')), format('{} and {}', 'a', 'b'), format('{1}{0}', 'a', 'b'), toStringCutToZero('ab\0c');
SELECT isValidUTF8('abc'), isValidUTF8('\xff'), toValidUTF8('a\xffb'), normalizeUTF8NFC('é') = 'é', appendTrailingCharIfAbsent('path', '/');

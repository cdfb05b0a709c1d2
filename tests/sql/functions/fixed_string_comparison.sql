-- FixedStrings of one width, of different widths, beside Strings and constants.
SELECT number, a = b, a != b, a < b, a <= b, a > b, a >= b, a = c, a < c, c > a, s = a, s < a, a >= s, a = 'ab', 'ab' = a, a < 'b', 'b\0' >= a
FROM (
    SELECT number, toFixedString(concat(char(97 + number % 3), char(97 + number % 2)), 3) AS a,
        toFixedString(concat(char(97 + number % 2), char(97 + number % 3)), 3) AS b,
        toFixedString(concat(char(97 + number % 3), char(97 + number % 2)), 5) AS c,
        concat(char(97 + number % 3), if(number % 2 = 0, 'b', '')) AS s
    FROM numbers(12)
) ORDER BY number SETTINGS max_block_size = 7;
SELECT a = b, a < b, a > b, a = c FROM (
    SELECT toFixedString(concat('0123456789', toString(number)), 12) AS a, toFixedString(concat('0123456789', toString(number * 7 % 5)), 12) AS b, concat('0123456789', toString(number)) AS c FROM numbers(5)
) ORDER BY a;
SELECT toFixedString('\xFF', 1) > toFixedString('a', 1), materialize(toFixedString('\xFF1234567', 8)) > toFixedString('a1234567', 8), toFixedString('a', 2) = materialize('a'), materialize(toFixedString('a', 2)) = 'a\0\0\0', toFixedString('a', 2) < materialize('a\0\0b');
SELECT materialize('abc') = materialize('abc'), materialize('') = materialize(''), materialize('abcdefghijklmnopqrstuvwxyzabcdefghijklmnop') != materialize('abcdefghijklmnopqrstuvwxyzabcdefghijklmnoq');

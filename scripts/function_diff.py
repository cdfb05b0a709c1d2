#!/usr/bin/env python3
"""Asks chdb and `entasis local` the same randomly made calls of scalar functions and prints what
differs: `function_diff.py [--seed N] [--count N] [NAME...]`; ENTASIS names the binary."""

import argparse
import os
import random
import subprocess
import sys

BINARY = os.environ.get("ENTASIS", "target/release/entasis")

# Columns of the table: name, type, values of its eight rows.
COLUMNS = [
    ("u8", "UInt8", "0 1 2 7 64 127 128 255".split()),
    ("u32", "UInt32", "0 1 2 3 1000 65536 2147483648 4294967295".split()),
    ("u64", "UInt64", "0 1 5 100 4294967296 9223372036854775807 9223372036854775808 "
     "18446744073709551615".split()),
    ("i8", "Int8", "-128 -1 0 1 2 5 100 127".split()),
    ("i32", "Int32", "-2147483648 -1000 -1 0 1 2 1000 2147483647".split()),
    ("i64", "Int64", "-9223372036854775808 -5 -1 0 1 3 86400 9223372036854775807".split()),
    ("f64", "Float64", "-1.5 0 0.5 1 2.25 1e10 -3e5 123.456".split()),
    ("s", "String", ["'abc'", "''", "'Hello, World'", "'ünï'", "'a b  c'", "'aXbXc'", "'\\xff\\xfez'",
                     "'https://Example.com/a/b?x=1&y=2#f'"]),
    ("t", "String", ["'b'", "'a'", "'World'", "''", "' '", "'X'", "'z'", "'/'"]),
    ("fs", "FixedString(4)", ["'abcd'", "''", "'xy'", "'ü'", "'    '", "'a b'", "'1'", "'\\0a'"]),
    ("n", "Nullable(Int32)", "NULL 0 -1 5 NULL 100 7 NULL".split()),
    ("ns", "Nullable(String)", ["NULL", "''", "'abc'", "'x y'", "NULL", "'ü'", "'5'", "'aa'"]),
    ("d", "Date", ["'1970-01-01'", "'1999-12-31'", "'2000-02-29'", "'2024-01-15'", "'2024-12-31'",
                   "'2100-03-01'", "'2149-06-06'", "'2023-06-30'"]),
    ("dt", "DateTime('UTC')", ["'1970-01-01 00:00:00'", "'1999-12-31 23:59:59'",
                               "'2000-02-29 12:30:00'", "'2024-01-15 01:02:03'",
                               "'2024-12-31 23:00:00'", "'2106-02-07 06:28:15'",
                               "'2038-01-19 03:14:08'", "'2023-06-30 18:45:00'"]),
    ("a", "Array(Int32)", ["[]", "[1]", "[3,1,2]", "[1,1,2]", "[-1,0]", "[5,5,5]", "[2,3,1,2]",
                           "[100]"]),
    ("b", "Array(UInt8)", ["[]", "[1,2]", "[2]", "[0,1,0]", "[255]", "[5]", "[1,2,3]", "[7,8]"]),
    ("sa", "Array(String)", ["[]", "['a']", "['b','a']", "['x','','x']", "['ü']", "['a','b','c']",
                             "['1']", "['','']"]),
    ("na", "Array(Nullable(UInt8))", ["[]", "[NULL]", "[1,NULL]", "[NULL,2,NULL]", "[3]", "[1,1]",
                                      "[0]", "[NULL,NULL]"]),
]
KINDS = {
    "i": ["u8", "u32", "u64", "i8", "i32", "i64", "n", "3", "-2", "0", "7", "toInt64(-5)"],
    "p": ["u8", "1", "2", "3", "0", "5"],
    "k": ["1", "2", "3", "0", "-1", "-2", "5", "i8", "n"],
    "f": ["f64", "u8", "i32", "0.5", "-1.25", "2", "n"],
    "s": ["s", "t", "ns", "'abc'", "'aXbXc'", "''", "s || t", "fs"],
    "S": ["s", "t", "ns", "'abc'", "'aXbXc'", "'World'", "'a b'"],
    "c": ["'X'", "'a'", "' '", "'b'", "'ab'", "'/'"],
    "d": ["d", "dt", "toDate('2024-02-29')", "toDateTime('2024-02-29 13:14:15', 'UTC')"],
    "a": ["a", "b", "sa", "na", "[1, 2, 3]", "['b', 'a']", "range(u8 % 5)"],
    "A": ["a", "b", "[3, 1, 2]", "range(u8 % 5)"],
    "x": ["u8", "i64", "f64", "s", "n", "ns", "d", "a", "(u8, s)", "'abc'", "1", "NULL"],
    "u": ["'day'", "'month'", "'hour'", "'week'", "'year'", "'second'", "'quarter'", "'minute'"],
}
# Name, kinds of the arguments; several signatures are several words.
FUNCTIONS = """
abs i,f|sign i,f|negate i,f|bitNot i|bitCount i|byteSwap i|round f;fk;ik|floor f;fk|ceil f;fk|trunc f;fk|roundBankers f
roundToExp2 i|roundDuration i|roundAge i|intDivOrZero ii|moduloOrZero ii|plus ii;if;dk|minus ii;if;dk;dd|multiply ii;if
divide ii;ff|gcd ii|lcm pp|bitAnd ii|bitOr ii|bitXor ii|bitShiftLeft ip|bitShiftRight ip|bitTest ip|greatest ii;ss|least ii;ss
max2 ii|min2 ii|positiveModulo ip|intDiv ip|modulo ip|exp2 p|sqrt f|cbrt f|isNaN f|isFinite f|intExp2 p|intExp10 p
equals xx|notEquals xx|less ii;ss|greaterOrEquals ii;ss|isNull x|isNotNull x|ifNull nx|nullIf ii;ss|coalesce ni
and ii|or ii|xor ii|not i|toString x|toInt32 i|toUInt8 i|toInt64 i;d|toFloat64 i|toUInt64OrZero s|toInt8OrNull s
toFloat64OrNull s|toDateOrNull s|toDateOrZero s|hex i;s;f;d|unhex s|bin i;s|unbin s|base64Encode s|tryBase64Decode s
length s;a|empty s;a|notEmpty s;a|lengthUTF8 s|lower s|upper s|lowerUTF8 S|upperUTF8 S|reverse s;a|reverseUTF8 s|initcap s
substring Sk;Skk|substringUTF8 Sk;Skk|left sk|right sk|leftUTF8 sk|rightUTF8 sk|position SS;SSp|positionUTF8 SS
positionCaseInsensitive SS|locate SS|countSubstrings Sc|countSubstringsCaseInsensitive Sc|startsWith ss|endsWith ss
trimLeft s;sc|trimRight s;sc|trimBoth s;sc|repeat Sp|space p|leftPad sp;spc|rightPad sp;spc|leftPadUTF8 sp;spc
rightPadUTF8 sp;spc|ascii s|char i;pp|replaceOne SSS|replaceAll SSS|replaceRegexpAll Scs|replaceRegexpOne Scs|translate Scc
concat ss;sx;xx|concatWithSeparator cs;css|splitByString cS|splitByChar cS|splitByWhitespace S|splitByNonAlpha S
alphaTokens S|tokens s|ngrams s2|arrayStringConcat a;ac|format Cs|appendTrailingCharIfAbsent sc|toStringCutToZero s
isValidUTF8 s|isASCII s|toValidUTF8 s|editDistance ss|editDistanceUTF8 SS|damerauLevenshteinDistance ss|byteHammingDistance ss
jaroSimilarity ss|jaroWinklerSimilarity ss|ngramDistance ss|ngramSearch ss|ngramDistanceUTF8 SS|ngramDistanceCaseInsensitive ss
hasToken Sc|like SL|ilike SL|match SL|extract Sc|extractAll Sc|regexpQuoteMeta s|cityHash64 x;xx|sipHash64 x;xx
murmurHash2_32 s|murmurHash2_64 x|murmurHash3_32 x|murmurHash3_64 x|farmHash64 s|xxHash32 x|xxHash64 x|javaHash s|halfMD5 x
intHash32 i|intHash64 i|MD5 s|SHA1 s|SHA256 s|CRC32 s|sipHash128 s|bitmaskToArray i|bitmaskToList i|bitPositionsToArray i
toYear d|toMonth d|toDayOfMonth d|toDayOfWeek d|toDayOfYear d|toHour dt|toYYYYMM d|toYYYYMMDD d|toYYYYMMDDhhmmss d|toQuarter d
toISOWeek d|toISOYear d|toWeek d|toYearWeek d|toStartOfMonth d|toStartOfYear d|toStartOfQuarter d|toStartOfWeek d|toMonday d
toLastDayOfMonth d|toUnixTimestamp dt|toRelativeDayNum d|toRelativeMonthNum d|toRelativeWeekNum d|toStartOfISOYear d
dateDiff udd|age udd|dateTrunc ud|addDays dk|addMonths dk|addYears dk|addWeeks dk|subtractDays dk|subtractMonths dk|monthName d
toTimeZone D|has ai;as|indexOf ai;as|countEqual ai|hasAll AA|hasAny AA|hasSubstr AA|arraySort a|arrayReverseSort a|arrayReverse a
arrayDistinct a|arrayUniq a|arrayCompact a|arrayEnumerate a|arrayEnumerateUniq a|arrayEnumerateDense a|arraySlice ak;akk
arrayPushBack Ai|arrayPushFront Ai|arrayPopBack a|arrayPopFront a|arrayConcat aa;AA|arrayResize Ap|arrayIntersect AA|arrayExcept AA
arraySum A|arrayAvg A|arrayMin A|arrayMax A|arrayCumSum A|arrayDifference A|arrayProduct A|arrayElement ak|arrayFlatten Z
arrayZip aa|range p;pp|arrayRotateLeft ak|arrayWithConstant px|arrayJaccardIndex AA|arrayUnion AA|if iii;iss|multiIf iiii;isis
tuple xx|clamp iii|toTypeName x|formatReadableSize i|formatReadableQuantity i|bar ppp|toFixedString F|reinterpretAsString i
reinterpretAsUInt32 s|reinterpretAsInt64 s|domain s|topLevelDomain s|path s|protocol s|queryString s|fragment s|cutWWW s|port s
extractURLParameter Sc|URLHierarchy s|encodeURLComponent s|decodeURLComponent s|firstSignificantSubdomain s|basename s
bitRotateLeft ip|bitHammingDistance ii|transform iAA|toNullable x|assumeNotNull x|isZeroOrNull i|tupleElement T|normalizeUTF8NFC s
"""
SPECIAL = {
    "C": ["'{}'", "'<{0}>{0}'", "'a{{b'"],
    "L": ["'%a%'", "'a%'", "'%c'", "'_b_'", "'%'", "''", "'h%o'", "'[a-c]+'"],
    "2": ["2", "1", "3"],
    "D": ["dt, 'UTC'", "dt, 'Europe/Berlin'", "dt, 'Asia/Kolkata'"],
    "Z": ["[a, [1]]", "[sa]", "[[a]]"],
    "n": ["n", "ns", "toNullable(1)"],
    "F": ["t, 3", "'ab', 2", "left(t, 1), 4"],
    "T": ["(u8, s), 1", "(u8, s), 2"],
}


def calls(names, count, rng):
    """Pairs of name and expression."""
    kinds = {**KINDS, **SPECIAL}
    for line in FUNCTIONS.strip().splitlines():
        for entry in line.split("|"):
            name, signatures = entry.split(" ")
            if names and name not in names:
                continue
            for signature in signatures.replace(",", ";").split(";"):
                if signature == "dt":
                    choices = [["dt", "toDateTime('2024-02-29 13:14:15', 'UTC')"]]
                else:
                    choices = [kinds[k] for k in signature]
                seen = set()
                for _ in range(count):
                    seen.add(f"{name}({', '.join(rng.choice(c) for c in choices)})")
                yield from ((name, call) for call in sorted(seen))


def setup():
    """The statements that make the table."""
    columns = ", ".join(f"{name} {ty}" for name, ty, _ in COLUMNS)
    rows = ", ".join(
        "(" + ", ".join([str(i)] + [values[i] for _, _, values in COLUMNS]) + ")" for i in range(8)
    )
    return [f"CREATE TABLE t_fn (k UInt8, {columns}) ENGINE = Memory",
            f"INSERT INTO t_fn VALUES {rows}"]


def query(call):
    return f"SELECT k, toTypeName({call}), {call} FROM t_fn ORDER BY k"


def ask_entasis(expressions):
    """Output of each expression, or None if it failed."""
    lines = [s + ";" for s in setup()]
    for i, call in enumerate(expressions):
        lines.append(f"SELECT '##{i}';")
        lines.append(query(call) + ";")
    script = "/tmp/function_diff.sql"
    with open(script, "w") as out:
        out.write("\n".join(lines))
    env = {**os.environ, "TZ": "UTC"}
    run = subprocess.run([BINARY, "local", "--ignore-error", "--queries-file", script],
                         capture_output=True, env=env, check=False)
    answers, at = {}, None
    for line in run.stdout.split(b"\n"):
        if line.startswith(b"##"):
            at = int(line[2:])
            answers[at] = []
        elif at is not None:
            answers[at].append(line)
    texts = {i: b"\n".join(lines).rstrip(b"\n") for i, lines in answers.items()}
    return [texts.get(i) or None for i in range(len(expressions))], run.stderr


def ask_chdb(expressions):
    from chdb import session

    link = session.Session()
    for statement in setup():
        link.query(statement)
    answers = []
    for call in expressions:
        try:
            answers.append(link.query(query(call), "TSV").bytes().rstrip(b"\n"))
        except Exception as error:
            answers.append(str(error).split("\n")[0][:160])
    return answers


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    chosen = list(calls(set(options.names), options.count, random.Random(options.seed)))
    expressions = [call for _, call in chosen]
    ours, _ = ask_entasis(expressions)
    theirs = ask_chdb(expressions)
    different = 0
    for call, a, b in zip(expressions, ours, theirs):
        failed = isinstance(b, str)
        if (a is None and failed) or a == b:
            continue
        different += 1
        print(f"--- {call}")
        if a is None or failed:
            print(f"    entasis {'fails' if a is None else 'answers'}, chdb {b if failed else 'answers ' + repr(b[:90])}")
            continue
        pairs = [(x, y) for x, y in zip(a.split(b"\n"), b.split(b"\n")) if x != y]
        for x, y in pairs[:2]:
            print(f"    {x.decode(errors='backslashreplace')}\n    {y.decode(errors='backslashreplace')}  <- chdb")
    print(f"{len(expressions)} calls, {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())

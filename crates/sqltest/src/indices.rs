//! Random queries over a table with skipping indices: they answer the same with and without the
//! indices, after INSERTs, mutations, patches, merges and restarts. A wrongly skipped granule would
//! lose rows.

use std::path::Path;
use std::process::Command;

const TABLE: &str = "CREATE TABLE t (k UInt32, i Int16, s String, n Nullable(Int8), \
     ns Nullable(String), lc LowCardinality(String), f FixedString(4), d Date, fl Float32, \
     e Enum8('aa' = 1, 'b' = 2), u UUID, arr Array(String), ai Array(Int32), \
     m Map(String, String), \
     INDEX i1 (i, n, fl, d) TYPE minmax, INDEX i2 lower(s) TYPE minmax GRANULARITY 3, \
     INDEX i3 i TYPE set(3) GRANULARITY 2, INDEX i4 (s, n) TYPE set(0), \
     INDEX i5 (s, ns, lc, f) TYPE bloom_filter(0.1) GRANULARITY 2, \
     INDEX i6 (i, n, fl, d, e, u) TYPE bloom_filter, INDEX i7 (arr, ai) TYPE bloom_filter, \
     INDEX i8 mapKeys(m) TYPE bloom_filter, INDEX i9 mapValues(m) TYPE bloom_filter GRANULARITY 2, \
     INDEX i10 (s, ns, lc) TYPE ngrambf_v1(2, 64, 2, 7), \
     INDEX i11 s TYPE ngrambf_v1(3, 256, 3, 0), \
     INDEX i12 (s, ns) TYPE tokenbf_v1(64, 2, 0) GRANULARITY 2, \
     INDEX i13 arr TYPE tokenbf_v1(32, 2, 1), \
     INDEX i14 intDiv(i, 3) TYPE minmax, INDEX i15 length(arr) TYPE set(10), \
     INDEX i16 lower(s) TYPE bloom_filter) \
     ENGINE = MergeTree ORDER BY tuple() SETTINGS index_granularity = 3";

const WORDS: [&str; 18] = [
    "a", "b", "Ab", "héé", "xyz", "foo bar", "", "é", "a b", "日本", "b_c", "%x", "foo", "a\\0",
    "bar", "Foo", "\\xc3", "\\xa9a",
];

/// A generator of random statements.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (bits ^ (bits >> 31)) % bound
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }

    fn number(&mut self) -> String {
        (self.below(60) as i64 - 30).to_string()
    }

    fn day(&mut self) -> String {
        format!("'2020-01-{:02}'", 1 + self.below(28))
    }

    fn id(&mut self) -> String {
        format!("'61f0c404-5cb3-11e7-907b-a6006ad3dba{}'", self.below(6))
    }

    fn word(&mut self) -> String {
        format!("'{}'", self.one(&WORDS))
    }

    fn text(&mut self) -> String {
        let count = self.below(4);
        let words =
            (0..count).map(|_| format!("{}{}", self.one(&WORDS), self.one(&["", " ", "-"])));
        format!("'{}'", words.collect::<String>())
    }

    fn pattern(&mut self) -> String {
        let wild = ["%", "_", "%", "", "\\\\%", "\\\\_"];
        let parts = 1 + self.below(2);
        let parts = (0..parts).map(|_| format!("{}{}", self.one(&wild), self.one(&WORDS)));
        let parts: String = parts.collect();
        format!("'{parts}{}'", self.one(&["%", "", "_"]))
    }

    fn list(&mut self, most: u64, item: fn(&mut Self) -> String) -> String {
        let count = self.below(most);
        (0..count).map(|_| item(self)).collect::<Vec<_>>().join(", ")
    }

    fn row(&mut self, k: u64) -> String {
        let nullable = |null: bool, text: String| if null { "NULL".into() } else { text };
        let (n, ns) = (self.number(), self.text());
        let keys = self.below(3);
        let pairs = (0..keys).map(|key| format!("'k{key}', {}", self.word()));
        let pairs = pairs.collect::<Vec<_>>().join(", ");
        let fields = [
            k.to_string(),
            self.number(),
            self.text(),
            nullable(self.below(4) == 0, n),
            nullable(self.below(4) == 0, ns),
            self.text(),
            format!("'{}'", self.one(&["", "a", "ab", "abcd", "x y"])),
            self.day(),
            self.one(&["0", "-0.0", "1.5", "0.1", "nan", "3", "inf"]).into(),
            self.one(&["'aa'", "'b'"]).into(),
            self.id(),
            format!("[{}]", self.list(4, Self::word)),
            format!("[{}]", self.list(3, Self::number)),
            format!("map({pairs})"),
        ];
        format!("({})", fields.join(", "))
    }

    fn atom(&mut self) -> String {
        let column = self.one(&["s", "ns", "lc", "lower(s)"]);
        let compare = self.one(&["=", "=", "!=", "<", ">", "<=", ">="]);
        let not = self.one(&["", "", "NOT "]);
        let numbers = ["i", "n", "fl", "intDiv(i, 3)", "length(arr)"];
        match self.below(20) {
            0 | 1 => format!("{} {compare} {}", self.one(&numbers), self.number()),
            2 => format!("{column} {compare} {}", self.text()),
            3 => format!("i {not}IN ({}, {})", self.number(), self.number()),
            4 => format!("{column} {not}IN ({}, {})", self.text(), self.word()),
            5 | 6 => format!("{column} {not}LIKE {}", self.pattern()),
            7 => format!("startsWith({column}, {})", self.word()),
            8 => format!("endsWith({column}, {})", self.word()),
            9 => format!("hasToken({column}, '{}')", self.one(&["a", "foo", "xyz", "héé", "c"])),
            10 => format!("has(arr, {})", self.word()),
            11 => {
                format!(
                    "{}(arr, [{}, {}])",
                    self.one(&["hasAny", "hasAll"]),
                    self.word(),
                    self.word()
                )
            }
            12 => format!("has(ai, {})", self.number()),
            13 => format!("m['{}'] {compare} {}", self.one(&["k0", "k1", "z"]), self.word()),
            14 => format!("mapContains(m, '{}')", self.one(&["k0", "k1", "z"])),
            15 => format!("e {compare} '{}'", self.one(&["aa", "b"])),
            16 => format!("u {compare} {}", self.id()),
            17 => format!("d {compare} {}", self.day()),
            18 => format!("(i, s) IN (({}, {}), (1, ''))", self.number(), self.text()),
            _ => format!("f {compare} '{}'", self.one(&["", "a", "ab", "zz"])),
        }
    }

    fn condition(&mut self, depth: u64) -> String {
        match self.below(6 + depth) {
            0 => format!("({} AND {})", self.condition(depth + 2), self.condition(depth + 2)),
            1 => format!("({} OR {})", self.condition(depth + 2), self.condition(depth + 2)),
            2 => format!("(NOT {})", self.condition(depth + 2)),
            _ => self.atom(),
        }
    }

    /// A statement that changes the table. `last` is the greatest key so far.
    fn change(&mut self, last: &mut u64) -> String {
        match self.below(10) {
            0 => format!("DELETE FROM t WHERE k % {} = 0", 3 + self.below(6)),
            1 => {
                let (s, n, rest) = (self.text(), self.number(), self.below(4));
                format!("ALTER TABLE t UPDATE s = {s}, n = {n} WHERE k % 4 = {rest}")
            }
            2 => {
                let (s, ns, of) = (self.text(), self.text(), 9 + self.below(20));
                format!("UPDATE t SET s = {s}, ns = {ns} WHERE k % {of} = 1")
            }
            3 => "OPTIMIZE TABLE t FINAL".into(),
            4 => format!("ALTER TABLE t CLEAR INDEX i{}", 1 + self.below(16)),
            5 => format!("ALTER TABLE t MATERIALIZE INDEX i{}", 1 + self.below(16)),
            _ => {
                let count = 1 + self.below(40);
                let rows = (0..count).map(|row| self.row(*last + row));
                let rows = rows.collect::<Vec<_>>().join(", ");
                *last += count;
                format!("INSERT INTO t VALUES {rows}")
            }
        }
    }
}

/// Queries of a round; each is asked with and without indices.
const QUERIES: usize = 60;
/// Rounds of changes and queries, each of which opens the table anew.
const ROUNDS: usize = 4;

/// Runs statements over the tables in a folder, and answers the lines of their results.
fn run(binary: &Path, folder: &Path, script: &str) -> Result<Vec<String>, String> {
    let mut command = Command::new(binary);
    command.arg("local").arg("--path").arg(folder).args(["--multiquery", "--query", script]);
    let output = command.output().map_err(|e| format!("{}: {e}", binary.display()))?;
    if !output.status.success() {
        return Err(format!("{}\n{script}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// Runs one sequence of changes and queries in an empty folder. Fails with the first query that
/// answers something else with indices than without.
pub fn check(binary: &Path, folder: &Path, seed: u64) -> Result<(), String> {
    let mut random = Random(seed);
    let (mut last, mut script) = (0, format!("{TABLE};\n"));
    for round in 0..ROUNDS {
        for _ in 0..3 {
            script += &format!("{};\n", random.change(&mut last));
        }
        let conditions: Vec<String> = (0..QUERIES).map(|_| random.condition(0)).collect();
        for condition in &conditions {
            for enabled in [1, 0] {
                script += &format!(
                    "SELECT count(), sum(k), groupBitXor(k) FROM t WHERE {condition} \
                     SETTINGS use_skip_indexes = {enabled};\n"
                );
            }
        }
        let lines = run(binary, folder, &script)?;
        if lines.len() != 2 * QUERIES {
            return Err(format!("seed {seed}, round {round}: {} lines", lines.len()));
        }
        for (pair, condition) in lines.chunks_exact(2).zip(&conditions) {
            if pair[0] != pair[1] {
                return Err(format!("seed {seed}, round {round}: {pair:?} for {condition}"));
            }
        }
        script.clear();
    }
    Ok(())
}

/// What EXPLAIN shows of an index, and what is wrong with it.
pub fn check_explain(binary: &Path, folder: &Path) -> Result<(), String> {
    let script = "CREATE TABLE t (k UInt64, s String, INDEX a lower(s) TYPE bloom_filter(0.001)) \
         ENGINE = MergeTree ORDER BY k SETTINGS index_granularity = 100; \
         INSERT INTO t SELECT number, concat('S', toString(number)) FROM numbers(5000); \
         INSERT INTO t SELECT number, concat('S', toString(number)) FROM numbers(5000, 1000); \
         EXPLAIN indexes = 1 SELECT count() FROM t WHERE lower(s) = 's77'";
    let lines = run(binary, folder, script)?;
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    let wanted = ["Skip", "Name: a", "Description: bloom_filter GRANULARITY 1", "Parts: 1/2"];
    let at = lines.iter().position(|line| *line == "Skip").unwrap_or(0);
    let found = lines.get(at..at + wanted.len()).unwrap_or_default();
    if *found != wanted { Err(format!("{lines:?}")) } else { Ok(()) }
}

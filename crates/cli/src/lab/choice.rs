//! Which queries of the test files are meant.

use entasis_base::{Error, Result, codes};
use entasis_lab::spec::TestFile;

use crate::args::Args;
use crate::report::bad_arguments;

/// What `--only`, `--queries-to-run` and `--queries-from` choose.
pub struct Choice<'a> {
    only: Vec<&'a str>,
    numbers: Vec<usize>,
    /// The file, and the queries that it lists.
    listed: Option<(&'a str, Vec<Line>)>,
}

/// A line of a list of queries.
struct Line {
    number: usize,
    test: String,
    query: usize,
}

impl<'a> Choice<'a> {
    /// As the options say.
    pub fn of(args: &'a Args) -> Result<Self> {
        let numbers = match args.value("queries-to-run") {
            None => Vec::new(),
            Some(list) => list
                .split(',')
                .map(|n| n.trim().parse())
                .collect::<std::result::Result<_, _>>()
                .map_err(|_| bad_arguments(format!("--queries-to-run {list}: expected numbers")))?,
        };
        let listed = args.value("queries-from").map(|path| Ok::<_, Error>((path, lines(path)?)));
        Ok(Self { only: args.values("only").collect(), numbers, listed: listed.transpose()? })
    }

    /// Whether a query is meant.
    pub fn wants(&self, test: &str, query: usize) -> bool {
        let is_line = |line: &Line| line.query == query && line.test == test;
        let listed = self.listed.as_ref().is_none_or(|(_, lines)| lines.iter().any(is_line));
        listed && self.names(test) && (self.numbers.is_empty() || self.numbers.contains(&query))
    }

    fn names(&self, test: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| is_meant(test, only))
    }

    /// An error if any part of it chooses nothing: what is misspelt would go unmeasured.
    pub fn check(&self, tests: &[TestFile]) -> Result<()> {
        const LONG: &str = "no test has such a name (those labelled long want --long)";
        let has = |test: &TestFile, query| test.queries.iter().any(|q| q.index == query);
        let nameless = |only: &&&str| !tests.iter().any(|test| is_meant(&test.name, only));
        if let Some(only) = self.only.iter().find(nameless) {
            return Err(bad_arguments(format!("No query is left by --only {only}: {LONG}")));
        }
        for &number in &self.numbers {
            if !tests.iter().any(|test| self.names(&test.name) && has(test, number)) {
                let message = format!("--queries-to-run: no test has a query {number}");
                return Err(bad_arguments(message));
            }
        }
        for (path, Line { number, test, query }) in
            self.listed.iter().flat_map(|(path, lines)| lines.iter().map(move |line| (path, line)))
        {
            let named: Vec<&TestFile> = tests.iter().filter(|file| file.name == *test).collect();
            if named.iter().any(|file| has(file, *query)) {
                continue;
            }
            let missing = match named.is_empty() {
                true => format!("`{test}`: {LONG}"),
                false => format!("test `{test}` has no query {query}"),
            };
            return Err(bad_arguments(format!("{path}:{number}: {missing}")));
        }
        Ok(())
    }
}

/// Whether `--only` means a test: it holds the text, or is what stands behind a `=`.
fn is_meant(test: &str, only: &str) -> bool {
    only.strip_prefix('=').map_or_else(|| test.contains(only), |name| test == name)
}

/// The queries that a file lists.
fn lines(path: &str) -> Result<Vec<Line>> {
    let text = std::fs::read_to_string(path).map_err(|e| {
        let message = format!("Cannot read {path}");
        Error::new(codes::CANNOT_OPEN_FILE, message).with_cause(e)
    })?;
    let line = |(number, line): (usize, &str)| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.as_slice(), words.get(1).and_then(|query| query.parse().ok())) {
            ([test, _], Some(query)) => Ok(Line { number, test: (*test).to_owned(), query }),
            _ => Err(bad_arguments(format!("{path}:{number}: expected `test number`"))),
        }
    };
    let lines = (1..).zip(text.lines());
    let lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    lines.map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::options::KNOWN;

    fn tests() -> Vec<TestFile> {
        ["sort", "sort_whole"]
            .map(|name| TestFile { name: name.into(), ..TestFile::of_query("SELECT 1") })
            .into()
    }

    fn checked(line: &[&str]) -> String {
        let line: Vec<String> = line.iter().map(ToString::to_string).collect();
        let args = crate::args::parse(&line, KNOWN).unwrap();
        let checked = Choice::of(&args).unwrap().check(&tests());
        checked.err().map(|error| error.message().to_owned()).unwrap_or_default()
    }

    #[test]
    fn what_chooses_nothing_is_an_error() {
        assert_eq!(checked(&["--only", "sort", "--only", "=sort_whole"]), "");
        let error = checked(&["--only", "sort", "--only", "=sort_hole"]);
        assert!(error.starts_with("No query is left by --only =sort_hole: no test has"), "{error}");
        assert_eq!(checked(&["--queries-to-run", "0"]), "");
        let error = checked(&["--queries-to-run", "0,1"]);
        assert_eq!(error, "--queries-to-run: no test has a query 1");
    }

    #[test]
    fn a_list_names_queries_that_are_there() {
        let path = std::env::temp_dir().join(format!("entasis-choice-{}", std::process::id()));
        let listed = |text: &str| {
            std::fs::write(&path, text).unwrap();
            checked(&["--queries-from", path.to_str().unwrap()])
                .replace(path.to_str().unwrap(), "LIST")
        };
        assert_eq!(listed("# all\n\nsort 0\nsort_whole 0\n"), "");
        assert_eq!(listed("sort 0\n\nsort_whole 3\n"), "LIST:3: test `sort_whole` has no query 3");
        assert!(listed("sort 0\nsrot 0\n").starts_with("LIST:2: `srot`: no test has such a name"));
        std::fs::remove_file(path).unwrap();
    }
}

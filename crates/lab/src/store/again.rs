//! The command line of a stored run, for a run that repeats it.

use entasis_base::{Error, Result, codes};

use super::RunRow;

/// Options that say which queries run or what is written: another run has its own.
const DROPPED: &[&str] = &[
    "only",
    "queries-to-run",
    "queries-from",
    "max-queries",
    "report",
    "json",
    "runner-tsv",
    "budget",
    "resume",
    "seed",
    "rounds",
    "since",
];

impl RunRow {
    /// Its command line without the choice of queries, the budget, the seed and what it wrote;
    /// revisions by their commits, as their names move.
    pub fn again(&self) -> Vec<String> {
        self.without(DROPPED)
    }

    /// Its command line for going on with it: revisions by their commits, and its seed. An error if
    /// it is no comparison: a round of equal sides would become one.
    pub fn going_on(&self) -> Result<Vec<String>> {
        if self.kind != "compare" {
            let Self { id, kind, .. } = self;
            let message = format!(
                "Run {id} was begun by `lab {kind}`, and only runs of `lab compare` go on (`lab \
                 runs` lists them): begin a new one"
            );
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        let mut words = self.without(&["seed"]);
        words.extend(["--seed".to_owned(), self.seed.to_string()]);
        Ok(words)
    }

    fn without(&self, dropped: &[&str]) -> Vec<String> {
        let mut words = Vec::new();
        let mut rest = self.arguments.iter();
        while let Some(word) = rest.next() {
            let name = word.strip_prefix("--").unwrap_or_default();
            let (name, joined) =
                name.split_once('=').map_or((name, false), |(name, _)| (name, true));
            if !dropped.contains(&name) {
                words.push(self.by_commit(word));
            } else if !joined {
                rest.next();
            }
        }
        words
    }

    /// `git:REV` (or an option with it) with the commit that it meant.
    fn by_commit(&self, word: &str) -> String {
        let (option, revision) = match word.split_once('=') {
            Some((option, revision)) => (format!("{option}="), revision),
            None => (String::new(), word),
        };
        let named = |side: &usize| self.sides[*side].split(' ').next() == Some(revision);
        let commit = [0, 1].into_iter().find(named).map(|side| self.commits[side].as_str());
        match commit.filter(|commit| !commit.is_empty() && revision.starts_with("git:")) {
            Some(commit) => format!("{option}git:{commit}"),
            None => word.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::store::RunRow;
    use crate::target::Target;

    #[test]
    fn passwords_are_not_stored() {
        let side = Target::parse("http://u:secret@h:1").unwrap();
        let line = ["compare", "--left", "http://u:secret@h:1", "--store=http://u:secret@h:2"];
        let line = line.map(str::to_owned);
        let run = RunRow::new("compare", 4, &[side.clone(), side], Default::default(), &line);
        assert_eq!(run.sides, ["http://u:***@h:1"; 2]);
        let expected = "compare --left http://u:***@h:1 --store=http://u:***@h:2";
        assert_eq!(run.again().join(" "), expected);
    }

    #[test]
    fn choices_go_and_revisions_stay() {
        let sides = ["git:HEAD~1", "git:HEAD"].map(|text| Target::parse(text).unwrap());
        let line = "compare --left git:HEAD~1 --right=git:HEAD --only sort --budget=9m --seed 4 \
                    --data git:HEAD2 --strict tests/performance";
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let commits = ["aaa".to_owned(), "bbb".to_owned()];
        let run = RunRow::new("compare", 4, &sides, commits, &words);
        let expected =
            "compare --left git:aaa --right=git:bbb --data git:HEAD2 --strict tests/performance";
        assert_eq!(run.again().join(" "), expected);
        let line = run.going_on().unwrap().join(" ");
        assert!(line.starts_with("compare --left git:aaa --right=git:bbb --only sort "), "{line}");
        assert!(line.ends_with(" --strict tests/performance --seed 4"), "{line}");
        assert_eq!(line.matches("--seed").count(), 1, "{line}");
        for kind in ["aa", "power", "replay", "experiment"] {
            let other = RunRow { kind: kind.to_owned(), ..run.clone() };
            let error = other.going_on().unwrap_err().to_string();
            assert!(error.contains(&format!("`lab {kind}`")), "{error}");
        }
    }
}

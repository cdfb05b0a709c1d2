//! Rooms: the folders of a crate, in an order. A room uses only itself and the rooms before it.
//!
//! `layers.toml` lists the crates that have rooms. A use is a path that begins with `crate::` and
//! the name of the room, or with a name that the crate's `lib.rs` re-exports from a room.

use std::collections::BTreeMap;

use crate::Problem;
use crate::source::{Source, ident};

/// The rooms of one crate.
#[derive(Debug)]
pub struct Rooms {
    /// The crate's folder.
    pub name: String,
    /// The rooms, lowest first.
    pub order: Vec<String>,
}

impl Rooms {
    /// Holds the sources of all crates against the order.
    pub fn check(&self, sources: &BTreeMap<String, Source>) -> Vec<Problem> {
        let root = format!("crates/{}/src/", self.name);
        let exported = sources.get(&format!("{root}lib.rs")).map(|lib| self.exported(lib));
        let exported = exported.unwrap_or_default();
        let mut problems = Vec::new();
        for (path, source) in sources.range(root.clone()..) {
            let Some(inner) = path.strip_prefix(&root) else { break };
            let room = inner.split('/').next().unwrap_or_default();
            let Some(rank) = self.rank(room) else { continue };
            for (line, name) in uses(source) {
                let used = self.rank(&name).or_else(|| exported.get(&name).copied());
                if let Some(used) = used.filter(|used| *used > rank) {
                    let message = format!(
                        "room `{room}` uses `{name}` of room `{}`, which comes after it in \
                         layers.toml: move the item down, or give it as an argument",
                        self.order[used]
                    );
                    problems.push(Problem::new(path, line, message));
                }
            }
        }
        problems
    }

    fn rank(&self, name: &str) -> Option<usize> {
        self.order.iter().position(|room| room == name)
    }

    /// The names that `lib.rs` re-exports, each with the rank of its room.
    fn exported(&self, lib: &Source) -> BTreeMap<String, usize> {
        let text = lib.code.join("\n");
        let mut names = BTreeMap::new();
        for statement in text.split(';').filter_map(|s| s.trim_start().strip_prefix("pub use ")) {
            let Some((room, rest)) = statement.split_once("::") else { continue };
            let Some(rank) = self.rank(room) else { continue };
            let list = match rest.rsplit_once('{') {
                Some((_, list)) => list,
                None => rest.rsplit("::").next().unwrap_or(rest),
            };
            names.extend(words(list).map(|name| (name.to_owned(), rank)));
        }
        names
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !ident(c)).filter(|word| !word.is_empty())
}

/// The first names after `crate::` outside of test code, with their lines counted from 1.
fn uses(source: &Source) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, line) in source.code.iter().enumerate().filter(|(at, _)| !source.test[*at]) {
        for (column, _) in line.match_indices("crate::") {
            if line[..column].chars().next_back().is_some_and(|c| ident(c) || c == '$') {
                continue;
            }
            let rest = &line[column + "crate::".len()..];
            let first = |path: &str| words(path).next().map(|name| (at + 1, name.to_owned()));
            match rest.strip_prefix('{') {
                None => found.extend(first(rest)),
                Some(list) => found.extend(
                    list_of(list, &source.code[at + 1..]).iter().filter_map(|path| first(path)),
                ),
            }
        }
    }
    found
}

/// The paths of a list in braces that begins on one line and may end on a later one.
fn list_of(first: &str, later: &[String]) -> Vec<String> {
    let mut paths = vec![String::new()];
    let mut depth = 0;
    for c in first.chars().chain(later.iter().flat_map(|line| line.chars())) {
        match c {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => paths.push(String::new()),
            _ => {}
        }
        if let Some(path) = paths.last_mut().filter(|_| c != ',') {
            path.push(c);
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)]) -> String {
        let order = ["low", "mid", "top"].map(str::to_owned).to_vec();
        let source =
            |(path, text): &(&str, &str)| (format!("crates/house/src/{path}"), Source::new(text));
        let sources = files.iter().map(source).collect();
        crate::report(&Rooms { name: "house".into(), order }.check(&sources))
    }

    #[test]
    fn arrows_go_down() {
        let files = [
            ("lib.rs", "pub use top::deep::{One, Two};\npub use low::Zero;\n"),
            ("low/mod.rs", "use crate::low::x;\nuse crate::Root;\n"),
            ("mid.rs", "use crate::{low, Zero};\n#[cfg(test)]\nmod tests {\n use crate::One;\n}\n"),
            ("top/a/b.rs", "use crate::{\n    Two, low::{y, z},\n    mid,\n};\n"),
        ];
        assert_eq!(check(&files), "");
    }

    #[test]
    fn an_arrow_upward_is_named() {
        let text = check(&[("low/a.rs", "fn f() {\n    crate::mid::g();\n}\n")]);
        assert!(text.contains("low/a.rs:2") && text.contains("`mid`"), "{text}");
        let lib = ("lib.rs", "pub use top::deep::{One, Two};\n");
        let text = check(&[lib, ("mid/a.rs", "use crate::{\n    low,\n    Two,\n};\n")]);
        assert!(text.contains("`Two` of room `top`"), "{text}");
    }
}

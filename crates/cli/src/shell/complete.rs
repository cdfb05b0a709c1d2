//! Completion: offers words for the cursor's place, depending on the text before it.
//!
//! After FROM it offers tables, after `db.` the tables of the database, after `table.` its columns,
//! and after FORMAT formats; elsewhere the columns of the statement's tables, functions and
//! keywords. Names are queried when they are first needed, and again after a statement has run.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use entasis_engine::TokenKind;
use reedline::{Completer, CompletionResult, Span, Suggestion};

use super::{Shared, lock};
use crate::statement::{tokens, unquoted};

/// Keywords to offer; those that belong together are offered as phrases.
const KEYWORDS: &[&str] = &[
    "ALL",
    "AND",
    "ANY",
    "ARRAY JOIN",
    "AS",
    "ASC",
    "BETWEEN",
    "CASE",
    "CREATE DATABASE",
    "CREATE TABLE",
    "CROSS JOIN",
    "DESC",
    "DESCRIBE TABLE",
    "DISTINCT",
    "DROP DATABASE",
    "DROP TABLE",
    "ELSE",
    "END",
    "ENGINE = MergeTree",
    "ENGINE = Memory",
    "EXISTS",
    "EXPLAIN",
    "FINAL",
    "FORMAT",
    "FROM",
    "FULL JOIN",
    "GROUP BY",
    "HAVING",
    "IF EXISTS",
    "IF NOT EXISTS",
    "ILIKE",
    "IN",
    "INNER JOIN",
    "INSERT INTO",
    "IS NOT NULL",
    "IS NULL",
    "JOIN",
    "KILL QUERY",
    "LEFT JOIN",
    "LIKE",
    "LIMIT",
    "NOT",
    "NULL",
    "OFFSET",
    "ON",
    "OPTIMIZE TABLE",
    "OR",
    "ORDER BY",
    "PARTITION BY",
    "PREWHERE",
    "PRIMARY KEY",
    "RIGHT JOIN",
    "SELECT",
    "SEMI",
    "SET",
    "SETTINGS",
    "SHOW CREATE TABLE",
    "SHOW DATABASES",
    "SHOW FUNCTIONS",
    "SHOW SETTINGS",
    "SHOW TABLES",
    "THEN",
    "TRUNCATE TABLE",
    "UNION ALL",
    "USE",
    "USING",
    "VALUES",
    "WHEN",
    "WHERE",
    "WITH",
];

/// What may stand at the cursor.
#[derive(Debug, PartialEq)]
enum Wanted {
    /// Tables, and databases that contain tables.
    Tables,
    /// Databases.
    Databases,
    /// Tables of a database or columns of a table.
    MembersOf(String),
    /// Names of formats.
    Formats,
    /// Names of settings.
    Settings,
    /// Columns of these tables, functions, keywords.
    Anything(Vec<String>),
}

/// Where a completion starts, and what it may be.
fn context(line: &str, cursor: usize) -> (usize, Wanted) {
    let before = line.get(..cursor).unwrap_or(line);
    let all = tokens(before);
    let begins = all.iter().rposition(|t| t.0.kind == TokenKind::Semicolon).map_or(0, |i| i + 1);
    let mut head = &all[begins..];
    let mut start = before.len();
    if let Some((token, _)) = head.last() {
        let is_name = matches!(token.kind, TokenKind::Word | TokenKind::Unterminated);
        if is_name && token.end as usize == before.len() {
            start = token.start as usize;
            head = &head[..head.len() - 1];
        }
    }
    if let [.., (_, owner), (dot, _)] = head {
        if dot.kind == TokenKind::Dot {
            return (start, Wanted::MembersOf(unquoted(owner)));
        }
    }
    let clause = head.iter().rev().find(|t| t.0.is_keyword()).map_or("", |t| t.1);
    let clause = clause.to_ascii_uppercase();
    let last = head.last().map_or("", |t| t.1).to_ascii_uppercase();
    let is_next = last == clause || last == ",";
    let wanted = match clause.as_str() {
        "USE" | "DATABASE" if last == clause => Wanted::Databases,
        "FORMAT" if last == clause => Wanted::Formats,
        "SET" | "SETTINGS" if is_next => Wanted::Settings,
        "FROM" | "JOIN" | "INTO" | "TABLE" | "DESCRIBE" | "DESC" | "EXISTS" if is_next => {
            Wanted::Tables
        }
        _ => Wanted::Anything(tables_of(line, cursor)),
    };
    (start, wanted)
}

/// The tables that the statement at the cursor names after FROM, JOIN, INTO.
fn tables_of(line: &str, cursor: usize) -> Vec<String> {
    let all = tokens(line);
    let is_end = |t: &(entasis_engine::Token, &str)| t.0.kind == TokenKind::Semicolon;
    let begins = all.iter().rposition(|t| is_end(t) && t.0.end as usize <= cursor);
    let statement = &all[begins.map_or(0, |i| i + 1)..];
    let length = statement.iter().position(is_end).unwrap_or(statement.len());
    let statement = &statement[..length];
    let mut tables = Vec::new();
    for (i, (_, text)) in statement.iter().enumerate() {
        if !["FROM", "JOIN", "INTO", "TABLE"].iter().any(|k| text.eq_ignore_ascii_case(k)) {
            continue;
        }
        let name = |at: usize| {
            let (token, text) = statement.get(at)?;
            matches!(token.kind, TokenKind::Word | TokenKind::QuotedName).then(|| unquoted(text))
        };
        let Some(first) = name(i + 1) else { continue };
        let dotted = statement.get(i + 2).is_some_and(|t| t.0.kind == TokenKind::Dot);
        match name(i + 3).filter(|_| dotted) {
            Some(second) => tables.push(format!("`{first}`.`{second}`")),
            None => tables.push(format!("`{first}`")),
        }
    }
    tables
}

/// Names from the backend, which are kept until they may have changed.
pub struct Names {
    backend: Shared,
    stale: Arc<AtomicBool>,
    /// The first columns of answers, by query.
    known: HashMap<String, Vec<String>>,
}

impl Names {
    /// Makes an empty cache; nothing is queried yet.
    pub fn new(backend: Shared, stale: Arc<AtomicBool>) -> Self {
        Self { backend, stale, known: HashMap::new() }
    }

    /// The first column of a query's answer; empty if the query fails, because completion shows no
    /// errors.
    fn ask(&mut self, query: &str) -> &[String] {
        if self.stale.swap(false, Ordering::Relaxed) {
            self.known.clear();
        }
        if !self.known.contains_key(query) {
            let text = lock(&self.backend).list(query).unwrap_or_default();
            let names = text.lines().filter_map(|l| l.split('\t').next()).map(str::to_string);
            self.known.insert(query.to_string(), names.collect());
        }
        self.known.get(query).map_or(&[], Vec::as_slice)
    }

    fn offer(&mut self, wanted: &Wanted) -> Vec<(String, &'static str)> {
        let mut offers = Vec::new();
        let mut add = |names: &[String], what: &'static str| {
            offers.extend(names.iter().map(|n| (quoted(n), what)));
        };
        match wanted {
            Wanted::Tables => {
                add(self.ask("SHOW TABLES"), "table");
                add(self.ask("SHOW DATABASES"), "database");
                add(self.ask("SELECT name FROM system.table_functions"), "table function");
            }
            Wanted::Databases => add(self.ask("SHOW DATABASES"), "database"),
            Wanted::MembersOf(owner) if self.ask("SHOW DATABASES").contains(owner) => {
                add(self.ask(&format!("SHOW TABLES FROM `{owner}`")), "table");
            }
            Wanted::MembersOf(owner) => {
                add(self.ask(&format!("DESCRIBE TABLE `{owner}`")), "column");
            }
            Wanted::Formats => {
                let names = entasis_format::names().filter(|f| f.is_output());
                offers.extend(names.map(|f| (f.name.to_string(), "format")));
            }
            Wanted::Settings => add(self.ask("SHOW SETTINGS LIKE '%'"), "setting"),
            Wanted::Anything(tables) => {
                for table in tables {
                    add(self.ask(&format!("DESCRIBE TABLE {table}")), "column");
                }
                let is_word = |name: &&String| !KEYWORDS.contains(&name.to_uppercase().as_str());
                let functions = self.ask("SHOW FUNCTIONS").iter().filter(is_word).cloned();
                add(&functions.collect::<Vec<_>>(), "function");
                offers.extend(KEYWORDS.iter().map(|k| ((*k).to_string(), "keyword")));
            }
        }
        offers
    }
}

impl Completer for Names {
    fn complete(&mut self, line: &str, pos: usize) -> CompletionResult {
        let (start, wanted) = context(line, pos);
        let typed = line.get(start..pos).unwrap_or("").to_lowercase();
        let begins = |name: &str| name.trim_start_matches('`').to_lowercase().starts_with(&typed);
        let offers = self.offer(&wanted).into_iter().filter(|(name, _)| begins(name));
        let is_lower = typed.chars().any(char::is_lowercase)
            && line.get(start..pos).is_some_and(|t| t.chars().all(|c| !c.is_uppercase()));
        let suggest = |(name, what): (String, &str)| Suggestion {
            value: if what == "keyword" && is_lower { name.to_lowercase() } else { name },
            description: Some(what.to_string()),
            span: Span::new(start, pos),
            append_whitespace: what == "keyword",
            ..Suggestion::default()
        };
        CompletionResult::fresh(offers.map(suggest).collect::<Vec<_>>())
    }
}

/// A name with quotes if SQL needs them.
fn quoted(name: &str) -> String {
    let is_plain =
        |(i, c): (usize, char)| c == '_' || c.is_ascii_alphabetic() || i > 0 && c.is_ascii_digit();
    if name.chars().enumerate().all(is_plain) {
        return name.to_string();
    }
    format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use entasis_base::Result;
    use entasis_engine::Parsed;

    use super::*;
    use crate::backend::{Ask, Backend, Outcome};

    /// Has one database with one table.
    struct Fixed;

    impl Backend for Fixed {
        fn parse(&self, script: &str, offset: usize) -> Result<Option<Parsed>> {
            entasis_engine::next_statement(script, offset)
        }

        fn run(&mut self, _: Ask<'_>) -> Result<Outcome> {
            Ok(Outcome::default())
        }

        fn list(&mut self, query: &str) -> Result<String> {
            Ok(match query {
                "SHOW DATABASES" => "default\nsystem\n",
                "SHOW TABLES" => "hits\nodd name\n",
                "SHOW TABLES FROM `system`" => "numbers\none\n",
                "DESCRIBE TABLE `hits`" => "UserID\tUInt64\nURL\tString\n",
                "SHOW FUNCTIONS" => "uniq\nupper\n",
                "SHOW SETTINGS LIKE '%'" => "max_threads\tUInt64\t0\n",
                _ => "",
            }
            .to_string())
        }

        fn database(&self) -> &str {
            "default"
        }
    }

    fn offered(line: &str) -> Vec<String> {
        let backend: Shared = Arc::new(Mutex::new(Box::new(Fixed)));
        let mut names = Names::new(backend, Arc::default());
        let cursor = line.find('|').unwrap();
        let result = names.complete(&line.replace('|', ""), cursor);
        result.suggestions().iter().map(|s| s.value.clone()).collect()
    }

    #[test]
    fn the_place_decides() {
        assert_eq!(offered("SELECT * FROM |"), ["hits", "`odd name`", "default", "system"]);
        assert_eq!(offered("SELECT 1; INSERT INTO hi|"), ["hits"]);
        assert_eq!(offered("SELECT * FROM system.|"), ["numbers", "one"]);
        assert_eq!(offered("SELECT hits.U| FROM hits"), ["UserID", "URL"]);
        assert_eq!(
            offered("SELECT u| FROM hits"),
            ["UserID", "URL", "uniq", "upper", "union all", "use", "using"]
        );
        assert_eq!(offered("SELECT 1 FORMAT Pretty|")[0], "Pretty");
        assert_eq!(offered("SET max_|"), ["max_threads"]);
        assert_eq!(offered("USE s|"), ["system"]);
        assert_eq!(offered("sel|"), ["select"]);
    }

    #[test]
    fn odd_texts_do_no_harm() {
        for line in ["|", ".|", "FROM .|", "'|", "ж|", "SELECT `a|", "; ;|", "a.b.c.|"] {
            offered(line);
        }
    }
}

//! A dictionary among the tables of the catalog.

use std::sync::Arc;

use entasis_mergetree::TableId;
use entasis_sql::{Token, TokenKind, ast, format_expr, lex};

use super::Entry;
use crate::definition::view::Name;
use crate::dictionary::handle::DictionaryHandle;
use crate::dictionary::table::{DictionaryTable, of_table};

impl Entry {
    /// The entry of a dictionary.
    pub(crate) fn of_dictionary(handle: Arc<DictionaryHandle>, id: TableId) -> Self {
        let table = Arc::new(DictionaryTable { handle });
        Self { table, definition: None, view: None, id: Some(id) }
    }

    /// The dictionary; `None` if it is a table or a view.
    pub(crate) fn dictionary(&self) -> Option<&Arc<DictionaryHandle>> {
        of_table(&self.table)
    }

    /// The tables that a dictionary reads, or the dictionaries that a table shows or that the
    /// defaults of its columns look up. `database` is that of this entry.
    pub(crate) fn needs(&self, database: &str) -> Vec<Name> {
        if let Some(dictionary) = self.dictionary() {
            return dictionary.source_tables();
        }
        let Some(definition) = &self.definition else { return Vec::new() };
        let mut used = looked_up(database, &definition.elements.columns);
        if definition.engine.name == "Dictionary" {
            let name = crate::engines::dictionary::name_in(&definition.engine);
            used.extend(name.map(|name| full_name(database, &name)));
        }
        used
    }
}

fn full_name(database: &str, name: &str) -> Name {
    let (of, table) = name.split_once('.').unwrap_or((database, name));
    (of.to_string(), table.to_string())
}

/// The dictionaries that the defaults of columns look up: the first arguments of `dictGet` and the
/// like, where they are written as texts or names.
pub(crate) fn looked_up(database: &str, columns: &[ast::ColumnDef]) -> Vec<Name> {
    let mut out = Vec::new();
    let defaults = columns.iter().filter_map(|column| column.default.as_ref()?.expr.as_ref());
    for text in defaults.map(format_expr) {
        let is_space = |t: &Token| matches!(t.kind, TokenKind::Whitespace | TokenKind::Comment);
        let tokens: Vec<Token> = lex(&text).into_iter().filter(|t| !is_space(t)).collect();
        for (at, token) in tokens.iter().enumerate() {
            let word = &text[token.range()];
            let is_call = tokens.get(at + 1).is_some_and(|t| t.kind == TokenKind::LParen);
            if token.kind != TokenKind::Word || !word.starts_with("dict") || !is_call {
                continue;
            }
            let until = |t: &&Token| !matches!(t.kind, TokenKind::Comma | TokenKind::RParen);
            let first = tokens[at + 2..].iter().take_while(until);
            let name: String = first.map(|t| text[t.range()].trim_matches(['\'', '`'])).collect();
            out.push(full_name(database, &name));
        }
    }
    out
}

//! How large a query may become: an alias that is used twice within the next one, forty times over,
//! is a text of a line and a tree of a trillion nodes.
//!
//! Every node that analysis makes is counted, and so is every use of an alias with all the nodes
//! behind it. Each few hundred of them the statement is looked at: it may have been stopped, or use
//! too much memory.

use entasis_base::{Error, Result, codes, scope};
use entasis_types::Value;

use crate::Analyzer;

/// Nodes between two looks at the statement.
const PACE: u64 = 256;

/// Bytes of a constant from which on they are asked for before they are made again.
const LARGE: usize = 64 << 10;

impl Analyzer<'_> {
    /// The query becomes larger by so many nodes.
    pub(crate) fn grow(&mut self, nodes: u64) -> Result<()> {
        let before = self.expanded;
        self.expanded = before.saturating_add(nodes);
        let most = self.settings.max_expanded_elements;
        if most > 0 && self.expanded > most {
            return Err(too_big_tree(most));
        }
        if before / PACE == self.expanded / PACE { Ok(()) } else { scope::check() }
    }

    /// Counts a node of the query's text. Literals are left out: long lists of them are data.
    pub(crate) fn count_element(&mut self) -> Result<()> {
        // The body of a common table expression is analysed again wherever it is used, and the text
        // of a view is not the statement's.
        if self.busy_ctes.is_empty() && self.views.is_empty() {
            self.elements += 1;
        }
        let most = self.settings.max_elements;
        if most > 0 && self.elements > most {
            let message = format!(
                "AST is too big. Maximum: {most}. Write the query with fewer expressions, or raise \
                 max_ast_elements"
            );
            return Err(Error::new(codes::TOO_BIG_AST, message));
        }
        Ok(())
    }
}

#[cold]
fn too_big_tree(most: u64) -> Error {
    let message = format!(
        "Query tree is too big. Maximum: {most}. Use aliases and common table expressions fewer \
         times within one another, or raise max_expanded_ast_elements"
    );
    Error::new(codes::BAD_ARGUMENTS, message)
}

/// Asks for the memory of a constant that is about to be made out of others.
pub(crate) fn ask_for<'v>(values: impl Iterator<Item = &'v Value>) -> Result<()> {
    let bytes: usize = values.map(bytes).sum();
    // As a column, as the column that is made of it, and as a value again.
    if bytes < LARGE { Ok(()) } else { scope::ask(3 * bytes) }
}

fn bytes(value: &Value) -> usize {
    let more = match value {
        Value::String(text) => text.len(),
        Value::Array(values) | Value::Tuple(values) => values.iter().map(bytes).sum(),
        _ => 0,
    };
    size_of::<Value>() + more
}

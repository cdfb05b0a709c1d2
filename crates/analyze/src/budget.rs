//! Limits how large a query may become. With aliases that each use the one before twice, a single
//! line of text can describe a tree of a trillion nodes.
//!
//! Every node that the analysis makes is counted, and every use of an alias counts with all nodes
//! of its expression. Every few hundred nodes, the analysis checks whether the statement was
//! stopped or uses too much memory.

use entasis_base::{Error, Result, codes, scope};
use entasis_types::Value;

use crate::Analyzer;

/// The number of nodes between two checks of the statement.
const PACE: u64 = 256;

/// Constants of at least this many bytes ask for memory before they are copied.
const LARGE: usize = 64 << 10;

impl Analyzer<'_> {
    /// Records that the query grows by `nodes`. Fails if it becomes too large, or if the statement
    /// was stopped.
    pub(crate) fn grow(&mut self, nodes: u64) -> Result<()> {
        let before = self.expanded;
        self.expanded = before.saturating_add(nodes);
        let most = self.settings.max_expanded_elements;
        if most > 0 && self.expanded > most {
            return Err(too_big_tree(most));
        }
        if before / PACE == self.expanded / PACE { Ok(()) } else { scope::check() }
    }

    /// Counts a node of the query's text. Literals are not counted, because long lists of them are
    /// data.
    pub(crate) fn count_element(&mut self) -> Result<()> {
        // The body of a common table expression is analysed again for each use, and the text of a
        // view is not part of the statement. Neither is counted.
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

/// Asks for the memory of a constant that is about to be computed from other constants.
pub(crate) fn ask_for<'v>(values: impl Iterator<Item = &'v Value>) -> Result<()> {
    let bytes: usize = values.map(bytes).sum();
    // Three copies: the arguments as a column, the resulting column, and the resulting value.
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

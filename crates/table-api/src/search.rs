//! What full-text search knows of a table: the texts that have an index.

use std::fmt;
use std::sync::Arc;

use entasis_base::Result;
use entasis_expr::Expr;

/// Prepares the text that a condition looks for as an index prepares its texts.
pub type PrepareText = Arc<dyn Fn(&[u8]) -> Result<Vec<u8>> + Send + Sync>;

/// A text of a table that has an index. Its search functions use the tokenizer of the index, and
/// compare prepared texts, in all parts alike: whether or not the index is built there.
#[derive(Clone)]
pub struct SearchedText {
    /// The text: an expression whose column ids are positions in the schema.
    pub text: Expr,
    /// The text after the preprocessor of the index, if it has one.
    pub prepared: Option<(Expr, PrepareText)>,
    /// The tokenizer, as the search functions take it.
    pub tokenizer: String,
}

impl fmt::Debug for SearchedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} by {}", self.text, self.tokenizer)
    }
}

//! `text`: an inverted index for full-text search.
//!
//! The file of the index is a dictionary: a row for each token of the part, sorted by the token,
//! with the list of rows that have it ([`postings`]). The least token of each granule of the file
//! is in memory, so a token is found by reading one granule. Long lists are in a column of their
//! own, and are read only for the tokens that a query asks for.
//!
//! The tokens are an expression of the index over the table's columns, which `engine` binds: the
//! tokenizers are functions. The storage knows a tokenizer by its [`Form`] alone, which says what
//! may be concluded from a condition.
//!
//! - [`builder`] collects the tokens of a part.
//! - [`wanted`] says which tokens a row must have that fulfils a condition, and whether these
//!   tokens already decide it.
//! - [`search`] looks the tokens up and combines their rows ([`hits`]).

mod builder;
mod hits;
mod postings;
mod search;
mod wanted;

use std::sync::Arc;

use entasis_base::{Error, Result};
use entasis_column::Column;
use entasis_expr::{ColumnId, Expr, Program};
use entasis_table_api::{PrepareText, SearchedText};
use entasis_types::{DataType, Value};

use self::builder::Tokens;
pub use self::hits::RowSelection;
use self::wanted::{Condition, conditions};
use crate::index::{Ask, IndexBuilder, IndexCondition, SkipIndex};

/// What kind of tokens a tokenizer makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `splitByNonAlpha`: the words that `hasToken` looks for.
    Words,
    /// `ngrams` and `sparseGrams`: the grams of a part of the text are among the grams of the text,
    /// if both are valid UTF-8. A text that is not has the empty token in the index, too.
    Grams,
    /// `array`: the whole text.
    Whole,
    /// All others: nothing is known of the tokens of a part of the text.
    Other,
}

/// The preprocessor of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prepare {
    /// There is none.
    Nothing,
    /// It is `lower` or `upper`, which change each byte by itself.
    Bytes,
    /// Any other expression.
    Any,
}

/// The type `text` with its arguments.
#[derive(Clone, Debug)]
pub struct Text {
    /// The tokenizer as text, as the search functions take it.
    pub tokenizer: String,
    /// What kind of tokens it makes.
    pub form: Form,
    /// What the preprocessor is.
    pub prepare: Prepare,
    /// The preprocessor over a String with the id 0; the string itself if there is none.
    pub prepared: Expr,
    /// The tokens of a String with the id 0.
    pub tokens: Expr,
    /// The tokens that every text has that matches the LIKE pattern with the id 0; `None` if the
    /// tokenizer does not say.
    pub like: Option<Expr>,
}

impl Text {
    /// The number of the index's expression that is the prepared text: the expressions are the
    /// text, the prepared text if there is a preprocessor, and the tokens.
    fn prepared_place(&self) -> usize {
        usize::from(self.prepare != Prepare::Nothing)
    }

    /// The text after the preprocessor.
    fn prepare(&self, text: &[u8]) -> Result<Vec<u8>> {
        let value = run(&self.prepared, text)?.value(0);
        Ok(value.as_bytes().unwrap_or_default().to_vec())
    }

    /// The tokens of a prepared text.
    fn cut(&self, text: &[u8]) -> Result<Vec<Vec<u8>>> {
        list(&run(&self.tokens, text)?)
    }

    /// The tokens of a LIKE pattern over the prepared text.
    fn cut_pattern(&self, pattern: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.like.as_ref().map_or_else(|| Ok(Vec::new()), |like| list(&run(like, pattern)?))
    }
}

/// The value of an expression over one string.
fn run(expr: &Expr, text: &[u8]) -> Result<Column> {
    let input = Column::from_value(&DataType::String, &Value::string(text), 1);
    let out = Program::new(std::slice::from_ref(expr), &[ColumnId(0)])?.run_columns(&[input], 1)?;
    out.into_iter().next().ok_or_else(|| Error::logical("a program without a result"))
}

fn list(tokens: &Column) -> Result<Vec<Vec<u8>>> {
    match tokens.value(0) {
        Value::Array(list) => {
            let token = |value: &Value| value.as_bytes().map(<[u8]>::to_vec);
            Ok(list.iter().filter_map(token).collect())
        }
        _ => Err(Error::logical("tokens that are no list")),
    }
}

impl SkipIndex for Text {
    fn columns(&self, _types: &[DataType]) -> Vec<(&'static str, DataType)> {
        ["token", "short", "long"].map(|name| (name, DataType::String)).to_vec()
    }

    fn builder(&self, _types: &[DataType]) -> Box<dyn IndexBuilder> {
        Box::<Tokens>::default()
    }

    fn condition(&self, ask: &Ask<'_>) -> Result<Option<Box<dyn IndexCondition>>> {
        let conditions = conditions(&Arc::new(self.clone()), ask)?;
        if conditions.is_empty() {
            return Ok(None);
        }
        Ok(Some(Box::new(Condition(conditions))))
    }

    fn searched_text(&self, exprs: &[Expr]) -> Option<SearchedText> {
        let prepared = match self.prepare {
            Prepare::Nothing => None,
            Prepare::Bytes | Prepare::Any => {
                let this = self.clone();
                let prepare: PrepareText = Arc::new(move |text| this.prepare(text));
                Some((exprs.get(1)?.clone(), prepare))
            }
        };
        let text = exprs.first()?.clone();
        Some(SearchedText { text, prepared, tokenizer: self.tokenizer.clone() })
    }
}

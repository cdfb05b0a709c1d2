//! Skipping indices: small files beside a part that tell which of its granules cannot hold a row
//! that a query wants.
//!
//! - [`SkipIndex`] is a type of index. It makes an [`IndexBuilder`], which sees the values of a
//!   part block by block, and for a query an [`IndexCondition`], which says which blocks may match.
//!   A block is as many granules as the index's GRANULARITY says.
//! - [`build`] reads the part that was just written and writes the files. INSERTs, merges and
//!   mutations all build indices there.
//! - [`ask`] brings the conditions of a query and the expressions of an index into the same terms.
//! - [`select`] asks the indices of a part for a scan, after the primary key.
//!
//! An index may always answer that a block matches. It must never answer that a block does not
//! match if a row of it does: masks and patches of the part change nothing in that, because rows
//! that a mask hides do not match, and granules with patched rows are not skipped.

pub(crate) mod ask;
mod atoms;
mod bloom;
pub(crate) mod build;
mod file;
mod filter;
mod logic;
mod minmax;
mod select;
mod set;
mod words;

use std::sync::Arc;

use entasis_base::Result;
use entasis_codec::Ciphers;
use entasis_column::Column;
use entasis_expr::Expr;
use entasis_table_api::SearchedText;
use entasis_types::{DataType, TimeZone};

pub use self::ask::Ask;
pub use self::bloom::BloomFilter;
pub use self::file::{IndexData, IndexFile};
pub use self::minmax::MinMax;
pub(crate) use self::select::{IndexScan, check_forced};
pub use self::set::Set;
pub use self::words::{TermFilter, Terms};
use crate::log::record::{Companion, CompanionKind};
use crate::schema::ciphers_of;
use crate::segment::writer::ColumnSpec;
pub use crate::text::RowSelection;

/// A type of index with its arguments.
pub trait SkipIndex: Send + Sync + std::fmt::Debug {
    /// Names and types of the columns of the index's file. `types` are those of the expressions.
    fn columns(&self, types: &[DataType]) -> Vec<(&'static str, DataType)>;

    /// Collects the values of one part. `types` are those of the expressions.
    fn builder(&self, types: &[DataType]) -> Box<dyn IndexBuilder>;

    /// What the index can say of a query; `None` if it cannot exclude anything.
    fn condition(&self, ask: &Ask<'_>) -> Result<Option<Box<dyn IndexCondition>>>;

    /// Whether it compares the conditions with the bounds of values.
    fn compares(&self) -> bool {
        false
    }

    /// Whether it evaluates the conditions on values.
    fn has_values(&self) -> bool {
        false
    }

    /// What full-text search has to know of an index with these expressions; `None` for types that
    /// it does not use.
    fn searched_text(&self, _exprs: &[Expr]) -> Option<SearchedText> {
        None
    }
}

/// Collects the values of one part, granule by granule.
pub trait IndexBuilder {
    /// Adds a granule of the current block: a column for each expression, in any representation.
    fn add(&mut self, columns: &[Column]) -> Result<()>;

    /// Ends the current block.
    fn end_block(&mut self) -> Result<()>;

    /// The content of the file.
    fn finish(self: Box<Self>) -> Result<IndexData>;
}

/// The conditions of one query, as an index understands them.
pub trait IndexCondition: Send + Sync {
    /// Sets those of the blocks to `false` in which no row can match. Blocks that are `false`
    /// already need not be looked at.
    fn narrow(&self, file: &IndexFile, blocks: &mut [bool]) -> Result<()>;

    /// Like [`Self::narrow`], for an index whose blocks are granules, and that may know rows.
    fn select(&self, file: &IndexFile, blocks: &mut [bool]) -> Result<Option<RowSelection>> {
        self.narrow(file, blocks)?;
        Ok(None)
    }
}

/// An index of a table's definition. Its expressions use `ColumnId(position in the schema)`.
#[derive(Clone, Debug)]
pub struct IndexDef {
    /// The name, unique in the table.
    pub name: String,
    /// The type with its arguments as text: `bloom_filter(0.01)`.
    pub type_text: String,
    /// The expressions, of which there is at least one.
    pub exprs: Vec<Expr>,
    /// The number of granules of a block.
    pub granularity: u64,
    /// The type.
    pub kind: Arc<dyn SkipIndex>,
    /// The time zone in which the expressions were bound.
    pub zone: TimeZone,
}

/// An index of one version of a table's schema.
#[derive(Debug)]
pub(crate) struct BoundIndex {
    pub(crate) def: IndexDef,
    /// What the files of the index are made of: type, granularity, and the expressions with the
    /// ids and types of the columns.
    pub(crate) definition: String,
    /// Positions of the stored columns that the expressions read.
    pub(crate) reads: Vec<usize>,
    /// The ciphers of these columns, with which the files of the index are encrypted, too.
    pub(crate) ciphers: Ciphers,
}

impl BoundIndex {
    pub(crate) fn new(def: &IndexDef, stored: &[ColumnSpec]) -> Self {
        let mut definition = format!("{} GRANULARITY {} OF", def.type_text, def.granularity);
        for expr in &def.exprs {
            definition.push(' ');
            describe(expr, stored, &mut definition);
        }
        let reads = crate::schema::SchemaVersion::read_by(&def.exprs);
        let ciphers = ciphers_of(stored, &reads);
        Self { def: def.clone(), definition, reads, ciphers }
    }

    /// Whether a companion of a part is this index, as the table defines it now.
    pub(crate) fn is(&self, companion: &Companion) -> bool {
        companion.kind == CompanionKind::Index
            && companion.name == self.def.name
            && companion.definition == self.definition
    }

    /// Types of the expressions.
    pub(crate) fn types(&self) -> Vec<DataType> {
        self.def.exprs.iter().map(|expr| expr.ty().clone()).collect()
    }
}

/// Writes an expression with the ids of its columns, so that the text is the same after columns
/// were renamed, and another one for another column or type of the same name.
fn describe(expr: &Expr, stored: &[ColumnSpec], out: &mut String) {
    match expr {
        Expr::Column { id, ty } => {
            let column = stored.get(id.0 as usize).map_or(0, |column| column.id);
            *out += &format!("#{column}:{ty}");
        }
        Expr::Literal { value, ty } => *out += &format!("{value:?}:{ty}"),
        _ => {
            match expr {
                Expr::Call { function, .. } => *out += function.name,
                Expr::And(..) => *out += "and",
                Expr::Or(..) => *out += "or",
                Expr::InSet { set, negated, .. } => {
                    let members = set.set.get().and_then(|set| set.members());
                    *out += &format!("in {negated} {members:?}");
                }
                _ => {}
            }
            out.push('(');
            for child in expr.children() {
                describe(child, stored, out);
                out.push(',');
            }
            *out += &format!("):{}", expr.ty());
        }
    }
}

//! Columns of a table as its definition gives them.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use entasis_column::{Field, Header};
use entasis_expr::Expr;
use entasis_types::DataType;

/// What happens when a column's value is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultKind {
    /// Computed on insert where it is not given.
    Default,
    /// Always computed on insert; not part of `*`.
    Materialized,
    /// Computed on read; not stored; not part of `*`.
    Alias,
}

/// One column.
#[derive(Clone, Debug)]
pub struct ColumnDef {
    /// Name.
    pub name: Arc<str>,
    /// Data type.
    pub ty: DataType,
    /// Kind and formatted text of the default expression.
    pub default: Option<(DefaultKind, Arc<str>)>,
    /// The default expression bound by `engine` at attach; its column ids are positions in the
    /// schema.
    pub default_expr: Option<Expr>,
    /// The CODEC clause's arguments as text: `Delta(4), ZSTD(3)`.
    pub codec: Option<Arc<str>>,
    /// COMMENT.
    pub comment: Arc<str>,
}

impl ColumnDef {
    /// A plain column.
    pub fn new(name: impl Into<Arc<str>>, ty: DataType) -> Self {
        Self {
            name: name.into(),
            ty,
            default: None,
            default_expr: None,
            codec: None,
            comment: "".into(),
        }
    }
}

/// All columns of one version of a table. Look-ups are built on first use and kept per version.
#[derive(Debug, Default)]
pub struct Schema {
    /// The columns in order.
    pub columns: Vec<ColumnDef>,
    by_name: OnceLock<HashMap<Arc<str>, usize>>,
}

impl Schema {
    /// A schema of these columns.
    pub fn new(columns: Vec<ColumnDef>) -> Arc<Self> {
        Arc::new(Self { columns, by_name: OnceLock::new() })
    }

    /// A schema of plain columns.
    pub fn of_fields(fields: &[Field]) -> Arc<Self> {
        Self::new(fields.iter().map(|f| ColumnDef::new(f.name.clone(), f.ty.clone())).collect())
    }

    /// Position of the column called `name`.
    pub fn position(&self, name: &str) -> Option<usize> {
        let map = self.by_name.get_or_init(|| {
            self.columns.iter().enumerate().map(|(i, c)| (c.name.clone(), i)).collect()
        });
        map.get(name).copied()
    }

    /// The stored columns (all but ALIAS) as a header.
    pub fn header(&self) -> Header {
        let stored = self
            .columns
            .iter()
            .filter(|c| !matches!(c.default, Some((DefaultKind::Alias, _))))
            .map(|c| Field::new(c.name.clone(), c.ty.clone()));
        Header::new(stored.collect())
    }
}

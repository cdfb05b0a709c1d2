//! The columns of a table, as its definition declares them.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use entasis_column::{Field, Header};
use entasis_types::DataType;

/// How the value of a column is computed that an INSERT does not give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultKind {
    /// Computed on insert if it is not given.
    Default,
    /// Always computed on insert; not part of `*`.
    Materialized,
    /// Computed on read; not stored; not part of `*`.
    Alias,
    /// Given on insert so that defaults of other columns can use it; not stored, never read.
    Ephemeral,
    /// Supplied by the table while it is read, such as the file of a row; not stored, not part of
    /// `*`, never inserted.
    Virtual,
}

impl DefaultKind {
    /// The keyword in CREATE TABLE.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "DEFAULT",
            Self::Materialized => "MATERIALIZED",
            Self::Alias => "ALIAS",
            Self::Ephemeral => "EPHEMERAL",
            Self::Virtual => "VIRTUAL",
        }
    }
}

/// One column.
#[derive(Clone, Debug)]
pub struct ColumnDef {
    /// The column's name.
    pub name: Arc<str>,
    /// The column's data type.
    pub ty: DataType,
    /// Kind and formatted text of the default expression; the text may be empty for EPHEMERAL.
    /// Every statement that needs the default binds it anew, so `now()` means the time of that
    /// statement.
    pub default: Option<(DefaultKind, Arc<str>)>,
    /// The CODEC clause's arguments as text: `Delta(4), ZSTD(3)`.
    pub codec: Option<Arc<str>>,
    /// The text of the COMMENT clause; empty if there is none.
    pub comment: Arc<str>,
}

impl ColumnDef {
    /// A column without default, codec and comment.
    pub fn new(name: impl Into<Arc<str>>, ty: DataType) -> Self {
        Self { name: name.into(), ty, default: None, codec: None, comment: "".into() }
    }

    /// A column that the table supplies while it is read.
    pub fn virtual_column(name: impl Into<Arc<str>>, ty: DataType) -> Self {
        Self { default: Some((DefaultKind::Virtual, "".into())), ..Self::new(name, ty) }
    }

    /// The kind of the default; `None` if the column has none.
    pub fn default_kind(&self) -> Option<DefaultKind> {
        self.default.as_ref().map(|(kind, _)| *kind)
    }

    /// Whether the table stores the column's values.
    pub fn is_stored(&self) -> bool {
        !matches!(
            self.default_kind(),
            Some(DefaultKind::Alias | DefaultKind::Ephemeral | DefaultKind::Virtual)
        )
    }
}

/// All columns of one version of a table. Look-ups by name are built on first use.
#[derive(Debug, Default)]
pub struct Schema {
    /// The stored columns, whose positions are those in chunks, followed by the other columns.
    pub columns: Vec<ColumnDef>,
    /// Positions in `columns`, in the order of CREATE TABLE.
    declared: Vec<usize>,
    stored: usize,
    by_name: OnceLock<HashMap<Arc<str>, usize>>,
}

impl Schema {
    /// A schema of these columns, in the order of CREATE TABLE.
    pub fn new(columns: Vec<ColumnDef>) -> Arc<Self> {
        let stored = columns.iter().filter(|c| c.is_stored()).count();
        let (mut next_stored, mut next_other) = (0, stored);
        let place = |column: &ColumnDef| {
            let next = if column.is_stored() { &mut next_stored } else { &mut next_other };
            *next += 1;
            *next - 1
        };
        let declared = columns.iter().map(place).collect();
        let (kept, others): (Vec<_>, Vec<_>) = columns.into_iter().partition(ColumnDef::is_stored);
        let columns = kept.into_iter().chain(others).collect();
        Arc::new(Self { columns, declared, stored, by_name: OnceLock::new() })
    }

    /// A schema of plain columns.
    pub fn of_fields(fields: &[Field]) -> Arc<Self> {
        Self::new(fields.iter().map(|f| ColumnDef::new(f.name.clone(), f.ty.clone())).collect())
    }

    /// The position of the column called `name`.
    pub fn position(&self, name: &str) -> Option<usize> {
        let map = self.by_name.get_or_init(|| {
            self.columns.iter().enumerate().map(|(i, c)| (c.name.clone(), i)).collect()
        });
        map.get(name).copied()
    }

    /// The stored columns, without ALIAS, EPHEMERAL and virtual ones.
    pub fn stored(&self) -> &[ColumnDef] {
        &self.columns[..self.stored]
    }

    /// All columns in the order of CREATE TABLE, without virtual ones.
    pub fn declared(&self) -> impl Iterator<Item = &ColumnDef> {
        let all = self.declared.iter().map(|&position| &self.columns[position]);
        all.filter(|column| column.default_kind() != Some(DefaultKind::Virtual))
    }

    /// The stored columns as a header.
    pub fn header(&self) -> Header {
        let fields = self.stored().iter().map(|c| Field::new(c.name.clone(), c.ty.clone()));
        Header::new(fields.collect())
    }
}

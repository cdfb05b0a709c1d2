//! The cost model: the cost of an expression per row, and the share of rows that pass a condition.
//! Functions declare their own costs ([`entasis_function::Properties`]); this module adds what
//! follows from the form of an expression.

use entasis_expr::{ColumnId, Expr, cost};
use entasis_function::Operation;
use entasis_types::{DataType, Value};

/// The cost of reading one byte of a column.
const READ_BYTE: f64 = 0.25;
/// The cost of copying a byte from the scan to the steps above it.
const PASS_BYTE: f64 = 0.125;
/// The cost of storing a byte in a step that waits for its whole input, and of taking it out again.
const STORE_BYTE: f64 = 0.25;
/// The cost of finding a row by its address, besides reading it.
const FETCH_ROW: f64 = 30.0;
/// The bytes of an address.
const ADDRESS: f64 = 8.0;

/// The cost per row of reading the columns and running the functions, in the unit of
/// [`entasis_function::Cost`]. `bytes` returns the stored bytes per row of a column, if they are
/// known.
pub(crate) fn work(expr: &Expr, bytes: &dyn Fn(ColumnId) -> Option<f64>) -> f64 {
    let own = match expr {
        Expr::Column { id, ty } => bytes(*id).unwrap_or_else(|| width(ty)) * READ_BYTE,
        step => cost::of_step(step),
    };
    own + expr.children().into_iter().map(|c| work(c, bytes)).sum::<f64>()
}

/// The share of rows that pass a condition, estimated from its form alone.
pub(crate) fn passing(expr: &Expr) -> f64 {
    match expr {
        Expr::And(args, _) => args.iter().map(passing).product(),
        Expr::Or(args, _) => 1.0 - args.iter().map(|a| 1.0 - passing(a)).product::<f64>(),
        Expr::InSet { negated: true, .. } => 0.9,
        Expr::InSet { negated: false, .. } => 0.1,
        Expr::Call { function, args, .. } if function.operation() == Operation::Not => {
            1.0 - args.first().map_or(0.5, passing)
        }
        Expr::Call { function, args, .. } => {
            let selectivity = function.properties.selectivity;
            let part = if with_default(args) { selectivity.of_default } else { selectivity.usual };
            f64::from(part)
        }
        _ => 0.5,
    }
}

/// Whether one of two arguments is the constant 0 or ''.
fn with_default(args: &[Expr]) -> bool {
    args.iter().any(|arg| match arg {
        Expr::Literal { value: Value::String(text), .. } => text.is_empty(),
        Expr::Literal { value, .. } => value.as_f64() == Some(0.0),
        _ => false,
    })
}

/// Columns of a table that are read with its other columns, or later by the addresses of rows.
pub(crate) struct Reading {
    /// The rows of the table.
    pub stored: f64,
    /// About how many rows are read to fetch one.
    pub at_once: f64,
    /// The bytes of a row of these columns.
    pub width: f64,
    /// Whether rows are stored above the scan: in the hash table of a join, for example.
    pub stores: bool,
}

impl Reading {
    /// The cost of reading the columns with the scan, which lets `passing` rows through.
    pub fn early(&self, passing: f64) -> f64 {
        self.read(passing) + self.width * passing * self.passed()
    }

    /// The cost of carrying addresses instead, and fetching the columns for `left` rows.
    pub fn late(&self, passing: f64, left: f64) -> f64 {
        self.read(left) + ADDRESS * passing * self.passed() + left * FETCH_ROW
    }

    /// The cost of reading the places where so many rows are.
    fn read(&self, rows: f64) -> f64 {
        self.width * (rows * self.at_once).min(self.stored) * READ_BYTE
    }

    /// The cost of each byte above the scan.
    fn passed(&self) -> f64 {
        if self.stores { PASS_BYTE + STORE_BYTE } else { PASS_BYTE }
    }
}

/// About how many bytes a value of a type takes in memory.
pub(crate) fn width(ty: &DataType) -> f64 {
    ty.without_nullable().fixed_width().map_or(32.0, |w| w as f64)
}

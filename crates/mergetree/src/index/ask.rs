//! The conditions of a scan and the expressions of its indices in the same terms.
//!
//! A query has ids of its own for columns, and may read a subcolumn where an index names a
//! function: `m.keys` for `mapKeys(m)`. Here, a column or subcolumn of the table has one id in
//! conditions and indices alike, so that [`entasis_expr::same`] can compare them.

use std::cell::RefCell;
use std::sync::Arc;

use entasis_expr::{ColumnId, Expr, Lambda, replaced, same};
use entasis_table_api::ScanSpec;
use entasis_types::{DataType, Step, SubcolumnPath};

/// Columns and subcolumns of a table; their places are the ids.
#[derive(Debug, Default)]
pub(super) struct Terms(RefCell<Vec<(usize, SubcolumnPath)>>);

impl Terms {
    fn id(&self, position: usize, path: SubcolumnPath) -> ColumnId {
        let mut known = self.0.borrow_mut();
        let column = (position, path);
        let place = known.iter().position(|other| *other == column).unwrap_or_else(|| {
            known.push(column);
            known.len() - 1
        });
        ColumnId(place as u32)
    }

    /// The conditions of a scan.
    pub(super) fn of_filter(&self, spec: &ScanSpec) -> Vec<Expr> {
        let place = |id: ColumnId| {
            let column = spec.column(id)?;
            Some((column.position, column.path.clone()))
        };
        spec.filter.iter().map(|conjunct| self.of(conjunct, &place)).collect()
    }

    /// An expression of an index, whose ids are positions in the schema.
    pub(super) fn of_index(&self, expr: &Expr) -> Expr {
        self.of(expr, &|id| Some((id.0 as usize, SubcolumnPath::default())))
    }

    /// `place` answers the position and path of a column; `None` for parameters of lambdas.
    fn of(&self, expr: &Expr, place: Place<'_>) -> Expr {
        replaced(expr, &mut |expr| {
            if let Some((position, path)) = path_of(expr, place) {
                return Some(Expr::column(self.id(position, path), expr.ty().clone()));
            }
            let Expr::Call { function, args, lambda: Some(lambda) } = expr else { return None };
            let Lambda { params, body } = &**lambda;
            // Parameters keep ids that no column has.
            let is_param = |id: ColumnId| params.iter().any(|(param, _)| *param == id);
            let inner = |id: ColumnId| if is_param(id) { None } else { place(id) };
            let lambda = Lambda { params: params.clone(), body: self.of(body, &inner) };
            Some(Expr::Call {
                function: Arc::clone(function),
                args: args.iter().map(|arg| self.of(arg, place)).collect(),
                lambda: Some(Arc::new(lambda)),
            })
        })
    }
}

type Place<'a> = &'a dyn Fn(ColumnId) -> Option<(usize, SubcolumnPath)>;

/// The column or subcolumn that an expression is.
fn path_of(expr: &Expr, place: Place<'_>) -> Option<(usize, SubcolumnPath)> {
    let (function, args) = match expr {
        Expr::Column { id, .. } => return place(*id),
        Expr::Call { function, args, lambda: None } => (function, args),
        _ => return None,
    };
    let of = args.first()?.ty();
    let step = match (function.name, &args[1..]) {
        ("mapKeys", []) if matches!(of, DataType::Map(_)) => Step::Element(0),
        ("mapValues", []) if matches!(of, DataType::Map(_)) => Step::Element(1),
        _ => return None,
    };
    let (position, outer) = path_of(&args[0], place)?;
    Some((position, outer.then(&SubcolumnPath::new(&[step]))))
}

/// A query's conditions and the expressions of one index, in the same terms: equal columns have
/// equal ids.
#[derive(Debug)]
pub struct Ask<'a> {
    /// The conditions, all of which must hold.
    pub conjuncts: &'a [Expr],
    /// The expressions of the index.
    pub exprs: Vec<Expr>,
    pub(super) terms: &'a Terms,
}

impl Ask<'_> {
    /// The number of the index's expression that `expr` is.
    pub fn place(&self, expr: &Expr) -> Option<usize> {
        self.exprs.iter().position(|known| same(known, expr))
    }

    /// The number of the index's expression that is the list of keys of this map column, or that
    /// of its values.
    pub fn place_in_map(&self, map: &Expr, values: bool) -> Option<usize> {
        let Expr::Column { id, .. } = map else { return None };
        let (position, path) = self.terms.0.borrow().get(id.0 as usize).cloned()?;
        let path = path.then(&SubcolumnPath::new(&[Step::Element(usize::from(values))]));
        let wanted = self.terms.id(position, path);
        let is_it = |expr: &Expr| matches!(expr, Expr::Column { id, .. } if *id == wanted);
        self.exprs.iter().position(is_it)
    }

    /// The conditions with `ColumnId(i)` for each expression of the index; other columns have ids
    /// that are not below the number of expressions.
    pub fn over_exprs(&self) -> Vec<Expr> {
        self.conjuncts.iter().map(|conjunct| self.over(conjunct)).collect()
    }

    fn over(&self, expr: &Expr) -> Expr {
        replaced(expr, &mut |expr| {
            let id = match (self.place(expr), expr) {
                (Some(place), _) => ColumnId(place as u32),
                (None, Expr::Column { id, .. }) => ColumnId(id.0 | UNKNOWN),
                // A lambda may use parameters whose ids look like those of columns.
                (None, Expr::Call { lambda: Some(_), .. }) => ColumnId(UNKNOWN),
                _ => return None,
            };
            Some(Expr::column(id, expr.ty().clone()))
        })
    }

    /// Whether an expression over the index's expressions reads nothing else.
    pub fn is_known(expr: &Expr) -> bool {
        let mut ids = Vec::new();
        expr.columns(&mut ids);
        ids.iter().all(|id| id.0 & UNKNOWN == 0)
    }
}

/// The bit in the ids of columns that an index does not know.
const UNKNOWN: u32 = 1 << 31;

//! Values of columns that an INSERT does not give: DEFAULT, MATERIALIZED, ALIAS and EPHEMERAL
//! expressions over the columns that it gives. They are bound anew for each statement, since
//! `now()` means the time of the statement.
//!
//! Defaults may read one another. An expression in which they stand for the columns that they
//! compute shares its parts in memory, but programs walk through it as if it were written out, so
//! its size and its depth have limits. CREATE and ALTER check them ([`check`]).

use std::cell::RefCell;

use entasis_analyze::{bind, bind_default, tree};
use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Expr};
use entasis_function::FunctionContext;
use entasis_function::registry::bind_aggregate;
use entasis_table_api::{ColumnDef, Schema};
use entasis_types::DataType;
use entasis_types::nested::group_of;

use super::columns::cycle;

/// The columns that an INSERT gives, and the values of the others, which follow from them.
pub(crate) struct Defaults<'a> {
    schema: &'a Schema,
    /// For every column of the schema the value that the INSERT gives, if it gives one.
    given: Vec<Option<Given>>,
    /// An id above all ids that the given values use; parameters of lambdas get ids from here.
    next_id: u32,
    function_context: &'a dyn FunctionContext,
    /// Most nodes of an expression.
    most_nodes: u64,
    /// The defaults that are made already, by position.
    made: RefCell<Vec<Option<Made>>>,
}

/// A value that an INSERT gives for a column.
pub(crate) struct Given {
    /// The value before it is converted to the column's type.
    pub(crate) expr: Expr,
    /// Whether a NULL is replaced by the default if the column cannot hold NULL.
    pub(crate) null_as_default: bool,
}

/// The value of a column that is not given and has no default expression.
pub(crate) fn default_of_type(
    ty: &DataType,
    function_context: &dyn FunctionContext,
) -> Result<Expr> {
    let DataType::AggregateFunction(of) = ty else {
        return Ok(Expr::literal(ty.column_default(), ty.clone()));
    };
    // The default is the aggregate state of no rows.
    let function =
        bind_aggregate(&format!("{}State", of.name), &of.params, &of.args, function_context)?;
    let mut states = function.states();
    states.resize(1);
    Ok(Expr::literal(states.finish(0..1)?.value(0), ty.clone()))
}

/// The value of a column of arrays of type `ty` that is not given and has no default expression,
/// where an array of the same group is: as many default values as that one has elements.
pub(crate) fn defaults_as_long_as(
    array: Expr,
    ty: &DataType,
    function_context: &dyn FunctionContext,
) -> Result<Expr> {
    let Some(element) = ty.as_array() else { return default_of_type(ty, function_context) };
    let length = bind::call("length", vec![array], function_context)?;
    let value = default_of_type(element, function_context)?;
    bind::cast(
        bind::call("arrayWithConstant", vec![length, value], function_context)?,
        ty,
        function_context,
    )
}

/// Most defaults that may read one another in a chain, so that the recursions over their
/// expressions are bounded.
const MAX_DEPTH: usize = entasis_mergetree::MAX_DEFAULT_DEPTH;

/// Most nodes of a given value: a column, its conversion, and the choice of a default for NULL.
const AROUND: usize = 8;

/// The default of a column, computed from the given values.
#[derive(Clone)]
struct Made {
    expr: Expr,
    /// Number of nodes, where shared ones count wherever they stand.
    size: usize,
    /// Length of the longest chain of defaults that ends with this one.
    depth: usize,
}

/// The default expression of a column, and the positions of the columns that it reads.
struct Bound {
    position: usize,
    expr: Expr,
    reads: Vec<usize>,
}

impl<'a> Defaults<'a> {
    pub(crate) fn new(
        schema: &'a Schema,
        given: Vec<Option<Given>>,
        function_context: &'a dyn FunctionContext,
    ) -> Self {
        let mut ids: Vec<ColumnId> = Vec::new();
        given.iter().flatten().for_each(|g| g.expr.columns(&mut ids));
        let next_id = ids.iter().map(|id| id.0 + 1).max().unwrap_or(0);
        let most =
            function_context.setting("max_expanded_ast_elements").and_then(|most| most.as_u64());
        let most_nodes = most.filter(|most| *most > 0).unwrap_or(u64::MAX);
        let made = RefCell::new(vec![None; schema.columns.len()]);
        Self { schema, given, next_id, function_context, most_nodes, made }
    }

    /// The value of the column at a position: the given value, or the default.
    pub(crate) fn value(&self, position: usize) -> Result<Expr> {
        if self.needs_default(position) {
            self.make(position)?;
        }
        self.value_of(position)
    }

    /// The default of the column at a position, computed from the given values.
    pub(crate) fn default(&self, position: usize) -> Result<Expr> {
        self.make(position)?;
        Ok(self.made(position)?.expr)
    }

    /// Positions of the stored columns that the default of a column reads, directly or through
    /// columns that are not stored.
    pub(crate) fn stored_reads(&self, position: usize) -> Result<Vec<usize>> {
        let stored = self.schema.stored().len();
        let (mut out, mut seen, mut waiting) = (Vec::new(), vec![position], vec![position]);
        while let Some(next) = waiting.pop() {
            for read in self.bind(next)?.reads {
                if !seen.contains(&read) {
                    seen.push(read);
                    if read < stored { &mut out } else { &mut waiting }.push(read);
                }
            }
        }
        out.sort_unstable();
        Ok(out)
    }

    /// Whether the value of a column depends on its default.
    fn needs_default(&self, position: usize) -> bool {
        let ty = &self.schema.columns[position].ty;
        let replaces_null = |given: &Given| {
            given.null_as_default && given.expr.ty().is_nullable() && !ty.is_nullable()
        };
        self.given[position].as_ref().is_none_or(replaces_null)
    }

    /// The value of a column whose default is made already, if it needs one.
    fn value_of(&self, position: usize) -> Result<Expr> {
        let Some(given) = &self.given[position] else { return Ok(self.made(position)?.expr) };
        let (expr, ty) = (given.expr.clone(), &self.schema.columns[position].ty);
        if !self.needs_default(position) {
            return bind::cast(expr, ty, self.function_context);
        }
        let default = self.made(position)?.expr;
        if *expr.ty().without_nullable() == DataType::Nothing {
            return Ok(default);
        }
        let is_null = bind::call("isNull", vec![expr.clone()], self.function_context)?;
        let plain = bind::call("assumeNotNull", vec![expr], self.function_context)?;
        let value = bind::cast(plain, ty, self.function_context)?;
        bind::call("if", vec![is_null, default, value], self.function_context)
    }

    /// Position of the first array that the INSERT gives of the group of a column that it does not
    /// give.
    fn given_of_group(&self, position: usize) -> Option<usize> {
        let group = |at: usize| {
            let column = &self.schema.columns[at];
            group_of(&column.name, &column.ty)
        };
        let of = group(position).filter(|_| self.given[position].is_none())?;
        (0..self.given.len()).find(|&at| self.given[at].is_some() && group(at) == Some(of))
    }

    fn made(&self, position: usize) -> Result<Made> {
        let made = self.made.borrow()[position].clone();
        made.ok_or_else(|| Error::logical("A default is used before it is made"))
    }

    /// Makes the default of a column, after those that it reads. Each is made once, however often
    /// others read it.
    fn make(&self, position: usize) -> Result<()> {
        if self.made.borrow()[position].is_some() {
            return Ok(());
        }
        let mut path = vec![self.bind(position)?];
        while let Some(bound) = path.last() {
            let is_missing =
                |at: &usize| self.needs_default(*at) && self.made.borrow()[*at].is_none();
            let Some(next) = bound.reads.iter().copied().find(is_missing) else {
                let (position, made) = (bound.position, self.substituted(bound)?);
                self.made.borrow_mut()[position] = Some(made);
                path.pop();
                continue;
            };
            if path.iter().any(|bound| bound.position == next) {
                return Err(cycle(&self.schema.columns[next]));
            }
            if path.len() > MAX_DEPTH {
                return Err(too_deep(&self.schema.columns[position]));
            }
            path.push(self.bind(next)?);
        }
        Ok(())
    }

    fn bind(&self, position: usize) -> Result<Bound> {
        let column = &self.schema.columns[position];
        if column.default.is_none() {
            let Some(other) = self.given_of_group(position) else {
                let expr = default_of_type(&column.ty, self.function_context)?;
                return Ok(Bound { position, expr, reads: Vec::new() });
            };
            let ty = self.schema.columns[other].ty.clone();
            let array = Expr::column(ColumnId(other as u32), ty);
            let expr = defaults_as_long_as(array, &column.ty, self.function_context)?;
            return Ok(Bound { position, expr, reads: vec![other] });
        }
        let (expr, _) = bind_default(self.next_id, self.schema, column, self.function_context)?;
        let mut ids: Vec<ColumnId> = Vec::new();
        expr.columns(&mut ids);
        let mut reads: Vec<usize> = ids.into_iter().map(|id| id.0 as usize).collect();
        reads.sort_unstable();
        reads.dedup();
        Ok(Bound { position, expr, reads })
    }

    /// The expression with the values of the columns that it reads in their places.
    fn substituted(&self, bound: &Bound) -> Result<Made> {
        let column = &self.schema.columns[bound.position];
        let (mut values, mut depth) = (Vec::with_capacity(bound.reads.len()), 1);
        for &position in &bound.reads {
            let (expr, mut size) = (self.value_of(position)?, 0);
            if self.given[position].is_some() {
                size = AROUND;
            }
            if self.needs_default(position) {
                let made = self.made(position)?;
                (size, depth) = (size + made.size, depth.max(made.depth + 1));
            }
            values.push((ColumnId(position as u32), expr, size));
        }
        let of = |id: ColumnId| values.iter().find(|(of, ..)| *of == id);
        let size = tree::substituted_size(&bound.expr, &|id| of(id).map_or(1, |(.., size)| *size));
        if size as u64 > self.most_nodes {
            return Err(too_big(column, self.most_nodes));
        }
        if depth > MAX_DEPTH {
            return Err(too_deep(column));
        }
        let expr = tree::substitute(&bound.expr, &|id| of(id).map(|(_, value, _)| value.clone()));
        // A column without a default expression ends no chain.
        let depth = if column.default.is_some() { depth } else { 0 };
        Ok(Made { expr, size, depth })
    }
}

/// Fails if a default expression cannot be bound, depends on its own column, or becomes too large
/// with the defaults that it reads. This is checked when columns are created, so that the error
/// does not first appear in statements that use the table.
pub(crate) fn check(schema: &Schema, function_context: &dyn FunctionContext) -> Result<()> {
    let nothing = schema.columns.iter().map(|_| None).collect();
    let defaults = Defaults::new(schema, nothing, function_context);
    let all = schema.columns.iter().enumerate();
    all.filter(|(_, column)| column.default.is_some())
        .try_for_each(|(position, _)| defaults.make(position))
}

#[cold]
fn too_big(column: &ColumnDef, most: u64) -> Error {
    let message = format!(
        "Query tree is too big. Maximum: {most}. The default of column {} has more nodes with the \
         defaults that it reads: let defaults read one another fewer times, or raise \
         max_expanded_ast_elements",
        column.name
    );
    Error::new(codes::BAD_ARGUMENTS, message)
}

#[cold]
fn too_deep(column: &ColumnDef) -> Error {
    let message = format!(
        "The default of column {} ends a chain of more than {MAX_DEPTH} defaults that read one \
         another: let it read a column nearer to the start of the chain",
        column.name
    );
    Error::new(codes::TOO_DEEP_RECURSION, message)
}

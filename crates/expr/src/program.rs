//! Programs: expressions that are compiled to a list of steps, each of which is computed once per
//! chunk.
//!
//! A program is in single-assignment form: node `i` reads nodes before `i`. Equal subexpressions
//! share a node, constants are folded, and a column is dropped after its last use. Expressions that
//! must not or need not run on every row (later conjuncts, branches of `if` that can fail or take
//! long) are an [`Arm`]: a program of its own whose inputs are nodes of the outer one, and which
//! runs over the rows that need it.
//!
//! Programs are immutable, and all workers share them. `program/tests.rs` compares them with
//! row-by-row evaluation.

mod compile;
mod logic;

use std::sync::Arc;

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, scope};
use entasis_column::{Chunk, Column, Mask};
use entasis_function::{BoundFunction, LambdaCall};
use entasis_types::{DataType, Value};

use crate::{ColumnId, Expr, ScalarSlot, SetSlot};

pub use compile::can_fail;
pub(crate) use logic::SPARSE;

/// A step of a program.
#[derive(Debug)]
enum Node {
    /// A column of the input, by its position.
    Input(usize),
    /// A column of one row.
    Const(Column),
    /// A scalar subquery whose value was not known when the program was compiled.
    Scalar(Arc<ScalarSlot>),
    Call {
        function: Arc<BoundFunction>,
        args: Vec<usize>,
    },
    /// A function with a lambda. The inputs of the lambda's body are its parameters and then the
    /// captured nodes.
    Higher {
        function: Arc<BoundFunction>,
        args: Vec<usize>,
        lambda: Program,
        captured: Vec<usize>,
    },
    /// AND or OR.
    Logic {
        is_and: bool,
        nullable: bool,
        arms: Vec<Arm>,
    },
    InSet {
        args: Vec<usize>,
        set: Arc<SetSlot>,
        negated: bool,
        nullable: bool,
    },
    /// `if` and `multiIf` whose arguments may only be evaluated on the rows that need them.
    Branch {
        function: Arc<BoundFunction>,
        args: Vec<Choice>,
    },
}

/// A program whose inputs are nodes of the program around it.
#[derive(Debug)]
struct Arm {
    program: Program,
    /// Nodes of the outer program that are the inputs.
    inputs: Vec<usize>,
    can_fail: bool,
    /// What it costs to run it over a row, which decides whether rows are taken out of the chunk.
    cost: Cost,
}

/// The cost of an arm beside that of taking the rows that need it out of their chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cost {
    /// It only looks at a column, or hardly more.
    Nothing,
    /// It pays to take a few rows out.
    Little,
    /// It pays to take the rows out unless nearly all of them are needed.
    Much,
}

/// An argument of a branch.
#[derive(Debug)]
enum Choice {
    Node(usize),
    Arm(Arm, DataType),
}

impl Node {
    fn reads(&self, visit: &mut dyn FnMut(usize)) {
        match self {
            Self::Input(_) | Self::Const(_) | Self::Scalar(_) => {}
            Self::Call { args, .. } | Self::InSet { args, .. } => {
                for a in args {
                    visit(*a);
                }
            }
            Self::Higher { args, captured, .. } => {
                for a in args.iter().chain(captured) {
                    visit(*a);
                }
            }
            Self::Logic { arms, .. } => {
                arms.iter().flat_map(|a| &a.inputs).for_each(|a| visit(*a));
            }
            Self::Branch { args, .. } => args.iter().for_each(|choice| match choice {
                Choice::Node(node) => visit(*node),
                Choice::Arm(arm, _) => arm.inputs.iter().for_each(|a| visit(*a)),
            }),
        }
    }
}

/// Compiled expressions.
#[derive(Debug, Default)]
pub struct Program {
    nodes: Vec<Node>,
    outputs: Vec<usize>,
    /// The nodes to compute, in order, each with the nodes that are read for the last time at this
    /// step.
    steps: Vec<(usize, Vec<usize>)>,
}

/// The value of a constant expression, which reads no column and may be folded.
pub(crate) fn constant_value(expr: &Expr) -> Option<Value> {
    if let Expr::Literal { value, .. } = expr {
        return Some(value.clone());
    }
    let mut columns = Vec::new();
    expr.columns(&mut columns);
    if !columns.is_empty() {
        return None;
    }
    let program = Program::new(std::slice::from_ref(expr), &[]).ok()?;
    match &program.nodes[program.outputs[0]] {
        Node::Const(column) => Some(column.value(0)),
        _ => None,
    }
}

impl Program {
    /// Compiles `exprs` for chunks with the columns `input`.
    pub fn new(exprs: &[Expr], input: &[ColumnId]) -> Result<Self> {
        compile::compile(exprs, input)
    }

    /// One column per expression, in any representation.
    pub fn run(&self, chunk: &Chunk) -> Result<Vec<Column>> {
        self.run_columns(&chunk.columns, chunk.rows)
    }

    /// Like [`Self::run`], for columns of `rows` rows.
    pub fn run_columns(&self, inputs: &[Column], rows: usize) -> Result<Vec<Column>> {
        events::one(Event::ExpressionEvaluations);
        events::add(Event::ExpressionRows, rows as u64);
        if let ([output], [(step, _)]) = (&self.outputs[..], &self.steps[..]) {
            debug_assert_eq!(output, step);
            return Ok(vec![self.step(*step, inputs, &[], rows)?]);
        }
        let slots = self.run_steps(self.steps.len(), inputs, rows)?;
        Ok(self.outputs.iter().filter_map(|o| slots[*o].clone()).collect())
    }

    /// The rows on which the first expression is true: non-zero and not NULL.
    pub fn mask(&self, inputs: &[Column], rows: usize) -> Result<Mask> {
        let Some((root, before, slots)) = self.before_root(inputs, rows)? else {
            return Ok(self.run_columns(inputs, rows)?[0].to_mask());
        };
        debug_assert!(before < self.steps.len());
        match &self.nodes[root] {
            Node::Call { function, args } => {
                let args = gather(&slots, args);
                match parts_of(function, &args, rows) {
                    Some(_) => Ok(call(function, &args, rows)?.to_mask()),
                    None => function.call_mask(&args, rows),
                }
            }
            Node::Logic { is_and, arms, .. } => {
                Ok(logic::run(*is_and, false, arms, &slots, rows)?.0)
            }
            Node::InSet { args, set, negated, nullable } => {
                let how = (*negated, *nullable);
                Ok(logic::in_set(&gather(&slots, args), set, how, rows)?.0)
            }
            _ => Ok(self.eval(root, inputs, &slots, rows)?.to_mask()),
        }
    }

    /// The rows on which the first expression is true, and those on which it is NULL.
    fn truth(&self, inputs: &[Column], rows: usize) -> Result<(Mask, Mask)> {
        if let Some((root, _, slots)) = self.before_root(inputs, rows)? {
            match &self.nodes[root] {
                Node::Logic { is_and, arms, .. } => {
                    return logic::run(*is_and, true, arms, &slots, rows);
                }
                Node::InSet { args, set, negated, nullable } => {
                    let how = (*negated, *nullable);
                    let (yes, nulls) = logic::in_set(&gather(&slots, args), set, how, rows)?;
                    return Ok((yes, nulls.unwrap_or_else(|| Mask::constant(false, rows))));
                }
                _ => {}
            }
        }
        let column = self.run_columns(inputs, rows)?.swap_remove(0).full();
        let nulls = match column.split_nullable() {
            (Some(validity), _) => validity.not(),
            _ => Mask::constant(false, rows),
        };
        Ok((column.to_mask(), nulls))
    }

    /// Computes all nodes, except the last one if it is the only output.
    #[allow(clippy::type_complexity)]
    fn before_root(
        &self,
        inputs: &[Column],
        rows: usize,
    ) -> Result<Option<(usize, usize, Vec<Option<Column>>)>> {
        let (Some((last, _)), [root]) = (self.steps.last(), &self.outputs[..]) else {
            return Ok(None);
        };
        if last != root {
            return Ok(None);
        }
        let before = self.steps.len() - 1;
        Ok(Some((*root, before, self.run_steps(before, inputs, rows)?)))
    }

    fn run_steps(
        &self,
        count: usize,
        inputs: &[Column],
        rows: usize,
    ) -> Result<Vec<Option<Column>>> {
        let mut slots: Vec<Option<Column>> = vec![None; self.nodes.len()];
        for (node, dead) in &self.steps[..count] {
            slots[*node] = Some(self.step(*node, inputs, &slots, rows)?);
            for slot in dead {
                slots[*slot] = None;
            }
        }
        Ok(slots)
    }

    /// Computes a step and checks whether the query was stopped or uses too much memory, because
    /// the result may be much larger than the arguments.
    fn step(
        &self,
        node: usize,
        inputs: &[Column],
        slots: &[Option<Column>],
        rows: usize,
    ) -> Result<Column> {
        let result = scope::guard(|| self.eval(node, inputs, slots, rows));
        result.and_then(|column| scope::check().map(|()| column)).map_err(|e| {
            match &self.nodes[node] {
                Node::Call { function, .. }
                | Node::Higher { function, .. }
                | Node::Branch { function, .. } => {
                    e.during(format_args!("function {}", function.name))
                }
                _ => e,
            }
        })
    }

    fn eval(
        &self,
        node: usize,
        inputs: &[Column],
        slots: &[Option<Column>],
        rows: usize,
    ) -> Result<Column> {
        match &self.nodes[node] {
            Node::Input(position) => inputs.get(*position).cloned().ok_or_else(|| {
                Error::logical(format!("program reads column {position}, which is not there"))
            }),
            Node::Const(value) => Ok(Column::constant(value.clone(), rows)),
            Node::Scalar(slot) => {
                let value = slot
                    .value
                    .get()
                    .ok_or_else(|| Error::logical("scalar subquery has no value yet"))?;
                Ok(Column::from_value(&slot.ty, value, rows))
            }
            Node::Call { function, args } => call(function, &gather(slots, args), rows),
            Node::Higher { function, args, lambda, captured } => {
                let body = Body { program: lambda, captured: gather(slots, captured) };
                function.call_lambda(&body, &gather(slots, args), rows)
            }
            Node::Logic { is_and, nullable, arms } => {
                let (yes, nulls) = logic::run(*is_and, *nullable, arms, slots, rows)?;
                Ok(boolean(&yes, nullable.then_some(&nulls)))
            }
            Node::InSet { args, set, negated, nullable } => {
                let (args, how) = (gather(slots, args), (*negated, *nullable));
                if rows != 1 && !args.is_empty() && args.iter().all(Column::is_const) {
                    let one: Vec<Column> = args.iter().map(|a| a.slice(0, rows.min(1))).collect();
                    if rows > 0 {
                        let (yes, nulls) = logic::in_set(&one, set, how, 1)?;
                        return Ok(Column::constant(in_set_column(&yes, nulls, *nullable), rows));
                    }
                }
                let (yes, nulls) = logic::in_set(&args, set, how, rows)?;
                Ok(in_set_column(&yes, nulls, *nullable))
            }
            Node::Branch { function, args } => logic::branch(function, args, slots, rows),
        }
    }
}

/// If the arguments have at least this many bytes, they are processed in parts of this size.
const LARGE: usize = 16 << 20;
const PART: usize = 4 << 20;

/// Number of rows in a part, if the arguments are so large that the query could not be stopped for
/// a long time otherwise.
fn parts_of(function: &BoundFunction, args: &[Column], rows: usize) -> Option<usize> {
    if rows < 2 || !function.by_row {
        return None;
    }
    let bytes: usize = args.iter().map(Column::byte_size).sum();
    (bytes >= LARGE).then(|| (rows as u128 * PART as u128 / bytes as u128).max(1) as usize)
}

/// Calls a function. Large arguments are processed in parts, with a check of the query after each.
fn call(function: &BoundFunction, args: &[Column], rows: usize) -> Result<Column> {
    let Some(step) = parts_of(function, args, rows) else { return function.call(args, rows) };
    let mut parts = Vec::with_capacity(rows.div_ceil(step));
    for start in (0..rows).step_by(step) {
        scope::check()?;
        let len = step.min(rows - start);
        let args: Vec<Column> = args.iter().map(|a| a.slice(start, len)).collect();
        parts.push(function.call(&args, len)?);
    }
    Ok(Column::concat(&parts.iter().collect::<Vec<_>>()))
}

fn in_set_column(yes: &Mask, nulls: Option<Mask>, nullable: bool) -> Column {
    let nulls = nulls.unwrap_or_else(|| Mask::constant(false, yes.len()));
    boolean(yes, nullable.then_some(&nulls))
}

/// A UInt8 column with the bits of the mask, Nullable if `nulls` is given.
fn boolean(yes: &Mask, nulls: Option<&Mask>) -> Column {
    let values = Column::from_mask(yes);
    match nulls {
        Some(nulls) => Column::nullable(values, nulls.not()),
        None => values,
    }
}

fn gather(slots: &[Option<Column>], nodes: &[usize]) -> Vec<Column> {
    nodes.iter().filter_map(|n| slots[*n].clone()).collect()
}

/// Number of elements over which a lambda runs at once. This bounds its temporary columns, and the
/// query can be stopped in between.
const WINDOW: usize = 1 << 18;

/// A lambda with the columns that it captured, which have one row per list.
struct Body<'a> {
    program: &'a Program,
    captured: Vec<Column>,
}

impl LambdaCall for Body<'_> {
    fn call(&self, params: &[Column], offsets: &[u32]) -> Result<Column> {
        let rows = offsets.last().map_or(0, |o| *o as usize);
        if rows <= WINDOW {
            return self.run(params.to_vec(), offsets, rows);
        }
        let windows = (0..rows).step_by(WINDOW).map(|start| {
            let len = WINDOW.min(rows - start);
            let params = params.iter().map(|p| p.slice(start, len)).collect();
            let (from, to) = (start as u32, (start + len) as u32);
            let offsets: Vec<u32> = offsets.iter().map(|o| (*o).clamp(from, to) - from).collect();
            self.run(params, &offsets, len)
        });
        let parts = windows.collect::<Result<Vec<_>>>()?;
        Ok(Column::concat(&parts.iter().collect::<Vec<_>>()))
    }
}

impl Body<'_> {
    fn run(&self, mut inputs: Vec<Column>, offsets: &[u32], rows: usize) -> Result<Column> {
        inputs.extend(self.captured.iter().map(|c| c.replicate(offsets)));
        let mut results = self.program.run_columns(&inputs, rows)?;
        results.pop().ok_or_else(|| Error::logical("lambda without a body"))
    }
}

#[cfg(test)]
mod tests;

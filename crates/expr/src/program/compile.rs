//! Compiles expressions to steps. There is one scope per program, and scopes are nested for arms
//! and lambdas.
//!
//! Before a nested scope compiles a subexpression, it looks for it in the outer scopes. If one of
//! these computes it already, its node is captured.

use std::collections::HashMap;
use std::sync::Arc;

use entasis_base::{Error, Result};
use entasis_column::Column;
use entasis_function::{BoundFunction, Determinism, Operation};
use entasis_types::DataType;

use super::{Arm, Choice, Cost, Node, Program};
use crate::same::{fingerprint, same};
use crate::{ColumnId, Expr, Lambda, cost};

#[derive(Default)]
struct Scope {
    /// The positions of columns in the outermost scope, or of the parameters of a lambda.
    positions: HashMap<ColumnId, usize>,
    columns: HashMap<ColumnId, usize>,
    known: HashMap<u64, Vec<(Expr, usize)>>,
    nodes: Vec<Node>,
    /// Inputs that are not captured.
    own_inputs: usize,
    /// Nodes of the outer scope that are further inputs of this one.
    captures: Vec<usize>,
    captured: HashMap<usize, usize>,
}

impl Scope {
    fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn lookup(&self, hash: u64, expr: &Expr) -> Option<usize> {
        let candidates = self.known.get(&hash)?;
        candidates.iter().find(|(e, _)| same(e, expr)).map(|(_, node)| *node)
    }
}

struct Compiler {
    scopes: Vec<Scope>,
}

pub(super) fn compile(exprs: &[Expr], input: &[ColumnId]) -> Result<Program> {
    let positions = input.iter().enumerate().rev().map(|(i, id)| (*id, i)).collect();
    let scope = Scope { positions, own_inputs: input.len(), ..Scope::default() };
    let mut compiler = Compiler { scopes: vec![scope] };
    let outputs = exprs.iter().map(|e| compiler.expr(e)).collect::<Result<Vec<_>>>()?;
    let scope = compiler.scopes.pop().unwrap_or_default();
    Ok(finish(scope.nodes, outputs))
}

/// Leaves out nodes that no output needs, and records where each node is read for the last time.
fn finish(nodes: Vec<Node>, outputs: Vec<usize>) -> Program {
    let mut needed = vec![false; nodes.len()];
    for o in &outputs {
        needed[*o] = true;
    }
    let mut dead: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for i in (0..nodes.len()).rev() {
        if !needed[i] {
            continue;
        }
        nodes[i].reads(&mut |arg| {
            if !needed[arg] {
                needed[arg] = true;
                dead[i].push(arg);
            }
        });
    }
    let steps = (0..nodes.len()).filter(|i| needed[*i]);
    let steps = steps.map(|i| (i, std::mem::take(&mut dead[i]))).collect();
    Program { nodes, outputs, steps }
}

/// Whether evaluating `expr` on a row can fail.
pub fn can_fail(expr: &Expr) -> bool {
    let here = matches!(expr, Expr::Call { function, .. } if function.can_fail);
    here || expr.children().into_iter().any(can_fail)
}

/// The cost per row from which a branch runs only over the rows that need it: they are taken out of
/// their chunk before, and their values are put back into one afterwards.
const COSTLY: f64 = 8.0;

/// Whether a branch must not or should not run over the rows for which it is not chosen.
fn is_lazy(branch: &Expr) -> bool {
    can_fail(branch) || cost::of(branch) >= COSTLY && looks_at_one_row(branch)
}

/// Whether no function counts rows or looks at rows beside its own.
fn looks_at_one_row(expr: &Expr) -> bool {
    let here = !matches!(expr, Expr::Call { function, .. } if !function.by_row);
    here && expr.children().into_iter().all(looks_at_one_row)
}

impl Compiler {
    fn top(&mut self) -> &mut Scope {
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    fn expr(&mut self, expr: &Expr) -> Result<usize> {
        let level = self.scopes.len() - 1;
        match expr {
            Expr::Column { id, .. } => return self.column(level, *id),
            Expr::Literal { value, ty } => {
                let column = Column::from_value(ty, value, 1).full();
                return Ok(self.top().add(Node::Const(column)));
            }
            _ => {}
        }
        let hash = fingerprint(expr);
        if let Some(node) = self.find(level, hash, expr) {
            return Ok(node);
        }
        let node = match expr {
            Expr::Call { function, args, lambda: None } => self.call(function, args)?,
            Expr::Call { function, args, lambda: Some(lambda) } => {
                self.higher(function, args, lambda)?
            }
            Expr::And(args, ty) => self.logic(true, args, ty)?,
            Expr::Or(args, ty) => self.logic(false, args, ty)?,
            Expr::InSet { args, set, negated, ty } => {
                let args = args.iter().map(|a| self.expr(a)).collect::<Result<Vec<_>>>()?;
                let (set, negated, nullable) = (Arc::clone(set), *negated, ty.is_nullable());
                let may_fold = set.set.get().is_some();
                self.fold(Node::InSet { args, set, negated, nullable }, may_fold)
            }
            Expr::Scalar(slot) => {
                let node = match slot.value.get() {
                    Some(value) => Node::Const(Column::from_value(&slot.ty, value, 1).full()),
                    None => Node::Scalar(Arc::clone(slot)),
                };
                self.top().add(node)
            }
            Expr::Correlated { .. } => {
                return Err(Error::not_implemented("A correlated subquery in this place"));
            }
            Expr::Column { .. } | Expr::Literal { .. } => {
                return Err(Error::logical("leaf expressions are compiled above"));
            }
        };
        self.top().known.entry(hash).or_default().push((expr.clone(), node));
        Ok(node)
    }

    fn column(&mut self, level: usize, id: ColumnId) -> Result<usize> {
        let scope = &mut self.scopes[level];
        if let Some(node) = scope.columns.get(&id) {
            return Ok(*node);
        }
        let node = if let Some(position) = scope.positions.get(&id) {
            let position = *position;
            scope.add(Node::Input(position))
        } else if level > 0 {
            let outer = self.column(level - 1, id)?;
            self.capture(level, outer)
        } else {
            return Err(Error::logical(format!("column #{} is not in the input", id.0)));
        };
        self.scopes[level].columns.insert(id, node);
        Ok(node)
    }

    /// Finds the node that already computes `expr`, in this scope or an outer one.
    fn find(&mut self, level: usize, hash: u64, expr: &Expr) -> Option<usize> {
        if let Some(node) = self.scopes[level].lookup(hash, expr) {
            return Some(node);
        }
        if level == 0 {
            return None;
        }
        let outer = self.find(level - 1, hash, expr)?;
        let node = self.capture(level, outer);
        self.scopes[level].known.entry(hash).or_default().push((expr.clone(), node));
        Some(node)
    }

    fn capture(&mut self, level: usize, outer: usize) -> usize {
        if let Node::Const(value) = &self.scopes[level - 1].nodes[outer] {
            let value = value.clone();
            return self.scopes[level].add(Node::Const(value));
        }
        let scope = &mut self.scopes[level];
        if let Some(node) = scope.captured.get(&outer) {
            return *node;
        }
        let node = scope.add(Node::Input(scope.own_inputs + scope.captures.len()));
        scope.captures.push(outer);
        scope.captured.insert(outer, node);
        node
    }

    fn call(&mut self, function: &Arc<BoundFunction>, args: &[Expr]) -> Result<usize> {
        if function.operation() == Operation::Branch && args.iter().skip(1).any(is_lazy) {
            return self.branch(function, args);
        }
        let nodes = args.iter().map(|a| self.expr(a)).collect::<Result<Vec<_>>>()?;
        let may_fold = function.determinism != Determinism::PerRow;
        Ok(self.fold(Node::Call { function: Arc::clone(function), args: nodes }, may_fold))
    }

    /// Adds `node`, or its value if it reads only constants.
    fn fold(&mut self, node: Node, may_fold: bool) -> usize {
        let scope = self.top();
        let mut constant = may_fold;
        node.reads(&mut |arg| constant &= matches!(scope.nodes[arg], Node::Const(_)));
        if constant {
            let mut slots: Vec<Option<Column>> = vec![None; scope.nodes.len()];
            node.reads(&mut |arg| {
                if let Node::Const(value) = &scope.nodes[arg] {
                    slots[arg] = Some(Column::constant(value.clone(), 1));
                }
            });
            let at = slots.len();
            let nodes = vec![node];
            let mut program = Program { nodes, outputs: vec![0], steps: Vec::new() };
            // If folding fails, the node stays, because it may never be evaluated.
            if let Ok(value) = program.eval(0, &[], &slots, 1)
                && value.len() == 1
            {
                scope.nodes.push(Node::Const(value.full()));
                return at;
            }
            if let Some(node) = program.nodes.pop() {
                return scope.add(node);
            }
            return at;
        }
        scope.add(node)
    }

    fn higher(
        &mut self,
        function: &Arc<BoundFunction>,
        args: &[Expr],
        lambda: &Lambda,
    ) -> Result<usize> {
        let args = args.iter().map(|a| self.expr(a)).collect::<Result<Vec<_>>>()?;
        let params = lambda.params.iter().map(|(id, _)| *id).collect::<Vec<_>>();
        let (program, captured) = self.nested(&lambda.body, &params)?;
        let may_fold = function.determinism != Determinism::PerRow && captured.is_empty();
        let function = Arc::clone(function);
        let may_fold = may_fold && program.is_deterministic();
        Ok(self.fold(Node::Higher { function, args, lambda: program, captured }, may_fold))
    }

    fn logic(&mut self, is_and: bool, args: &[Expr], ty: &DataType) -> Result<usize> {
        let arms = args.iter().map(|a| self.arm(a)).collect::<Result<Vec<_>>>()?;
        let constant = arms.iter().all(|a| a.inputs.is_empty() && a.program.is_deterministic());
        Ok(self.fold(Node::Logic { is_and, nullable: ty.is_nullable(), arms }, constant))
    }

    fn branch(&mut self, function: &Arc<BoundFunction>, args: &[Expr]) -> Result<usize> {
        let choices = args.iter().enumerate().map(|(i, arg)| {
            if i > 0 && is_lazy(arg) {
                return Ok(Choice::Arm(self.arm(arg)?, arg.ty().clone()));
            }
            Ok(Choice::Node(self.expr(arg)?))
        });
        let args = choices.collect::<Result<Vec<_>>>()?;
        Ok(self.top().add(Node::Branch { function: Arc::clone(function), args }))
    }

    fn arm(&mut self, expr: &Expr) -> Result<Arm> {
        let (program, inputs) = self.nested(expr, &[])?;
        let cost = match cost::of(expr) {
            cost if cost >= COSTLY => Cost::Much,
            cost if cost >= 0.5 => Cost::Little,
            _ => Cost::Nothing,
        };
        Ok(Arm { program, inputs, can_fail: can_fail(expr), cost })
    }

    fn nested(&mut self, body: &Expr, params: &[ColumnId]) -> Result<(Program, Vec<usize>)> {
        let positions = params.iter().enumerate().map(|(i, id)| (*id, i)).collect();
        self.scopes.push(Scope { positions, own_inputs: params.len(), ..Scope::default() });
        let output = self.expr(body);
        let scope = self.scopes.pop().unwrap_or_default();
        Ok((finish(scope.nodes, vec![output?]), scope.captures))
    }
}

impl Program {
    /// Whether the same inputs always give the same outputs.
    pub(crate) fn is_deterministic(&self) -> bool {
        self.every_function(&mut |f| f.determinism != Determinism::PerRow)
    }

    /// Whether every function looks at one row at a time. A program over one column may then run
    /// over the values of a dictionary instead of rows.
    pub(crate) fn is_by_row(&self) -> bool {
        self.every_function(&mut |f| f.by_row && f.determinism != Determinism::PerRow)
    }

    fn every_function(&self, holds: &mut dyn FnMut(&BoundFunction) -> bool) -> bool {
        self.nodes.iter().all(|node| match node {
            Node::Input(_) | Node::Const(_) | Node::InSet { .. } => true,
            Node::Scalar(_) => false,
            Node::Call { function, .. } => holds(function),
            Node::Higher { function, lambda, .. } => {
                holds(function) && lambda.every_function(holds)
            }
            Node::Logic { arms, .. } => arms.iter().all(|a| a.program.every_function(holds)),
            Node::Branch { function, args } => {
                holds(function)
                    && args.iter().all(|choice| match choice {
                        Choice::Node(_) => true,
                        Choice::Arm(arm, _) => arm.program.every_function(holds),
                    })
            }
        })
    }
}

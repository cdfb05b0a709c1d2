//! Window functions: `f(...) OVER (...)`, `OVER w`, the WINDOW clause, QUALIFY.
//!
//! A call becomes a column, like a call of an aggregate; [`WindowCall`] describes the call. Windows
//! see the rows after grouping and HAVING, so their expressions are rewritten to read keys and
//! aggregates like those of the result.

use std::sync::Arc;

use entasis_base::{Error, Position, Result, codes};
use entasis_column::compare::SortOrder;
use entasis_expr::{ColumnId, Expr};
use entasis_function::window::{Frame, FrameBound, FrameUnit, WindowArgs, WindowDef};
use entasis_function::{Arg, registry, window};
use entasis_sql::ast::{self, NullTreatment, Over, WindowSpec};
use entasis_types::{DataType, Physical, Value};

use crate::aggregate::{distinct_name, separator_first};
use crate::expr::planned_message;
use crate::grouping::check_comparable;
use crate::query::{OrderKey, OverWindow, Select, Window, WindowCall};
use crate::{Analyzer, bind, names, tree};

fn bad(message: impl Into<String>, position: Position) -> Error {
    Error::new(codes::BAD_ARGUMENTS, message).at(position)
}

/// The error for a window function in a clause that does not allow it.
fn misplaced(text: &str, place: &str) -> Error {
    let message = format!("Window function {text} is found {place} in query");
    Error::new(codes::ILLEGAL_AGGREGATION, message)
}

impl<'a> Analyzer<'a> {
    /// Resolves a call with OVER and returns its column.
    pub(crate) fn window_call(
        &mut self,
        f: &'a ast::Function,
        expr: &'a ast::Expr,
    ) -> Result<Expr> {
        let scope = self.scope();
        let place = match scope.no_aggregates {
            _ if scope.in_aggregate => Some("inside an aggregate function".to_string()),
            _ if scope.in_window => Some("inside another window function".to_string()),
            clause => clause.map(|clause| format!("in {clause}")),
        };
        if let Some(place) = place {
            return Err(misplaced(&entasis_sql::column_name(expr), &place));
        }
        let lambdas = std::mem::take(&mut self.scope_mut().lambdas);
        self.scope_mut().in_window = true;
        let resolved = self.window_parts(f);
        let scope = self.scope_mut();
        scope.in_window = false;
        scope.lambdas = lambdas;
        let (name, function, args, window) = resolved?;
        let order = window.order.iter().map(|k| &k.expr);
        for part in args.iter().chain(&window.partition).chain(order) {
            self.refuse_windows(part, "inside another window function")?;
        }
        let same_all = |a: &[Expr], b: &[Expr]| {
            a.len() == b.len() && a.iter().zip(b).all(|(x, y)| tree::same(x, y))
        };
        let params = self.parameters(&f.name, f.parameters.as_deref().unwrap_or(&[]))?;
        let known = self.scope().windows.iter().find(|w| {
            w.name == name
                && w.params == params
                && same_all(&w.args, &args)
                && w.window.frame == window.frame
                && same_all(&w.window.partition, &window.partition)
                && w.window.order.len() == window.order.len()
                && w.window.order.iter().zip(&window.order).all(|(x, y)| x.is_same(y))
        });
        if let Some(call) = known {
            return Ok(Expr::column(call.id, call.function.return_type()));
        }
        let (id, ty) = (self.new_id(), function.return_type());
        self.scope_mut().windows.push(WindowCall { id, name, params, function, args, window });
        Ok(Expr::column(id, ty))
    }

    /// The parts of a call: its name, the bound function, the arguments, the window.
    fn window_parts(
        &mut self,
        f: &'a ast::Function,
    ) -> Result<(Arc<str>, OverWindow, Vec<Expr>, Window)> {
        let window = match &f.over {
            Some(Over::Spec(spec)) => self.window(spec)?,
            Some(Over::Named(name)) => self.named_window(name)?,
            None => return Err(Error::logical("a window function without a window")),
        };
        if let Some(def) = registry::find_window(&f.name) {
            let (function, args) = self.window_function(def, f, &window)?;
            return Ok((Arc::from(def.name), function, args, window));
        }
        let mut name = distinct_name(&f.name, self.settings);
        if !registry::is_aggregate_name(&name) {
            if let Some(def) = registry::window_under_suffixes(&name) {
                return Err(window::only_over(def.name));
            }
            return Err(unknown(&f.name));
        }
        if f.nulls == NullTreatment::Respect {
            name.push_str("_respect_nulls");
        }
        let mut params = self.parameters(&f.name, f.parameters.as_deref().unwrap_or(&[]))?;
        let mut args = self.call_args(f, &name)?;
        separator_first(&name, &mut params, &mut args)?;
        let (name, function, args) = self.bind_aggregate(name, &params, args)?;
        Ok((Arc::from(name), OverWindow::Aggregate(function), args, window))
    }

    fn window_function(
        &mut self,
        def: &'static WindowDef,
        f: &'a ast::Function,
        window: &Window,
    ) -> Result<(OverWindow, Vec<Expr>)> {
        if f.nulls == NullTreatment::Respect {
            let what = format!("Function {} with RESPECT NULLS", def.name);
            return Err(Error::not_implemented(what));
        }
        let params = self.parameters(&f.name, f.parameters.as_deref().unwrap_or(&[]))?;
        let mut args = self.exprs(&f.args)?;
        let types: Vec<Arg> = args.iter().map(argument).collect();
        let call = WindowArgs {
            name: def.name,
            params: &params,
            args: &types,
            frame: &window.frame,
            is_ordered: !window.order.is_empty(),
        };
        let function = (def.bind)(call)?;
        for (i, arg) in args.iter_mut().enumerate() {
            if let Some(wanted) = function.argument_type(i) {
                *arg = bind::cast(arg.clone(), &wanted, self.context)?;
            }
        }
        Ok((OverWindow::Function(Arc::from(function)), args))
    }

    /// Resolves the WINDOW clause. Windows that are not used must be correct, too.
    pub(crate) fn window_clause(&mut self, windows: &'a [(ast::Ident, WindowSpec)]) -> Result<()> {
        for (name, spec) in windows {
            if self.scope().named_windows.iter().any(|(known, _)| *known == name.as_str()) {
                let message = format!("Window '{}' is already defined", name.name);
                return Err(bad(message, name.position));
            }
            let window = self.window(spec)?;
            self.scope_mut().named_windows.push((name.as_str(), window));
        }
        Ok(())
    }

    fn named_window(&self, name: &ast::Ident) -> Result<Window> {
        let known = self.scope().named_windows.iter().find(|(n, _)| *n == name.as_str());
        known.map(|(_, window)| window.clone()).ok_or_else(|| {
            let known = self.scope().named_windows.iter().map(|(n, _)| *n);
            let mut message = format!("Window '{}' does not exist", name.name);
            names::add_hint(&mut message, &names::near(name.as_str(), known));
            bad(message, name.position)
        })
    }

    fn window(&mut self, spec: &'a WindowSpec) -> Result<Window> {
        let mut window = Window { partition: Vec::new(), order: Vec::new(), frame: Frame::DEFAULT };
        if let Some(parent) = &spec.parent {
            window = self.named_window(parent)?;
            let refuse = |what: &str| {
                let message = format!("A window made of window '{}' must not {what}", parent.name);
                Err(bad(message, parent.position))
            };
            if !window.frame.is_default {
                return refuse("exist: that one defines a frame");
            }
            if !spec.partition_by.is_empty() {
                return refuse("override PARTITION BY");
            }
            if !spec.order_by.is_empty() && !window.order.is_empty() {
                return refuse("override a non-empty ORDER BY");
            }
        }
        for key in self.exprs(&spec.partition_by)? {
            let known = window.partition.iter().any(|k| tree::same(k, &key));
            if !known && !matches!(key, Expr::Literal { .. }) {
                window.partition.push(key);
            }
        }
        for item in &spec.order_by {
            if item.fill.is_some() {
                let what = "WITH FILL in the ORDER BY of a window";
                return Err(Error::not_implemented(what).at(item.expr.position));
            }
            let expr = self.aliased(&item.expr)?;
            let expr = self.collated(expr, item)?;
            let nulls_first = item.nulls_first.unwrap_or(false);
            let order = SortOrder { descending: item.descending, nulls_first };
            window.order.push(OrderKey { expr, order });
        }
        check_comparable(&window.partition, "GROUP BY", self.context)?;
        check_comparable(window.order.iter().map(|key| &key.expr), "ORDER BY", self.context)?;
        if let Some(frame) = &spec.frame {
            window.frame = self.frame(frame)?;
            let offsets = window.frame.start.has_offset() || window.frame.end.has_offset();
            if offsets && window.frame.unit == FrameUnit::Range {
                check_range(&window)?;
            }
        }
        Ok(window)
    }

    fn frame(&mut self, frame: &'a ast::WindowFrame) -> Result<Frame> {
        let (unit, word) = match frame.unit {
            ast::FrameUnit::Rows => (FrameUnit::Rows, "ROWS"),
            ast::FrameUnit::Range => (FrameUnit::Range, "RANGE"),
            ast::FrameUnit::Groups => (FrameUnit::Groups, "GROUPS"),
        };
        let fail = |message: String| Err(Error::new(codes::BAD_ARGUMENTS, message));
        let start = match &frame.start {
            ast::FrameBound::UnboundedFollowing => {
                return fail("Frame start cannot be UNBOUNDED FOLLOWING".into());
            }
            bound => self.bound(bound, word, "start")?,
        };
        let end = match &frame.end {
            ast::FrameBound::UnboundedPreceding => {
                return fail("Frame end cannot be UNBOUNDED PRECEDING".into());
            }
            bound => self.bound(bound, word, "end")?,
        };
        use FrameBound::{CurrentRow, Following, Preceding};
        let valid = match (start, end) {
            (CurrentRow | Following(_), Preceding(_)) | (Following(_), CurrentRow) => false,
            (Preceding(from), Preceding(to)) => from >= to,
            (Following(from), Following(to)) => from <= to,
            _ => true,
        };
        if !valid {
            return fail(format!(
                "The window's frame of {word} is invalid: its start does not precede its end"
            ));
        }
        Ok(Frame { unit, start, end, is_default: false })
    }

    fn bound(&mut self, bound: &'a ast::FrameBound, unit: &str, which: &str) -> Result<FrameBound> {
        let (expr, preceding) = match bound {
            ast::FrameBound::UnboundedPreceding | ast::FrameBound::UnboundedFollowing => {
                return Ok(FrameBound::Unbounded);
            }
            ast::FrameBound::CurrentRow => return Ok(FrameBound::CurrentRow),
            ast::FrameBound::Preceding(expr) => (expr, true),
            ast::FrameBound::Following(expr) => (expr, false),
        };
        let text = entasis_sql::column_name(expr);
        let Some((value, ty)) = self.constant(expr)?.filter(|(_, ty)| ty.is_native_number()) else {
            let message = format!(
                "The offset of a window frame's {which} must be a constant number. Actual: {text}"
            );
            return Err(bad(message, expr.position));
        };
        let offset = value.as_u64().filter(|n| ty.is_native_integer() && *n <= i32::MAX as u64);
        let Some(offset) = offset else {
            let message = format!(
                "Frame {which} offset for '{unit}' frame must be a nonnegative 32-bit integer, \
                 '{text}' of type '{ty}' given"
            );
            return Err(bad(message, expr.position));
        };
        let offset = offset as u32;
        Ok(if preceding { FrameBound::Preceding(offset) } else { FrameBound::Following(offset) })
    }

    /// Resolves QUALIFY.
    pub(crate) fn qualify(&mut self, s: &'a ast::Select, select: &mut Select) -> Result<()> {
        let Some(qualify) = &s.qualify else { return Ok(()) };
        let condition = self.aliased(qualify)?;
        bind::check_condition(&condition, "QUALIFY").map_err(|e| e.at(qualify.position))?;
        tree::conjuncts(condition, &mut select.qualify);
        Ok(())
    }

    /// Fails if an expression reads the result of a window function through an alias.
    pub(crate) fn refuse_windows(&self, expr: &Expr, place: &str) -> Result<()> {
        let windows = &self.scope().windows;
        let mut found = None;
        tree::any(expr, &mut |e| {
            if let Expr::Column { id, .. } = e {
                found = found.or_else(|| windows.iter().find(|w| w.id == *id));
            }
            found.is_some()
        });
        found.map_or(Ok(()), |call| Err(misplaced(&format!("{}()", call.name), place)))
    }

    /// The ids of all window function results so far.
    pub(crate) fn window_ids(&self) -> Vec<ColumnId> {
        self.scope().windows.iter().map(|w| w.id).collect()
    }
}

/// Checks RANGE with an offset: it needs a single ORDER BY column of numbers or times, to which the
/// offset can be added.
fn check_range(window: &Window) -> Result<()> {
    let [key] = &window.order[..] else {
        let message = format!(
            "The RANGE OFFSET window frame requires exactly one ORDER BY column, {} given",
            window.order.len()
        );
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    };
    let ty = key.expr.ty();
    let plain = ty.without_nullable();
    let countable = matches!(
        plain,
        DataType::Bool
            | DataType::Date
            | DataType::Date32
            | DataType::DateTime(_)
            | DataType::Enum(_)
    );
    let bits = match plain.physical() {
        _ if !(countable || plain.is_native_number()) => None,
        Physical::UInt8 => Some(8),
        Physical::Int8 => Some(7),
        Physical::UInt16 => Some(16),
        Physical::Int16 => Some(15),
        Physical::String | Physical::Fixed(_) => None,
        _ => Some(31),
    };
    let Some(bits) = bits else {
        let what = format!("The RANGE OFFSET frame for ORDER BY of type {ty}");
        return Err(Error::not_implemented(what));
    };
    for bound in [window.frame.start, window.frame.end] {
        if let FrameBound::Preceding(n) | FrameBound::Following(n) = bound
            && u64::from(n) >= 1 << bits
        {
            let message = format!("Cannot convert value '{n}': it cannot be represented as {ty}");
            return Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message));
        }
    }
    Ok(())
}

/// The argument that the binder of a window function sees.
fn argument(expr: &Expr) -> Arg {
    let ty = expr.ty().without_low_cardinality();
    match expr {
        Expr::Literal { value, .. } => Arg::constant(ty, Value::clone(value)),
        _ => Arg::column(ty),
    }
}

/// The error UNKNOWN_AGGREGATE_FUNCTION, which suggests similar names.
#[cold]
pub(crate) fn unknown(name: &str) -> Error {
    let windows = registry::window_functions().map(|f| (f.name, f.aliases));
    let aggregates = registry::aggregate_functions().map(|f| (f.name, f.aliases));
    let all = windows
        .chain(aggregates)
        .flat_map(|(name, aliases)| std::iter::once(name).chain(aliases.iter().copied()));
    let (code, mut message) = planned_message(name).unwrap_or_else(|| {
        let message = format!("Aggregate function with name '{name}' does not exist");
        (codes::UNKNOWN_AGGREGATE_FUNCTION, message)
    });
    names::add_hint(&mut message, &names::near(name, all));
    Error::new(code, message)
}

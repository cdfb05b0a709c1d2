//! Resolves JOIN: which equalities are keys, and what names mean after USING.

use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Expr};
use entasis_function::{Comparison, FunctionContext, Operation};
use entasis_sql::ast::{self, ExprKind, JoinConstraint, JoinStrictness};
use entasis_types::{DataType, Value, common_type_of_two};

use crate::query::{AsofKey, From, Inequality, Join, JoinKind, Strictness};
use crate::{Analyzer, bind, tree};

impl<'a> Analyzer<'a> {
    /// Joins the table of `join` to `left`, whose sources start at `first`.
    pub(crate) fn join(&mut self, left: From, join: &'a ast::Join, first: usize) -> Result<From> {
        let middle = self.scope().sources.len();
        let right = self.table_expr(&join.table)?;
        let (kind, strictness) = self.kind_and_strictness(join)?;
        if strictness == Strictness::Asof && !matches!(kind, JoinKind::Inner | JoinKind::Left) {
            let message = "ASOF JOIN must be INNER or LEFT";
            return Err(Error::new(codes::NOT_IMPLEMENTED, message).at(join.position));
        }
        if matches!(strictness, Strictness::Semi | Strictness::Anti) && kind == JoinKind::Full {
            let message = "SEMI and ANTI JOIN must be LEFT or RIGHT";
            return Err(Error::new(codes::NOT_IMPLEMENTED, message).at(join.position));
        }
        let use_nulls = self.settings.join_use_nulls
            && matches!(kind, JoinKind::Left | JoinKind::Right | JoinKind::Full);
        let mut result = Join {
            left,
            right,
            kind,
            strictness,
            keys: Vec::new(),
            closest: None,
            residual: Vec::new(),
            merged: Vec::new(),
            takes_last: self.has_flag("join_any_take_last_row"),
            use_nulls,
        };
        match &join.constraint {
            JoinConstraint::On(condition) => {
                self.on(condition, &mut result, first, middle)?;
            }
            JoinConstraint::Using(columns) => {
                self.using(columns, &mut result, first, middle)?;
            }
            JoinConstraint::None if matches!(kind, JoinKind::Cross | JoinKind::Paste) => {}
            JoinConstraint::None => {
                let message = "JOIN needs a condition: write ON or USING, or CROSS JOIN";
                return Err(
                    Error::new(codes::INVALID_JOIN_ON_EXPRESSION, message).at(join.position)
                );
            }
            JoinConstraint::Natural => self.natural(&mut result, first, middle, join.position)?,
        }
        self.check_join_table(&result, middle).map_err(|e| e.at(join.position))?;
        if strictness == Strictness::Asof {
            check_closest(&result).map_err(|e| e.at(join.position))?;
        }
        if use_nulls {
            self.nullable_keys(join, kind, first, middle);
            for (i, source) in self.scope_mut().sources.iter_mut().enumerate().skip(first) {
                source.nullable |= match kind {
                    JoinKind::Left => i >= middle,
                    JoinKind::Right => i < middle,
                    _ => true,
                };
            }
        }
        Ok(From::Join(Box::new(result)))
    }

    /// The kind and strictness of a JOIN, from its text and from settings.
    fn kind_and_strictness(&self, join: &ast::Join) -> Result<(JoinKind, Strictness)> {
        let kind = kind_of(join)?;
        let written = match join.strictness {
            JoinStrictness::Unspecified if !matches!(kind, JoinKind::Cross | JoinKind::Paste) => {
                self.default_strictness()?
            }
            written => written,
        };
        let strictness = match written {
            JoinStrictness::Unspecified | JoinStrictness::All => Strictness::All,
            JoinStrictness::Any if self.has_flag("any_join_distinct_right_table_keys") => {
                return match kind {
                    JoinKind::Inner => Ok((JoinKind::Left, Strictness::Semi)),
                    JoinKind::Left => Ok((kind, Strictness::Any)),
                    _ => Err(any_of_right(join)),
                };
            }
            JoinStrictness::Any if kind == JoinKind::Full => return Err(any_full(join)),
            JoinStrictness::Any => Strictness::Any,
            JoinStrictness::Semi => Strictness::Semi,
            JoinStrictness::Anti => Strictness::Anti,
            JoinStrictness::Asof => Strictness::Asof,
        };
        Ok((kind, strictness))
    }

    /// The strictness of a JOIN that names none.
    fn default_strictness(&self) -> Result<JoinStrictness> {
        let setting = self.context.setting("join_default_strictness");
        match setting.as_ref().and_then(|v| v.as_bytes()).unwrap_or(b"ALL") {
            b"ANY" => Ok(JoinStrictness::Any),
            b"" => {
                let message = "Expected ANY or ALL in JOIN section, because setting \
                               (join_default_strictness) is empty";
                Err(Error::new(codes::EXPECTED_ALL_OR_ANY, message))
            }
            _ => Ok(JoinStrictness::All),
        }
    }

    /// Columns of USING in the joins before, whose values may be missing in this one.
    fn nullable_keys(&mut self, join: &ast::Join, kind: JoinKind, first: usize, middle: usize) {
        let own: &[ast::Expr] = match &join.constraint {
            JoinConstraint::Using(columns) => columns,
            _ => &[],
        };
        let name_of = |column: &ast::Expr| match &column.kind {
            ExprKind::Identifier(parts) => parts.last().map(|part| part.name.clone()),
            _ => None,
        };
        let own: Vec<String> = own.iter().filter_map(name_of).collect();
        let mut using = std::mem::take(&mut self.scope_mut().using);
        for (_, expr) in using.iter_mut().filter(|(name, _)| !own.iter().any(|o| **o == **name)) {
            let is_right = self.side(expr, first, middle) == Some(true);
            let missing = match kind {
                JoinKind::Left => is_right,
                JoinKind::Right => !is_right,
                _ => true,
            };
            if let (true, Expr::Column { ty, .. }) = (missing, expr) {
                *ty = ty.when_missing();
            }
        }
        self.scope_mut().using = using;
    }

    fn on(
        &mut self,
        condition: &'a ast::Expr,
        join: &mut Join,
        first: usize,
        middle: usize,
    ) -> Result<()> {
        self.collect_aliases(condition)?;
        let outer = self.scope_mut().no_aggregates.replace("JOIN ON");
        let resolved = self.expr(condition);
        self.scope_mut().no_aggregates = outer;
        let resolved = resolved?;
        if let Expr::Column { .. } = resolved {
            return Err(single_column().at(condition.position));
        }
        bind::check_condition(&resolved, "JOIN ON")?;
        let mut conjuncts = Vec::new();
        tree::conjuncts(tree::factored(resolved), &mut conjuncts);
        for conjunct in conjuncts {
            let this = &*self;
            let is_left = |e: &Expr| this.side(e, first, middle) == Some(false);
            let is_right = |e: &Expr| this.side(e, first, middle) == Some(true);
            match sides_of(&conjunct, &is_left, &is_right) {
                Some((l, r)) => {
                    let key = common_key(l.clone(), r.clone(), self.context)
                        .map_err(|e| e.at(condition.position))?;
                    join.keys.push(key);
                }
                None if let Some(keys) =
                    null_safe_keys(&conjunct, &is_left, &is_right, self.context) =>
                {
                    join.keys.extend(keys);
                }
                None if join.strictness == Strictness::Asof => {
                    let inequality = self.asof_inequality(&conjunct, first, middle, join);
                    let (left, right, inequality) =
                        inequality.map_err(|e| e.at(condition.position))?;
                    let (left, right) = common_key(left, right, self.context)
                        .map_err(|e| e.at(condition.position))?;
                    join.closest = Some(AsofKey { left, right, inequality });
                }
                None => join.residual.push(conjunct),
            }
        }
        if join.keys.is_empty() {
            without_keys(join).map_err(|e| e.at(condition.position))?;
        } else if join.kind == JoinKind::Cross {
            join.kind = JoinKind::Inner;
        }
        // With a condition over both sides, each left row has a first match of its own.
        let both =
            |e: &Expr| self.side(e, first, middle).is_none() && !matches!(e, Expr::Literal { .. });
        let any = (join.kind, join.strictness) == (JoinKind::Inner, Strictness::Any);
        if any && join.residual.iter().any(both) {
            (join.kind, join.strictness) = (JoinKind::Left, Strictness::Semi);
        }
        Ok(())
    }

    /// The one inequality of an ASOF join: the left side, the right side and the comparison.
    fn asof_inequality(
        &self,
        conjunct: &Expr,
        first: usize,
        middle: usize,
        join: &Join,
    ) -> Result<(Expr, Expr, Inequality)> {
        let Some(inequality) = self.as_closest(conjunct, first, middle) else {
            let error = Error::not_implemented("This condition of ASOF JOIN");
            return Err(error.append(
                ": only equalities and one inequality between columns of both tables are supported",
            ));
        };
        if join.closest.is_some() {
            let message = "ASOF JOIN has more than one inequality";
            return Err(Error::new(codes::INVALID_JOIN_ON_EXPRESSION, message));
        }
        Ok(inequality)
    }

    /// The left side, the right side and the direction of an inequality between both sides of the
    /// join.
    fn as_closest(
        &self,
        conjunct: &Expr,
        first: usize,
        middle: usize,
    ) -> Option<(Expr, Expr, Inequality)> {
        let Expr::Call { function, args, .. } = conjunct else { return None };
        let [a, b] = &args[..] else { return None };
        let Operation::Compare(comparison) = function.operation() else { return None };
        let (inequality, opposite) = match comparison {
            Comparison::Less => (Inequality::Less, Inequality::Greater),
            Comparison::LessOrEquals => (Inequality::LessOrEquals, Inequality::GreaterOrEquals),
            Comparison::Greater => (Inequality::Greater, Inequality::Less),
            Comparison::GreaterOrEquals => (Inequality::GreaterOrEquals, Inequality::LessOrEquals),
            Comparison::Equals | Comparison::NotEquals => return None,
        };
        match (self.side(a, first, middle), self.side(b, first, middle)) {
            (Some(false), Some(true)) => Some((a.clone(), b.clone(), inequality)),
            (Some(true), Some(false)) => Some((b.clone(), a.clone(), opposite)),
            _ => None,
        }
    }

    /// Whether all columns of the expression belong to the right side (true) or the left side
    /// (false).
    fn side(&self, expr: &Expr, first: usize, middle: usize) -> Option<bool> {
        let mut ids = Vec::new();
        expr.columns(&mut ids);
        let sources = &self.scope().sources;
        let right = |id: &ColumnId| sources[middle..].iter().any(|s| s.owns(*id));
        let left = |id: &ColumnId| {
            sources[first..middle].iter().any(|s| s.owns(*id))
                || self.scope().shadowed.iter().any(|(_, to, _)| to == id)
                || self
                    .scope()
                    .using
                    .iter()
                    .any(|(_, e)| matches!(e, Expr::Column { id: merged, .. } if merged == id))
        };
        if ids.is_empty() {
            None
        } else if ids.iter().all(right) {
            Some(true)
        } else if ids.iter().all(left) {
            Some(false)
        } else {
            None
        }
    }
}

/// What a join without an equality between both sides is.
fn without_keys(join: &mut Join) -> Result<()> {
    match join.kind {
        JoinKind::Inner if join.strictness == Strictness::All => join.kind = JoinKind::Cross,
        JoinKind::Cross => {}
        // ASOF JOIN has a check of its own.
        _ if join.strictness == Strictness::Asof => {}
        // It gives each key to one row, and there would be one key for all rows.
        JoinKind::Inner if join.strictness == Strictness::Any => return Err(any_without_keys()),
        // All pairs of rows are compared: they share the constant key 1.
        _ => {
            let one = Expr::literal(Value::UInt(1), DataType::UInt8);
            join.keys.push((one.clone(), one));
        }
    }
    Ok(())
}

fn check_closest(join: &Join) -> Result<()> {
    if join.closest.is_none() {
        let message = "ASOF JOIN needs an inequality between columns of both tables in ON, such as a.t >= b.t";
        return Err(Error::new(codes::INVALID_JOIN_ON_EXPRESSION, message));
    }
    match join.keys.is_empty() {
        true => Err(Error::not_implemented(
            "ASOF JOIN without an equality between columns of both tables",
        )),
        false => Ok(()),
    }
}

/// The left and the right side of an equality between both sides of a join. `is_left` and
/// `is_right` tell whether an expression reads only columns of that side.
pub fn sides_of<'e>(
    condition: &'e Expr,
    is_left: &dyn Fn(&Expr) -> bool,
    is_right: &dyn Fn(&Expr) -> bool,
) -> Option<(&'e Expr, &'e Expr)> {
    let Expr::Call { function, args, .. } = condition else { return None };
    match &args[..] {
        [a, b] if function.is_equals() && is_left(a) && is_right(b) => Some((a, b)),
        [a, b] if function.is_equals() && is_left(b) && is_right(a) => Some((b, a)),
        _ => None,
    }
}

/// The keys of `a <=> b` between both sides of a join. If a side may be NULL, there are two of
/// them: whether it is NULL, and its value with a default in the place of NULL.
fn null_safe_keys(
    condition: &Expr,
    is_left: &dyn Fn(&Expr) -> bool,
    is_right: &dyn Fn(&Expr) -> bool,
    context: &dyn FunctionContext,
) -> Option<Vec<(Expr, Expr)>> {
    let Expr::Call { function, args, .. } = condition else { return None };
    let (left, right) = match &args[..] {
        _ if function.name != "isNotDistinctFrom" => return None,
        [a, b] if is_left(a) && is_right(b) => (a, b),
        [a, b] if is_left(b) && is_right(a) => (b, a),
        _ => return None,
    };
    let (left, right) = common_key(left.clone(), right.clone(), context).ok()?;
    let ty = left.ty().clone();
    if ty.has_variant() {
        return None;
    }
    if !ty.is_nullable() {
        return Some(vec![(left, right)]);
    }
    let plain = ty.without_nullable();
    let is_null = |side: &Expr| bind::call("isNull", vec![side.clone()], context).ok();
    let value = |side: &Expr| {
        let default = Expr::literal(plain.default_value(), plain.clone());
        bind::call("ifNull", vec![side.clone(), default], context).ok()
    };
    let nulls = (is_null(&left)?, is_null(&right)?);
    Some(vec![(value(&left)?, value(&right)?), nulls])
}

/// Both sides of an equality, converted to a common type if their types differ. Fails with
/// NO_COMMON_TYPE.
pub fn common_key(left: Expr, right: Expr, context: &dyn FunctionContext) -> Result<(Expr, Expr)> {
    if left.ty() == right.ty() {
        return Ok((left, right));
    }
    let common = key_type(left.ty(), right.ty())?;
    let key = |side: Expr| match (side.ty().without_nullable(), common.without_nullable()) {
        // What the common type does not hold equals no value of the other side.
        (DataType::UInt256, DataType::Int256) => {
            let name = Value::from(DataType::Int256.to_string().as_str());
            let name = Expr::literal(name, DataType::String);
            bind::call("accurateCastOrNull", vec![side, name], context)
        }
        _ => bind::cast(side, &common, context),
    };
    Ok((key(left)?, key(right)?))
}

/// The type in which values of two types are compared for equality. Fails with NO_COMMON_TYPE.
pub fn key_type(a: &DataType, b: &DataType) -> Result<DataType> {
    let number = |ty: &DataType| match ty.without_nullable() {
        DataType::Bool if ty.is_nullable() => DataType::nullable(DataType::UInt8),
        DataType::Bool => DataType::UInt8,
        _ => ty.clone(),
    };
    // As a Bool, 2 would be equal to 1.
    let (a, b) = if a == b { (a.clone(), b.clone()) } else { (number(a), number(b)) };
    common_type_of_two(&a, &b).or_else(|e| {
        if ![&a, &b].iter().all(|ty| ty.without_nullable().is_any_integer()) {
            return Err(e);
        }
        let is_widest = [&a, &b].iter().any(|ty| *ty.without_nullable() == DataType::UInt256);
        let wide = if is_widest { DataType::Int256 } else { DataType::Int128 };
        // `common_key` makes NULL of what the Int256 does not hold.
        let is_nullable = is_widest || a.is_nullable() || b.is_nullable();
        Ok(if is_nullable { DataType::nullable(wide) } else { wide })
    })
}

#[cold]
fn single_column() -> Error {
    let message = "JOIN ON is a single column: compare it, as in a.x = b.y or a.x != 0";
    Error::new(codes::INVALID_JOIN_ON_EXPRESSION, message)
}

#[cold]
fn any_without_keys() -> Error {
    let message = "ANY INNER JOIN without an equality of both sides outside of OR: write SEMI LEFT \
                   JOIN, or ANY LEFT JOIN";
    Error::not_implemented(message)
}

#[cold]
fn any_of_right(join: &ast::Join) -> Error {
    let message = "ANY RIGHT JOIN or ANY FULL JOIN with any_join_distinct_right_table_keys = 1";
    let error = Error::not_implemented(message);
    error.append(": swap the tables and write ANY LEFT JOIN").at(join.position)
}

#[cold]
fn any_full(join: &ast::Join) -> Error {
    let message = "ANY FULL JOINs are not implemented: join ANY LEFT, and add the rows of the right \
                   side without a match by ANTI RIGHT JOIN";
    Error::new(codes::NOT_IMPLEMENTED, message).at(join.position)
}

fn kind_of(join: &ast::Join) -> Result<JoinKind> {
    let side_needed = matches!(join.strictness, JoinStrictness::Semi | JoinStrictness::Anti);
    Ok(match join.kind {
        ast::JoinKind::Inner if side_needed => JoinKind::Left,
        ast::JoinKind::Inner => JoinKind::Inner,
        ast::JoinKind::Left => JoinKind::Left,
        ast::JoinKind::Right => JoinKind::Right,
        ast::JoinKind::Full => JoinKind::Full,
        ast::JoinKind::Cross | ast::JoinKind::Comma => JoinKind::Cross,
        ast::JoinKind::Paste => JoinKind::Paste,
    })
}

//! GROUP BY with several grouping sets: ROLLUP, CUBE, GROUPING SETS, and `grouping(...)`.
//!
//! Each row is repeated once for each set, together with the number of the set (an `arrayJoin` of
//! the numbers). Keys that a set leaves out are replaced by their default value. One ordinary
//! grouping by all keys and the number then does the work.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Expr};
use entasis_function::FunctionContext;
use entasis_sql::ast::{self, GroupBy};
use entasis_types::{DataType, Value};

use crate::aggregate::AfterGrouping;
use crate::query::{ArrayJoinStep, Group, Select, Totals};
use crate::scope::{SourceColumns, Stage};
use crate::{Analyzer, bind, tree};

/// The keys of a SELECT, and the sets of keys by which it groups.
pub(crate) struct Grouping {
    /// All keys of all sets, each once.
    pub keys: Vec<Expr>,
    /// For each set the positions of its keys; empty for an ordinary GROUP BY.
    pub sets: Vec<Vec<usize>>,
    /// The column that holds the number of the set, counted from 1.
    pub id: ColumnId,
    /// With `group_by_use_nulls`: the columns of the keys after grouping, which are NULL where a
    /// set leaves a key out. What is resolved after GROUP BY reads them instead of the keys.
    pub nulls: Option<Vec<ColumnId>>,
}

/// The largest number of grouping sets in a query.
const MAX_SETS: usize = 4096;

/// Fails if a key contains a Variant, unless the setting of the clause allows this.
pub(crate) fn check_comparable<'e>(
    keys: impl IntoIterator<Item = &'e Expr>,
    clause: &str,
    context: &dyn FunctionContext,
) -> Result<()> {
    if !keys.into_iter().any(|key| key.ty().has_variant()) {
        return Ok(());
    }
    let suffix = clause.to_lowercase().replace(' ', "_");
    let setting = format!("allow_suspicious_types_in_{suffix}");
    if context.setting(&setting).is_some_and(|v| v.as_u64() == Some(1)) {
        return Ok(());
    }
    let message = format!(
        "Data types Variant/Dynamic are not allowed in {clause} keys, because it can lead to \
         unexpected results. Consider using a subcolumn with a specific data type instead (for \
         example 'column.Int64') or casting this column to a specific data type. Set setting \
         {setting} = 1 in order to allow it"
    );
    Err(Error::new(codes::ILLEGAL_COLUMN, message))
}

impl<'a> Analyzer<'a> {
    /// Resolves the keys of GROUP BY and the sets that it asks for. `key` resolves a single key.
    pub(crate) fn grouping(
        &mut self,
        group_by: &'a GroupBy,
        mut key: impl FnMut(&mut Self, &'a ast::Expr, &mut Vec<Expr>) -> Result<()>,
    ) -> Result<Grouping> {
        let mut keys = Vec::new();
        let mut sets: Vec<Vec<usize>> = Vec::new();
        match group_by {
            GroupBy::All => {}
            GroupBy::Exprs(exprs) | GroupBy::Rollup(exprs) | GroupBy::Cube(exprs) => {
                for expr in exprs {
                    key(self, expr, &mut keys)?;
                }
            }
            GroupBy::GroupingSets(lists) => {
                for list in lists {
                    let mut own = Vec::new();
                    for expr in list {
                        key(self, expr, &mut own)?;
                    }
                    sets.push(own.into_iter().map(|e| position_of(e, &mut keys)).collect());
                }
            }
        }
        check_comparable(&keys, "GROUP BY", self.context)?;
        let count = keys.len();
        match group_by {
            GroupBy::Rollup(_) => sets.extend((0..=count).rev().map(|n| (0..n).collect())),
            GroupBy::Cube(_) if count < 12 => {
                let member = |set: usize, i: &usize| set >> (count - 1 - i) & 1 == 1;
                let set = |set: usize| (0..count).filter(|i| member(set, i)).collect();
                sets.extend((0..1usize << count).rev().map(set));
            }
            GroupBy::Cube(_) => sets.resize(MAX_SETS + 1, Vec::new()),
            _ => {}
        }
        if sets.len() > MAX_SETS {
            let message = format!("Too many grouping sets: at most {MAX_SETS} are possible");
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
        let with_nulls = !sets.is_empty() && self.settings.group_by_use_nulls;
        let nulls = with_nulls.then(|| keys.iter().map(|_| self.new_id()).collect());
        Ok(Grouping { keys, sets, id: self.new_id(), nulls })
    }

    /// An expression after GROUP BY: with `group_by_use_nulls` a key is the column that is NULL
    /// where a grouping set leaves it out. Arguments of aggregates are computed before.
    pub(crate) fn after_keys(&self, expr: Expr) -> Expr {
        let scope = self.scope();
        let Some(grouping) = scope.grouping.as_ref().filter(|_| !scope.in_aggregate) else {
            return expr;
        };
        let Some(ids) = &grouping.nulls else { return expr };
        match grouping.keys.iter().position(|key| tree::same(key, &expr)) {
            Some(at) if !bind::is_constant(&expr) => {
                Expr::column(ids[at], expr.ty().when_missing())
            }
            _ => expr,
        }
    }

    /// Forgets aliases that may contain keys and were resolved before the keys were known.
    pub(crate) fn forget_aliases(&mut self) {
        let scope = self.scope_mut();
        let Some(grouping) = scope.grouping.as_ref().filter(|g| g.nulls.is_some()) else { return };
        for alias in scope.aliases.values_mut() {
            let is_key = |known: &Expr| grouping.keys.iter().any(|key| tree::same(key, known));
            alias.resolved = alias.resolved.take().filter(is_key);
        }
    }

    /// `grouping(a, b)`: a number with one bit per argument, which is set if the grouping set of
    /// the row leaves the argument out.
    pub(crate) fn grouping_call(&mut self, args: &'a [ast::Expr]) -> Result<Expr> {
        let args = self.exprs(args)?;
        let Some(grouping) = &self.scope().grouping else {
            let message = "GROUPING function should have GROUP BY keys as its arguments";
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        };
        let mut places = Vec::with_capacity(args.len());
        for arg in &args {
            let is_nullable = |id: &ColumnId| matches!(arg, Expr::Column { id: c, .. } if c == id);
            let nullable = grouping.nulls.iter().flatten().position(is_nullable);
            match nullable.or_else(|| grouping.keys.iter().position(|k| tree::same(k, arg))) {
                Some(place) => places.push(place),
                None => {
                    let message = "An argument of function grouping is not in GROUP BY keys";
                    return Err(Error::new(codes::BAD_ARGUMENTS, message));
                }
            }
        }
        if places.is_empty() || places.len() > 64 {
            let message = "Function grouping takes 1 to 64 keys of GROUP BY";
            return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
        }
        if grouping.sets.is_empty() {
            return Ok(Expr::literal(Value::UInt(0), DataType::UInt64));
        }
        let standard = !self.is_off("force_grouping_standard_compatibility");
        let bits = |set: &Vec<usize>| {
            places.iter().fold(0, |bits, p| bits << 1 | u64::from(set.contains(p) != standard))
        };
        let values = grouping.sets.iter().map(bits);
        let by_set = array(values, DataType::UInt64);
        bind::call("arrayElement", vec![by_set, number(grouping.id)], self.context)
    }

    /// Rewrites a grouping by several sets as one grouping by all keys and the number of the set.
    pub(crate) fn expand_sets(
        &mut self,
        grouping: &Grouping,
        group: &mut Group,
        select: &mut Select,
    ) -> Result<()> {
        let count = grouping.sets.len() as u64;
        let numbers = array(1..=count, DataType::UInt16);
        select.group_arrays.push(ArrayJoinStep { array: numbers, id: grouping.id });
        for (i, (_, key)) in group.keys.iter_mut().take(grouping.keys.len()).enumerate() {
            let member = |set: &Vec<usize>| u64::from(set.contains(&i));
            let members = array(grouping.sets.iter().map(member), DataType::UInt8);
            let args = vec![members, number(grouping.id)];
            let condition = bind::call("arrayElement", args, self.context)?;
            let ty = match grouping.nulls {
                Some(_) => key.ty().when_missing(),
                None => key.ty().clone(),
            };
            let default = Expr::literal(ty.default_value(), ty.clone());
            let masked = bind::call("if", vec![condition, key.clone(), default], self.context)?;
            *key = bind::cast(masked, &ty, self.context)?;
        }
        Ok(())
    }

    /// Decides whether the query groups, and rewrites the clauses after grouping so that they read
    /// keys and aggregates.
    pub(crate) fn group(
        &mut self,
        s: &ast::Select,
        projection: &mut [Expr],
        select: &mut Select,
    ) -> Result<()> {
        let windows = self.window_ids();
        let scope = self.scope_mut();
        let aggregates = std::mem::take(&mut scope.aggregates);
        select.windows = std::mem::take(&mut scope.windows);
        let mut steps = std::mem::take(&mut scope.array_joins);
        let grouping = scope.grouping.take();
        let mut keys = grouping.as_ref().map_or_else(Vec::new, |g| g.keys.clone());
        if matches!(s.group_by, Some(GroupBy::All)) {
            let ids: Vec<ColumnId> =
                aggregates.iter().map(|a| a.id).chain(windows.iter().copied()).collect();
            for expr in projection.iter() {
                keys_of(expr, &ids, &mut keys);
            }
            check_comparable(&keys, "GROUP BY", self.context)?;
            for (stage, step) in &mut steps {
                if !reads(&step.array, &ids) {
                    *stage = (*stage).min(Stage::Group);
                }
            }
        }
        let grouped = has_keys(s, &keys) || s.with_totals || !aggregates.is_empty();
        if steps.iter().any(|(_, step)| reads(&step.array, &windows)) {
            let error = Error::not_implemented("arrayJoin of the result of a window function");
            return Err(error.append(": compute the array in a subquery").at(s.position));
        }
        add_array_joins(steps, select);
        if !grouped {
            return Ok(());
        }
        let sets = grouping.filter(|g| !g.sets.is_empty());
        let mut group = Group { aggregates, ..Group::default() };
        let nulls = sets.as_ref().and_then(|sets| sets.nulls.as_ref());
        let keys = self.grouping_keys(keys, sets.is_none() && !group.aggregates.is_empty());
        for (at, key) in keys.into_iter().enumerate() {
            let id = match (&key, nulls) {
                (_, Some(ids)) => ids[at],
                // With several sets, an aggregate may read the column from which a key is computed.
                (Expr::Column { id, .. }, _) if sets.is_none() => *id,
                _ => self.new_id(),
            };
            group.keys.push((id, key));
        }
        if let Some(sets) = &sets {
            group.keys.push((sets.id, number(sets.id)));
        }
        if group.keys.is_empty() {
            group.keys.extend(self.key_of_all());
        }
        if s.with_totals {
            let before_having = self.settings.totals_before_having;
            let set = sets.as_ref().map(|sets| sets.id);
            group.totals = Some(Totals { before_having, set, plain_keys: nulls.is_some() });
            refuse_totals(s, select)?;
        }
        let nullable = nulls.is_some();
        self.after_grouping(&group, nullable, projection, select).map_err(|e| e.at(s.position))?;
        if let Some(sets) = &sets {
            self.expand_sets(sets, &mut group, select)?;
            group.empty_sets = empty_sets(s, sets);
        }
        select.group = Some(group);
        Ok(())
    }

    /// The keys that form groups. There are none if all keys are constants and the settings ask for
    /// one row when there are no rows.
    fn grouping_keys(&self, keys: Vec<Expr>, may_vanish: bool) -> Vec<Expr> {
        let setting = "empty_result_for_aggregation_by_constant_keys_on_empty_set";
        let are_constant = || keys.iter().all(|key| matches!(key, Expr::Literal { .. }));
        match may_vanish && !self.has_flag(setting) && are_constant() {
            true => Vec::new(),
            false => keys,
        }
    }

    /// A key with the same value for all rows, if there shall be no group when there are no rows.
    fn key_of_all(&mut self) -> Option<(ColumnId, Expr)> {
        let wanted = self.has_flag("empty_result_for_aggregation_by_empty_set");
        let constant = Expr::literal(Value::from("all rows"), DataType::String);
        wanted.then(|| (self.new_id(), constant))
    }

    fn after_grouping(
        &self,
        group: &Group,
        nullable: bool,
        projection: &mut [Expr],
        select: &mut Select,
    ) -> Result<()> {
        let elements: Vec<ColumnId> = select.result_arrays.iter().map(|s| s.id).collect();
        let windows: Vec<ColumnId> = select.windows.iter().map(|w| w.id).collect();
        let around = self.correlations.iter().flat_map(|c| &c.params);
        let params: Vec<ColumnId> = around.map(|(id, _)| *id).collect();
        let after = AfterGrouping {
            keys: &group.keys,
            nullable,
            aggregates: &group.aggregates,
            windows: &windows,
            elements: &elements,
            params: &params,
        };
        let name_of = |id| self.name_of(id);
        let mut apply = |expr: &mut Expr| -> Result<()> {
            *expr = after.apply(expr, &name_of)?;
            Ok(())
        };
        projection.iter_mut().try_for_each(&mut apply)?;
        let arrays = select.result_arrays.iter_mut().map(|s: &mut ArrayJoinStep| &mut s.array);
        let order = select.order_by.iter_mut().map(|k| &mut k.expr);
        let filled = select.fill.interpolate.iter_mut().flat_map(|(column, e)| [column, e]);
        let order = order.chain(filled);
        let limit_by = select.limit_by.iter_mut().flat_map(|l| &mut l.keys);
        let conditions = select.having.iter_mut().chain(&mut select.qualify);
        let windows = select.windows.iter_mut().flat_map(|w| {
            let order = w.window.order.iter_mut().map(|k| &mut k.expr);
            w.args.iter_mut().chain(&mut w.window.partition).chain(order)
        });
        let all = arrays.chain(order).chain(limit_by).chain(conditions).chain(windows);
        all.into_iter().try_for_each(&mut apply)
    }

    /// The name of a column of FROM, for messages.
    fn name_of(&self, id: ColumnId) -> String {
        for source in &self.scope().sources {
            let name = match &source.columns {
                SourceColumns::Table { schema, used, .. } => {
                    used.iter().find(|(column, _)| column.id == id).map(|(column, _)| {
                        let at = column.position;
                        column.name(&source.name_of(at), &schema.columns[at].ty)
                    })
                }
                SourceColumns::Derived(columns) => {
                    let position = columns.iter().position(|c| c.id == id);
                    position.map(|at| source.name_of(at).to_string())
                }
            };
            let Some(name) = name else { continue };
            return match (&source.table, source.alias) {
                (_, Some(alias)) => format!("{alias}.{name}"),
                (Some((database, table)), None) => format!("{database}.{table}.{name}"),
                _ => name,
            };
        }
        format!("arrayJoin #{}", id.0)
    }
}

fn reads(expr: &Expr, ids: &[ColumnId]) -> bool {
    tree::any(expr, &mut |e| matches!(e, Expr::Column { id, .. } if ids.contains(id)))
}

/// GROUP BY ALL: collects the largest parts of an expression that contain no aggregate function.
fn keys_of(expr: &Expr, aggregates: &[ColumnId], keys: &mut Vec<Expr>) {
    if matches!(expr, Expr::Literal { .. } | Expr::Scalar(_)) {
        return;
    }
    if !reads(expr, aggregates) {
        if !keys.iter().any(|k| tree::same(k, expr)) {
            keys.push(expr.clone());
        }
        return;
    }
    if let Expr::Column { .. } = expr {
        return;
    }
    expr.children().into_iter().for_each(|child| keys_of(child, aggregates, keys));
}

/// Whether GROUP BY makes the query group. As in the reference, GROUP BY ALL of constants does not.
fn has_keys(s: &ast::Select, keys: &[Expr]) -> bool {
    match s.group_by {
        Some(GroupBy::All) => !keys.is_empty(),
        _ => s.group_by.is_some(),
    }
}

/// Adds the ARRAY JOINs of expressions to the SELECT, each at its stage.
fn add_array_joins(steps: Vec<(Stage, ArrayJoinStep)>, select: &mut Select) {
    for (stage, step) in steps {
        match stage {
            Stage::Filter => select.filter_arrays.push(step),
            Stage::Group => select.group_arrays.push(step),
            Stage::Result => select.result_arrays.push(step),
        }
    }
}

/// The numbers of the sets without keys that the query writes down. Each of them gives a row even
/// if there are no rows.
fn empty_sets(s: &ast::Select, grouping: &Grouping) -> Option<(ColumnId, Vec<u64>)> {
    let Some(GroupBy::GroupingSets(_)) = &s.group_by else { return None };
    let numbered = grouping.sets.iter().zip(1u64..);
    let empty = numbered.filter(|(set, _)| set.is_empty()).map(|(_, number)| number);
    Some((grouping.id, empty.collect()))
}

/// The column that holds the number of the set.
fn number(id: ColumnId) -> Expr {
    Expr::column(id, DataType::UInt16)
}

fn array(values: impl Iterator<Item = u64>, element: DataType) -> Expr {
    let values: Arc<[Value]> = values.map(Value::UInt).collect();
    Expr::literal(Value::Array(values), DataType::array(element))
}

fn position_of(key: Expr, keys: &mut Vec<Expr>) -> usize {
    keys.iter().position(|k| tree::same(k, &key)).unwrap_or_else(|| {
        keys.push(key);
        keys.len() - 1
    })
}

/// Refuses combinations with WITH TOTALS that are not implemented or have no meaning.
fn refuse_totals(s: &ast::Select, select: &Select) -> Result<()> {
    let what = match &s.group_by {
        Some(GroupBy::GroupingSets(_)) => "WITH TOTALS and GROUPING SETS",
        Some(GroupBy::Rollup(_) | GroupBy::Cube(_)) if s.having.is_some() => {
            "WITH TOTALS, HAVING and ROLLUP or CUBE"
        }
        _ if s.having.is_some() && !select.result_arrays.is_empty() => {
            "WITH TOTALS, HAVING and arrayJoin of what was grouped"
        }
        _ => return Ok(()),
    };
    Err(Error::not_implemented(format!("{what} together")).at(s.position))
}

//! USING and NATURAL JOIN: which columns are keys, and what their names mean after the join.

use std::ops::Range;
use std::sync::Arc;

use entasis_base::{Error, Position, Result, codes};
use entasis_expr::Expr;
use entasis_sql::ast::{self, ExprKind};

use crate::Analyzer;
use crate::join::common_key;
use crate::query::{AsofKey, Inequality, Join, JoinKind, Merged, Strictness};
use crate::scope::Kinds;

impl<'a> Analyzer<'a> {
    /// Resolves USING.
    pub(crate) fn using(
        &mut self,
        columns: &'a [ast::Expr],
        join: &mut Join,
        first: usize,
        middle: usize,
    ) -> Result<()> {
        let mut own = Vec::with_capacity(columns.len());
        for column in columns {
            let ExprKind::Identifier(parts) = &column.kind else {
                let message = "USING accepts only names of columns: write other conditions in ON";
                return Err(Error::new(codes::UNSUPPORTED_JOIN_KEYS, message).at(column.position));
            };
            let name = parts[parts.len() - 1].as_str();
            if let Some(other) = column.alias.as_ref().filter(|alias| alias.as_str() != name) {
                self.using_pair(name, other, join, first..middle)?;
                continue;
            }
            if !self.using_column(name, join, first..middle, &mut own, column.position)? {
                let message = format!("Missing column of USING `{name}` in one of the tables");
                return Err(Error::new(codes::UNKNOWN_IDENTIFIER, message).at(column.position));
            }
        }
        self.put_first(own);
        // The last column of ASOF JOIN ... USING is the one that is compared by an inequality.
        if join.strictness == Strictness::Asof {
            join.closest = join.keys.pop().map(|(left, right)| AsofKey {
                left,
                right,
                inequality: Inequality::GreaterOrEquals,
            });
        }
        Ok(())
    }

    /// Makes a column that both sides have a key. Returns whether both sides have it.
    fn using_column(
        &mut self,
        name: &str,
        join: &mut Join,
        left_sources: Range<usize>,
        own: &mut Vec<(Arc<str>, Expr)>,
        position: Position,
    ) -> Result<bool> {
        let known = self.scope().using.iter().position(|(n, _)| **n == *name);
        let left = match known {
            Some(i) => Some(self.scope().using[i].1.clone()),
            None => self.side_column(name, left_sources.clone())?,
        };
        let middle = left_sources.end;
        let end = self.scope().sources.len();
        let right = self.side_column(name, middle..end)?;
        let (Some(left), Some(right)) = (left, right) else { return Ok(false) };
        let (l, r) = common_key(left, right, self.context).map_err(|e| e.at(position))?;
        let merged = self.merged_key(&l, &r, join);
        own.push((name.into(), merged));
        let scope = self.scope_mut();
        for source in &mut scope.sources[middle..] {
            source.merged.push(name.into());
        }
        join.keys.push((l, r));
        Ok(true)
    }

    /// `USING (a AS b)`: column `a` of the left side equals `b` of the right side. Both stay
    /// columns of their own, so it is `ON a = b`. As in the reference, `*` shows the value that the
    /// key has after the join in the place of `a`.
    fn using_pair(
        &mut self,
        left: &str,
        right: &ast::Ident,
        join: &mut Join,
        left_sources: Range<usize>,
    ) -> Result<()> {
        let (at, middle) = (right.position, left_sources.end);
        let end = self.scope().sources.len();
        let missing = |name: &str, side: &str| {
            let message = format!("Missing column of USING `{name}` in the {side} table");
            Error::new(codes::UNKNOWN_IDENTIFIER, message).at(at)
        };
        let own = self.side_column(left, left_sources)?.ok_or_else(|| missing(left, "left"))?;
        let name = right.as_str();
        let other = self.side_column(name, middle..end)?.ok_or_else(|| missing(name, "right"))?;
        if own.ty() != other.ty() {
            let what = format!(
                "USING ({left} AS {name}) of columns of different types (write ON {left} = {name})"
            );
            return Err(Error::not_implemented(what).at(at));
        }
        let merged = self.merged_key(&own, &other, join);
        join.keys.push((own, other));
        self.scope_mut().starred.push((left.into(), merged));
        Ok(())
    }

    /// NATURAL JOIN: USING with all columns that both sides have, or a cross join if there are
    /// none.
    pub(crate) fn natural(
        &mut self,
        join: &mut Join,
        first: usize,
        middle: usize,
        position: Position,
    ) -> Result<()> {
        let mut names: Vec<Arc<str>> = Vec::new();
        for source in &self.scope().sources[first..middle] {
            let shown = (0..source.len()).filter(|&i| source.in_asterisk(i, Kinds::STORED));
            for name in shown.map(|i| source.name_of(i)) {
                let right = &self.scope().sources[middle..];
                if right.iter().any(|s| s.position(&name).is_some()) && !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let mut own = Vec::with_capacity(names.len());
        for name in &names {
            self.using_column(name, join, first..middle, &mut own, position)?;
        }
        self.put_first(own);
        if names.is_empty() {
            join.kind = JoinKind::Cross;
        }
        Ok(())
    }

    /// Puts the columns of this USING before those of earlier joins.
    fn put_first(&mut self, mut own: Vec<(Arc<str>, Expr)>) {
        let scope = self.scope_mut();
        scope.using.retain(|(name, _)| !own.iter().any(|(n, _)| n == name));
        own.append(&mut scope.using);
        scope.using = own;
    }

    /// The expression for the bare name of a USING column after the join.
    fn merged_key(&mut self, left: &Expr, right: &Expr, join: &mut Join) -> Expr {
        let plain = match join.kind {
            JoinKind::Right => right,
            _ => left,
        };
        if join.kind != JoinKind::Full && matches!(plain, Expr::Column { .. }) {
            return plain.clone();
        }
        let id = self.new_id();
        let mut ty = left.ty().clone();
        if join.kind == JoinKind::Full && join.use_nulls {
            ty = ty.when_missing();
        }
        join.merged.push(Merged { id, ty: ty.clone(), key: join.keys.len() });
        Expr::column(id, ty)
    }

    fn side_column(&mut self, name: &str, mut range: Range<usize>) -> Result<Option<Expr>> {
        let found = range.find_map(|i| Some((i, self.scope().sources[i].position(name)?)));
        found.map(|(i, column)| self.column(i, column)).transpose()
    }
}

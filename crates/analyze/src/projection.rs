//! Names of result columns. A name is the text of the expression, without the names of tables where
//! they are not needed.

use entasis_base::Result;
use entasis_expr::Expr;
use entasis_sql::ast::{self, ExprKind, Ident};

use crate::Analyzer;
use crate::identifier::Found;
use crate::matcher::{is_matcher, is_untuple};

impl<'a> Analyzer<'a> {
    /// The name of a result column.
    pub(crate) fn title(&mut self, expr: &'a ast::Expr) -> Result<String> {
        if let Some(alias) = &expr.alias {
            return Ok(alias.name.clone());
        }
        if let ExprKind::Identifier(parts) = &expr.kind
            && let [one] = &parts[..]
        {
            return Ok(one.name.clone());
        }
        if !needs_rewriting(expr) {
            return Ok(entasis_sql::column_name(expr));
        }
        Ok(entasis_sql::column_name(&self.renamed(expr)?))
    }

    /// The name of a source's column. It is qualified if the bare name means another column.
    pub(crate) fn column_title(&self, source: usize, column: usize) -> String {
        self.column_idents(source, column).iter().map(Ident::as_str).collect::<Vec<_>>().join(".")
    }

    fn column_idents(&self, source: usize, column: usize) -> Vec<Ident> {
        let from = &self.scope().sources[source];
        let bare = Ident::new(&*from.name_of(column));
        let is_this =
            |f: Option<Found>| f.is_some_and(|f| f.source == source && f.column == column);
        let scope = self.scope();
        let hidden = match scope.aliases.get(bare.as_str()).map(|a| &a.expr.kind) {
            Some(ExprKind::Identifier(parts)) => !is_this(self.find_column(parts).ok().flatten()),
            Some(_) => true,
            None => {
                let found = self.find_column(std::slice::from_ref(&bare));
                scope.sources.len() > 1 && !is_this(found.ok().flatten())
            }
        };
        // With USING, the bare name may mean the column of another table.
        let merged = scope.using.iter().find(|(name, _)| **name == *bare.as_str());
        let elsewhere = merged.is_some_and(|(_, expr)| match expr {
            Expr::Column { id, .. } => {
                scope.sources.iter().enumerate().any(|(i, s)| i != source && s.owns(*id))
            }
            _ => false,
        });
        if (hidden || elsewhere)
            && let Some(table) = from.display_name()
        {
            return vec![Ident::new(table), bare];
        }
        vec![bare]
    }

    /// A copy of the expression with the names that are shown to the user.
    fn renamed(&mut self, expr: &'a ast::Expr) -> Result<ast::Expr> {
        let kind = match &expr.kind {
            ExprKind::Identifier(parts) if parts.len() > 1 => match self.find_part(parts)? {
                Some((found, parts)) => {
                    let mut new = self.column_idents(found.source, found.column);
                    new.extend_from_slice(&parts[found.parts..]);
                    ExprKind::Identifier(new)
                }
                None => {
                    let (tables, _) = self.nested_columns(parts);
                    ExprKind::Identifier(parts[tables..].to_vec())
                }
            },
            ExprKind::Subquery(query) => {
                let at = self.numbered.iter().position(|q| std::ptr::eq(*q, &raw const **query));
                let number = at.map_or(self.numbered.len(), |i| i + 1);
                ExprKind::Identifier(vec![Ident::new(format!("_subquery_{number}"))])
            }
            ExprKind::Function(function) => {
                let is_count = function.name.eq_ignore_ascii_case("count");
                let mut args = Vec::with_capacity(function.args.len());
                for arg in &function.args {
                    match &arg.kind {
                        ExprKind::Asterisk(_) | ExprKind::Columns(_) if is_count => {}
                        ExprKind::Asterisk(t) if t.is_empty() => args.extend(self.all_names()),
                        kind if is_matcher(kind) => {
                            let columns = self.expand_matcher(arg)?;
                            args.extend(columns.into_iter().map(|(name, _)| named(name)));
                        }
                        ExprKind::Function(f) if is_untuple(f) => {
                            let columns = self.untuple(arg, f)?;
                            args.extend(columns.into_iter().map(|(name, _)| named(name)));
                        }
                        _ => args.push(self.renamed(arg)?),
                    }
                }
                let over = match &function.over {
                    Some(ast::Over::Spec(spec)) => {
                        Some(ast::Over::Spec(Box::new(self.renamed_window(spec)?)))
                    }
                    other => other.clone(),
                };
                ExprKind::Function(Box::new(ast::Function { args, over, ..(**function).clone() }))
            }
            ExprKind::Lambda(lambda) => ExprKind::Lambda(Box::new(ast::Lambda {
                params: lambda.params.clone(),
                body: self.renamed(&lambda.body)?,
                as_call: lambda.as_call,
            })),
            other => other.clone(),
        };
        let alias = expr.alias.clone();
        Ok(ast::Expr { alias, ..ast::Expr::new(kind, expr.position) })
    }

    fn renamed_window(&mut self, spec: &'a ast::WindowSpec) -> Result<ast::WindowSpec> {
        let mut new = spec.clone();
        for (new, part) in new.partition_by.iter_mut().zip(&spec.partition_by) {
            *new = self.renamed(part)?;
        }
        for (new, item) in new.order_by.iter_mut().zip(&spec.order_by) {
            new.expr = self.renamed(&item.expr)?;
        }
        Ok(new)
    }

    fn all_names(&self) -> Vec<ast::Expr> {
        let mut out = Vec::new();
        for (i, source) in self.scope().sources.iter().enumerate().filter(|(_, s)| !s.hidden) {
            for column in source.asterisk(self.asterisk_kinds()) {
                let kind = ExprKind::Identifier(self.column_idents(i, column));
                out.push(ast::Expr::new(kind, entasis_base::Position::default()));
            }
        }
        out
    }

    /// Gives a subquery in an expression its number, which appears in column names.
    pub(crate) fn number(&mut self, query: &'a ast::Query) {
        let pointer: *const ast::Query = query;
        if !self.numbered.contains(&pointer) {
            self.numbered.push(pointer);
        }
    }
}

/// A column of this name, as it is shown.
fn named(name: String) -> ast::Expr {
    let kind = ExprKind::Identifier(vec![Ident::new(name)]);
    ast::Expr::new(kind, entasis_base::Position::default())
}

fn needs_rewriting(expr: &ast::Expr) -> bool {
    match &expr.kind {
        ExprKind::Identifier(parts) => parts.len() > 1,
        ExprKind::Subquery(_) => true,
        kind if is_matcher(kind) => true,
        ExprKind::Function(function) if is_untuple(function) => true,
        ExprKind::Function(function) => {
            let in_window = match &function.over {
                Some(ast::Over::Spec(spec)) => {
                    let order = spec.order_by.iter().map(|item| &item.expr);
                    spec.partition_by.iter().chain(order).any(needs_rewriting)
                }
                _ => false,
            };
            in_window || function.args.iter().any(needs_rewriting)
        }
        ExprKind::Lambda(lambda) => needs_rewriting(&lambda.body),
        _ => false,
    }
}

/// Replaces the name `from` by `to`.
pub(crate) fn rename(expr: &mut ast::Expr, from: &str, to: &str) {
    match &mut expr.kind {
        ExprKind::Identifier(parts) => {
            if let [one] = &mut parts[..]
                && one.name == from
            {
                one.name = to.to_string();
            }
        }
        ExprKind::Function(function) => {
            function.args.iter_mut().for_each(|arg| rename(arg, from, to));
        }
        _ => {}
    }
}

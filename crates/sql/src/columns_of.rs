//! The columns that the expressions of a table's definition name, and their renaming.
//!
//! Such expressions (defaults, constraints, keys, indices, queries of projections) have one table,
//! so that every name in them is a column or a part of one (`n.size0` of `n`), unless it is a
//! parameter of a lambda or an alias.

use crate::ast::{Expr, ExprKind, Function, GroupBy, Ident, Over, Query};

/// Calls `f` with each name in an expression that may be a column: its parts joined by dots.
pub fn names_in(expr: &Expr, f: &mut dyn FnMut(&str)) {
    // The walk changes names only if the closure says so.
    let mut copy = expr.clone();
    Walk { hidden: Vec::new(), on_name: &mut |name| visit(name, f) }.expr(&mut copy);
}

/// As [`names_in`], for the query of a projection. Its aliases are not columns.
pub fn names_in_projection(query: &Query, f: &mut dyn FnMut(&str)) {
    let mut copy = query.clone();
    Walk { hidden: Vec::new(), on_name: &mut |name| visit(name, f) }.query(&mut copy);
}

/// Whether a name in an expression means a column or a part of it.
pub fn is_of_column(name: &str, column: &str) -> bool {
    let rest = name.strip_prefix(column);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Writes the new name of a column, or of the column of a part, into an expression.
pub fn rename_column(expr: &mut Expr, from: &str, to: &str) {
    let on_name = &mut |parts: &mut Vec<Ident>| {
        let name = joined(parts);
        if is_of_column(&name, from) {
            let position = parts.first().map(|part| part.position).unwrap_or_default();
            let new = format!("{to}{}", &name[from.len()..]);
            let ident = |part: &str| Ident { position, ..Ident::new(part) };
            *parts = new.split('.').map(ident).collect();
        }
    };
    Walk { hidden: Vec::new(), on_name }.expr(expr);
}

fn visit(parts: &[Ident], f: &mut dyn FnMut(&str)) {
    f(&joined(parts));
}

fn joined(parts: &[Ident]) -> String {
    parts.iter().map(Ident::as_str).collect::<Vec<_>>().join(".")
}

struct Walk<'a> {
    /// Names that are no columns here: parameters of lambdas, aliases.
    hidden: Vec<String>,
    on_name: &'a mut dyn FnMut(&mut Vec<Ident>),
}

impl Walk<'_> {
    fn query(&mut self, query: &mut Query) {
        let Query::Select(select) = query else { return };
        let aliases = select.projection.iter().filter_map(|item| item.alias.as_ref());
        self.hidden.extend(aliases.map(|alias| alias.name.clone()));
        select.projection.iter_mut().for_each(|item| self.expr(item));
        let conditions = [&mut select.prewhere, &mut select.where_clause, &mut select.having];
        conditions.into_iter().flatten().for_each(|expr| self.expr(expr));
        if let Some(GroupBy::Exprs(keys)) = &mut select.group_by {
            keys.iter_mut().for_each(|key| self.expr(key));
        }
        select.order_by.items.iter_mut().for_each(|item| self.expr(&mut item.expr));
    }

    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Identifier(parts) => {
                let is_hidden = |hidden: &String| parts.first().is_some_and(|p| p.name == *hidden);
                if !self.hidden.iter().any(is_hidden) {
                    (self.on_name)(parts);
                }
            }
            ExprKind::Function(function) => self.function(function),
            ExprKind::Lambda(lambda) => {
                let visible = self.hidden.len();
                self.hidden.extend(lambda.params.iter().map(|param| param.name.clone()));
                self.expr(&mut lambda.body);
                self.hidden.truncate(visible);
            }
            _ => {}
        }
    }

    fn function(&mut self, function: &mut Function) {
        function.parameters.iter_mut().flatten().for_each(|expr| self.expr(expr));
        function.args.iter_mut().for_each(|expr| self.expr(expr));
        if let Some(Over::Spec(window)) = &mut function.over {
            window.partition_by.iter_mut().for_each(|expr| self.expr(expr));
            window.order_by.iter_mut().for_each(|item| self.expr(&mut item.expr));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{format_expr, parse_expression};

    #[test]
    fn columns_and_their_parts_are_renamed_but_not_parameters() {
        for (text, expected) in [
            ("a + b", "z + b"),
            ("a.size0 + ab", "z.size0 + ab"),
            ("arrayMap(a -> a + b, a)", "arrayMap(a -> (a + b), z)"),
            ("f(a, (a, 'a'))", "f(z, (z, 'a'))"),
        ] {
            let mut expr = parse_expression(text).unwrap();
            let mut names = Vec::new();
            names_in(&expr, &mut |name| names.push(name.to_owned()));
            assert!(names.iter().any(|name| is_of_column(name, "a")), "{text}");
            rename_column(&mut expr, "a", "z");
            assert_eq!(format_expr(&expr), expected);
        }
        let mut expr = parse_expression("n.a + n.ab + n.a.size0").unwrap();
        rename_column(&mut expr, "n.a", "n.c");
        assert_eq!(format_expr(&expr), "(n.c + n.ab) + n.c.size0");
    }
}

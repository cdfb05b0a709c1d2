//! The name of a result column without an alias: calls with the dialect's names.

use super::Writer;
use super::literal::push_literal;
use crate::ast::{
    Expr, ExprKind, FrameBound, FrameUnit, Function, OrderByItem, Over, WindowFrame, WindowSpec,
};

/// The name of the column that `expr` makes: its alias, or a text such as `plus(1, 1)`.
///
/// Identifiers are printed as written; the analyser removes the name of a table before them. A
/// scalar subquery is `_subquery_1`, because only the analyser can count subqueries.
pub fn column_name(expr: &Expr) -> String {
    let mut out = String::new();
    push_name(&mut out, expr);
    out
}

fn push_name(out: &mut String, expr: &Expr) {
    if let Some(alias) = &expr.alias {
        out.push_str(&alias.name);
        return;
    }
    match &expr.kind {
        ExprKind::Literal(value) => push_literal(out, value, true),
        ExprKind::Identifier(parts) => {
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    out.push('.');
                }
                out.push_str(&part.name);
            }
        }
        ExprKind::Function(function) => push_function(out, function),
        ExprKind::Lambda(lambda) => {
            out.push_str("lambda(tuple(");
            for (i, param) in lambda.params.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                out.push_str(&param.name);
            }
            out.push_str("), ");
            push_name(out, &lambda.body);
            out.push(')');
        }
        ExprKind::Subquery(_) => out.push_str("_subquery_1"),
        ExprKind::Asterisk(_)
        | ExprKind::QualifiedAsterisk(_)
        | ExprKind::Columns(_)
        | ExprKind::Parameter(_) => {
            let mut writer = Writer::new(super::FormatOptions::default());
            writer.plain(expr);
            out.push_str(&writer.out);
        }
    }
}

fn push_names(out: &mut String, exprs: &[Expr]) {
    for (i, expr) in exprs.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        push_name(out, expr);
    }
}

fn push_function(out: &mut String, function: &Function) {
    let brackets = match function.name.as_str() {
        "array" => Some(('[', ']')),
        "tuple" => Some(('(', ')')),
        _ => None,
    };
    if let Some((open, close)) = brackets {
        out.push(open);
        push_names(out, &function.args);
        out.push(close);
        return;
    }
    out.push_str(&function.name);
    if let Some(parameters) = &function.parameters {
        out.push('(');
        push_names(out, parameters);
        out.push(')');
    }
    out.push('(');
    match &function.args[..] {
        [Expr { kind: ExprKind::Asterisk(list), .. }]
            if list.is_empty() && function.name.eq_ignore_ascii_case("count") => {}
        args => push_names(out, args),
    }
    out.push(')');
    match &function.over {
        None => {}
        Some(Over::Named(name)) => {
            out.push_str(" OVER ");
            out.push_str(&name.name);
        }
        Some(Over::Spec(spec)) => {
            out.push_str(" OVER ");
            push_window(out, spec);
        }
    }
}

fn push_window(out: &mut String, spec: &WindowSpec) {
    let mut parts = Vec::new();
    if let Some(parent) = &spec.parent {
        parts.push(parent.name.clone());
    }
    if !spec.partition_by.is_empty() {
        let mut text = String::from("PARTITION BY ");
        push_names(&mut text, &spec.partition_by);
        parts.push(text);
    }
    if !spec.order_by.is_empty() {
        let keys: Vec<String> = spec.order_by.iter().map(sort_name).collect();
        parts.push(format!("ORDER BY {}", keys.join(", ")));
    }
    if let Some(frame) = &spec.frame {
        parts.push(frame_name(frame));
    }
    out.push('(');
    out.push_str(&parts.join(" "));
    out.push(')');
}

fn sort_name(item: &OrderByItem) -> String {
    let direction = if item.descending { "DESC" } else { "ASC" };
    let nulls = match item.nulls_first {
        None => "",
        Some(true) => " NULLS FIRST",
        Some(false) => " NULLS LAST",
    };
    format!("{} {direction}{nulls}", column_name(&item.expr))
}

fn frame_name(frame: &WindowFrame) -> String {
    let unit = match frame.unit {
        FrameUnit::Rows => "ROWS",
        FrameUnit::Range => "RANGE",
        FrameUnit::Groups => "GROUPS",
    };
    let bound = |bound: &FrameBound| match bound {
        FrameBound::UnboundedPreceding => "UNBOUNDED PRECEDING".to_string(),
        FrameBound::UnboundedFollowing => "UNBOUNDED FOLLOWING".to_string(),
        FrameBound::CurrentRow => "CURRENT ROW".to_string(),
        FrameBound::Preceding(n) => format!("{} PRECEDING", column_name(n)),
        FrameBound::Following(n) => format!("{} FOLLOWING", column_name(n)),
    };
    format!("{unit} BETWEEN {} AND {}", bound(&frame.start), bound(&frame.end))
}

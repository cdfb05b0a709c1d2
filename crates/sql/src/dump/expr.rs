//! Nodes of expressions, literals and types.

use super::Node;
use super::query;
use crate::ast::{
    Columns, ColumnsMatcher, Expr, ExprKind, FrameBound, Function, Ident, Lambda, Literal,
    OrderByItem, Over, Transformer, TypeArg, TypeName, WindowSpec,
};
use crate::format::{format_string, format_type};

pub(super) fn ident(name: &Ident) -> Node {
    identifier(&name.name)
}

pub(super) fn identifier(name: &str) -> Node {
    Node::leaf(format!("Identifier {name}"))
}

/// A name with the parts before and after it, joined by dots.
fn compound(parts: &[Ident]) -> Node {
    let parts: Vec<&str> = parts.iter().map(Ident::as_str).collect();
    identifier(&parts.join("."))
}

pub(super) fn text(value: &str) -> Node {
    Node::leaf(format!("Literal {}", format_string(value.as_bytes())))
}

pub(super) fn number(value: u64) -> Node {
    Node::leaf(format!("Literal UInt64_{value}"))
}

/// A list of expressions.
pub(super) fn exprs(items: &[Expr]) -> Node {
    Node::list(items.iter().map(expr).collect())
}

/// An expression with its alias.
pub(super) fn expr(expr: &Expr) -> Node {
    let mut node = plain(expr);
    if let Some(alias) = &expr.alias {
        node.name = format!("{} (alias {})", node.name, alias.name);
    }
    node
}

fn plain(expr: &Expr) -> Node {
    match &expr.kind {
        ExprKind::Literal(value) => Node::leaf(format!("Literal {}", literal(value))),
        ExprKind::Identifier(parts) => compound(parts),
        ExprKind::Function(call) => function(call),
        ExprKind::Lambda(lambda) => self::lambda(lambda),
        ExprKind::Subquery(inner) => query::subquery(inner),
        ExprKind::Asterisk(transformers) => Node::new("Asterisk", self::transformers(transformers)),
        ExprKind::QualifiedAsterisk(star) => {
            let mut children = vec![compound(&star.qualifier)];
            children.extend(transformers(&star.transformers));
            Node::new("QualifiedAsterisk", children)
        }
        ExprKind::Columns(columns) => self::columns(columns),
        ExprKind::Parameter(parameter) => {
            let ty = format_type(&parameter.data_type);
            Node::leaf(format!("QueryParameter {}:{ty}", parameter.name))
        }
    }
}

/// A literal with the kind of its value.
fn literal(value: &Literal) -> String {
    let join = |items: &[Literal]| items.iter().map(literal).collect::<Vec<_>>().join(", ");
    match value {
        Literal::Null => "NULL".to_string(),
        Literal::Bool(value) => format!("Bool_{}", u8::from(*value)),
        Literal::UInt(value) => format!("UInt64_{value}"),
        Literal::Int(value) => format!("Int64_{value}"),
        Literal::Float(_) => {
            let text = crate::format::format_literal(value);
            format!("Float64_{}", text.strip_suffix('.').unwrap_or(&text))
        }
        Literal::String(bytes) => format_string(bytes),
        Literal::Array(items) => format!("Array_[{}]", join(items)),
        Literal::Tuple(items) => format!("Tuple_({})", join(items)),
    }
}

/// A call: its arguments, its parameters, its window.
pub(super) fn function(call: &Function) -> Node {
    let mut children = vec![exprs(&call.args)];
    children.extend(call.parameters.as_deref().map(exprs));
    if let Some(Over::Spec(spec)) = &call.over {
        children.push(window(spec));
    }
    Node::new(format!("Function {}", call.name), children)
}

/// A name that may be written without parentheses: an engine, a codec.
pub(super) fn bare(name: &str, args: &[Expr]) -> Node {
    let children = if args.is_empty() { Vec::new() } else { vec![exprs(args)] };
    Node::new(format!("Function {name}"), children)
}

pub(super) fn lambda(lambda: &Lambda) -> Node {
    let params = Node::list(lambda.params.iter().map(ident).collect());
    let tuple = Node::new("Function tuple", vec![params]);
    Node::new("Function lambda", vec![Node::list(vec![tuple, expr(&lambda.body)])])
}

pub(super) fn window(spec: &WindowSpec) -> Node {
    let mut children = Vec::new();
    if !spec.partition_by.is_empty() {
        children.push(exprs(&spec.partition_by));
    }
    if !spec.order_by.is_empty() {
        children.push(order_by(&spec.order_by));
    }
    if let Some(frame) = &spec.frame {
        for bound in [&frame.start, &frame.end] {
            if let FrameBound::Preceding(value) | FrameBound::Following(value) = bound {
                children.push(expr(value));
            }
        }
    }
    Node::new("WindowDefinition", children)
}

pub(super) fn order_by(items: &[OrderByItem]) -> Node {
    Node::list(items.iter().map(order_by_item).collect())
}

fn order_by_item(item: &OrderByItem) -> Node {
    let mut children = vec![expr(&item.expr)];
    children.extend(item.collate.as_deref().map(text));
    if let Some(fill) = &item.fill {
        let parts = [&fill.from, &fill.to, &fill.step, &fill.staleness];
        children.extend(parts.into_iter().flatten().map(expr));
    }
    Node::new("OrderByElement", children)
}

fn columns(columns: &Columns) -> Node {
    let qualified = if columns.qualifier.is_empty() { "" } else { "Qualified" };
    let mut children = Vec::new();
    if !columns.qualifier.is_empty() {
        children.push(compound(&columns.qualifier));
    }
    let kind = match &columns.matcher {
        ColumnsMatcher::Regexp(_) => "ColumnsRegexpMatcher",
        ColumnsMatcher::List(items) => {
            children.push(exprs(items));
            "ColumnsListMatcher"
        }
    };
    children.extend(transformers(&columns.transformers));
    Node::new(format!("{qualified}{kind}"), children)
}

fn transformers(list: &[Transformer]) -> Vec<Node> {
    if list.is_empty() {
        return Vec::new();
    }
    vec![Node::new("ColumnsTransformerList", list.iter().map(transformer).collect())]
}

fn transformer(transformer: &Transformer) -> Node {
    match transformer {
        Transformer::Except { names, .. } => {
            Node::new("ColumnsExceptTransformer", names.iter().map(ident).collect())
        }
        Transformer::ExceptRegexp(_) => Node::leaf("ColumnsExceptTransformer"),
        Transformer::Replace { items, .. } => {
            let name = "ColumnsReplaceTransformer::Replacement";
            let items = items.iter().map(|(value, _)| Node::new(name, vec![expr(value)]));
            Node::new("ColumnsReplaceTransformer", items.collect())
        }
        Transformer::ApplyFunction { .. } | Transformer::ApplyLambda(_) => {
            Node::leaf("ColumnsApplyTransformer")
        }
    }
}

/// A data type. The values of an enum are part of its node.
pub(super) fn data_type(ty: &TypeName) -> Node {
    let upper = ty.name.to_ascii_uppercase();
    let is_enum = upper.starts_with("ENUM");
    let kind = match upper.as_str() {
        "TUPLE" => "TupleDataType",
        _ if is_enum => "EnumDataType",
        _ => "DataType",
    };
    let args = ty.args.as_deref().filter(|args| !is_enum && !args.is_empty());
    let children = args.map(|args| Node::list(args.iter().map(type_arg).collect()));
    Node::new(format!("{kind} {}", ty.name), children.into_iter().collect())
}

fn type_arg(arg: &TypeArg) -> Node {
    match arg {
        TypeArg::Type(ty) | TypeArg::Named(_, ty) => data_type(ty),
        TypeArg::Literal(value) => Node::leaf(format!("Literal {}", literal(value))),
        TypeArg::Assign(_, value) => {
            Node::new("Function equals", vec![Node::leaf(format!("Literal {}", literal(value)))])
        }
        TypeArg::Skip(path) => identifier(&format!("SKIP {}", path.name)),
        TypeArg::SkipRegexp(pattern) => text(pattern),
    }
}

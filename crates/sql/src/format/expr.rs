//! Expressions and types as text.

use super::{Tuples, Writer};
use crate::ast::{
    AssignName, Columns, ColumnsMatcher, Expr, ExprKind, FrameBound, FrameUnit, Function, Ident,
    Lambda, Literal, NullTreatment, Over, SettingChange, Transformer, TypeArg, TypeName,
    WindowFrame, WindowSpec,
};

/// Symbol of a binary operator.
fn symbol(name: &str) -> Option<&'static str> {
    Some(match name {
        "plus" => " + ",
        "minus" => " - ",
        "multiply" => " * ",
        "divide" => " / ",
        "modulo" => " % ",
        "equals" => " = ",
        "notEquals" => " != ",
        "less" => " < ",
        "greater" => " > ",
        "lessOrEquals" => " <= ",
        "greaterOrEquals" => " >= ",
        "like" => " LIKE ",
        "ilike" => " ILIKE ",
        "notLike" => " NOT LIKE ",
        "notILike" => " NOT ILIKE ",
        "isNotDistinctFrom" => " <=> ",
        "isDistinctFrom" => " IS DISTINCT FROM ",
        "in" => " IN ",
        "notIn" => " NOT IN ",
        "globalIn" => " GLOBAL IN ",
        "globalNotIn" => " GLOBAL NOT IN ",
        _ => return None,
    })
}

fn is_set_operator(name: &str) -> bool {
    matches!(name, "in" | "notIn" | "globalIn" | "globalNotIn")
}

impl Writer {
    /// Writes an expression in a place where `AS alias` is allowed.
    pub(super) fn item(&mut self, expr: &Expr) {
        self.kind(expr);
        if let Some(alias) = &expr.alias {
            self.push(" AS ");
            self.ident(alias);
        }
    }

    pub(super) fn items(&mut self, exprs: &[Expr]) {
        self.inline(exprs, Self::item);
    }

    /// Writes an expression in a place where an alias needs parentheses.
    pub(super) fn plain(&mut self, expr: &Expr) {
        if expr.alias.is_some() { self.in_parens(expr) } else { self.kind(expr) }
    }

    /// Writes an expression in a place where operators need parentheses, too.
    fn operand(&mut self, expr: &Expr) {
        let operator = match &expr.kind {
            ExprKind::Function(f) => f.from_operator && f.name != "tuple" && f.name != "array",
            ExprKind::Lambda(_) => true,
            ExprKind::Asterisk(list) => !list.is_empty(),
            _ => false,
        };
        if operator || expr.alias.is_some() { self.in_parens(expr) } else { self.kind(expr) }
    }

    fn in_parens(&mut self, expr: &Expr) {
        self.push("(");
        self.bare(expr);
        if let Some(alias) = &expr.alias {
            self.push(" AS ");
            self.ident(alias);
        }
        self.push(")");
    }

    /// Writes an expression without its alias, in the parentheses that it was written with.
    fn kind(&mut self, expr: &Expr) {
        let shown = expr.parenthesised && !self.explicit;
        self.flag(shown, "(");
        self.bare(expr);
        self.flag(shown, ")");
    }

    fn bare(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Literal(value) => self.literal(value),
            ExprKind::Identifier(parts) => self.path(parts),
            ExprKind::Function(function) => self.function(function),
            ExprKind::Lambda(lambda) => self.lambda(lambda),
            ExprKind::Subquery(query) => self.block(|w| w.query(query)),
            ExprKind::Asterisk(transformers) => {
                self.push("*");
                self.transformers(transformers);
            }
            ExprKind::QualifiedAsterisk(asterisk) => {
                self.path(&asterisk.qualifier);
                self.push(".*");
                self.transformers(&asterisk.transformers);
            }
            ExprKind::Columns(columns) => self.columns(columns),
            ExprKind::Parameter(parameter) => {
                self.push("{");
                self.push(&parameter.name);
                self.push(":");
                self.type_name(&parameter.data_type);
                self.push("}");
            }
        }
    }

    fn path(&mut self, parts: &[Ident]) {
        for (i, part) in parts.iter().enumerate() {
            self.flag(i > 0, ".");
            match part.name.as_bytes().first() {
                Some(b'^') if i > 0 => {
                    self.push("^");
                    self.name(&part.name[1..]);
                }
                Some(b':') if i > 0 => {
                    self.push(":");
                    self.name(&part.name[1..]);
                }
                _ => self.ident(part),
            }
        }
    }

    fn lambda(&mut self, lambda: &Lambda) {
        if self.explicit || lambda.as_call {
            self.push("lambda(tuple(");
            self.names(&lambda.params);
            self.push("), ");
            self.item(&lambda.body);
            self.push(")");
            return;
        }
        if let [only] = &lambda.params[..] {
            self.ident(only);
        } else {
            self.push("(");
            self.names(&lambda.params);
            self.push(")");
        }
        self.push(" -> ");
        self.operand(&lambda.body);
    }

    fn function(&mut self, function: &Function) {
        let list = matches!(function.name.as_str(), "array" | "tuple");
        let shown = !self.explicit || list;
        if function.from_operator && shown && self.operator(function) {
            return;
        }
        self.call(function);
    }

    fn operator(&mut self, function: &Function) -> bool {
        let name = function.name.as_str();
        match (name, &function.args[..]) {
            ("and" | "or", [_, _, ..]) => {
                for (i, arg) in function.args.iter().enumerate() {
                    self.flag(i > 0, if name == "and" { " AND " } else { " OR " });
                    self.operand(arg);
                }
            }
            ("not", [arg]) => {
                self.push("NOT ");
                self.operand(arg);
            }
            ("negate", [arg]) => {
                self.push("-");
                match arg.kind {
                    ExprKind::Literal(Literal::UInt(_) | Literal::Int(_) | Literal::Float(_)) => {
                        self.in_parens(arg);
                    }
                    _ => self.operand(arg),
                }
            }
            ("isNull", [arg]) => {
                self.operand(arg);
                self.push(" IS NULL");
            }
            ("isNotNull", [arg]) => {
                self.operand(arg);
                self.push(" IS NOT NULL");
            }
            ("array", args) => {
                self.push("[");
                self.items(args);
                self.push("]");
            }
            ("tuple", args @ [_, _, ..]) => {
                self.push("(");
                self.items(args);
                self.push(")");
            }
            ("arrayElement", [array, index]) => {
                self.operand(array);
                self.push("[");
                self.plain(index);
                self.push("]");
            }
            ("tupleElement", [tuple, index]) => {
                self.tuple_base(tuple);
                self.push(".");
                self.kind(index);
            }
            (_, [lhs, rhs]) => {
                let Some(symbol) = symbol(name) else { return false };
                self.operand(lhs);
                self.push(symbol);
                if is_set_operator(name) { self.set(rhs) } else { self.operand(rhs) }
            }
            _ => return false,
        }
        true
    }

    fn tuple_base(&mut self, expr: &Expr) {
        let bare = match &expr.kind {
            ExprKind::Identifier(_) | ExprKind::Literal(Literal::Tuple(_)) => true,
            ExprKind::Function(f) => f.name == "tuple",
            _ => false,
        };
        if bare && expr.alias.is_none() { self.kind(expr) } else { self.in_parens(expr) }
    }

    /// The right side of IN. It always has parentheses, unless it is a plain call.
    fn set(&mut self, expr: &Expr) {
        let bare = match &expr.kind {
            ExprKind::Subquery(_) | ExprKind::Literal(Literal::Tuple(_) | Literal::Array(_)) => {
                true
            }
            ExprKind::Function(f) => !f.from_operator || f.name == "tuple" || f.name == "array",
            _ => false,
        };
        if bare && expr.alias.is_none() { self.bare(expr) } else { self.in_parens(expr) }
    }

    /// The arguments of a call, and the settings that a table function may have behind them.
    fn arguments(&mut self, args: &[Expr], settings: &[SettingChange]) {
        self.push("(");
        self.items(args);
        if !settings.is_empty() {
            self.flag(!args.is_empty(), ", ");
            self.push("SETTINGS ");
            self.settings(settings);
        }
        self.push(")");
    }

    pub(super) fn call(&mut self, function: &Function) {
        if self.explicit {
            self.push(&function.name);
        } else {
            self.push_function_name(&function.name);
        }
        if let Some(parameters) = &function.parameters {
            self.push("(");
            self.items(parameters);
            self.push(")");
        }
        match &function.args[..] {
            [Expr { kind: ExprKind::Subquery(query), alias: None, .. }, other @ ..]
                if ["view", "viewifpermitted"].contains(&&*function.name.to_lowercase()) =>
            {
                self.block(|w| {
                    w.query(query);
                    for other in other {
                        w.push(" ELSE ");
                        w.item(other);
                    }
                });
            }
            args => self.arguments(args, &function.settings),
        }
        match function.nulls {
            NullTreatment::Default => {}
            NullTreatment::Ignore => self.push(" IGNORE NULLS"),
            NullTreatment::Respect => self.push(" RESPECT NULLS"),
        }
        match &function.over {
            None => {}
            Some(over) => {
                self.push(" OVER ");
                match over {
                    Over::Named(name) => self.ident(name),
                    Over::Spec(spec) => self.window(spec),
                }
            }
        }
    }

    pub(super) fn window(&mut self, spec: &WindowSpec) {
        self.push("(");
        let start = self.out.len();
        if let Some(parent) = &spec.parent {
            self.ident(parent);
        }
        if !spec.partition_by.is_empty() {
            self.flag(self.out.len() > start, " ");
            self.push("PARTITION BY ");
            self.items(&spec.partition_by);
        }
        if !spec.order_by.is_empty() {
            self.flag(self.out.len() > start, " ");
            self.push("ORDER BY ");
            self.inline(&spec.order_by, |w, item| w.order_by_item(item));
        }
        if let Some(frame) = &spec.frame {
            self.flag(self.out.len() > start, " ");
            self.frame(frame);
        }
        self.push(")");
    }

    fn frame(&mut self, frame: &WindowFrame) {
        self.push(match frame.unit {
            FrameUnit::Rows => "ROWS BETWEEN ",
            FrameUnit::Range => "RANGE BETWEEN ",
            FrameUnit::Groups => "GROUPS BETWEEN ",
        });
        self.bound(&frame.start);
        self.push(" AND ");
        self.bound(&frame.end);
    }

    fn bound(&mut self, bound: &FrameBound) {
        match bound {
            FrameBound::UnboundedPreceding => self.push("UNBOUNDED PRECEDING"),
            FrameBound::UnboundedFollowing => self.push("UNBOUNDED FOLLOWING"),
            FrameBound::CurrentRow => self.push("CURRENT ROW"),
            FrameBound::Preceding(n) => {
                self.operand(n);
                self.push(" PRECEDING");
            }
            FrameBound::Following(n) => {
                self.operand(n);
                self.push(" FOLLOWING");
            }
        }
    }

    fn columns(&mut self, columns: &Columns) {
        if !columns.qualifier.is_empty() {
            self.path(&columns.qualifier);
            self.push(".");
        }
        self.push("COLUMNS(");
        match &columns.matcher {
            ColumnsMatcher::Regexp(pattern) => self.string(pattern),
            ColumnsMatcher::List(list) => self.inline(list, Self::plain),
        }
        self.push(")");
        self.transformers(&columns.transformers);
    }

    fn transformers(&mut self, transformers: &[Transformer]) {
        for transformer in transformers {
            match transformer {
                Transformer::Except { strict, names } => {
                    self.push(" EXCEPT ");
                    self.flag(*strict, "STRICT ");
                    if let [only] = &names[..] {
                        self.ident(only);
                    } else {
                        self.push("(");
                        self.names(names);
                        self.push(")");
                    }
                }
                Transformer::ExceptRegexp(pattern) => {
                    self.push(" EXCEPT ");
                    self.string(pattern);
                }
                Transformer::Replace { strict, items } => {
                    self.push(" REPLACE ");
                    self.flag(*strict, "STRICT ");
                    self.push("(");
                    self.inline(items, |w, (expr, name)| {
                        w.plain(expr);
                        w.push(" AS ");
                        w.ident(name);
                    });
                    self.push(")");
                }
                Transformer::ApplyFunction { name, parameters, prefix } => {
                    self.push(" APPLY ");
                    self.flag(prefix.is_some(), "(");
                    self.name(name);
                    if let Some(parameters) = parameters {
                        self.push("(");
                        self.items(parameters);
                        self.push(")");
                    }
                    if let Some(prefix) = prefix {
                        self.push(", ");
                        self.string(prefix);
                        self.push(")");
                    }
                }
                Transformer::ApplyLambda(lambda) => {
                    self.push(" APPLY ");
                    self.lambda(lambda);
                }
            }
        }
    }

    pub(super) fn type_name(&mut self, data_type: &TypeName) {
        let words = data_type.name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_ ".contains(&b));
        if words {
            self.push(&data_type.name);
        } else {
            self.name(&data_type.name);
        }
        if let Some(args) = &data_type.args {
            self.push("(");
            if self.breaks(&data_type.name, args) {
                self.indent += 1;
                for (i, arg) in args.iter().enumerate() {
                    self.flag(i > 0, ",");
                    self.new_line();
                    self.type_arg(arg);
                }
                self.indent -= 1;
            } else {
                self.inline(args, Self::type_arg);
            }
            self.push(")");
        }
    }

    /// Whether each argument of a type is written on a line of its own.
    fn breaks(&self, name: &str, args: &[TypeArg]) -> bool {
        let is_named = || matches!(args.first(), Some(TypeArg::Named(..)));
        name == "Tuple"
            && match self.tuples {
                Tuples::Inline => false,
                Tuples::SeveralElements => args.len() > 1,
                Tuples::NamedElements => is_named(),
            }
    }

    pub(super) fn type_arg(&mut self, arg: &TypeArg) {
        match arg {
            TypeArg::Type(data_type) => self.type_name(data_type),
            TypeArg::Named(name, data_type) => {
                self.ident(name);
                self.push(" ");
                self.type_name(data_type);
            }
            TypeArg::Literal(value) => self.literal(value),
            TypeArg::Assign(name, value) => {
                match name {
                    AssignName::String(text) => super::literal::push_string(&mut self.out, text),
                    AssignName::Word(word) => self.push(word),
                }
                self.push(" = ");
                self.literal(value);
            }
            TypeArg::Skip(path) => {
                self.push("SKIP ");
                self.setting_name(&path.name);
            }
            TypeArg::SkipRegexp(pattern) => {
                self.push("SKIP REGEXP ");
                self.string(pattern);
            }
        }
    }
}

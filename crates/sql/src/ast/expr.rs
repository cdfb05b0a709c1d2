//! Expressions, literals and type names.

use entasis_base::Position;

use super::{OrderByItem, Query};

/// One part of a name: `a` in `a.b`, an alias, a column in a list.
#[derive(Clone, Debug, Default)]
pub struct Ident {
    /// The name without quotes. For a parameter `{p:Identifier}` the parameter's name.
    pub name: String,
    /// Whether this stands for a query parameter of type Identifier.
    pub parameter: bool,
    /// Where it stands in the query text.
    pub position: Position,
}

impl Ident {
    /// A name that does not come from the text and therefore has no position.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), parameter: false, position: Position::default() }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.name
    }
}

impl PartialEq for Ident {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.parameter == other.parameter
    }
}

/// An expression with its place in the text and its alias.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The kind of the expression, with its parts.
    pub kind: ExprKind,
    /// From the first to the last token, without the alias.
    pub position: Position,
    /// `AS name`, or the implicit alias.
    pub alias: Option<Ident>,
    /// Whether it stands in parentheses of its own, which the formatter keeps.
    pub parenthesised: bool,
}

impl Expr {
    /// An expression without an alias.
    pub fn new(kind: ExprKind, position: Position) -> Self {
        Self { kind, position, alias: None, parenthesised: false }
    }

    /// The value, when this is a literal.
    pub fn as_literal(&self) -> Option<&Literal> {
        match &self.kind {
            ExprKind::Literal(literal) => Some(literal),
            _ => None,
        }
    }

    /// The call, when this is a function call (operators included).
    pub fn as_function(&self) -> Option<&Function> {
        match &self.kind {
            ExprKind::Function(function) => Some(function),
            _ => None,
        }
    }

    /// The parts of the name, when this is an identifier.
    pub fn as_identifier(&self) -> Option<&[Ident]> {
        match &self.kind {
            ExprKind::Identifier(parts) => Some(parts),
            _ => None,
        }
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.alias == other.alias
    }
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A constant, arrays and tuples of constants included.
    Literal(Literal),
    /// `a`, `a.b.c`. A JSON sub-object `a.^b` has a part `^b`, a typed path `a.:T` a part `:T`.
    Identifier(Vec<Ident>),
    /// A call or an operator.
    Function(Box<Function>),
    /// `x -> e`, `(x, y) -> e`.
    Lambda(Box<Lambda>),
    /// `(SELECT ...)`: scalar, right side of IN, argument of EXISTS or of `view`.
    Subquery(Box<Query>),
    /// `*` with transformers.
    Asterisk(Vec<Transformer>),
    /// `t.*`, `db.t.*` with transformers.
    QualifiedAsterisk(Box<QualifiedAsterisk>),
    /// `COLUMNS('regexp')`, `t.COLUMNS(a, b)` with transformers.
    Columns(Box<Columns>),
    /// `{name:Type}`.
    Parameter(Box<Parameter>),
}

/// A constant.
#[derive(Clone, Debug)]
pub enum Literal {
    /// `NULL`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// A number that fits: `1`, `0x10`, `1_000`.
    UInt(u64),
    /// A negative number, folded from `-1`.
    Int(i64),
    /// `1.5`, `1e3`, `nan`, `-inf`, and integers beyond 64 bits.
    Float(f64),
    /// `'text'` after unescaping: bytes, not necessarily UTF-8.
    String(Vec<u8>),
    /// `[1, 2]` of literals only; may be empty.
    Array(Vec<Literal>),
    /// `(1, 2)` of literals only; two or more.
    Tuple(Vec<Literal>),
}

impl Literal {
    /// The text of a string literal that is UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }
}

impl PartialEq for Literal {
    /// Floats are compared by bits, so that `nan` equals itself.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::UInt(a), Self::UInt(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Array(a), Self::Array(b)) | (Self::Tuple(a), Self::Tuple(b)) => a == b,
            _ => false,
        }
    }
}

/// A function call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// As written; the dialect's name for an operator (`plus`, `arrayElement`, `CAST`).
    pub name: String,
    /// `(0.5)` in `quantile(0.5)(x)`.
    pub parameters: Option<Vec<Expr>>,
    /// The arguments. The type of a `CAST` is a string literal.
    pub args: Vec<Expr>,
    /// Whether it was written as an operator (`a + b`, `a[1]`, `t.1`), which the formatter prints
    /// back as one. Column names do not depend on it.
    pub from_operator: bool,
    /// `IGNORE NULLS`, `RESPECT NULLS`.
    pub nulls: NullTreatment,
    /// `OVER w`, `OVER (...)`.
    pub over: Option<Over>,
    /// `f(args SETTINGS a = 1)` of table functions.
    pub settings: Vec<super::SettingChange>,
}

impl Function {
    /// A plain call.
    pub fn new(name: impl Into<String>, args: Vec<Expr>) -> Self {
        Self { name: name.into(), args, ..Self::default() }
    }
}

/// How an aggregate function treats NULL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NullTreatment {
    /// Not written.
    #[default]
    Default,
    /// `IGNORE NULLS`.
    Ignore,
    /// `RESPECT NULLS`.
    Respect,
}

/// The window of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Over {
    /// `OVER w`.
    Named(Ident),
    /// `OVER (...)`.
    Spec(Box<WindowSpec>),
}

/// `(parent PARTITION BY ... ORDER BY ... frame)`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WindowSpec {
    /// The named window this one refines.
    pub parent: Option<Ident>,
    /// `PARTITION BY`.
    pub partition_by: Vec<Expr>,
    /// `ORDER BY`.
    pub order_by: Vec<OrderByItem>,
    /// `ROWS|RANGE|GROUPS ...`.
    pub frame: Option<WindowFrame>,
}

/// `unit BETWEEN start AND end`; the short form ends at the current row.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowFrame {
    /// The unit in which the bounds are given.
    pub unit: FrameUnit,
    /// First row of the frame.
    pub start: FrameBound,
    /// Last row of the frame.
    pub end: FrameBound,
}

/// The units of window frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameUnit {
    /// `ROWS`.
    Rows,
    /// `RANGE`.
    Range,
    /// `GROUPS`.
    Groups,
}

/// A bound of a frame.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameBound {
    /// `UNBOUNDED PRECEDING`.
    UnboundedPreceding,
    /// `n PRECEDING`.
    Preceding(Box<Expr>),
    /// `CURRENT ROW`.
    CurrentRow,
    /// `n FOLLOWING`.
    Following(Box<Expr>),
    /// `UNBOUNDED FOLLOWING`.
    UnboundedFollowing,
}

/// `x -> body`.
#[derive(Clone, Debug, PartialEq)]
pub struct Lambda {
    /// Names of the arguments.
    pub params: Vec<Ident>,
    /// The expression after the arrow.
    pub body: Expr,
    /// Whether it was written as a call: `lambda(tuple(x), body)`.
    pub as_call: bool,
}

/// `db.t.* EXCEPT ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct QualifiedAsterisk {
    /// The name before `.*`.
    pub qualifier: Vec<Ident>,
    /// Applied from left to right.
    pub transformers: Vec<Transformer>,
}

/// `t.COLUMNS(...) EXCEPT ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    /// The name before `.COLUMNS`; empty if there is none.
    pub qualifier: Vec<Ident>,
    /// The columns that are meant.
    pub matcher: ColumnsMatcher,
    /// Applied from left to right.
    pub transformers: Vec<Transformer>,
}

/// The columns that `COLUMNS(...)` means.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnsMatcher {
    /// Columns whose name matches the regular expression.
    Regexp(String),
    /// Columns that are listed; the expressions are identifiers.
    List(Vec<Expr>),
}

/// A transformer after an asterisk or `COLUMNS(...)`.
#[derive(Clone, Debug, PartialEq)]
pub enum Transformer {
    /// `EXCEPT [STRICT] (a, b)`.
    Except {
        /// Whether each name must exist.
        strict: bool,
        /// The names of the columns that are left out.
        names: Vec<Ident>,
    },
    /// `EXCEPT('regexp')`.
    ExceptRegexp(String),
    /// `REPLACE [STRICT] (e AS a, ...)`.
    Replace {
        /// Whether each name must exist.
        strict: bool,
        /// Pairs of the new value and the column that it replaces. The alias of the expression is
        /// empty.
        items: Vec<(Expr, Ident)>,
    },
    /// `APPLY f`, `APPLY(quantile(0.9))`.
    ApplyFunction {
        /// The function's name.
        name: String,
        /// Its parameters.
        parameters: Option<Vec<Expr>>,
        /// The prefix of the new column names, if it is given as a second argument.
        prefix: Option<String>,
    },
    /// `APPLY(x -> e)`.
    ApplyLambda(Box<Lambda>),
}

/// `{name:Type}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The parameter's name.
    pub name: String,
    /// The type as which its text is read.
    pub data_type: TypeName,
}

/// A data type as written: `Array(Nullable(UInt8))`.
#[derive(Clone, Debug, Default)]
pub struct TypeName {
    /// Name of the type, or several words joined by one blank (`DOUBLE PRECISION`).
    pub name: String,
    /// The arguments in parentheses, if there are any.
    pub args: Option<Vec<TypeArg>>,
    /// Where it stands in the query text.
    pub position: Position,
}

impl PartialEq for TypeName {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.args == other.args
    }
}

/// An argument of a data type.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeArg {
    /// `UInt8` in `Array(UInt8)`; also a function name in `AggregateFunction(sum, UInt8)`.
    Type(TypeName),
    /// `a UInt8` in `Tuple(a UInt8)`, `Nested(...)`, `JSON(a.b UInt8)` (path joined by dots).
    Named(Ident, TypeName),
    /// `3` in `DateTime64(3)`, `'UTC'`, `0.5` in `quantile(0.5)`.
    Literal(Literal),
    /// `'a' = 1` of enums, `max_dynamic_paths = 10`, `max_types=5` (the name is then bare).
    Assign(AssignName, Literal),
    /// `SKIP a.b` of JSON.
    Skip(Ident),
    /// `SKIP REGEXP 're'` of JSON.
    SkipRegexp(String),
}

/// The left side of [`TypeArg::Assign`].
#[derive(Clone, Debug, PartialEq)]
pub enum AssignName {
    /// A quoted string: a value of an enum.
    String(Vec<u8>),
    /// A bare word: a parameter of the type.
    Word(String),
}

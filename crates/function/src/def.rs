//! The definition of a scalar function: a const [`FunctionDef`] whose `bind` is called once per
//! call site and query, and whose kernel then runs once per chunk.

use std::sync::Arc;
use std::time::Duration;

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, Mask};
use entasis_types::common::lossy_common_number;
use entasis_types::{DataType, TimeZone, Value, common_type, common_type_or_variant};

use crate::dictionary::Dictionary;
use crate::{BranchKind, KeyedRows, LambdaCall, Properties};

/// The version of the reference with which this engine is compatible.
pub const COMPATIBLE_VERSION: &str = "26.9.2.1";

/// The facts about the session and the server that a function can ask for when it is bound.
/// `engine` implements it.
pub trait FunctionContext: Send + Sync {
    /// The time at which the query started, since 1970-01-01 UTC. It is the same everywhere in a
    /// query.
    fn now(&self) -> Duration;
    /// The session's time zone, for DateTime values whose type names none.
    fn time_zone(&self) -> TimeZone;
    /// The current database.
    fn database(&self) -> &str;
    /// The name of the user who runs the query.
    fn user(&self) -> &str;
    /// Seed of the query's random functions.
    fn seed(&self) -> u64;
    /// The value of a setting by its name; `None` for an unknown one.
    fn setting(&self, name: &str) -> Option<Value>;
    /// The type of the setting's value in an expression, if the value alone does not determine it.
    fn setting_type(&self, _name: &str) -> Option<DataType> {
        None
    }
    /// Whether branches without a common type become a Variant.
    fn allows_variants(&self) -> bool {
        self.setting("use_variant_as_common_type").is_none_or(|v| v.as_u64() != Some(0))
    }
    /// The type that the values which `if`, `coalesce`, `array` and similar functions choose from
    /// are brought to.
    fn type_of_branches(&self, types: &[DataType]) -> Result<DataType> {
        if let Ok(ty) = common_type(types) {
            return Ok(ty);
        }
        let is_set = |v: Value| v.as_u64() == Some(1);
        match lossy_common_number(types) {
            Some(ty) if self.setting("allow_lossy_numeric_supertype").is_some_and(is_set) => Ok(ty),
            _ => common_type_or_variant(types, self.allows_variants()),
        }
    }
    /// The dictionary of this name, with or without its database.
    fn dictionary(&self, name: &str) -> Result<Arc<dyn Dictionary>> {
        let message = format!("Dictionary (`{name}`) not found");
        Err(Error::new(codes::BAD_ARGUMENTS, message))
    }
    /// The table in which `joinGet` looks rows up. The name may have a database before a dot.
    fn keyed_rows(&self, name: &str) -> Result<Arc<dyn KeyedRows>> {
        let message = format!("Table {name} cannot be used by joinGet here");
        Err(Error::new(codes::UNKNOWN_TABLE, message))
    }
    /// Functions that look up addresses of this program's code. Without a profiler they find
    /// nothing.
    fn introspection(&self) -> Introspection {
        Introspection {
            symbol: |_| String::new(),
            line: |_| String::new(),
            lines: |_| Vec::new(),
            demangle: str::to_string,
        }
    }
}

/// Look-ups of addresses of this program's code.
#[derive(Clone, Copy, Debug)]
pub struct Introspection {
    /// The mangled name of the function at an address; empty if it is unknown.
    pub symbol: fn(u64) -> String,
    /// `file:line` of an address, or the program's name if there are no line tables; empty if it is
    /// unknown.
    pub line: fn(u64) -> String,
    /// `file:line:function` of all functions inlined there, innermost first.
    pub lines: fn(u64) -> Vec<String>,
    /// The name of a symbol as its source spells it.
    pub demangle: fn(&str) -> String,
}

/// An argument as the binder sees it.
#[derive(Clone, Debug)]
pub struct Arg {
    /// Its type. For a lambda, it is the type of the result.
    pub ty: DataType,
    /// Its value, if it is a constant.
    pub constant: Option<Value>,
    /// Whether it is a lambda.
    pub is_lambda: bool,
}

impl Arg {
    /// An argument that varies from row to row.
    pub fn column(ty: DataType) -> Self {
        Self { ty, constant: None, is_lambda: false }
    }

    /// A constant argument.
    pub fn constant(ty: DataType, value: Value) -> Self {
        Self { ty, constant: Some(value), is_lambda: false }
    }
}

/// How NULL arguments are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// The binder and the kernel never see Nullable: the result is NULL if an argument is. The
    /// kernel also runs over the values under NULL.
    Propagate,
    /// Like `Propagate`, but the kernel runs only over rows without NULL, because it can fail for
    /// the meaningless values under NULL (division, parsing).
    PropagateStrict,
    /// The function sees Nullable types and columns, and Variants, and handles them itself.
    Custom,
}

/// How LowCardinality in the types of arguments is treated. It does not affect the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LowCardinality {
    /// The binder sees the types without LowCardinality. The result is LowCardinality if one
    /// argument is and all others are constants.
    Wrap,
    /// The binder sees the types without LowCardinality, and the result is not LowCardinality.
    Drop,
    /// The binder sees the types as they are.
    Custom,
}

/// How long a function returns the same result for the same arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Determinism {
    /// Always: calls may be folded, memoised, pushed down and used in keys.
    Pure,
    /// Within one query (`now`): calls may be folded for the query, but not stored.
    PerQuery,
    /// Never (`rand`): calls are evaluated for each row.
    PerRow,
}

/// How the result follows the only argument that is not constant. Pruning by ranges uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Monotonicity {
    /// Nothing is known.
    None,
    /// Never decreases as the argument grows.
    Increasing,
    /// Never increases as the argument grows.
    Decreasing,
}

/// A kernel. All arguments are full columns or Const with `rows` rows, and NULLs were treated as
/// `Nulls` says. The result has `rows` rows in the layout of the bound return type, in any
/// representation.
#[derive(Clone)]
pub enum Run {
    /// Over columns.
    Columns(Arc<dyn Fn(&[Column], usize) -> Result<Column> + Send + Sync>),
    /// A function over columns and a lambda. The lambda is the first argument of the call, and the
    /// columns are the others.
    Lambda(Arc<dyn Fn(&dyn LambdaCall, &[Column], usize) -> Result<Column> + Send + Sync>),
}

/// A predicate kernel: like [`Run::Columns`], but it returns a mask.
pub type RunMask = Arc<dyn Fn(&[Column], usize) -> Result<Mask> + Send + Sync>;

/// The result of `bind`.
pub struct BoundKernel {
    /// Type of the result, before NULL propagation makes it Nullable.
    pub return_type: DataType,
    /// The kernel.
    pub run: Run,
    /// A kernel that returns a mask, if the function is a predicate with such a kernel.
    pub mask: Option<RunMask>,
    /// How the result follows the argument; used for pruning.
    pub monotonicity: Monotonicity,
    /// Whether the kernel can fail for some values of these arguments.
    pub failure: Failure,
}

/// Whether a kernel can fail for some values of the arguments to which it is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// As the definition of the function says.
    AsDefined,
    /// It can. It must see neither the values under NULL nor rows that a condition excludes, as
    /// [`Nulls::PropagateStrict`] says of all kernels of a function.
    Possible,
    /// It cannot, whatever the definition says of other arguments: a remainder by 7, for example.
    Never,
}

impl BoundKernel {
    /// A plain function over columns.
    pub fn new(
        return_type: DataType,
        run: impl Fn(&[Column], usize) -> Result<Column> + Send + Sync + 'static,
    ) -> Self {
        Self::of(return_type, Run::Columns(Arc::new(run)))
    }

    /// A function whose first argument is a lambda.
    pub fn with_lambda(
        return_type: DataType,
        run: impl Fn(&dyn LambdaCall, &[Column], usize) -> Result<Column> + Send + Sync + 'static,
    ) -> Self {
        Self::of(return_type, Run::Lambda(Arc::new(run)))
    }

    fn of(return_type: DataType, run: Run) -> Self {
        let (monotonicity, failure) = (Monotonicity::None, Failure::AsDefined);
        Self { return_type, run, mask: None, monotonicity, failure }
    }

    /// A predicate (UInt8) that only has a mask kernel.
    pub fn predicate(
        mask: impl Fn(&[Column], usize) -> Result<Mask> + Send + Sync + 'static,
    ) -> Self {
        let mask: RunMask = Arc::new(mask);
        let kernel = Arc::clone(&mask);
        let mut bound = Self::new(DataType::UInt8, move |args, rows| {
            kernel(args, rows).map(|m| Column::from_mask(&m))
        });
        bound.mask = Some(mask);
        bound
    }

    /// Declares that the kernel fails for some values.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.failure = Failure::Possible;
        self
    }

    /// Declares that the kernel fails for no value of these arguments.
    #[must_use]
    pub fn never_fails(mut self) -> Self {
        self.failure = Failure::Never;
        self
    }

    /// Declares how the result follows the only argument that is not constant.
    #[must_use]
    pub fn monotone(mut self, monotonicity: Monotonicity) -> Self {
        self.monotonicity = monotonicity;
        self
    }
}

/// A scalar function. Written as `FunctionDef { name: ..., bind: ..., ..FunctionDef::DEFAULT }`.
pub struct FunctionDef {
    /// Name as the reference spells it.
    pub name: &'static str,
    /// Further names of the function.
    pub aliases: &'static [&'static str],
    /// Whether name and aliases match without regard to case.
    pub case_insensitive: bool,
    /// One or two sentences for the manual.
    pub description: &'static str,
    /// Expressions and their results as TSV. Tests run them, and `system.functions` shows them.
    pub examples: &'static [(&'static str, &'static str)],
    /// How NULL arguments are treated.
    pub nulls: Nulls,
    /// Whether the function sees Variants as they are. If not, it is applied separately to the rows
    /// of each alternative. Functions with [`Nulls::Custom`] always see them.
    pub takes_variant: bool,
    /// How LowCardinality arguments are treated.
    pub low_cardinality: LowCardinality,
    /// Whether calls may be folded and memoised.
    pub determinism: Determinism,
    /// Whether a Dict argument beside constants may be evaluated once per dictionary value. This is
    /// correct for all functions that look at one row at a time.
    pub by_row: bool,
    /// Further properties that the planner uses.
    pub properties: Properties,
    /// Whether a bare word as the first argument is a name, unless it stands for a column.
    pub names_first: bool,
    /// For functions whose last argument is needed only for some rows, `f(a, b, ..., last)`: the
    /// names of functions `has` and `get`, such that it is `if(has(a, ...), get(a, b, ...), last)`.
    pub lazy_last: Option<(&'static str, &'static str)>,
    /// Which arguments the result is made of, if they have to be of one type.
    pub branches: Option<BranchKind>,
    /// Fewest and most arguments. `usize::MAX` means no limit.
    pub arity: (usize, usize),
    /// For functions whose first argument is a lambda: the types of the lambda's parameters, given
    /// the other arguments and the number of parameters.
    pub lambda: Option<fn(&[Arg], usize) -> Result<Vec<DataType>>>,
    /// Checks the arguments, infers the result's type and prepares the kernel.
    pub bind: fn(&[Arg], &dyn FunctionContext) -> Result<BoundKernel>,
}

impl FunctionDef {
    /// The usual values of all fields except name, arity and bind.
    pub const DEFAULT: Self = Self {
        name: "",
        aliases: &[],
        case_insensitive: false,
        description: "",
        examples: &[],
        nulls: Nulls::Propagate,
        takes_variant: false,
        low_cardinality: LowCardinality::Wrap,
        determinism: Determinism::Pure,
        by_row: true,
        properties: Properties::DEFAULT,
        names_first: false,
        lazy_last: None,
        branches: None,
        arity: (0, usize::MAX),
        lambda: None,
        bind: |_, _| Err(Error::logical("function without bind")),
    };
}

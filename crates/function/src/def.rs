//! What a scalar function is: a const [`FunctionDef`] whose `bind` is called once per call site and
//! query, and whose kernel then runs once per chunk.

use std::sync::Arc;
use std::time::Duration;

use entasis_base::Result;
use entasis_column::{Column, Mask};
use entasis_types::{DataType, TimeZone, Value};

use crate::{BranchKind, LambdaCall, Properties};

/// The reference's version that this engine is compatible with.
pub const COMPATIBLE_VERSION: &str = "26.9.2.1";

/// What a function may know of its surroundings at bind time. Implemented by `engine`.
pub trait FunctionContext: Send + Sync {
    /// The query's one "now", since 1970-01-01 UTC.
    fn now(&self) -> Duration;
    /// The session's time zone: of DateTime without a zone of its own.
    fn time_zone(&self) -> TimeZone;
    /// The current database.
    fn database(&self) -> &str;
    /// The user who asks.
    fn user(&self) -> &str;
    /// Seed of the query's random functions.
    fn seed(&self) -> u64;
    /// The value of a setting by its name; `None` for an unknown one.
    fn setting(&self, name: &str) -> Option<Value>;
    /// The type that its value has in an expression, if it is not that of the value alone.
    fn setting_type(&self, _name: &str) -> Option<DataType> {
        None
    }
    /// Whether branches without a common type become a Variant.
    fn allows_variants(&self) -> bool {
        self.setting("use_variant_as_common_type").is_none_or(|v| v.as_u64() != Some(0))
    }
    /// What addresses of this program are; nothing is known of them without a profiler.
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
    /// The mangled name of the function at an address, or nothing.
    pub symbol: fn(u64) -> String,
    /// `file:line`, the program's name where there are no line tables, or nothing.
    pub line: fn(u64) -> String,
    /// `file:line:function` of all functions inlined there, innermost first.
    pub lines: fn(u64) -> Vec<String>,
    /// A symbol's name as the source has it.
    pub demangle: fn(&str) -> String,
}

/// One argument as the binder sees it.
#[derive(Clone, Debug)]
pub struct Arg {
    /// Its type; of a lambda, the type of its result.
    pub ty: DataType,
    /// Its value, where it is a constant.
    pub constant: Option<Value>,
    /// Whether it is a lambda.
    pub is_lambda: bool,
}

impl Arg {
    /// An argument that varies by row.
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
    /// The binder and the kernel never see Nullable: any NULL argument makes the result NULL. The
    /// kernel runs over the values under NULL too.
    Propagate,
    /// As `Propagate`, but the kernel runs over rows without NULL only, because it can fail on the
    /// meaningless values under NULL (division, parsing).
    PropagateStrict,
    /// The function sees Nullable types and columns, and Variants, and answers for itself.
    Custom,
}

/// What becomes of LowCardinality in the arguments' types. Columns are the same either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LowCardinality {
    /// The binder sees the types without it; the result has it again where one argument had it and
    /// all others are constants.
    Wrap,
    /// The binder sees the types without it, and so is the result.
    Drop,
    /// The binder sees the types as they are.
    Custom,
}

/// When a function answers the same for the same arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Determinism {
    /// Always: may be folded, memoised, pushed down and used in keys.
    Pure,
    /// Within one query (`now`): may be folded per query, not stored.
    PerQuery,
    /// Never (`rand`): evaluated for every row where it stands.
    PerRow,
}

/// How a result follows the only non-constant argument: for pruning by ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Monotonicity {
    /// Nothing is known.
    None,
    /// Never decreases as the argument grows.
    Increasing,
    /// Never increases as the argument grows.
    Decreasing,
}

/// A kernel. Arguments are full columns or Const, all of `rows` rows, NULLs treated as `Nulls`
/// says; the result is of the bound return type's layout, in any representation, of `rows` rows.
#[derive(Clone)]
pub enum Run {
    /// Over columns.
    Columns(Arc<dyn Fn(&[Column], usize) -> Result<Column> + Send + Sync>),
    /// Over columns with a lambda: the lambda is the first argument of the call, the columns are
    /// the others.
    Lambda(Arc<dyn Fn(&dyn LambdaCall, &[Column], usize) -> Result<Column> + Send + Sync>),
}

/// A predicate kernel: as [`Run::Columns`], answering a mask.
pub type RunMask = Arc<dyn Fn(&[Column], usize) -> Result<Mask> + Send + Sync>;

/// What `bind` answers.
pub struct BoundKernel {
    /// Type of the result (before NULL propagation wraps it).
    pub return_type: DataType,
    /// The kernel.
    pub run: Run,
    /// A kernel that answers a mask, for predicates that have one.
    pub mask: Option<RunMask>,
    /// For pruning.
    pub monotonicity: Monotonicity,
}

impl BoundKernel {
    /// A plain function over columns.
    pub fn new(
        return_type: DataType,
        run: impl Fn(&[Column], usize) -> Result<Column> + Send + Sync + 'static,
    ) -> Self {
        let run = Run::Columns(Arc::new(run));
        Self { return_type, run, mask: None, monotonicity: Monotonicity::None }
    }

    /// A function whose first argument is a lambda.
    pub fn with_lambda(
        return_type: DataType,
        run: impl Fn(&dyn LambdaCall, &[Column], usize) -> Result<Column> + Send + Sync + 'static,
    ) -> Self {
        let run = Run::Lambda(Arc::new(run));
        Self { return_type, run, mask: None, monotonicity: Monotonicity::None }
    }

    /// A predicate (UInt8) from its mask kernel alone.
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

    /// Declares the result monotone in the only non-constant argument.
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
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Whether name and aliases match without regard to case.
    pub case_insensitive: bool,
    /// One or two sentences for the manual.
    pub description: &'static str,
    /// Expressions and what they print as TSV: run as tests, rendered as manual.
    pub examples: &'static [(&'static str, &'static str)],
    /// NULL handling.
    pub nulls: Nulls,
    /// Whether the function sees Variants as they are. If not, it is applied to the rows of each
    /// alternative by itself. Functions with [`Nulls::Custom`] always see them.
    pub takes_variant: bool,
    /// LowCardinality handling.
    pub low_cardinality: LowCardinality,
    /// Folding and memoising.
    pub determinism: Determinism,
    /// Whether a Dict argument beside constants may be evaluated once per dictionary value: true
    /// for everything that looks at one row at a time.
    pub by_row: bool,
    /// What a planner may know of it.
    pub properties: Properties,
    /// Which arguments the result is made of, if they have to be of one type.
    pub branches: Option<BranchKind>,
    /// Fewest and most arguments; most = `usize::MAX` for no bound.
    pub arity: (usize, usize),
    /// For functions that take a lambda first: the types of the lambda's parameters, given the
    /// other arguments and the number of parameters written.
    pub lambda: Option<fn(&[Arg], usize) -> Result<Vec<DataType>>>,
    /// Checks the arguments, infers the result's type and prepares the kernel.
    pub bind: fn(&[Arg], &dyn FunctionContext) -> Result<BoundKernel>,
}

impl FunctionDef {
    /// Everything but name, arity and bind at its usual value.
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
        branches: None,
        arity: (0, usize::MAX),
        lambda: None,
        bind: |_, _| Err(entasis_base::Error::logical("function without bind")),
    };
}

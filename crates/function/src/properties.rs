//! Properties of functions that a planner uses without calling them. They are fields of the
//! definition, so that no other crate compares names of functions.

use entasis_types::DataType;

/// The meaning of a function, as far as rewriting conditions, pruning by ranges and finding join
/// keys need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Nothing is known besides its type and its kernel.
    Other,
    /// Compares two values.
    Compare(Comparison),
    /// Negates a condition; NULL stays NULL.
    Not,
    /// Whether all conditions hold.
    And,
    /// Whether one of the conditions holds.
    Or,
    /// `x IS NULL`, or `x IS NOT NULL` if negated.
    IsNull {
        /// Whether the result is negated.
        negated: bool,
    },
    /// Whether a string or a list has no elements, or has some if negated.
    IsEmpty {
        /// Whether the result is negated.
        negated: bool,
    },
    /// Whether a text matches a LIKE pattern, with regard to case.
    Like {
        /// Whether the result is negated.
        negated: bool,
    },
    /// Whether a text begins with another.
    StartsWith,
    /// The sum of two values.
    Plus,
    /// The difference of two values.
    Minus,
    /// Makes a tuple of its arguments.
    Tuple,
    /// Chooses one of its arguments by conditions. The other arguments need not be evaluated.
    Branch,
    /// Converts a value to a type that is written in the query.
    Cast,
}

impl Operation {
    /// The function with the opposite result for the same arguments. `ordered` says whether all
    /// values can be ordered, which is not the case for NaN.
    pub fn negation(self, ordered: bool) -> Option<&'static str> {
        match self {
            Self::Compare(comparison) if ordered || comparison.is_equality() => {
                Some(comparison.negated().function_name())
            }
            Self::IsNull { negated } => Some(if negated { "isNull" } else { "isNotNull" }),
            Self::IsEmpty { negated } => Some(if negated { "empty" } else { "notEmpty" }),
            Self::Like { negated } => Some(if negated { "like" } else { "notLike" }),
            _ => None,
        }
    }
}

/// For functions whose result is one of their arguments or consists of them: which arguments these
/// are, and how they are brought to one type before the function sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchKind {
    /// `if`: the second argument or the third.
    If,
    /// Conditions and branches in turn, and a branch for the rest.
    MultiIf,
    /// As [`Self::MultiIf`], but a value that is compared comes first, and the branches have a
    /// common type without Variant.
    Case,
    /// The first argument that is not NULL.
    FirstNotNull,
    /// The least or greatest argument. It compares numbers of different types by itself.
    Extreme,
    /// All arguments are elements of an array.
    Elements,
}

impl BranchKind {
    /// Whether values of this type can choose a branch.
    pub fn is_condition(ty: &DataType) -> bool {
        matches!(ty.without_nullable(), DataType::UInt8 | DataType::Bool | DataType::Nothing)
    }

    /// Whether argument `i` of `count` is a branch.
    pub fn contains(self, i: usize, count: usize) -> bool {
        match self {
            Self::If => i > 0,
            Self::MultiIf => i % 2 == 1 || i + 1 == count,
            Self::Case => i > 0 && (i.is_multiple_of(2) || i + 1 == count),
            Self::FirstNotNull | Self::Extreme | Self::Elements => true,
        }
    }

    /// Whether branches without a common type become a Variant.
    pub fn allow_variant(self) -> bool {
        !matches!(self, Self::Case | Self::Extreme)
    }

    /// Whether the function puts LowCardinality into its result itself, so that branches may differ
    /// in it.
    pub fn wrap_low_cardinality(self) -> bool {
        matches!(self, Self::FirstNotNull | Self::Extreme)
    }

    /// Whether the function itself makes text of a FixedString beside text: it keeps zero bytes.
    pub fn keep_fixed_strings(self) -> bool {
        !matches!(self, Self::Elements | Self::Extreme)
    }
}

/// The kinds of comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Comparison {
    Equals,
    NotEquals,
    Less,
    LessOrEquals,
    Greater,
    GreaterOrEquals,
}

impl Comparison {
    /// The name of the function with this comparison.
    pub fn function_name(self) -> &'static str {
        match self {
            Self::Equals => "equals",
            Self::NotEquals => "notEquals",
            Self::Less => "less",
            Self::LessOrEquals => "lessOrEquals",
            Self::Greater => "greater",
            Self::GreaterOrEquals => "greaterOrEquals",
        }
    }

    /// Whether only equality matters, and not the order.
    pub fn is_equality(self) -> bool {
        matches!(self, Self::Equals | Self::NotEquals)
    }

    /// The comparison with the opposite result, for values that can be ordered.
    pub fn negated(self) -> Self {
        match self {
            Self::Equals => Self::NotEquals,
            Self::NotEquals => Self::Equals,
            Self::Less => Self::GreaterOrEquals,
            Self::LessOrEquals => Self::Greater,
            Self::Greater => Self::LessOrEquals,
            Self::GreaterOrEquals => Self::Less,
        }
    }

    /// The comparison with the same result after its sides were swapped.
    pub fn swapped(self) -> Self {
        match self {
            Self::Equals | Self::NotEquals => self,
            Self::Less => Self::Greater,
            Self::LessOrEquals => Self::GreaterOrEquals,
            Self::Greater => Self::Less,
            Self::GreaterOrEquals => Self::LessOrEquals,
        }
    }
}

/// Cost of a kernel per row, by the kind of its arguments. The unit is about one nanosecond, but
/// only proportions matter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Cost if all arguments have a fixed width.
    pub fixed: f32,
    /// Cost if an argument is a string.
    pub text: f32,
    /// Cost if an argument is an array.
    pub list: f32,
}

impl Cost {
    /// The same cost for all kinds of arguments.
    pub const fn flat(work: f32) -> Self {
        Self { fixed: work, text: work, list: work }
    }

    /// The cost for arguments of these types.
    pub fn of<'a>(self, types: impl Iterator<Item = &'a DataType>) -> f32 {
        let mut work = self.fixed;
        for ty in types {
            match ty.without_nullable() {
                plain if plain.as_array().is_some() => return self.list,
                plain if plain.is_string() => work = self.text,
                _ => {}
            }
        }
        work
    }
}

/// The share of rows for which a predicate is true, unless statistics know better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Selectivity {
    /// The share in general.
    pub usual: f32,
    /// The share if the other side is the default value of the type, which is the most frequent
    /// value of many columns: `IsRefresh = 0` keeps most rows.
    pub of_default: f32,
}

impl Selectivity {
    /// The same share for all constants.
    pub const fn flat(part: f32) -> Self {
        Self { usual: part, of_default: part }
    }
}

/// Whether a function can fail for some values of its arguments. Such a function must not run over
/// rows that another condition excludes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fails {
    /// Never, except as [`crate::Nulls::PropagateStrict`] says.
    Never,
    /// Possibly for any value.
    Always,
    /// Like a conversion: for text that is not a value of the target type, and for NULL if the
    /// result cannot be NULL.
    AsConversion,
}

impl Fails {
    /// Whether a call can fail, if its first argument has the type `from` and the result has the
    /// given type.
    pub fn on(self, from: Option<&DataType>, to: &DataType) -> bool {
        match self {
            Self::Never => false,
            Self::Always => true,
            Self::AsConversion => from.map(DataType::without_low_cardinality).is_some_and(|from| {
                let parses = from.without_nullable().is_string()
                    && *to.without_nullable() != DataType::String;
                parses || (from.is_nullable() && !to.is_nullable())
            }),
        }
    }
}

/// All properties for planners except types, [`crate::Determinism`] and [`crate::Monotonicity`].
#[derive(Clone, Copy, Debug)]
pub struct Properties {
    /// The meaning of the function.
    pub operation: Operation,
    /// The cost per row.
    pub cost: Cost,
    /// For predicates: the share of rows that pass.
    pub selectivity: Selectivity,
    /// For functions of one argument: whether different values always give different results, if
    /// the values have a type that is printed exactly (integers, Date, text).
    pub injective: bool,
    /// Whether it can fail.
    pub fails: Fails,
    /// When a call is a constant.
    pub folds: Folds,
}

/// When a call is a constant, for queries that can tell the difference: constant keys keep their
/// values in all rows of ROLLUP and CUBE, and some arguments must be constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folds {
    /// If all arguments are constants.
    OfConstants,
    /// Always: the result depends on nothing but the types of the arguments.
    OfTypes,
    /// If no argument can be NULL, because the result then depends on nothing else, or if all
    /// arguments are constants.
    OfTypesWithoutNull,
    /// Never, as in the reference, which evaluates such calls for each block of rows.
    Never,
}

impl Properties {
    /// The properties of a function of which nothing special is known.
    pub const DEFAULT: Self = Self {
        operation: Operation::Other,
        cost: Cost { fixed: 3.0, text: 15.0, list: 30.0 },
        selectivity: Selectivity::flat(0.4),
        injective: false,
        fails: Fails::Never,
        folds: Folds::OfConstants,
    };

    /// The properties of a function whose result is never a constant.
    pub const NEVER_FOLDED: Self = Self { folds: Folds::Never, ..Self::DEFAULT };

    /// The properties of simple arithmetic, or of reading a length.
    pub const SIMPLE: Self = Self { cost: Cost::flat(0.3), ..Self::DEFAULT };

    /// The properties of a comparison.
    pub const fn comparison(comparison: Comparison) -> Self {
        let selectivity = match comparison {
            Comparison::Equals => Selectivity { usual: 0.05, of_default: 0.7 },
            Comparison::NotEquals => Selectivity { usual: 0.9, of_default: 0.4 },
            _ => Selectivity::flat(0.4),
        };
        Self {
            operation: Operation::Compare(comparison),
            cost: Cost { fixed: 0.3, text: 3.0, list: 30.0 },
            selectivity,
            ..Self::DEFAULT
        }
    }

    /// The properties of a conversion to another type.
    pub const CONVERSION: Self = Self { fails: Fails::AsConversion, ..Self::DEFAULT };

    /// The properties of a search for a text or a LIKE pattern in each row.
    pub const SEARCH: Self =
        Self { cost: Cost::flat(20.0), selectivity: Selectivity::flat(0.1), ..Self::DEFAULT };

    /// The properties of a regular expression that runs over each row.
    pub const REGEXP: Self = Self { cost: Cost::flat(120.0), ..Self::DEFAULT };

    /// The same properties with another meaning.
    #[must_use]
    pub const fn meaning(self, operation: Operation) -> Self {
        Self { operation, ..self }
    }

    /// The same properties with another share of rows that pass.
    #[must_use]
    pub const fn passing(self, part: f32) -> Self {
        Self { selectivity: Selectivity::flat(part), ..self }
    }

    /// The same properties, where different values give different results.
    #[must_use]
    pub const fn injective(self) -> Self {
        Self { injective: true, ..self }
    }
}

//! A function that is bound to its arguments, and what is done once for all kernels: NULL
//! propagation, constant folding, and evaluation once per dictionary value.

use std::fmt;
use std::sync::Arc;

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result, codes};
use entasis_column::{Bitmap, Column, DictColumn, Dictionary, Mask, match_native};
use entasis_types::{DataType, Physical, Value};

use crate::def::RunMask;
use crate::variant;
use crate::{
    Arg, BoundKernel, Comparison, Determinism, Failure, FunctionContext, FunctionDef,
    LowCardinality, Monotonicity, Nulls, Operation, Properties, Run,
};

/// The lambda that a kernel calls.
pub trait LambdaCall {
    /// Evaluates the body over the flattened elements `params`, which all have the same length.
    /// Captured columns have one row per list and are repeated by `offsets` (`n + 1` numbers from 0
    /// up to the number of elements).
    fn call(&self, params: &[Column], offsets: &[u32]) -> Result<Column>;
}

/// A function ready to run: immutable, shared by all workers.
pub struct BoundFunction {
    /// The definition's name.
    pub name: &'static str,
    /// Type of the result.
    pub return_type: DataType,
    /// Whether the same arguments always give the same result; decides whether calls may be folded.
    pub determinism: Determinism,
    /// How the result follows the argument; used for pruning.
    pub monotonicity: Monotonicity,
    /// Whether evaluating once per dictionary value gives correct results, according to the
    /// definition.
    pub by_row: bool,
    /// Further properties that the planner uses.
    pub properties: Properties,
    /// Whether the kernel can fail for some values of these arguments. It must then not run over
    /// rows that a condition excludes.
    pub can_fail: bool,
    /// Whether it can fail for a dictionary entry that no row refers to.
    strict: bool,
    nulls: Nulls,
    run: Run,
    mask: Option<RunMask>,
}

impl fmt::Debug for BoundFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.name, self.return_type)
    }
}

impl BoundFunction {
    /// Binds `def` to arguments. Fails according to the type rules of the function.
    pub fn bind(
        def: &'static FunctionDef,
        args: &[Arg],
        context: &dyn FunctionContext,
    ) -> Result<Arc<Self>> {
        check_arity(def, args.len())?;
        let stripped: Vec<Arg>;
        let given = args;
        let (args, wraps) = match def.low_cardinality {
            LowCardinality::Custom => (args, false),
            how if args.iter().any(|a| a.ty.has_low_cardinality()) => {
                stripped = args.iter().map(without_low_cardinality).collect();
                (&stripped[..], how == LowCardinality::Wrap && is_wrapped(args))
            }
            _ => (args, false),
        };
        let propagate = def.nulls != Nulls::Custom;
        let null = |a: &Arg| !a.is_lambda && a.ty.is_null_literal();
        let no_array = def.lambda.is_some() && args.first().is_some_and(null);
        if no_array || propagate && args.iter().any(null) {
            return Ok(Arc::new(Self::always_null(def)));
        }
        if propagate && !def.takes_variant && args.iter().any(is_variant) {
            return Ok(Arc::new(Self::of_alternatives(def, args, context)?));
        }
        if propagate && args.iter().any(|a| !a.is_lambda && a.ty == DataType::Nothing) {
            return Ok(Arc::new(Self::of_nothing(def)));
        }
        let nullable = propagate && args.iter().any(|a| !a.is_lambda && a.ty.is_nullable());
        let bound = if nullable {
            let stripped: Vec<Arg> = args.iter().map(without_null).collect();
            (def.bind)(&stripped, context)?
        } else {
            (def.bind)(args, context)?
        };
        let BoundKernel { mut return_type, run, mask, monotonicity, failure } = bound;
        let strict = match failure {
            Failure::AsDefined => def.nulls == Nulls::PropagateStrict,
            Failure::Possible => true,
            Failure::Never => false,
        };
        let mut nulls = Nulls::Custom;
        if nullable {
            (nulls, return_type) = beside_null(return_type, strict);
        }
        if wraps && return_type.can_be_low_cardinality() {
            return_type = DataType::LowCardinality(Arc::new(return_type));
        }
        if def.lambda.is_none() && def.low_cardinality != LowCardinality::Custom {
            return_type = with_nested_name(return_type, given);
        }
        let (name, determinism, by_row) = (def.name, def.determinism, def.by_row);
        let from = args.first().map(|arg| &arg.ty);
        Ok(Arc::new(Self {
            name,
            can_fail: strict
                || failure == Failure::AsDefined && def.properties.fails.on(from, &return_type),
            return_type,
            determinism,
            monotonicity,
            by_row,
            properties: def.properties,
            strict,
            nulls,
            run,
            mask,
        }))
    }

    fn always_null(def: &'static FunctionDef) -> Self {
        let null =
            |_: &[Column], rows| Ok(Column::from_value(&DataType::null(), &Value::Null, rows));
        Self::fixed(def, DataType::null(), null)
    }

    /// Binds the function to each alternative of an argument that is a Variant.
    fn of_alternatives(
        def: &'static FunctionDef,
        args: &[Arg],
        context: &dyn FunctionContext,
    ) -> Result<Self> {
        let BoundKernel { return_type, run, .. } = variant::bind(def, args, context)?;
        Ok(Self {
            name: def.name,
            return_type,
            determinism: def.determinism,
            monotonicity: Monotonicity::None,
            by_row: false,
            properties: def.properties,
            can_fail: true,
            strict: true,
            nulls: Nulls::Custom,
            run,
            mask: None,
        })
    }

    /// The function over an element of `[]`, for which no row ever exists.
    fn of_nothing(def: &'static FunctionDef) -> Self {
        Self::fixed(def, DataType::Nothing, |_, rows| Ok(Column::Nothing(rows)))
    }

    fn fixed(
        def: &'static FunctionDef,
        return_type: DataType,
        run: fn(&[Column], usize) -> Result<Column>,
    ) -> Self {
        Self {
            name: def.name,
            return_type,
            determinism: Determinism::Pure,
            monotonicity: Monotonicity::None,
            by_row: false,
            properties: Properties::DEFAULT,
            can_fail: false,
            strict: false,
            nulls: Nulls::Custom,
            run: Run::Columns(Arc::new(run)),
            mask: None,
        }
    }

    /// The meaning of the function, if it is known.
    pub fn operation(&self) -> Operation {
        self.properties.operation
    }

    /// Whether it is `a = b`.
    pub fn is_equals(&self) -> bool {
        self.properties.operation == Operation::Compare(Comparison::Equals)
    }

    /// Whether the first argument is a lambda.
    pub fn takes_lambda(&self) -> bool {
        matches!(self.run, Run::Lambda(_))
    }

    /// Runs over columns of `rows` rows, which may have any representation.
    pub fn call(&self, args: &[Column], rows: usize) -> Result<Column> {
        events::one(Event::FunctionExecute);
        let Run::Columns(run) = &self.run else {
            return Err(Error::logical(format!("{} needs a lambda", self.name)));
        };
        if self.determinism != Determinism::PerRow {
            if !args.is_empty() && args.iter().all(Column::is_const) && rows != 1 {
                events::one(Event::FunctionExecuteOnConstants);
                let one: Vec<Column> = args.iter().filter_map(|a| a.as_const().cloned()).collect();
                return Ok(Column::constant(self.full_call(run.as_ref(), &one, 1)?.full(), rows));
            }
            if let Some(at) = self.only_dict(args, rows) {
                events::one(Event::FunctionExecuteOnDictionary);
                return self.call_on_dictionary(args, at);
            }
        }
        let args: Vec<Column> = args.iter().map(plain).collect();
        self.full_call(run.as_ref(), &args, rows)
    }

    /// Runs as a predicate: a row passes if the result is neither zero nor NULL.
    pub fn call_mask(&self, args: &[Column], rows: usize) -> Result<Mask> {
        let Some(mask) = &self.mask else { return Ok(self.call(args, rows)?.to_mask()) };
        if let Some(at) = self.only_dict(args, rows)
            && let Column::Dict(dict) = &args[at]
        {
            events::one(Event::FunctionExecuteOnDictionary);
            let values =
                self.call_mask(&on_values(args, at, dict), dict.dictionary.values.len())?;
            return Ok(Mask::from_codes(&values, &dict.codes));
        }
        if args.iter().all(Column::is_const) {
            return Ok(self.call(args, rows)?.to_mask());
        }
        events::one(Event::FunctionExecute);
        let args: Vec<Column> = args.iter().map(plain).collect();
        match self.nulls {
            Nulls::Custom => mask(&args, rows),
            Nulls::Propagate => {
                let (values, validity) = strip(&args, rows);
                let result = mask(&values, rows)?;
                Ok(validity.map_or(result.clone(), |v| result.and(&v)))
            }
            Nulls::PropagateStrict => Ok(self.call(&args, rows)?.to_mask()),
        }
    }

    /// Runs with a lambda over columns of `rows` rows, which may have any representation.
    pub fn call_lambda(
        &self,
        lambda: &dyn LambdaCall,
        args: &[Column],
        rows: usize,
    ) -> Result<Column> {
        let Run::Lambda(run) = &self.run else {
            return Err(Error::logical(format!("{} takes no lambda", self.name)));
        };
        let args: Vec<Column> = args.iter().map(plain).collect();
        run(lambda, &args, rows)
    }

    /// The position of the only argument that is not constant, if it is a dictionary with at most
    /// as many values as the chunk has rows. Evaluation per value is then no more work than per
    /// row.
    fn only_dict(&self, args: &[Column], rows: usize) -> Option<usize> {
        let mut others = args.iter().enumerate().filter(|(_, a)| !a.is_const());
        let (at, Column::Dict(dict)) = others.next()? else { return None };
        let fits = dict.dictionary.values.len() <= rows;
        (self.by_row && !self.strict && fits && others.next().is_none()).then_some(at)
    }

    fn call_on_dictionary(&self, args: &[Column], at: usize) -> Result<Column> {
        let Column::Dict(dict) = &args[at] else {
            return Err(Error::logical("not a dictionary"));
        };
        let rows = dict.dictionary.values.len();
        let results = self.call(&on_values(args, at, dict), rows)?.full();
        // Numbers are taken per row at once, as few steps have use for a dictionary of numbers.
        Ok(match results.physical() {
            Physical::String | Physical::Fixed(_) => {
                Column::dict(dict.codes.clone(), Dictionary::new(results))
            }
            _ => results.take(&dict.codes),
        })
    }

    fn full_call(
        &self,
        run: &(dyn Fn(&[Column], usize) -> Result<Column> + Send + Sync),
        args: &[Column],
        rows: usize,
    ) -> Result<Column> {
        if self.nulls == Nulls::Custom {
            return run(args, rows);
        }
        let (mut values, validity) = strip(args, rows);
        let validity = validity.unwrap_or_else(|| Bitmap::constant(true, rows));
        if !self.return_type.is_nullable() && !validity.all() {
            // The values under NULL become visible in the result, so they must be the same however
            // the NULL was made. The other arguments stay as they are.
            for (value, arg) in values.iter_mut().zip(args) {
                if let Some(own) = strip(std::slice::from_ref(arg), rows).1 {
                    *value = value.or_default(&own);
                }
            }
        }
        let strict = self.nulls == Nulls::PropagateStrict && !validity.all();
        // Numbers under NULL are mostly zeros, on which hardly any kernel fails: it is tried first.
        let tried = match strict && values.iter().all(is_number) {
            true => run(&values, rows).ok().map(|column| column.full()),
            false => None,
        };
        let result = if let Some(column) = tried {
            match column.split_nullable() {
                (Some(known), values) => {
                    return Ok(Column::nullable(values.clone(), known.and(&validity)));
                }
                (None, _) => column,
            }
        } else if strict {
            let kept: Vec<Column> = values.iter().map(|v| v.filter(&validity)).collect();
            let some = run(&kept, validity.count_ones())?.full();
            // The kernel itself may return NULL, as `-OrNull` functions do.
            let (known, some) = some.split_nullable();
            let values = scatter(some, &validity, self.return_type.without_nullable());
            match known {
                Some(known) => Column::nullable(values, known.spread(&validity)),
                None => values,
            }
        } else {
            run(&values, rows)?
        };
        if self.return_type.is_nullable() {
            return Ok(Column::nullable(result, validity));
        }
        Ok(result)
    }
}

/// What a function that does not know NULL does with it, and the type of its result.
fn beside_null(return_type: DataType, strict: bool) -> (Nulls, DataType) {
    if !return_type.can_be_nullable() && !return_type.is_nullable() {
        // As in the reference, Array and Tuple results are computed from the values without NULL.
        return (Nulls::Propagate, return_type);
    }
    let nulls = if strict { Nulls::PropagateStrict } else { Nulls::Propagate };
    (nulls, DataType::nullable(return_type))
}

fn is_number(column: &Column) -> bool {
    let column = column.as_const().unwrap_or(column);
    match_native!(column, _values => true, _ => false)
}

fn is_variant(arg: &Arg) -> bool {
    !arg.is_lambda && arg.ty.as_variant().is_some()
}

fn check_arity(def: &FunctionDef, count: usize) -> Result<()> {
    let (least, most) = def.arity;
    if (least..=most).contains(&count) {
        return Ok(());
    }
    let expected = match (least, most) {
        (a, b) if a == b => format!("{a}"),
        (a, usize::MAX) => format!("at least {a}"),
        (a, b) => format!("{a} to {b}"),
    };
    Err(Error::new(
        codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
        format!(
            "Number of arguments for function {} doesn't match: passed {count}, should be {expected}",
            def.name
        ),
    ))
}

/// What passes on the values of a Nested passes on its name.
fn with_nested_name(return_type: DataType, args: &[Arg]) -> DataType {
    let same = |arg: &&Arg| {
        arg.ty.as_nested().is_some() && arg.ty.without_low_cardinality() == return_type
    };
    args.iter().find(same).map_or(return_type, |arg| arg.ty.clone())
}

fn without_low_cardinality(arg: &Arg) -> Arg {
    Arg { ty: arg.ty.without_low_cardinality(), ..arg.clone() }
}

/// Whether the result is LowCardinality: at most one argument varies, and it is LowCardinality.
fn is_wrapped(args: &[Arg]) -> bool {
    let low = |a: &&Arg| matches!(a.ty, DataType::LowCardinality(_));
    let varies = |a: &&Arg| a.constant.is_none();
    args.iter().any(|a| low(&a))
        && args.iter().filter(varies).all(|a| low(&a))
        && args.iter().filter(varies).count() <= 1
}

fn without_null(arg: &Arg) -> Arg {
    Arg {
        ty: arg.ty.without_nullable().clone(),
        constant: arg.constant.clone(),
        is_lambda: arg.is_lambda,
    }
}

/// The arguments for the values of the only dictionary among them; the others are constants.
fn on_values(args: &[Column], at: usize, dict: &DictColumn) -> Vec<Column> {
    let values = &dict.dictionary.values;
    let constant = |arg: &Column| match arg.as_const() {
        Some(value) => Column::constant(value.clone(), values.len()),
        None => arg.slice(0, 0),
    };
    let one = args.iter().enumerate();
    one.map(|(i, arg)| if i == at { values.clone() } else { constant(arg) }).collect()
}

/// Turns dictionaries into full columns; constants stay.
fn plain(column: &Column) -> Column {
    if column.is_const() { column.clone() } else { column.full() }
}

/// The arguments without their NULLs, and a mask of the rows in which no argument is NULL.
fn strip(args: &[Column], rows: usize) -> (Vec<Column>, Option<Bitmap>) {
    let mut validity: Option<Bitmap> = None;
    let mut both = |bits: Bitmap| {
        validity = Some(validity.as_ref().map_or(bits.clone(), |v| v.and(&bits)));
    };
    let values = args
        .iter()
        .map(|arg| match arg {
            Column::Const(c) => match c.value.split_nullable() {
                (Some(bits), value) => {
                    both(Bitmap::constant(bits.get(0), rows));
                    Column::constant(value.clone(), rows)
                }
                _ => arg.clone(),
            },
            other => match other.split_nullable() {
                (Some(bits), values) => {
                    both(bits.clone());
                    values.clone()
                }
                _ => other.clone(),
            },
        })
        .collect();
    (values, validity)
}

/// Writes `some` to the positions at which `validity` is 1, and default values elsewhere.
pub fn scatter(some: &Column, validity: &Bitmap, ty: &DataType) -> Column {
    let with_default = Column::concat(&[&Column::default_of(ty, 1), some]);
    let mut next = 0;
    let indices: Vec<u32> = (0..validity.len())
        .map(|i| {
            next += u32::from(validity.get(i));
            if validity.get(i) { next } else { 0 }
        })
        .collect();
    with_default.take(&indices)
}

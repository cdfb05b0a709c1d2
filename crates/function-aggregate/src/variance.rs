//! Moments: variance, standard deviation, covariance, correlation, skewness, kurtosis.
//!
//! States are sums of powers, as in the reference (in the float width of the argument). The
//! `Stable` functions keep the mean and squared differences, which are updated for each value
//! (Welford 1962; Chan, Golub, LeVeque 1983 for merging).

use entasis_base::Result;
use entasis_base::varint::{read_varint, write_varint};
use entasis_column::Column;
use entasis_types::DataType;
use entasis_types::text_type::power_of_ten;

use super::avg::EXACT;
use entasis_function::aggregate::args::{Bytes, expect_plain, illegal_type, mismatch};
use entasis_function::{Aggregate, AggregateArgs, AggregateDef, FunctionContext};
use entasis_function_kernel::aggregates::fold::{Fold, FoldAggregate};

/// What is computed from the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    VarPop,
    VarSamp,
    StddevPop,
    StddevSamp,
    SkewPop,
    SkewSamp,
    KurtPop,
    KurtSamp,
    CovarPop,
    CovarSamp,
    Corr,
}

use Moment::*;

/// The sums: `n, x, x^2, x^3, x^4` for one argument, `n, x, y, xy, x^2, y^2` for two.
type Sums = [f64; 6];

#[derive(Clone, Debug)]
struct Moments {
    moment: Moment,
    /// Whether sums and result have single precision.
    single: bool,
    /// The divisor of the stored numbers, which is 1 except for decimals.
    unit: f64,
}

impl Moments {
    /// Numbers in a serialised state.
    fn width(&self) -> usize {
        match self.moment {
            VarPop | VarSamp | StddevPop | StddevSamp => 3,
            SkewPop | SkewSamp | CovarPop | CovarSamp => 4,
            KurtPop | KurtSamp => 5,
            Corr => 6,
        }
    }

    /// Adds the values in the order of the rows. The sums stay in registers.
    fn add_in_order(&self, state: &mut Sums, xs: &[f64], ys: &[f64], rows: usize) {
        let mut s = *state;
        s[0] += rows as f64;
        match (self.pairs(), self.width() > 3) {
            (true, _) => {
                for (&x, &y) in xs.iter().zip(ys) {
                    let add = [x, y, x * y, x * x, y * y];
                    s[1..].iter_mut().zip(add).for_each(|(s, a)| *s += a);
                }
            }
            (false, false) => xs.iter().for_each(|&x| {
                s[1] += x;
                s[2] += x * x;
            }),
            (false, true) => xs.iter().for_each(|&x| {
                s[1] += x;
                s[2] += x * x;
                s[3] += x * x * x;
                s[4] += x * x * x * x;
            }),
        }
        *state = s;
    }

    fn pairs(&self) -> bool {
        matches!(self.moment, CovarPop | CovarSamp | Corr)
    }

    fn result(&self, s: &Sums) -> f64 {
        let n = s[0];
        match self.moment {
            VarPop => var_pop(s),
            VarSamp => var_samp(s),
            StddevPop => var_pop(s).sqrt(),
            StddevSamp => var_samp(s).sqrt(),
            SkewPop => third(s) / var_pop(s).powf(1.5),
            SkewSamp => third(s) / var_samp(s).powf(1.5),
            KurtPop => fourth(s) / (var_pop(s) * var_pop(s)),
            KurtSamp => fourth(s) / (var_samp(s) * var_samp(s)),
            CovarPop => (s[3] - s[1] * s[2] / n) / n,
            CovarSamp if n < 2.0 => f64::NAN,
            CovarSamp => (s[3] - s[1] * s[2] / n) / (n - 1.0),
            Corr => {
                (n * s[3] - s[1] * s[2])
                    / ((n * s[4] - s[1] * s[1]) * (n * s[5] - s[2] * s[2])).sqrt()
            }
        }
    }
}

fn var_pop(s: &Sums) -> f64 {
    if s[0] == 0.0 {
        return f64::NAN;
    }
    ((s[2] - s[1] * s[1] / s[0]) / s[0]).max(0.0)
}

fn var_samp(s: &Sums) -> f64 {
    if s[0] < 2.0 {
        return f64::NAN;
    }
    ((s[2] - s[1] * s[1] / s[0]) / (s[0] - 1.0)).max(0.0)
}

/// The third central moment.
fn third(s: &Sums) -> f64 {
    if s[0] == 0.0 {
        return f64::NAN;
    }
    let n = s[0];
    (s[3] - (3.0 * s[2] - 2.0 * s[1] * s[1] / n) * s[1] / n) / n
}

/// The fourth central moment.
fn fourth(s: &Sums) -> f64 {
    if s[0] == 0.0 {
        return f64::NAN;
    }
    let n = s[0];
    (s[4] - (4.0 * s[3] - (6.0 * s[2] - 3.0 * s[1] * s[1] / n) * s[1] / n) * s[1] / n) / n
}

/// Whether the column has whole numbers.
fn is_whole(column: &Column) -> bool {
    use Column::*;
    matches!(
        column,
        UInt8(_) | UInt16(_) | UInt32(_) | UInt64(_) | Int8(_) | Int16(_) | Int32(_) | Int64(_)
    )
}

const LANES: usize = 8;

/// The sums of what `terms` makes of each pair, behind each other, then zeros.
#[inline(always)]
fn in_lanes<const N: usize>(
    xs: &[f64],
    ys: &[f64],
    terms: impl Fn(f64, f64) -> [f64; N],
) -> [f64; 5] {
    let mut lanes = [[0.0f64; LANES]; N];
    let (x_blocks, x_last) = xs.as_chunks::<LANES>();
    let (y_blocks, y_last) = ys.as_chunks::<LANES>();
    for (x, y) in x_blocks.iter().zip(y_blocks) {
        for i in 0..LANES {
            let terms = terms(x[i], y[i]);
            for k in 0..N {
                lanes[k][i] += terms[k];
            }
        }
    }
    for (x, y) in x_last.iter().zip(y_last) {
        terms(*x, *y).iter().zip(&mut lanes).for_each(|(term, lane)| lane[0] += term);
    }
    let mut sums = [0.0; 5];
    sums.iter_mut().zip(lanes).for_each(|(sum, lane)| *sum = lane.into_iter().sum());
    sums
}

fn floats(args: &[Column], i: usize, unit: f64) -> Result<Vec<f64>> {
    let column = args.get(i).ok_or_else(mismatch)?.full();
    if let Column::Int128(v) = &column {
        return Ok(v.iter().map(|&v| v as f64 / unit).collect());
    }
    let mut values = column.to_f64().ok_or_else(mismatch)?;
    if unit != 1.0 {
        values.iter_mut().for_each(|v| *v /= unit);
    }
    Ok(values)
}

impl Fold for Moments {
    type State = Sums;

    fn init(&self) -> Sums {
        [0.0; 6]
    }

    fn return_type(&self) -> DataType {
        if self.single { DataType::Float32 } else { DataType::Float64 }
    }

    fn update(&self, states: &mut [Sums], args: &[Column], groups: &[u32]) -> Result<()> {
        let xs = floats(args, 0, self.unit)?;
        if self.pairs() {
            let ys = floats(args, 1, self.unit)?;
            for ((&x, &y), &g) in xs.iter().zip(&ys).zip(groups) {
                let s = &mut states[g as usize];
                let add = [1.0, x, y, x * y, x * x, y * y];
                s.iter_mut().zip(add).for_each(|(s, a)| *s += a);
            }
            return Ok(());
        }
        let high = self.width() > 3;
        for (&x, &g) in xs.iter().zip(groups) {
            let s = &mut states[g as usize];
            s[0] += 1.0;
            s[1] += x;
            s[2] += x * x;
            if high {
                s[3] += x * x * x;
                s[4] += x * x * x * x;
            }
        }
        Ok(())
    }

    fn update_one(&self, state: &mut Sums, args: &[Column], rows: usize) -> Result<()> {
        let xs = floats(args, 0, self.unit)?;
        let ys = if self.pairs() { floats(args, 1, self.unit)? } else { Vec::new() };
        if self.unit == 1.0 && args.iter().all(is_whole) {
            let sums = match (self.pairs(), self.width() > 3) {
                (true, _) => in_lanes(&xs, &ys, |x, y| [x, y, x * y, x * x, y * y]),
                (false, false) => in_lanes(&xs, &xs, |x, _| [x, x * x]),
                (false, true) => in_lanes(&xs, &xs, |x, _| [x, x * x, x * x * x, x * x * x * x]),
            };
            // No sum is greater than those of the even powers. Whole numbers in this range are
            // exact, in whatever order they are added.
            let mut all = *state;
            all[0] += rows as f64;
            all[1..].iter_mut().zip(sums).for_each(|(s, a)| *s += a);
            if all[2..].iter().all(|s| *s < EXACT) {
                *state = all;
                return Ok(());
            }
        }
        self.add_in_order(state, &xs, &ys, rows);
        Ok(())
    }

    fn merge(&self, into: &mut Sums, from: &mut Sums) -> Result<()> {
        into.iter_mut().zip(from).for_each(|(a, b)| *a += *b);
        Ok(())
    }

    fn write(&self, state: &Sums, out: &mut Vec<u8>) {
        for &value in &state[..self.width()] {
            if self.single { (value as f32).put(out) } else { value.put(out) }
        }
    }

    fn read(&self, input: &mut &[u8]) -> Result<Sums> {
        let mut state = [0.0; 6];
        for value in &mut state[..self.width()] {
            *value = if self.single { f32::get(input)?.into() } else { f64::get(input)? };
        }
        Ok(state)
    }

    fn finish(&self, states: &mut [Sums]) -> Result<Column> {
        let results = states.iter().map(|s| self.result(s));
        Ok(if self.single {
            results.map(|r| r as f32).collect::<Vec<_>>().into()
        } else {
            results.collect::<Vec<_>>().into()
        })
    }
}

/// Count, means and co-moment (or second moments) updated value by value.
#[derive(Clone, Copy, Debug, Default)]
struct Running {
    n: u64,
    x: f64,
    y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

#[derive(Clone, Debug)]
struct Stable(Moment, f64);

impl Stable {
    fn pairs(&self) -> bool {
        matches!(self.0, CovarPop | CovarSamp | Corr)
    }

    fn result(&self, s: &Running) -> f64 {
        let n = s.n as f64;
        let over = |sum: f64, less: f64| if n > less { sum / (n - less) } else { f64::INFINITY };
        match self.0 {
            VarPop => over(s.xx, 0.0),
            VarSamp => over(s.xx, 1.0),
            StddevPop => over(s.xx, 0.0).sqrt(),
            StddevSamp => over(s.xx, 1.0).sqrt(),
            CovarPop => over(s.xy, 0.0),
            CovarSamp => over(s.xy, 1.0),
            _ if s.n > 1 => s.xy / (s.xx.sqrt() * s.yy.sqrt()),
            _ => f64::INFINITY,
        }
    }
}

impl Fold for Stable {
    type State = Running;

    fn init(&self) -> Running {
        Running::default()
    }

    fn return_type(&self) -> DataType {
        DataType::Float64
    }

    fn update(&self, states: &mut [Running], args: &[Column], groups: &[u32]) -> Result<()> {
        let xs = floats(args, 0, self.1)?;
        let ys = if self.pairs() { floats(args, 1, self.1)? } else { vec![0.0; xs.len()] };
        for ((&x, &y), &g) in xs.iter().zip(&ys).zip(groups) {
            let s = &mut states[g as usize];
            s.n += 1;
            let (dx, dy) = (x - s.x, y - s.y);
            s.x += dx / s.n as f64;
            s.y += dy / s.n as f64;
            s.xx += dx * (x - s.x);
            s.yy += dy * (y - s.y);
            s.xy += dx * (y - s.y);
        }
        Ok(())
    }

    fn merge(&self, into: &mut Running, from: &mut Running) -> Result<()> {
        if into.n == 0 || from.n == 0 {
            if into.n == 0 {
                *into = *from;
            }
            return Ok(());
        }
        let (a, b) = (into.n as f64, from.n as f64);
        let (dx, dy, w) = (from.x - into.x, from.y - into.y, a * b / (a + b));
        into.xx += from.xx + dx * dx * w;
        into.yy += from.yy + dy * dy * w;
        into.xy += from.xy + dx * dy * w;
        into.x += dx * b / (a + b);
        into.y += dy * b / (a + b);
        into.n += from.n;
        Ok(())
    }

    fn write(&self, state: &Running, out: &mut Vec<u8>) {
        write_varint(out, state.n);
        let numbers: &[f64] = match self.0 {
            CovarPop | CovarSamp => &[state.x, state.y, state.xy],
            Corr => &[state.x, state.y, state.xy, state.xx, state.yy],
            _ => &[state.x, state.xx],
        };
        numbers.iter().for_each(|v| v.put(out));
    }

    fn read(&self, input: &mut &[u8]) -> Result<Running> {
        let n = read_varint(input)?;
        let mut get = || f64::get(input);
        Ok(match self.0 {
            CovarPop | CovarSamp => {
                Running { n, x: get()?, y: get()?, xy: get()?, ..Running::default() }
            }
            Corr => Running { n, x: get()?, y: get()?, xy: get()?, xx: get()?, yy: get()? },
            _ => Running { n, x: get()?, xx: get()?, ..Running::default() },
        })
    }

    fn finish(&self, states: &mut [Running]) -> Result<Column> {
        Ok(states.iter().map(|s| self.result(s)).collect::<Vec<_>>().into())
    }
}

fn check(name: &str, moment: Moment, args: AggregateArgs<'_>) -> Result<()> {
    let pairs = matches!(moment, CovarPop | CovarSamp | Corr);
    expect_plain(name, args, if pairs { 2 } else { 1 })?;
    let one = |t: &DataType| !pairs && (t.is_decimal() || t.is_wide_integer());
    let wrong = |t: &&DataType| !(t.is_native_number() || one(t));
    match args.types.iter().find(wrong) {
        Some(ty) => Err(illegal_type(name, ty)),
        None => Ok(()),
    }
}

/// Binds function `I` of [`AGGREGATES`].
fn bind<const I: usize>(
    args: AggregateArgs<'_>,
    _: &dyn FunctionContext,
) -> Result<Box<dyn Aggregate>> {
    let (name, moment, stable) = FUNCTIONS[I];
    check(name, moment, args)?;
    let unit = match args.types[0] {
        DataType::Decimal(_, scale) => power_of_ten(scale) as f64,
        _ => 1.0,
    };
    if stable {
        return FoldAggregate::boxed(Stable(moment, unit));
    }
    let single = args.types.iter().all(|t| *t == DataType::Float32);
    FoldAggregate::boxed(Moments { moment, single, unit })
}

const FUNCTIONS: [(&str, Moment, bool); 18] = [
    ("varPop", VarPop, false),
    ("varSamp", VarSamp, false),
    ("stddevPop", StddevPop, false),
    ("stddevSamp", StddevSamp, false),
    ("skewPop", SkewPop, false),
    ("skewSamp", SkewSamp, false),
    ("kurtPop", KurtPop, false),
    ("kurtSamp", KurtSamp, false),
    ("covarPop", CovarPop, false),
    ("covarSamp", CovarSamp, false),
    ("corr", Corr, false),
    ("varPopStable", VarPop, true),
    ("varSampStable", VarSamp, true),
    ("stddevPopStable", StddevPop, true),
    ("stddevSampStable", StddevSamp, true),
    ("covarPopStable", CovarPop, true),
    ("covarSampStable", CovarSamp, true),
    ("corrStable", Corr, true),
];

const fn def<const I: usize>(
    description: &'static str,
    examples: &'static [(&'static str, &'static str)],
) -> AggregateDef {
    AggregateDef {
        name: FUNCTIONS[I].0,
        case_insensitive: I == 10,
        description,
        examples,
        bind: bind::<I>,
        ..AggregateDef::DEFAULT
    }
}

/// The definitions of the functions in this file.
pub const AGGREGATES: &[AggregateDef] = &[
    def::<0>("Population variance.", &[("SELECT varPop(number) FROM numbers(4)", "1.25")]),
    def::<1>("Sample variance.", &[("SELECT varSamp(number) FROM numbers(3)", "1")]),
    def::<2>("Population standard deviation.", &[]),
    def::<3>("Sample standard deviation.", &[("SELECT stddevSamp(number) FROM numbers(3)", "1")]),
    def::<4>("Skewness of the population.", &[]),
    def::<5>("Skewness of the sample.", &[]),
    def::<6>("Kurtosis of the population.", &[]),
    def::<7>("Kurtosis of the sample.", &[]),
    def::<8>("Population covariance.", &[]),
    def::<9>("Sample covariance.", &[]),
    def::<10>("Pearson's correlation coefficient.", &[]),
    def::<11>("Like varPop, numerically stable.", &[]),
    def::<12>("Like varSamp, numerically stable.", &[]),
    def::<13>("Like stddevPop, numerically stable.", &[]),
    def::<14>("Like stddevSamp, numerically stable.", &[]),
    def::<15>("Like covarPop, numerically stable.", &[]),
    def::<16>("Like covarSamp, numerically stable.", &[]),
    def::<17>("Like corr, numerically stable.", &[]),
];

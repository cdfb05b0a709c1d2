//! Values that stand for all values of a column: the common ones, and the bounds of the histogram.
//! Conditions that no formula covers are tried on them.

use entasis_column::Column;
use entasis_expr::{ColumnId, Expr, Program};
use entasis_function::Determinism;
use entasis_types::{DataType, Value};

use super::{Numbers, Relation, share};

/// As many values stand for a column of which only the range is known.
const EVENLY: u32 = 32;
/// Texts that are longer on average are cut in histograms, so conditions cannot be tried on them.
const MOST_TEXT: f64 = 20.0;

impl Numbers {
    /// Values of the column, each with its share of the rows. NULL is not among them.
    pub fn points(&self) -> Vec<(Value, f64)> {
        let Some(statistics) = self.statistics.as_deref().filter(|s| s.sampled > 0) else {
            return self.even_points();
        };
        let mut out: Vec<(Value, f64)> =
            statistics.common.iter().map(|known| (known.value.clone(), known.share)).collect();
        if let Some(histogram) = &statistics.histogram {
            let at = |place: usize| (histogram.bounds[place].clone(), histogram.below[place]);
            for place in 1..histogram.bounds.len() {
                let ((low, from), (high, to)) = (at(place - 1), at(place));
                let half = histogram.share * (to - from) / 2.0;
                out.extend([(low, half), (high, half)]);
            }
            if let [only] = &histogram.bounds[..] {
                out.push((only.clone(), histogram.share));
            }
        }
        out
    }

    fn even_points(&self) -> Vec<(Value, f64)> {
        let Some((least, most)) = self.range else { return Vec::new() };
        let steps = f64::from(EVENLY).min((most - least).max(0.0).ceil());
        let share = (1.0 - self.nulls) / (steps + 1.0);
        let value = |step: f64| least + (most - least) * step / steps.max(1.0);
        let whole = |v: f64| match v < 0.0 {
            true => Value::Int(v as i64),
            false => Value::UInt(v as u64),
        };
        let is_whole = least.fract() == 0.0 && most.fract() == 0.0;
        let of = |v: f64| if is_whole { whole(v.round()) } else { Value::Float(v) };
        (0..=steps as u32).map(|step| (of(value(f64::from(step))), share)).collect()
    }

    /// The share of pairs of a value of this column and one of another that is greater.
    pub fn share_less(&self, other: &Self, or_equal: bool) -> Option<f64> {
        let points = other.points();
        if points.is_empty() {
            return None;
        }
        let share = |(value, weight): &(Value, f64)| {
            self.share_below(Some(value), or_equal).map(|share| share * weight)
        };
        points.iter().map(share).sum()
    }
}

/// The share of rows for which a condition over one column is true, from trying it.
pub(super) fn tried(relation: &Relation, condition: &Expr) -> Option<f64> {
    let id = share::only_column(condition)?;
    let numbers = relation.numbers(id)?;
    let ty = type_of(condition, id).filter(|_| is_pure(condition))?;
    if ty.is_nullable() && numbers.statistics.is_none() {
        return None;
    }
    let width = numbers.statistics.as_ref().and_then(|known| known.average_width);
    if ty.without_nullable().fixed_width().is_none() && width.is_none_or(|w| w > MOST_TEXT) {
        return None;
    }
    let mut points = numbers.points();
    if ty.is_nullable() && numbers.nulls > 0.0 {
        points.push((Value::Null, numbers.nulls));
    }
    if points.is_empty() {
        return None;
    }
    let values: Vec<Column> =
        points.iter().map(|(value, _)| Column::from_value(&ty, value, 1).full()).collect();
    let column = Column::concat(&values.iter().collect::<Vec<_>>());
    let program = Program::new(std::slice::from_ref(condition), &[id]).ok()?;
    let truth = program.run_columns(&[column], points.len()).ok()?.pop()?;
    let passes = |row: usize| truth.value(row).as_f64().is_some_and(|v| v != 0.0);
    let (mut passing, mut all) = (0.0, 0.0);
    for (row, (_, weight)) in points.iter().enumerate() {
        all += weight;
        passing += if passes(row) { *weight } else { 0.0 };
    }
    // What is between these values may be otherwise.
    let least = 0.5 / points.len() as f64;
    let unseen = numbers.statistics.as_ref().is_none_or(|known| known.histogram.is_some());
    let bounds = if unseen { (least, 1.0 - least) } else { (0.0, 1.0) };
    (all > 0.0).then(|| (passing / all).clamp(bounds.0, bounds.1))
}

/// The type of a column in an expression that reads it.
fn type_of(expr: &Expr, column: ColumnId) -> Option<DataType> {
    match expr {
        Expr::Column { id, ty } if *id == column => Some(ty.clone()),
        other => other.children().into_iter().find_map(|child| type_of(child, column)),
    }
}

/// Whether an expression has a value now, and always the same: nothing that a subquery, a
/// dictionary or a random number decides. What functions return must have a fixed width, as lists
/// and texts could be of any length.
fn is_pure(expr: &Expr) -> bool {
    let here = match expr {
        Expr::Scalar(_) | Expr::Correlated { .. } => false,
        Expr::InSet { set, .. } => set.set.get().is_some(),
        Expr::Call { function, lambda, .. } => {
            let is_short = function.return_type.without_nullable().fixed_width().is_some();
            function.determinism == Determinism::Pure && lambda.is_none() && is_short
        }
        _ => true,
    };
    here && expr.children().into_iter().all(is_pure)
}

//! The text of conditions, as EXPLAIN shows them of an index, in the notation of the reference:
//! `and((d in [1, 5]), (s in ['a', 'b')))`.
//!
//! A condition that an index cannot judge is left out of a conjunction, and makes a disjunction
//! unknown. Functions that are monotone in the column of a key are applied to the ends of ranges.

use entasis_types::{DataType, Value};

use super::build::{Chain, Condition};
use super::interval::Interval;
use crate::rewrite::replaced;
use crate::{ColumnId, Expr, same};

/// What an index does with conjuncts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyCondition {
    /// The condition; `None` if the index cannot judge any part of it.
    pub text: Option<String>,
    /// The texts of the elements of the key that it uses.
    pub keys: Vec<String>,
    /// Whether its rows are one range of the sorted key, so that a binary search finds them.
    pub is_range: bool,
}

impl KeyCondition {
    /// The part of the conjuncts that an index over the expressions `key` can judge. `name_of`
    /// gives the names of columns.
    pub fn new(conjuncts: &[Expr], key: &[Expr], name_of: &dyn Fn(ColumnId) -> String) -> Self {
        // Columns that no conjunct reads stand for the elements of the key.
        let stand_in = |place: usize| ColumnId(u32::MAX - place as u32);
        let placed = |conjunct: &Expr| {
            replaced(conjunct, &mut |expr| {
                let place = key.iter().position(|element| same(element, expr))?;
                Some(Expr::column(stand_in(place), expr.ty().clone()))
            })
        };
        let conjuncts: Vec<Expr> = conjuncts.iter().map(placed).collect();
        let elements = key.iter().enumerate().map(|(place, element)| Element {
            id: stand_in(place),
            name: expr_text(element, name_of),
            of_column: Chain::of(element).filter(Chain::has_steps),
        });
        let printer = Printer { elements: elements.collect() };
        let mut used = Used::default();
        let text = printer.condition(&Condition::all(&conjuncts), false, &mut used);
        used.uses.sort_unstable();
        used.uses.dedup();
        let is_range = !used.is_split && used.is_prefix(key.len());
        let keys = used.uses.iter().map(|place| printer.elements[*place].name.clone()).collect();
        Self { text, keys, is_range }
    }
}

/// An expression with its functions called by their names: `plus(a, 1)`.
fn expr_text(expr: &Expr, name_of: &dyn Fn(ColumnId) -> String) -> String {
    match expr {
        Expr::Column { id, .. } => name_of(*id),
        Expr::Literal { value, ty } => value_text(value, ty),
        Expr::Call { function, .. } => called(function.name, expr, name_of),
        Expr::And(..) => called("and", expr, name_of),
        Expr::Or(..) => called("or", expr, name_of),
        Expr::InSet { .. } => called("in", expr, name_of),
        Expr::Scalar(_) | Expr::Correlated { .. } => "_subquery".to_string(),
    }
}

fn called(function: &str, expr: &Expr, name_of: &dyn Fn(ColumnId) -> String) -> String {
    let args = expr.children().into_iter().map(|arg| expr_text(arg, name_of));
    format!("{function}({})", args.collect::<Vec<_>>().join(", "))
}

/// An element of a key, as the conditions see it.
struct Element {
    id: ColumnId,
    name: String,
    /// The element as monotone functions of a column.
    of_column: Option<Chain>,
}

/// What the printed conditions use of the key.
#[derive(Default)]
struct Used {
    uses: Vec<usize>,
    /// The elements that have one value.
    points: Vec<usize>,
    /// Whether the rows may be several ranges of an element.
    is_split: bool,
}

impl Used {
    /// Whether all elements but the last that is used have one value, and none is left out.
    fn is_prefix(&self, len: usize) -> bool {
        let Some(last) = self.uses.last() else { return false };
        *last < len && (0..*last).all(|place| self.points.contains(&place))
    }
}

struct Printer {
    elements: Vec<Element>,
}

impl Printer {
    fn condition(&self, condition: &Condition, not: bool, used: &mut Used) -> Option<String> {
        match condition {
            Condition::Unknown | Condition::Null => None,
            Condition::Constant(value) => (*value == not).then(|| "false".to_string()),
            Condition::Not(inner) => self.condition(inner, !not, used),
            Condition::And(parts) => self.all(parts, not, not, used),
            Condition::Or(parts) => self.all(parts, !not, not, used),
            Condition::Range { value, range, negated, exact } => {
                let outside = *negated != not;
                let (text, place, steps) = self.subject(value, outside)?;
                let range = steps.map_or_else(|| range.clone(), |chain| chain.image(range.clone()));
                let ty = steps.map_or(&value.ty, |chain| &chain.ty);
                self.note(used, place, !outside && *exact && !value.has_steps(), range.single());
                let range = range_text(&range, ty);
                Some(match (outside, exact) {
                    (false, _) => format!("({text} in {range})"),
                    (true, true) => format!("({text} not in {range})"),
                    (true, false) => format!("not(({text} in {range}))"),
                })
            }
            Condition::Member { value, members, negated } => {
                let outside = *negated != not;
                let (text, place, _) = self.subject(value, outside)?;
                let is_point = !outside && members.len() == 1 && !value.has_steps();
                self.note(used, place, is_point, members.first());
                let verb = if outside { "notIn" } else { "in" };
                Some(format!("({text} {verb} {}-element set)", members.len()))
            }
            Condition::Tuple { values, members } => {
                let subjects: Vec<_> = values.iter().map(|v| self.subject(v, false)).collect();
                let known: Vec<_> = subjects.into_iter().flatten().collect();
                if known.is_empty() || not {
                    return None;
                }
                used.uses.extend(known.iter().map(|(_, place, _)| *place));
                used.is_split = true;
                let texts: Vec<&str> = known.iter().map(|(text, ..)| &**text).collect();
                let texts = texts.join(", ");
                let texts = if known.len() > 1 { format!("({texts})") } else { texts };
                Some(format!("({texts} in {}-element set)", members.len()))
            }
            Condition::IsNull { value, negated } => {
                let (text, place, _) = self.subject(value, false)?;
                self.note(used, place, false, None);
                let verb = if *negated == not { "isNull" } else { "isNotNull" };
                Some(format!("({text} {verb})"))
            }
        }
    }

    /// Several conditions. The reference puts a later one before an earlier one.
    fn all(&self, parts: &[Condition], or: bool, not: bool, used: &mut Used) -> Option<String> {
        let mut all: Option<String> = None;
        let before = (used.uses.len(), used.points.len());
        for part in parts {
            let text = match self.condition(part, not, used) {
                // What is unknown may be true.
                None if or && !part.is_always(not) => {
                    used.uses.truncate(before.0);
                    used.points.truncate(before.1);
                    return None;
                }
                None => continue,
                Some(text) => text,
            };
            let name = if or { "or" } else { "and" };
            all = Some(all.map_or(text.clone(), |before| format!("{name}({text}, {before})")));
        }
        used.is_split |= or && parts.len() > 1;
        all
    }

    /// The text of what a condition is about, which element that is, and the functions that make
    /// the element of the condition's column.
    fn subject(&self, value: &Chain, outside: bool) -> Option<(String, usize, Option<&Chain>)> {
        if let Some(place) = self.elements.iter().position(|element| element.id == value.column) {
            return Some((value.text(&self.elements[place].name), place, None));
        }
        let is_made_of = |element: &Element| {
            let chain = element.of_column.as_ref()?;
            (chain.column == value.column && !value.has_steps() && !outside).then_some(())
        };
        let place = self.elements.iter().position(|element| is_made_of(element).is_some())?;
        let element = &self.elements[place];
        Some((element.name.clone(), place, element.of_column.as_ref()))
    }

    fn note(&self, used: &mut Used, place: usize, is_range: bool, point: Option<&Value>) {
        used.uses.push(place);
        used.is_split |= !is_range;
        if is_range && point.is_some() {
            used.points.push(place);
        }
    }
}

/// The text of a range. Ends of whole numbers belong to it.
fn range_text(range: &Interval, ty: &DataType) -> String {
    let ty = ty.without_nullable();
    let is_whole = ty.is_any_integer()
        || matches!(ty, DataType::Date | DataType::DateTime(_))
        || matches!(ty, DataType::Enum(_));
    let low = range.low.as_ref().map(|(value, included)| end(value, *included, is_whole, 1));
    let high = range.high.as_ref().map(|(value, included)| end(value, *included, is_whole, -1));
    let low = low.map_or("(-Inf".to_string(), |(value, included)| {
        format!("{}{}", if included { '[' } else { '(' }, value_text(&value, ty))
    });
    let high = high.map_or("+Inf)".to_string(), |(value, included)| {
        format!("{}{}", value_text(&value, ty), if included { ']' } else { ')' })
    });
    format!("{low}, {high}")
}

/// An end of a range, and whether it belongs to the range. An end of whole numbers that does not
/// is moved by `step` to the next one that does.
fn end(value: &Value, included: bool, is_whole: bool, step: i128) -> (Value, bool) {
    let of = |number: i128| match u64::try_from(number) {
        Ok(number) => Value::UInt(number),
        Err(_) => Value::signed(number),
    };
    match value {
        // A fraction lies between two whole numbers.
        Value::Float(v) if is_whole && v.abs() < 1e15 && v.fract() != 0.0 => {
            let inner = if step > 0 { v.ceil() } else { v.floor() };
            (of(inner as i128), true)
        }
        Value::UInt(v) if is_whole && !included => (of(i128::from(*v) + step), true),
        Value::Int(v) if is_whole && !included => (of(i128::from(*v) + step), true),
        other => (other.clone(), included),
    }
}

/// A value in the notation of the reference: the text of a kind of its own is quoted.
fn value_text(value: &Value, ty: &DataType) -> String {
    match value {
        Value::UInt(v) if ty.is_float() => format!("{v}."),
        Value::Int(v) if ty.is_float() => format!("{v}."),
        Value::UInt(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Float(v) if ty.is_any_integer() => format!("{v}"),
        Value::Float(v) if v.fract() == 0.0 && v.abs() < 1e15 => format!("{v}."),
        Value::Float(v) if v.abs() >= 1e15 || v.abs() < 1e-5 => format!("{v:e}"),
        Value::Float(v) => v.to_string(),
        Value::String(bytes) => quoted(&String::from_utf8_lossy(bytes)),
        other => format!("{other:?}"),
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

impl Condition {
    /// Whether it is true (false with `not`) whatever the row is.
    fn is_always(&self, not: bool) -> bool {
        matches!(self, Self::Constant(value) if *value == not)
    }
}

impl Chain {
    fn has_steps(&self) -> bool {
        !self.steps.is_empty()
    }

    /// The functions around the text of the column.
    fn text(&self, column: &str) -> String {
        self.steps.iter().fold(column.to_string(), |inner, step| {
            let arg = |(place, arg): (usize, &entasis_column::Column)| match place == step.place {
                true => inner.clone(),
                false => value_text(&arg.value(0), &DataType::String),
            };
            let args: Vec<String> = step.args.iter().enumerate().map(arg).collect();
            format!("{}({})", step.function.name, args.join(", "))
        })
    }
}

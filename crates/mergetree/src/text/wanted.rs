//! What a condition says of the tokens of the rows that fulfil it.

use std::sync::Arc;

use entasis_base::Result;
use entasis_expr::Expr;
use entasis_types::{DataType, Value};

use super::hits::Hits;
use super::search::Search;
use super::{Form, Prepare, Text};
use crate::index::{Ask, IndexCondition, IndexFile, RowSelection};

/// More tokens than this are not looked up for one condition.
const MOST_TOKENS: usize = 10_000;
/// Lists of IN with more members than this are not looked up.
const MOST_MEMBERS: usize = 1000;

/// Tokens that a row must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Nothing is known.
    Anything,
    /// This token.
    Token(Vec<u8>),
    /// All of these; there is at least one.
    All(Vec<Wanted>),
    /// One of these.
    Any(Vec<Wanted>),
}

/// What is wanted, and whether a row that has it fulfils the condition for certain.
#[derive(Clone, Debug)]
pub(super) struct Found {
    what: Wanted,
    is_exact: bool,
}

impl Found {
    const NOTHING: Self = Self { what: Wanted::Anything, is_exact: false };

    fn all(tokens: Vec<Vec<u8>>, is_exact: bool) -> Self {
        if tokens.is_empty() || tokens.len() > MOST_TOKENS {
            return Self::NOTHING;
        }
        Self { what: Wanted::All(tokens.into_iter().map(Wanted::Token).collect()), is_exact }
    }

    fn any(list: Vec<Self>) -> Self {
        let is_exact = list.iter().all(|found| found.is_exact);
        if list.is_empty() || list.iter().any(|found| found.what == Wanted::Anything) {
            return Self::NOTHING;
        }
        Self { what: Wanted::Any(list.into_iter().map(|found| found.what).collect()), is_exact }
    }

    fn every(list: Vec<Self>) -> Self {
        let is_exact = list.iter().all(|found| found.is_exact);
        let known = list.into_iter().map(|found| found.what).filter(|w| *w != Wanted::Anything);
        let known: Vec<Wanted> = known.collect();
        if known.is_empty() { Self::NOTHING } else { Self { what: Wanted::All(known), is_exact } }
    }

    fn inexact(self) -> Self {
        Self { is_exact: false, ..self }
    }
}

/// The conditions of a query of which an index knows something: the number of the conjunct, and
/// what is wanted.
pub(super) fn conditions(text: &Arc<Text>, ask: &Ask<'_>) -> Result<Vec<(usize, Found)>> {
    let reader = Reader { text, ask };
    let mut out = Vec::new();
    for (number, conjunct) in ask.conjuncts.iter().enumerate() {
        let found = reader.condition(conjunct)?;
        if found.what != Wanted::Anything {
            out.push((number, found));
        }
    }
    Ok(out)
}

/// A text in a condition.
#[derive(Clone, Copy)]
struct Place {
    /// Whether the condition sees the prepared text.
    is_prepared: bool,
    /// Whether the type is plain strings, or arrays of these, and not FixedString.
    is_plain: bool,
}

struct Reader<'a> {
    text: &'a Text,
    ask: &'a Ask<'a>,
}

fn is_plain(ty: &DataType) -> bool {
    let ty = ty.without_low_cardinality();
    match ty.without_nullable() {
        DataType::Array(element) => is_plain(element),
        DataType::String => true,
        _ => false,
    }
}

impl Reader<'_> {
    fn condition(&self, expr: &Expr) -> Result<Found> {
        let each = |list: &[Expr]| list.iter().map(|e| self.condition(e)).collect::<Result<_>>();
        match expr {
            Expr::And(list, _) => Ok(Found::every(each(list)?)),
            Expr::Or(list, _) => Ok(Found::any(each(list)?)),
            Expr::InSet { args, set, negated: false, .. } => {
                let members = set.set.get().and_then(|set| set.members());
                match (&**args, members.as_deref()) {
                    ([arg], Some([members])) if set.types[..] == [DataType::String] => {
                        let Some(place) = self.place(arg) else { return Ok(Found::NOTHING) };
                        let values = (0..members.len()).map(|at| members.value(at));
                        self.one_of(&values.collect::<Vec<_>>(), place)
                    }
                    _ => Ok(Found::NOTHING),
                }
            }
            Expr::Call { function, args, lambda: None } => self.call(function.name, args),
            _ => Ok(Found::NOTHING),
        }
    }

    /// Where a condition sees the text of the index.
    fn place(&self, expr: &Expr) -> Option<Place> {
        let place = self.ask.place(expr)?;
        let prepared = self.text.prepared_place();
        let is_prepared = place == prepared;
        (place <= prepared).then(|| Place { is_prepared, is_plain: is_plain(expr.ty()) })
    }

    fn call(&self, name: &str, args: &[Expr]) -> Result<Found> {
        let [first, second, rest @ ..] = args else { return Ok(Found::NOTHING) };
        if name == "equals" {
            return match (first.constant(), second.constant()) {
                (None, Some(value)) => self.equals(first, &value, second.ty()),
                (Some(value), None) => self.equals(second, &value, first.ty()),
                _ => Ok(Found::NOTHING),
            };
        }
        let Some(value) = second.constant() else { return Ok(Found::NOTHING) };
        if let "mapContains" | "mapContainsValue" = name {
            let place = self.ask.place_in_map(first, name == "mapContainsValue");
            return match place {
                Some(0) => Ok(self.whole(&value, second.ty(), self.raw(true))?.inexact()),
                _ => Ok(Found::NOTHING),
            };
        }
        let Some(place) = self.place(first) else { return Ok(Found::NOTHING) };
        match name {
            "hasToken" | "hasTokenOrNull" => self.has_token(&value, place),
            "hasAnyTokens" | "hasAllTokens" | "hasPhrase" => self.has(name, &value, rest, place),
            "like" => match value.as_bytes() {
                Some(pattern) => self.like(pattern, place),
                None => Ok(Found::NOTHING),
            },
            "startsWith" | "endsWith" if second.ty().is_string() => {
                let mut pattern = Vec::new();
                let ends = name == "endsWith";
                pattern.extend(ends.then_some(b'%'));
                for byte in value.as_bytes().unwrap_or_default() {
                    if b"%_\\".contains(byte) {
                        pattern.push(b'\\');
                    }
                    pattern.push(*byte);
                }
                pattern.extend((!ends).then_some(b'%'));
                self.like(&pattern, place)
            }
            "has" => self.whole(&value, second.ty(), place),
            "hasAny" | "hasAll" => {
                let (DataType::Array(ty), Value::Array(list)) = (second.ty(), &value) else {
                    return Ok(Found::NOTHING);
                };
                let each = list.iter().map(|value| self.whole(value, ty, place));
                let each = each.collect::<Result<_>>()?;
                Ok(if name == "hasAny" { Found::any(each) } else { Found::every(each).inexact() })
            }
            _ => Ok(Found::NOTHING),
        }
    }

    /// The text of the index before the preprocessor.
    fn raw(&self, is_plain: bool) -> Place {
        Place { is_prepared: self.text.prepare == Prepare::Nothing, is_plain }
    }

    /// `x = value`, and `m['key'] = value` for an index over the keys or values of the map.
    fn equals(&self, side: &Expr, value: &Value, ty: &DataType) -> Result<Found> {
        if let Some(place) = self.place(side) {
            if matches!(side.ty().without_low_cardinality().without_nullable(), DataType::Array(_))
            {
                return Ok(Found::NOTHING);
            }
            return self.whole(value, ty, place);
        }
        // A key that is not there has the value '', too.
        if value.as_bytes().is_none_or(<[u8]>::is_empty) {
            return Ok(Found::NOTHING);
        }
        let Expr::Call { function, args, lambda: None } = side else { return Ok(Found::NOTHING) };
        let ("arrayElement", [map, key]) = (function.name, &**args) else {
            return Ok(Found::NOTHING);
        };
        let Some(key_value) = key.constant() else { return Ok(Found::NOTHING) };
        if self.ask.place_in_map(map, false) == Some(0) {
            return Ok(self.whole(&key_value, key.ty(), self.raw(true))?.inexact());
        }
        if self.ask.place_in_map(map, true) == Some(0) {
            return Ok(self.whole(value, ty, self.raw(true))?.inexact());
        }
        Ok(Found::NOTHING)
    }

    fn one_of(&self, values: &[Value], place: Place) -> Result<Found> {
        if values.len() > MOST_MEMBERS {
            return Ok(Found::NOTHING);
        }
        let each = values.iter().map(|value| self.whole(value, &DataType::String, place));
        Ok(Found::any(each.collect::<Result<_>>()?))
    }

    /// The text, or an element of it, is this value.
    fn whole(&self, value: &Value, ty: &DataType, place: Place) -> Result<Found> {
        let Some(bytes) = value.as_bytes() else { return Ok(Found::NOTHING) };
        // FixedStrings are equal to texts without the zeros at their ends, which are no word.
        let plain = place.is_plain && is_plain(ty);
        if !plain && self.text.form != Form::Words {
            return Ok(Found::NOTHING);
        }
        let tokens = self.tokens(bytes, place)?;
        let is_exact = self.text.form == Form::Whole && self.text.prepare == Prepare::Nothing;
        Ok(Found::all(tokens, is_exact))
    }

    /// The tokens of a text that a condition compares with the text at a place.
    fn tokens(&self, text: &[u8], place: Place) -> Result<Vec<Vec<u8>>> {
        if place.is_prepared {
            self.text.cut(text)
        } else {
            self.text.cut(&self.text.prepare(text)?)
        }
    }

    fn has_token(&self, token: &Value, place: Place) -> Result<Found> {
        let Some(token) = token.as_bytes().filter(|_| place.is_prepared) else {
            return Ok(Found::NOTHING);
        };
        match self.text.form {
            Form::Words if token.is_empty() => Ok(Found::NOTHING),
            Form::Words => Ok(Found::all(vec![token.to_vec()], true)),
            Form::Grams => Ok(self.part(token, self.text.cut(token)?)),
            Form::Whole | Form::Other => Ok(Found::NOTHING),
        }
    }

    /// The search functions, if they use the tokenizer of the index.
    fn has(&self, name: &str, needle: &Value, rest: &[Expr], place: Place) -> Result<Found> {
        let tokenizer =
            rest.first().map_or(Some(Value::string(b"splitByNonAlpha")), Expr::constant);
        let same = tokenizer.is_some_and(|t| t.as_bytes() == Some(self.text.tokenizer.as_bytes()));
        if !same || !place.is_prepared {
            return Ok(Found::NOTHING);
        }
        let mut tokens: Vec<Vec<u8>> = match needle {
            Value::Array(list) => {
                list.iter().filter_map(|v| v.as_bytes().map(<[u8]>::to_vec)).collect()
            }
            other => match other.as_bytes() {
                Some(text) => self.text.cut(text)?,
                None => return Ok(Found::NOTHING),
            },
        };
        // No text has the empty token, which the index uses as a mark.
        let count = tokens.len();
        tokens.retain(|token| !token.is_empty());
        match name {
            "hasAllTokens" if tokens.len() < count => Ok(Found::NOTHING),
            "hasAllTokens" => Ok(Found::all(tokens, true)),
            "hasAnyTokens" if tokens.len() <= MOST_TOKENS => {
                let each = tokens.into_iter().map(|token| Found::all(vec![token], true));
                Ok(Found::any(each.collect()))
            }
            "hasPhrase" => {
                let is_exact = tokens.len() == 1;
                Ok(Found::all(tokens, is_exact))
            }
            _ => Ok(Found::NOTHING),
        }
    }

    fn like(&self, pattern: &[u8], place: Place) -> Result<Found> {
        if !place.is_plain || self.text.like.is_none() || has_unknown_escape(pattern) {
            return Ok(Found::NOTHING);
        }
        let pattern = match self.text.prepare {
            _ if place.is_prepared => pattern.to_vec(),
            Prepare::Bytes => self.text.prepare(pattern)?,
            _ => return Ok(Found::NOTHING),
        };
        Ok(self.part(&pattern, self.text.cut_pattern(&pattern)?))
    }

    /// A part of the text consists of these tokens, which are those of `part`.
    fn part(&self, part: &[u8], tokens: Vec<Vec<u8>>) -> Found {
        let found = Found::all(tokens, false);
        if self.text.form != Form::Grams || found.what == Wanted::Anything {
            return found;
        }
        if std::str::from_utf8(part).is_err() {
            return Found::NOTHING;
        }
        Found::any(vec![Found::all(vec![Vec::new()], false), found])
    }
}

/// Whether a backslash stands before an ordinary character: it then means itself.
fn has_unknown_escape(pattern: &[u8]) -> bool {
    let mut bytes = pattern.iter();
    while let Some(byte) = bytes.next() {
        if *byte == b'\\' && !bytes.next().is_some_and(|next| b"%_\\".contains(next)) {
            return true;
        }
    }
    false
}

/// What a query wants of an index, by the numbers of the conjuncts.
pub(super) struct Condition(pub(super) Vec<(usize, Found)>);

impl Condition {
    fn hits(&self, file: &IndexFile, blocks: &[bool]) -> Result<Option<Hits>> {
        let wanted = |granule: u32| blocks.get(granule as usize) == Some(&true);
        let mut search = Search::new(file)?;
        let all = self.0.iter().map(|(_, found)| found.what.clone()).collect();
        search.rows(&Wanted::All(all), &wanted)
    }
}

impl IndexCondition for Condition {
    fn narrow(&self, file: &IndexFile, blocks: &mut [bool]) -> Result<()> {
        self.select(file, blocks).map(|_| ())
    }

    fn select(&self, file: &IndexFile, blocks: &mut [bool]) -> Result<Option<RowSelection>> {
        let Some(hits) = self.hits(file, blocks)? else { return Ok(None) };
        for (granule, block) in blocks.iter_mut().enumerate() {
            *block &= hits.rows(granule as u32).is_some();
        }
        let exact = self.0.iter().filter(|(_, found)| found.is_exact);
        let decided: Vec<usize> = exact.map(|(number, _)| *number).collect();
        Ok(Some(RowSelection { hits, decided }))
    }
}

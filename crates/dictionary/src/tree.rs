//! The layout REGEXP_TREE: regular expressions in trees, each with values of some attributes.
//!
//! A key matches a node if the node's expression and those of all nodes above it are found in the
//! key. The nodes are looked at in an order in which those below come before those above. Of each
//! node that matches, and of the nodes above it, the values are taken; `\1` in a value stands for a
//! group of the node's expression. The first value of an attribute is its value, and all of them
//! are what `dictGetAll` answers.
//!
//! One automaton finds all expressions that match a key. Captures are looked for only where a value
//! names a group.

use std::collections::HashMap;

use entasis_base::{Error, Result, codes, scope};
use entasis_column::{Chunk, Column, ColumnBuilder};
use entasis_function::cast::Cast;
use entasis_function::dictionary::{AllValues, Contents, Found, Rows, Structure};
use entasis_types::{DataType, Value};
use regex_automata::util::captures::Captures;
use regex_automata::util::syntax;
use regex_automata::{Input, MatchKind, PatternID, PatternSet, meta::Regex};

/// Columns of a source of such a dictionary, with their types.
pub const SOURCE: &str = "id UInt64, parent_id UInt64, regexp String, keys Array(String), values \
                          Array(String)";

/// How expressions match.
#[derive(Clone, Copy, Debug)]
pub struct MatchOptions {
    /// Letters match without regard to case.
    pub fold: bool,
    /// A dot matches the end of a line.
    pub dot_all: bool,
}

/// A dictionary of regular expressions.
pub struct Tree {
    all: Option<Regex>,
    nodes: Vec<Node>,
    attributes: Vec<OfAttribute>,
    /// The rows of the source.
    rows: Chunk,
    bytes: usize,
}

struct Node {
    /// The expression in the automaton of all.
    pattern: PatternID,
    /// The place of the node above, which is behind this one.
    parent: Option<usize>,
    /// Values by attribute.
    values: HashMap<usize, Vec<Piece>>,
    /// The expression alone, if a value names a group.
    groups: Option<Regex>,
}

/// A part of a value.
enum Piece {
    Text(Vec<u8>),
    Group(usize),
}

struct OfAttribute {
    ty: DataType,
    /// From text; `None` for text.
    cast: Option<Cast>,
    default: Column,
}

#[cold]
fn incorrect(message: impl Into<String>) -> Error {
    Error::new(codes::INCORRECT_DICTIONARY_DEFINITION, message.into())
}

impl Tree {
    /// Builds a dictionary of the rows of its source, which have the columns [`SOURCE`]. `casts`
    /// convert text to each attribute's type.
    pub fn build(
        structure: &Structure,
        casts: Vec<Option<Cast>>,
        defaults: &[Column],
        rows: Chunk,
        options: MatchOptions,
    ) -> Result<Self> {
        let attributes: Vec<OfAttribute> = (structure.attributes.iter().zip(casts).zip(defaults))
            .map(|((attribute, cast), default)| OfAttribute {
                ty: attribute.ty.clone(),
                cast,
                default: default.full(),
            })
            .collect();
        let text = |column: usize, row: usize| match rows.columns[column].value(row) {
            Value::String(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            _ => String::new(),
        };
        let number = |column: usize, row: usize| rows.columns[column].value(row).as_u64();
        let mut place_of = HashMap::new();
        for row in 0..rows.rows {
            if place_of.insert(number(0, row).unwrap_or(0), row).is_some() {
                return Err(incorrect("Two nodes of a regexp tree have the same id"));
            }
        }
        let mut parents = Vec::with_capacity(rows.rows);
        for row in 0..rows.rows {
            let parent = number(1, row).unwrap_or(0);
            let place = place_of.get(&parent).copied().filter(|_| parent != 0);
            if place.is_none() && parent != 0 {
                let message = format!("Unknown parent id {parent} in regexp tree dictionary");
                return Err(incorrect(message));
            }
            parents.push(place);
        }
        let order = below_first(&parents)?;
        let mut place_in = vec![0; rows.rows];
        order.iter().enumerate().for_each(|(place, row)| place_in[*row] = place);
        let patterns: Vec<String> = order.iter().map(|&row| text(2, row)).collect();
        let mut nodes = Vec::with_capacity(order.len());
        for (place, &row) in order.iter().enumerate() {
            let values = values_of(structure, &rows, row)?;
            let has_groups =
                values.values().flatten().any(|piece| matches!(piece, Piece::Group(_)));
            let groups = has_groups.then(|| compile(&patterns[place..=place], options));
            nodes.push(Node {
                pattern: PatternID::must(place),
                parent: parents[row].map(|parent| place_in[parent]),
                values,
                groups: groups.transpose()?,
            });
        }
        let all = (!patterns.is_empty()).then(|| compile(&patterns, options)).transpose()?;
        let memory = all.iter().chain(nodes.iter().filter_map(|n| n.groups.as_ref()));
        let bytes = memory.map(Regex::memory_usage).sum::<usize>() + rows.byte_size();
        let tree = Self { all, nodes, attributes, rows, bytes };
        tree.check()?;
        Ok(tree)
    }

    /// Converts all values that name no group, so that loading fails and no look-up.
    fn check(&self) -> Result<()> {
        for (at, attribute) in self.attributes.iter().enumerate() {
            let texts = self.nodes.iter().filter_map(|node| match &node.values.get(&at)?[..] {
                [] => Some(&b""[..]),
                [Piece::Text(text)] => Some(&text[..]),
                _ => None,
            });
            attribute.column(texts).map_err(|error| {
                let message =
                    format!("Cannot parse a value of type {}: {}", attribute.ty, error.message());
                incorrect(message)
            })?;
        }
        Ok(())
    }

    /// Number of expressions.
    pub fn elements(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes held.
    pub fn byte_size(&self) -> usize {
        self.bytes
    }

    /// Calls `take` with the values of an attribute for a key, in their order, until it answers
    /// false.
    fn values(
        &self,
        key: &[u8],
        attribute: usize,
        found: &mut PatternSet,
        mut take: impl FnMut(Vec<u8>) -> bool,
    ) {
        let Some(all) = &self.all else { return };
        found.clear();
        all.which_overlapping_matches(&Input::new(key), found);
        if found.is_empty() {
            return;
        }
        let mut seen = vec![false; self.nodes.len()];
        for start in found.iter().map(|pattern| pattern.as_usize()) {
            let mut at = Some(start);
            // All nodes above must match, too.
            while let Some(node) = at.map(|at| &self.nodes[at]) {
                if !found.contains(node.pattern) {
                    break;
                }
                at = node.parent;
            }
            if at.is_some() {
                continue;
            }
            at = Some(start);
            while let Some(place) = at.filter(|place| !seen[*place]) {
                seen[place] = true;
                let node = &self.nodes[place];
                if let Some(value) = node.values.get(&attribute)
                    && !take(node.text(value, key))
                {
                    return;
                }
                at = node.parent;
            }
        }
    }
}

impl Node {
    /// The text of a value, with the groups in their places.
    fn text(&self, value: &[Piece], key: &[u8]) -> Vec<u8> {
        let mut captures = self.groups.as_ref().map(Regex::create_captures);
        if let (Some(regex), Some(captures)) = (&self.groups, &mut captures) {
            regex.captures(key, captures);
        }
        let group = |number: usize| {
            let span = captures.as_ref().and_then(|c: &Captures| c.get_group(number));
            span.map_or(&[][..], |span| &key[span.range()])
        };
        let mut text = Vec::new();
        for piece in value {
            text.extend_from_slice(match piece {
                Piece::Text(text) => text,
                Piece::Group(number) => group(*number),
            });
        }
        text
    }
}

impl OfAttribute {
    /// Texts as values of the attribute.
    fn column<'t>(&self, texts: impl Iterator<Item = &'t [u8]>) -> Result<Column> {
        let mut builder = ColumnBuilder::new(&DataType::String, 0);
        texts.for_each(|text| builder.push_value(&DataType::String, &Value::string(text)));
        let column = builder.finish();
        self.cast
            .as_ref()
            .map_or_else(|| Ok(column.clone()), |cast| cast(&column))
            .map(|c| c.full())
    }
}

/// The rows in an order in which those below come before those above, and siblings keep theirs.
fn below_first(parents: &[Option<usize>]) -> Result<Vec<usize>> {
    let mut children: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
    for (row, parent) in parents.iter().enumerate() {
        children.entry(*parent).or_default().push(row);
    }
    let of = |row: Option<usize>| children.get(&row).map_or(&[][..], Vec::as_slice);
    let mut order = Vec::with_capacity(parents.len());
    let mut stack: Vec<(usize, bool)> = of(None).iter().rev().map(|row| (*row, false)).collect();
    while let Some((row, done)) = stack.pop() {
        if done {
            order.push(row);
            continue;
        }
        stack.push((row, true));
        stack.extend(of(Some(row)).iter().rev().map(|child| (*child, false)));
    }
    match order.len() == parents.len() {
        true => Ok(order),
        false => Err(incorrect("The nodes of a regexp tree are above each other in a circle")),
    }
}

/// The values of a row by attribute; names that are no attributes are left out.
fn values_of(
    structure: &Structure,
    rows: &Chunk,
    row: usize,
) -> Result<HashMap<usize, Vec<Piece>>> {
    let (Value::Array(keys), Value::Array(values)) =
        (rows.columns[3].value(row), rows.columns[4].value(row))
    else {
        return Err(incorrect("keys and values of a regexp tree must be arrays"));
    };
    if keys.len() != values.len() {
        return Err(incorrect("keys and values of a node must be equally many"));
    }
    let mut found = HashMap::new();
    for (key, value) in keys.iter().zip(values.iter()) {
        let name = key.as_bytes().unwrap_or_default();
        let is_it = |a: &entasis_function::dictionary::Attribute| a.name.as_bytes() == name;
        if let Some(at) = structure.attributes.iter().position(is_it) {
            found.insert(at, pieces(value.as_bytes().unwrap_or_default()));
        }
    }
    Ok(found)
}

/// Takes a value apart at `\0` to `\9`.
fn pieces(text: &[u8]) -> Vec<Piece> {
    let (mut pieces, mut plain, mut at) = (Vec::new(), Vec::new(), 0);
    while at < text.len() {
        match (text[at], text.get(at + 1)) {
            (b'\\', Some(digit)) if digit.is_ascii_digit() => {
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(Piece::Group(usize::from(digit - b'0')));
                at += 2;
            }
            (byte, _) => {
                plain.push(byte);
                at += 1;
            }
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    pieces
}

fn compile(patterns: &[String], options: MatchOptions) -> Result<Regex> {
    let syntax = syntax::Config::new()
        .utf8(false)
        .unicode(false)
        .case_insensitive(options.fold)
        .dot_matches_new_line(options.dot_all);
    let kind = if patterns.len() == 1 { MatchKind::LeftmostFirst } else { MatchKind::All };
    let config = Regex::config().match_kind(kind).utf8_empty(false);
    Regex::builder().syntax(syntax).configure(config).build_many(patterns).map_err(|error| {
        let pattern = error.pattern().and_then(|id| patterns.get(id.as_usize()));
        let why = error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string);
        let message = format!(
            "Cannot compile the regexp `{}` of a dictionary: {}",
            pattern.map_or("", String::as_str),
            why.lines().last().unwrap_or_default()
        );
        Error::new(codes::CANNOT_COMPILE_REGEXP, message)
    })
}

impl Contents for Tree {
    fn find(&self, _: &[Column], _: Option<&Column>, _: usize) -> Result<Found> {
        let message = "Dictionary RegExpTree does not support method `hasKeys`: use dictGet, \
                       dictGetOrDefault or dictGetAll";
        Err(Error::new(codes::UNSUPPORTED_METHOD, message))
    }

    fn all(&self) -> Result<Rows> {
        let keys = self.rows.columns.clone();
        Ok(Rows { keys, attributes: Vec::new(), rows: self.rows.rows })
    }

    fn all_values(
        &self,
        keys: &[Column],
        rows: usize,
        attribute: usize,
        most: usize,
    ) -> Result<AllValues> {
        let of = &self.attributes[attribute];
        let mut found = PatternSet::new(self.nodes.len());
        let (mut texts, mut offsets) = (Vec::new(), Vec::with_capacity(rows + 1));
        offsets.push(0);
        for row in 0..rows {
            if row % 1024 == 0 {
                scope::check()?;
            }
            let key = keys[0].value(row);
            let mut left = most;
            if left > 0 {
                self.values(key.as_bytes().unwrap_or_default(), attribute, &mut found, |text| {
                    texts.push(text);
                    left -= 1;
                    left > 0
                });
            }
            offsets.push(texts.len() as u32);
        }
        let values = of.column(texts.iter().map(Vec::as_slice))?;
        Ok(AllValues { offsets, values, default: of.default.clone() })
    }
}

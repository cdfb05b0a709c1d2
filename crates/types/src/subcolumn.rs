//! Subcolumns: parts of a type that can be read without the rest, such as `arr.size0`, `n.null`,
//! `t.a` and `m.keys`.
//!
//! A [`SubcolumnPath`] is a list of [`Step`]s. A step applies to the type inside of arrays and
//! Nullable, which are kept: `x` of `Array(Tuple(x UInt8))` is an `Array(UInt8)`. A Map is stored
//! as an array of tuples `(keys, values)`, so its keys are an element like any other.
//! LowCardinality types have no subcolumns.
//!
//! Only [`parts`] decides which subcolumns a type has, their names and their types.

use std::sync::Arc;

use crate::DataType;

/// A step from a type to one of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// `null`: 1 if the value is NULL, otherwise 0.
    Null,
    /// `size0`, `size1`, ...: the lengths of the arrays inside this many other arrays, counting
    /// those of the column and of the part before this step. It is always the last step.
    Size(usize),
    /// An element of a tuple, by its position.
    Element(usize),
    /// `size` of a String: its number of bytes.
    StringSize,
}

/// The path from a column to a subcolumn; empty for the column itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SubcolumnPath(Arc<[Step]>);

/// A subcolumn of a type.
#[derive(Clone, Debug, PartialEq)]
pub struct Subcolumn {
    /// Its name without that of the column: `b.c`.
    pub name: String,
    /// The path to it.
    pub path: SubcolumnPath,
    /// Its type.
    pub ty: DataType,
}

impl SubcolumnPath {
    /// The path of these steps.
    pub fn new(steps: &[Step]) -> Self {
        Self(steps.into())
    }

    /// The steps, from the column inwards.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// Whether this is the column itself.
    pub fn is_whole(&self) -> bool {
        self.0.is_empty()
    }

    /// This path, continued with the steps of `next`.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        self.0.iter().chain(next.0.iter()).copied().collect::<Vec<_>>().as_slice().into()
    }

    /// The name and type of the subcolumn of `ty` to which the path leads; `None` if there is none.
    pub fn find_in(&self, ty: &DataType) -> Option<(String, DataType)> {
        let (mut name, mut at) = (String::new(), ty.clone());
        for step in self.steps() {
            let part = parts(&at, 0).into_iter().find(|part| part.step == *step)?;
            if !name.is_empty() {
                name.push('.');
            }
            name.push_str(&part.name);
            at = part.ty;
        }
        Some((name, at))
    }
}

impl From<&[Step]> for SubcolumnPath {
    fn from(steps: &[Step]) -> Self {
        Self::new(steps)
    }
}

/// The part of `ty` that is called `name`: `b.c`.
pub fn subcolumn(ty: &DataType, name: &str) -> Option<Subcolumn> {
    let mut steps = Vec::new();
    let found = find(ty, 0, name, &mut steps)?;
    Some(Subcolumn { name: name.to_string(), path: SubcolumnPath::new(&steps), ty: found })
}

/// All subcolumns of a type. Outer ones come before those inside of them.
pub fn subcolumns(ty: &DataType) -> Vec<Subcolumn> {
    let mut out = Vec::new();
    collect(ty, 0, "", &mut Vec::new(), &mut out);
    out
}

fn find(ty: &DataType, depth: usize, name: &str, steps: &mut Vec<Step>) -> Option<DataType> {
    let inner_depth = arrays(ty).0;
    for part in parts(ty, depth) {
        let Some(rest) = name.strip_prefix(part.name.as_str()) else { continue };
        steps.push(part.step);
        if rest.is_empty() {
            return Some(part.ty);
        }
        // Names of elements may contain dots, so a longer name may match as well.
        if let Some(rest) = rest.strip_prefix('.')
            && matches!(part.step, Step::Element(_))
            && let Some(found) = find(&part.ty, inner_depth, rest, steps)
        {
            return Some(found);
        }
        steps.pop();
    }
    None
}

fn collect(
    ty: &DataType,
    depth: usize,
    prefix: &str,
    steps: &mut Vec<Step>,
    out: &mut Vec<Subcolumn>,
) {
    let inner_depth = arrays(ty).0;
    for part in parts(ty, depth) {
        let name = format!("{prefix}{}", part.name);
        steps.push(part.step);
        let path = SubcolumnPath::new(steps);
        out.push(Subcolumn { name: name.clone(), path, ty: part.ty.clone() });
        if matches!(part.step, Step::Element(_)) {
            collect(&part.ty, inner_depth, &format!("{name}."), steps, out);
        }
        steps.pop();
    }
}

/// A part that is one step away.
struct Part {
    name: String,
    step: Step,
    ty: DataType,
}

/// The subcolumns that are one step away. The lengths of the outer `depth` arrays are left out,
/// because they belong to the outer type.
fn parts(ty: &DataType, depth: usize) -> Vec<Part> {
    let (count, inner) = arrays(ty);
    let within = |ty: DataType, arrays: usize| (0..arrays).fold(ty, |ty, _| DataType::array(ty));
    let size = |level: usize| Part {
        name: format!("size{level}"),
        step: Step::Size(level),
        ty: within(DataType::UInt64, level),
    };
    let mut out: Vec<Part> = (depth..count).map(size).collect();
    let mut add = |name: String, step: Step, ty: DataType| {
        out.push(Part { name, step, ty: within(ty, count) });
    };
    match inner {
        DataType::Nullable(of) => {
            add("null".to_string(), Step::Null, DataType::UInt8);
            if **of == DataType::String {
                let ty = DataType::nullable(DataType::UInt64);
                add("size".to_string(), Step::StringSize, ty);
            }
        }
        DataType::String => add("size".to_string(), Step::StringSize, DataType::UInt64),
        DataType::Tuple(tuple) => {
            for (i, ty) in tuple.types.iter().enumerate() {
                let name = match &tuple.names {
                    Some(names) => names[i].to_string(),
                    None => (i + 1).to_string(),
                };
                add(name, Step::Element(i), ty.clone());
            }
        }
        _ => {}
    }
    out
}

/// The number of arrays around a type (a Map counts as one), and the type inside of them.
fn arrays(ty: &DataType) -> (usize, &DataType) {
    let (mut count, mut inner) = (0, ty);
    loop {
        inner = match inner {
            DataType::Array(element) => {
                count += 1;
                element
            }
            DataType::Map(stored) | DataType::Nested(stored) => stored,
            DataType::SimpleAggregateFunction(of) => &of.args[0],
            _ => return (count, inner),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(ty: &str) -> Vec<String> {
        let all = subcolumns(&DataType::parse(ty).unwrap());
        all.iter().map(|s| format!("{} {}", s.name, s.ty)).collect()
    }

    #[test]
    fn parts_are_those_of_the_reference() {
        assert_eq!(
            names("Array(Array(Nullable(String)))"),
            [
                "size0 UInt64",
                "size1 Array(UInt64)",
                "null Array(Array(UInt8))",
                "size Array(Array(Nullable(UInt64)))"
            ]
        );
        assert_eq!(
            names("Map(String, Array(UInt8))"),
            [
                "size0 UInt64",
                "keys Array(String)",
                "keys.size Array(UInt64)",
                "values Array(Array(UInt8))",
                "values.size1 Array(UInt64)"
            ]
        );
        assert_eq!(names("Tuple(UInt8, LowCardinality(Nullable(String)))").len(), 2);
        assert!(names("LowCardinality(String)").is_empty());
    }

    #[test]
    fn names_and_paths_lead_to_the_same_part() {
        let ty = "Tuple(a Array(Tuple(x UInt8, y Nullable(String))), `p.q` Map(String, UInt8))";
        let ty = DataType::parse(ty).unwrap();
        let all = subcolumns(&ty);
        assert!(all.len() > 8);
        for part in all {
            assert_eq!(subcolumn(&ty, &part.name), Some(part.clone()));
            assert_eq!(part.path.find_in(&ty), Some((part.name, part.ty)));
        }
        assert_eq!(subcolumn(&ty, "a.x.size0"), None);
        assert_eq!(subcolumn(&ty, "a.size1"), None);
    }
}

//! `SOURCE(YAMLRegExpTree(PATH '...'))`: a file that lists regular expressions with the values of
//! attributes.
//!
//! A node is a map: `regexp` is its expression, a key with a list as its value has the nodes below,
//! and every other key is an attribute. The file becomes the rows that other sources of such a
//! dictionary have.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_column::{Chunk, ColumnBuilder};
use entasis_table_api::Schema;
use entasis_types::Value;
use yaml_rust2::{Yaml, YamlLoader};

/// Nodes may be so far below each other.
const DEEPEST: usize = 100;

#[cold]
fn wrong(message: impl Into<String>) -> Error {
    Error::new(codes::INCORRECT_DICTIONARY_DEFINITION, message.into())
}

/// The rows of a file, in the columns of `schema`.
pub(super) fn rows(text: &str, schema: &Schema) -> Result<Chunk> {
    let documents = YamlLoader::load_from_str(text)
        .map_err(|error| wrong(format!("The file is no YAML: {error}")))?;
    let mut nodes = Vec::new();
    match documents.first() {
        None | Some(Yaml::Null) => {}
        Some(Yaml::Array(roots)) => list(roots, 0, 1, &mut nodes)?,
        Some(_) => {
            return Err(wrong(
                "The file of a YAMLRegExpTree must be a list of nodes: - regexp: ...",
            ));
        }
    }
    let types = schema.declared().map(|column| &column.ty);
    let mut columns = Vec::with_capacity(5);
    for (position, ty) in types.enumerate() {
        let mut builder = ColumnBuilder::new(ty, nodes.len());
        nodes.iter().for_each(|node| builder.push_value(ty, &node[position]));
        columns.push(builder.finish());
    }
    Ok(Chunk::new(columns, nodes.len()))
}

/// Adds the nodes of a list, and those below them.
fn list(list: &[Yaml], parent: u64, depth: usize, nodes: &mut Vec<[Value; 5]>) -> Result<()> {
    if depth > DEEPEST {
        return Err(wrong(format!("The nodes of the file are more than {DEEPEST} levels deep")));
    }
    for node in list {
        let Yaml::Hash(map) = node else {
            return Err(wrong("A node of the file must be a map with the key `regexp`"));
        };
        let id = nodes.len() as u64 + 1;
        let (mut regexp, mut keys, mut values, mut below) = (None, Vec::new(), Vec::new(), None);
        for (key, value) in map {
            let name = scalar(key).ok_or_else(|| wrong("A key of a node must be a word"))?;
            match (name.as_str(), value) {
                ("regexp", value) => regexp = scalar(value),
                (_, Yaml::Array(children)) if below.is_none() => below = Some(children),
                (_, Yaml::Array(_)) => return Err(wrong("A node has two lists of nodes")),
                (_, value) => {
                    let value = scalar(value)
                        .ok_or_else(|| wrong(format!("The value of `{name}` must be a word")))?;
                    keys.push(Value::from(name.as_str()));
                    values.push(Value::from(value.as_str()));
                }
            }
        }
        let regexp = regexp.ok_or_else(|| wrong("A node of the file has no `regexp`"))?;
        nodes.push([
            Value::UInt(id),
            Value::UInt(parent),
            Value::from(regexp.as_str()),
            Value::Array(Arc::from(keys)),
            Value::Array(Arc::from(values)),
        ]);
        if let Some(children) = below {
            self::list(children, id, depth + 1, nodes)?;
        }
    }
    Ok(())
}

/// A value without parts, as it is written.
fn scalar(value: &Yaml) -> Option<String> {
    match value {
        Yaml::String(text) | Yaml::Real(text) => Some(text.clone()),
        Yaml::Integer(number) => Some(number.to_string()),
        Yaml::Boolean(flag) => Some(flag.to_string()),
        Yaml::Null => Some(String::new()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Chunk> {
        let source = entasis_dictionary::tree::SOURCE;
        rows(text, &*entasis_tables::values::parse_structure(source)?)
    }

    #[test]
    fn nodes_have_those_above_them() {
        let text = "- regexp: 'a(b)'\n  name: '\\1'\n  number: 7\n  more:\n  - regexp: c\n    \
                    name: d\n- regexp: e\n";
        let rows = read(text).unwrap();
        assert_eq!(rows.rows, 3);
        let parents: Vec<_> = (0..3).map(|row| rows.columns[1].value(row)).collect();
        assert_eq!(parents, [Value::UInt(0), Value::UInt(1), Value::UInt(0)]);
        let keys = Value::Array([Value::from("name"), Value::from("number")].into());
        assert_eq!(rows.columns[3].value(0), keys);
        assert_eq!(read("").unwrap().rows, 0);
        for wrong in ["a: b", "- x", "- name: b", "- regexp: [", "- regexp: a\n  b: {c: d}"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}

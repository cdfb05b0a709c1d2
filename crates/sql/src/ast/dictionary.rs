//! CREATE DICTIONARY.

use entasis_base::Position;

use super::{CreateMode, Expr, Ident, SettingChange, TableName, TypeName};

/// `CREATE DICTIONARY`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CreateDictionary {
    /// OR REPLACE, IF NOT EXISTS, ...
    pub mode: CreateMode,
    /// Its name.
    pub name: TableName,
    /// `UUID '...'`.
    pub uuid: Option<String>,
    /// `ON CLUSTER`.
    pub cluster: Option<Ident>,
    /// Keys, bounds of ranges and attributes, in the order of the text.
    pub attributes: Vec<DictionaryAttribute>,
    /// `PRIMARY KEY`; empty if it is missing.
    pub primary_key: Vec<Ident>,
    /// `SOURCE(NAME(...))`.
    pub source: Option<DictionaryPart>,
    /// `LIFETIME(...)`: least and greatest number of seconds.
    pub lifetime: Option<(u64, u64)>,
    /// `LAYOUT(NAME(...))`.
    pub layout: Option<DictionaryPart>,
    /// `RANGE(MIN a MAX b)`.
    pub range: Option<(Ident, Ident)>,
    /// `SETTINGS(...)`.
    pub settings: Vec<SettingChange>,
    /// `COMMENT`.
    pub comment: Option<String>,
}

/// A column of a dictionary.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DictionaryAttribute {
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub data_type: Option<TypeName>,
    /// `DEFAULT literal`.
    pub default: Option<Expr>,
    /// `EXPRESSION e`.
    pub expression: Option<Expr>,
    /// `HIERARCHICAL`.
    pub hierarchical: bool,
    /// `BIDIRECTIONAL`.
    pub bidirectional: bool,
    /// `INJECTIVE`.
    pub injective: bool,
    /// `IS_OBJECT_ID`.
    pub is_object_id: bool,
}

/// A source or a layout: its name and its parameters.
#[derive(Clone, Debug, Default)]
pub struct DictionaryPart {
    /// The name in upper case.
    pub name: String,
    /// The parameters.
    pub parameters: Vec<DictionaryParameter>,
    /// Whether the name stands alone: `LAYOUT(FLAT)`.
    pub bare: bool,
    /// Where it stands in the text.
    pub position: Position,
}

impl PartialEq for DictionaryPart {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.parameters == other.parameters
    }
}

impl DictionaryPart {
    /// The value of a parameter, if it is given and has a single value.
    pub fn value(&self, name: &str) -> Option<&Expr> {
        self.parameters.iter().find(|p| p.name == name).and_then(|p| match &p.value {
            DictionaryValue::One(expr) => Some(expr),
            DictionaryValue::Many(_) => None,
        })
    }
}

/// `NAME value` or `NAME(parameters)`.
#[derive(Clone, Debug, PartialEq)]
pub struct DictionaryParameter {
    /// The name in upper case.
    pub name: String,
    /// Its value.
    pub value: DictionaryValue,
}

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum DictionaryValue {
    /// A literal, a name or a call.
    One(Expr),
    /// Parameters in parentheses.
    Many(Vec<DictionaryParameter>),
}

//! The definition of a dictionary as CREATE DICTIONARY gives it, checked and bound once.

use std::sync::Arc;

use entasis_base::{Error, ErrorCode, Position, Result, codes};
use entasis_column::{Column, Field};
use entasis_dictionary::tree::MatchOptions;
use entasis_dictionary::{Layout, Options};
use entasis_function::FunctionContext;
use entasis_function::cast::{self, Mode, Session};
use entasis_function::dictionary::{Attribute, KeyKind, Structure};
use entasis_sql::ast::{
    self, CreateDictionary, DictionaryAttribute, DictionaryParameter, DictionaryValue, Expr,
    ExprKind, Literal, StatementKind,
};
use entasis_sql::{FormatOptions, format_expr, format_statement, format_type};
use entasis_table_api::{ColumnDef, Schema};
use entasis_tables::values::parse_structure;
use entasis_types::DataType;

use super::source::{Parameters, SourceDef};

/// A dictionary's definition.
#[derive(Debug)]
pub(crate) struct DictionaryDefinition {
    /// The statement without a name.
    create: CreateDictionary,
    pub structure: Structure,
    pub layout: Layout,
    pub options: Options,
    /// Most keys of a cache.
    pub cells: Option<usize>,
    /// Least and greatest number of seconds between two loads; 0 means that it stays.
    pub lifetime: (u64, u64),
    pub source: SourceDef,
    /// The query whose answer says whether the source has changed.
    pub invalidate: Option<String>,
    /// One value for each attribute.
    pub defaults: Vec<Column>,
    /// Keys, bounds of ranges and attributes, as a table has them.
    pub schema: Arc<Schema>,
    /// The columns of the source; most dictionaries have the same.
    pub source_schema: Arc<Schema>,
}

#[cold]
fn incorrect(message: impl Into<String>) -> Error {
    Error::new(codes::INCORRECT_DICTIONARY_DEFINITION, message.into())
}

impl DictionaryDefinition {
    /// Checks and binds a statement.
    pub(crate) fn new(
        mut create: CreateDictionary,
        function_context: &dyn FunctionContext,
    ) -> Result<Self> {
        for part in [&mut create.source, &mut create.layout].into_iter().flatten() {
            evaluate(&mut part.parameters, function_context)?;
        }
        let (layout, options, cells) = layout_of(&create)?;
        let source = create.source.as_ref();
        let source =
            source.ok_or_else(|| incorrect("Cannot create dictionary with empty source"))?;
        let invalidate = source.text("INVALIDATE_QUERY");
        let source = SourceDef::new(source, &create)?;
        let lifetime = lifetime_of(&create, &layout)?;
        let (keys, bounds, attributes) = columns_of(&create, &layout)?;
        let range = bounds.first().map(|(_, ty)| ty.clone());
        let defaults = attributes
            .iter()
            .map(|(written, ty)| default_of(written, ty, function_context))
            .collect::<Result<_>>()?;
        let parent = parent_of(&attributes, &layout)?;
        let all = keys.iter().map(|key| (&key.name, &key.ty));
        let all = all.chain(bounds.iter().map(|(name, ty)| (name, ty)));
        let mut columns: Vec<ColumnDef> =
            all.map(|(name, ty)| ColumnDef::new(Arc::clone(name), ty.clone())).collect();
        columns
            .extend(attributes.iter().map(|(a, ty)| ColumnDef::new(a.name.as_str(), ty.clone())));
        let structure = Structure {
            key_kind: layout.key,
            keys,
            range,
            attributes: attributes
                .iter()
                .map(|(written, ty)| Attribute {
                    name: written.name.as_str().into(),
                    ty: ty.clone(),
                    injective: written.injective,
                })
                .collect(),
            parent,
            is_complete: layout.is_complete,
            is_tree: layout.is_tree,
        };
        create.mode = ast::CreateMode::default();
        create.uuid = None;
        create.cluster = None;
        let source_schema = match layout.is_tree {
            true => parse_structure(entasis_dictionary::tree::SOURCE)?,
            false => Schema::new(columns.clone()),
        };
        // As in the reference, bounds of ranges stand before the keys if there may be several.
        if layout.key == KeyKind::Complex {
            columns[..structure.keys.len() + bounds.len()].rotate_right(bounds.len());
        }
        let schema = Schema::new(columns);
        Ok(Self {
            create,
            structure,
            layout,
            options,
            cells,
            lifetime,
            source,
            invalidate,
            defaults,
            schema,
            source_schema,
        })
    }

    /// The text that the store keeps. It contains the name that the dictionary has now, and RENAME
    /// does not change it later.
    pub(crate) fn text(&self, name: &str) -> String {
        let name = ast::TableName { database: None, table: ast::Ident::new(name) };
        formatted(CreateDictionary { name, ..self.create.clone() }, false)
    }

    /// The statement under the name that the dictionary has now, without passwords.
    pub(crate) fn create_query(&self, database: &str, name: &str, one_line: bool) -> String {
        let name = ast::TableName {
            database: Some(ast::Ident::new(database)),
            table: ast::Ident::new(name),
        };
        let mut create = CreateDictionary { name, ..self.create.clone() };
        if let Some(source) = &mut create.source {
            hide_passwords(&mut source.parameters);
        }
        formatted(create, one_line)
    }

    /// How regular expressions match, from SETTINGS.
    pub(crate) fn match_options(&self) -> MatchOptions {
        let flag = |name: &str| {
            let set = self.create.settings.iter().rev().find(|setting| setting.name == name);
            let value = set.and_then(|setting| setting.value.as_ref());
            value.is_some_and(|expr| !matches!(format_expr(expr).as_str(), "0" | "false" | "'0'"))
        };
        MatchOptions {
            fold: flag("regexp_dict_flag_case_insensitive"),
            dot_all: flag("regexp_dict_flag_dotall"),
        }
    }

    /// COMMENT; empty if there is none.
    pub(crate) fn comment(&self) -> &str {
        self.create.comment.as_deref().unwrap_or("")
    }

    /// The expression of the column `name`, if it has one.
    pub(crate) fn expression(&self, name: &str) -> Option<&Expr> {
        let found = self.create.attributes.iter().find(|a| a.name.as_str() == name)?;
        found.expression.as_ref()
    }
}

fn formatted(create: CreateDictionary, one_line: bool) -> String {
    let statement = ast::Statement {
        kind: StatementKind::CreateDictionary(Box::new(create)),
        output: ast::Output::default(),
        position: Position::default(),
    };
    format_statement(&statement, FormatOptions { one_line, ..FormatOptions::default() })
}

/// Replaces calls in parameters, such as `currentDatabase()`, by their values.
fn evaluate(parameters: &mut [DictionaryParameter], context: &dyn FunctionContext) -> Result<()> {
    for parameter in parameters {
        match &mut parameter.value {
            DictionaryValue::Many(inner) => evaluate(inner, context)?,
            DictionaryValue::One(expr) => {
                let ExprKind::Function(_) = &expr.kind else { continue };
                let bound = entasis_analyze::bind_expression(expr, &[], context)?;
                let value = bound.constant().ok_or_else(|| {
                    incorrect("A parameter of SOURCE or LAYOUT must be a constant")
                        .at(expr.position)
                })?;
                let literal = match value {
                    entasis_types::Value::UInt(number) => Literal::UInt(number),
                    entasis_types::Value::Int(number) => Literal::Int(number),
                    entasis_types::Value::String(text) => Literal::String(text.to_vec()),
                    _ => {
                        return Err(
                            incorrect("A parameter must be a number or a text").at(expr.position)
                        );
                    }
                };
                *expr = Expr::new(ExprKind::Literal(literal), expr.position);
            }
        }
    }
    Ok(())
}

fn hide_passwords(parameters: &mut [DictionaryParameter]) {
    for parameter in parameters {
        match &mut parameter.value {
            DictionaryValue::Many(inner) => hide_passwords(inner),
            DictionaryValue::One(expr) if parameter.name == "PASSWORD" => {
                let hidden = Literal::String(b"[HIDDEN]".to_vec());
                *expr = Expr::new(ExprKind::Literal(hidden), expr.position);
            }
            DictionaryValue::One(_) => {}
        }
    }
}

/// A parameter that is a number.
fn number(part: &ast::DictionaryPart, name: &str) -> Result<Option<u64>> {
    let Some(expr) = part.value(name) else { return Ok(None) };
    let number = match &expr.kind {
        ExprKind::Literal(Literal::UInt(number)) => Some(*number),
        ExprKind::Literal(Literal::String(text)) => {
            std::str::from_utf8(text).ok().and_then(|text| text.parse().ok())
        }
        _ => None,
    };
    number.map(Some).ok_or_else(|| {
        let message = format!("{name} of LAYOUT({}) must be a number", part.name);
        Error::new(codes::BAD_ARGUMENTS, message).at(expr.position)
    })
}

fn layout_of(create: &CreateDictionary) -> Result<(Layout, Options, Option<usize>)> {
    let written = create.layout.as_ref();
    let written = written.ok_or_else(|| incorrect("Cannot create dictionary with empty layout"))?;
    let name = written.name.as_str();
    if matches!(name, "NAIVE_BAYES" | "HASHED_TRIE") {
        let what = format!("Dictionaries with the layout {name}");
        return Err(Error::not_implemented(what).at(written.position));
    }
    let layout = Layout::find(name).ok_or_else(|| {
        let message = format!("Unknown dictionary layout type: {}", name.to_lowercase());
        Error::new(codes::UNKNOWN_ELEMENT_IN_CONFIG, message).at(written.position)
    })?;
    let strategy = written.value("RANGE_LOOKUP_STRATEGY").map(format_expr);
    let takes_max = match strategy.as_deref() {
        None | Some("'min'") => false,
        Some("'max'") => true,
        Some(other) => {
            let message = format!("RANGE_LOOKUP_STRATEGY must be 'min' or 'max', not {other}");
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
    };
    let skips_open = number(written, "CONVERT_NULL_RANGE_BOUND_TO_OPEN")? == Some(0);
    let flat = name == "FLAT";
    let most = number(written, "MAX_ARRAY_SIZE")?.unwrap_or(500_000);
    let max_array_size = flat.then_some(most);
    let cells = number(written, "SIZE_IN_CELLS")?.map(|cells| cells as usize);
    let cells = match layout.caches && name.contains("SSD") {
        true => cells.or(Some(1 << 20)),
        false => cells,
    };
    Ok((layout, Options { max_array_size, takes_max, skips_open }, cells))
}

fn lifetime_of(create: &CreateDictionary, layout: &Layout) -> Result<(u64, u64)> {
    match create.lifetime {
        None if layout.needs_lifetime => {
            Err(incorrect("Cannot create dictionary with empty lifetime"))
        }
        None => Ok((0, 0)),
        Some((least, greatest)) if least > greatest => {
            let message = "Dictionary lifetime parameter 'MIN' must be less than or equal to 'MAX'";
            Err(Error::new(codes::BAD_ARGUMENTS, message))
        }
        Some(lifetime) => Ok(lifetime),
    }
}

type Typed<'a> = (&'a DictionaryAttribute, DataType);
type Bound = (Arc<str>, DataType);

/// The keys, the bounds of ranges and the attributes.
fn columns_of<'a>(
    create: &'a CreateDictionary,
    layout: &Layout,
) -> Result<(Vec<Field>, Vec<Bound>, Vec<Typed<'a>>)> {
    let mut typed: Vec<Typed<'a>> = Vec::with_capacity(create.attributes.len());
    for written in &create.attributes {
        let ty = written.data_type.as_ref().map_or_else(String::new, format_type);
        typed.push((written, DataType::parse(&ty)?));
    }
    if create.primary_key.is_empty() {
        return Err(incorrect("Cannot create dictionary without primary key"));
    }
    if layout.key == KeyKind::Simple && create.primary_key.len() != 1 {
        return Err(incorrect(
            "Primary key for simple dictionary must contain exactly one element",
        ));
    }
    let find = |name: &str| typed.iter().find(|(a, _)| a.name.as_str() == name);
    let mut keys = Vec::new();
    for key in &create.primary_key {
        let name = key.as_str();
        let (_, ty) =
            find(name).ok_or_else(|| incorrect(format!("Unknown key attribute '{name}'")))?;
        let ty = if layout.key == KeyKind::Simple { DataType::UInt64 } else { ty.clone() };
        keys.push(Field::new(name, ty));
    }
    let mut bounds = Vec::new();
    if let Some((least, greatest)) = &create.range {
        for (word, bound) in [("MIN", least), ("MAX", greatest)] {
            let name = bound.as_str();
            let (_, ty) = find(name).ok_or_else(|| {
                incorrect(format!(
                    "{word} {name} attribute is not defined in the dictionary attributes"
                ))
            })?;
            bounds.push((Arc::from(name), ty.clone()));
        }
    }
    if !layout.has_range {
        bounds.clear();
    }
    let is_other = |name: &str| {
        keys.iter().any(|key| &*key.name == name) || bounds.iter().any(|(b, _)| &**b == name)
    };
    let attributes: Vec<Typed<'a>> =
        typed.iter().filter(|(a, _)| !is_other(a.name.as_str())).cloned().collect();
    attributes.iter().try_for_each(|(_, ty)| check_type(ty))?;
    Ok((keys, bounds, attributes))
}

fn check_type(ty: &DataType) -> Result<()> {
    let refused = matches!(
        ty.without_nullable(),
        DataType::Tuple(_)
            | DataType::Nothing
            | DataType::Enum(_)
            | DataType::Variant(_)
            | DataType::AggregateFunction(_)
    );
    if refused || matches!(ty, DataType::LowCardinality(_)) {
        let message = format!("Unknown type {ty} for dictionary attribute");
        return Err(Error::new(codes::UNKNOWN_TYPE, message));
    }
    Ok(())
}

/// The value for keys that are not there.
fn default_of(
    written: &DictionaryAttribute,
    ty: &DataType,
    context: &dyn FunctionContext,
) -> Result<Column> {
    let Some(expr) = &written.default else {
        return Ok(Column::from_value(ty, &ty.column_default(), 1).full());
    };
    let name = written.name.as_str();
    let wrong = |error: Error| {
        let is_text = matches!(expr.kind, ExprKind::Literal(Literal::String(_)));
        let code: ErrorCode = match ty.without_nullable() {
            plain if is_text && plain.is_any_number() => codes::UNEXPECTED_DATA_AFTER_PARSED_VALUE,
            plain if is_text && plain.is_date() => codes::CANNOT_PARSE_DATE,
            plain if is_text && plain.is_date_or_time() => codes::CANNOT_PARSE_DATETIME,
            _ => error.code(),
        };
        let message = format!("{}: in DEFAULT of the attribute {name}", error.message());
        Error::new(code, message).at(expr.position)
    };
    let bound = entasis_analyze::bind_expression(expr, &[], context)?;
    let constant = bound.constant().ok_or_else(|| incorrect("DEFAULT must be a literal"))?;
    let (value, from) = (constant, bound.ty().clone());
    let column = Column::from_value(&from, &value, 1).full();
    if from == *ty {
        return Ok(column);
    }
    let convert = cast::bind_mode(&from, ty, Session::of(context), Mode::Accurate);
    convert.and_then(|convert| convert(&column)).map(|c| c.full()).map_err(wrong)
}

/// The attribute that names the parent of a key.
fn parent_of(attributes: &[Typed<'_>], layout: &Layout) -> Result<Option<usize>> {
    let mut parents = attributes.iter().enumerate().filter(|(_, (a, _))| a.hierarchical);
    let Some((position, (_, ty))) = parents.next() else { return Ok(None) };
    if parents.next().is_some() {
        let message = "Only one hierarchical attribute supported";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    if layout.key != KeyKind::Simple {
        let message = "Dictionary with complex key does not support hierarchy";
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    if *ty.without_nullable() != DataType::UInt64 {
        let message = format!(
            "Hierarchical attribute type for dictionary with simple key must be UInt64. Actual {ty}"
        );
        return Err(Error::new(codes::TYPE_MISMATCH, message));
    }
    Ok(Some(position))
}

//! Turns the columns and key clauses of CREATE TABLE into typed definitions.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Expr};
use entasis_function::FunctionContext;
use entasis_sql::{ast, format_expr, format_string, format_type};
use entasis_table_api::{ColumnDef, DefaultKind, Schema};
use entasis_types::DataType;

/// Names and types of columns, as the analyser takes them.
pub(super) type Known = Vec<(Arc<str>, DataType)>;

/// The schema of a list of column definitions.
pub fn schema(
    elements: &ast::TableElements,
    virtuals: Vec<ColumnDef>,
    function_context: &dyn FunctionContext,
) -> Result<Arc<Schema>> {
    let mut columns: Vec<ColumnDef> = Vec::with_capacity(elements.columns.len());
    for column in &elements.columns {
        let name = column.name.as_str();
        if columns.iter().any(|c| &*c.name == name) {
            let message = format!("Column {name} is defined twice");
            return Err(Error::new(codes::ILLEGAL_COLUMN, message).at(column.position));
        }
        columns.push(declared(column)?);
    }
    let is_given = |column: &ColumnDef| {
        !matches!(column.default_kind(), Some(DefaultKind::Materialized | DefaultKind::Alias))
    };
    if !columns.is_empty() && !columns.iter().any(is_given) {
        let message = "Cannot CREATE table without insertable columns";
        return Err(Error::new(codes::EMPTY_LIST_OF_COLUMNS_PASSED, message));
    }
    let untyped = elements.columns.iter().zip(&columns).enumerate();
    let untyped: Vec<usize> = untyped
        .filter(|(_, (written, c))| written.data_type.is_none() && c.ty == DataType::Nothing)
        .map(|(i, _)| i)
        .collect();
    infer_types(&elements.columns, &mut columns, untyped, function_context)?;
    for column in &mut columns {
        if let Some(codec) = &column.codec {
            column.codec = Some(entasis_mergetree::parse_codec(codec, &column.ty)?.0.into());
        }
    }
    columns.extend(
        virtuals
            .into_iter()
            .filter(|column| elements.columns.iter().all(|c| c.name.as_str() != &*column.name)),
    );
    let schema = Schema::new(columns);
    if schema.stored().is_empty() {
        let message = "Cannot CREATE table without physical columns";
        return Err(Error::new(codes::EMPTY_LIST_OF_COLUMNS_PASSED, message));
    }
    Ok(schema)
}

/// Fails for types that may be read, but cannot be used in a new column, or need a setting for
/// that.
pub fn check_types<'a>(
    columns: impl IntoIterator<Item = &'a ast::ColumnDef>,
    function_context: &dyn FunctionContext,
) -> Result<()> {
    let allowed = function_context.setting("allow_suspicious_variant_types");
    let allowed = allowed.is_some_and(|v| v.as_u64() == Some(1));
    for column in columns {
        let Some(Ok(ty)) =
            column.data_type.as_ref().map(|name| DataType::parse(&format_type(name)))
        else {
            continue;
        };
        if has_no_values(&ty) {
            let name = column.name.as_str();
            let message = format!(
                "Data type {ty} of column '{name}' cannot be used in tables: it has no values. \
                 Declare another type, as in CAST(NULL, 'Nullable(String)') AS {name}"
            );
            let code = codes::DATA_TYPE_CANNOT_BE_USED_IN_TABLES;
            return Err(Error::new(code, message).at(column.position));
        }
        if !allowed {
            entasis_types::variant::check_suspicious(&ty)?;
        }
    }
    Ok(())
}

/// Whether a type is that of NULL or of an empty array. As in the reference, elements of tuples are
/// not looked at.
fn has_no_values(ty: &DataType) -> bool {
    match ty {
        DataType::Nothing => true,
        DataType::Nullable(inner) => has_no_values(inner),
        ty => ty.as_array().is_some_and(has_no_values),
    }
}

fn declared(column: &ast::ColumnDef) -> Result<ColumnDef> {
    let default_of = |kind: ast::DefaultKind| match kind {
        ast::DefaultKind::Default => DefaultKind::Default,
        ast::DefaultKind::Materialized => DefaultKind::Materialized,
        ast::DefaultKind::Alias => DefaultKind::Alias,
        ast::DefaultKind::Ephemeral => DefaultKind::Ephemeral,
    };
    let ty = match &column.data_type {
        Some(name) => DataType::parse(&format_type(name)).map_err(|e| e.at(name.position))?,
        None => DataType::Nothing, // taken from the default expression
    };
    if column.nullable.is_some() && ty.is_nullable() {
        let message = "Can't use [NOT] NULL modifier with Nullable type";
        let error = Error::new(codes::ILLEGAL_SYNTAX_FOR_DATA_TYPE, message);
        return Err(error.at(column.position));
    }
    let is_nullable = column.nullable == Some(true) && column.data_type.is_some();
    let ty = if is_nullable { DataType::nullable(ty) } else { ty };
    let mut def = ColumnDef::new(column.name.as_str(), ty);
    if let Some(codecs) = &column.codec {
        let kind = column.default.as_ref().map(|default| default.kind);
        if kind == Some(ast::DefaultKind::Alias) {
            let message = "Cannot specify codec for column type ALIAS";
            return Err(Error::new(codes::BAD_ARGUMENTS, message).at(column.position));
        }
        let texts: Vec<String> = codecs.iter().map(function_text).collect();
        def.codec = Some(texts.join(", ").into());
    }
    if let Some(comment) = &column.comment {
        def.comment = comment.as_str().into();
    }
    if let Some(default) = &column.default {
        let text = match &default.expr {
            Some(expr) => format_expr(expr),
            None => {
                format!("defaultValueOfTypeName({})", format_string(def.ty.to_string().as_bytes()))
            }
        };
        def.default = Some((default_of(default.kind), text.into()));
    }
    Ok(def)
}

/// Writes columns as the reference keeps them: types, also inferred ones, under their canonical
/// names, and codecs with their parameters.
pub(super) fn make_canonical(elements: &mut ast::TableElements, schema: &Schema) -> Result<()> {
    for (column, def) in elements.columns.iter_mut().zip(schema.declared()) {
        column.data_type = Some(entasis_sql::parse_type(&def.ty.to_string())?);
        column.nullable = None;
        if let Some(codec) = &def.codec {
            column.codec = Some(codecs(codec)?);
        }
    }
    Ok(())
}

/// Fails for types of which no values can be stored. Views may have them.
pub(super) fn check_stored(schema: &Schema) -> Result<()> {
    match schema.stored().iter().find(|column| holds_nothing(&column.ty)) {
        None => Ok(()),
        Some(column) => {
            let message = format!(
                "Data type {} of column '{}' cannot be used in tables: give the column another type",
                column.ty, column.name
            );
            Err(Error::new(codes::DATA_TYPE_CANNOT_BE_USED_IN_TABLES, message))
        }
    }
}

/// Whether the type is that of NULL or of an empty array, or contains such a type.
fn holds_nothing(ty: &DataType) -> bool {
    match ty {
        DataType::Nothing => true,
        DataType::Nullable(inner) | DataType::Array(inner) | DataType::Map(inner) => {
            holds_nothing(inner)
        }
        DataType::Tuple(tuple) => tuple.types.iter().any(holds_nothing),
        _ => false,
    }
}

/// Parses the items of a CODEC clause.
fn codecs(text: &str) -> Result<Vec<ast::Function>> {
    let column = format!("CREATE TABLE t (c UInt8 CODEC({text})) ENGINE = Null");
    let create = super::TableDefinition::parse(&column, super::LANGUAGE)?;
    let column = create.elements.columns.into_iter().next();
    column.and_then(|c| c.codec).ok_or_else(|| Error::logical("a CODEC clause without codecs"))
}

/// The text of a codec or of a type of index: a name, with arguments if there are any.
pub(crate) fn function_text(function: &ast::Function) -> String {
    if function.args.is_empty() {
        return function.name.clone();
    }
    let args: Vec<String> = function.args.iter().map(format_expr).collect();
    format!("{}({})", function.name, args.join(", "))
}

pub(super) fn known_of(columns: &[ColumnDef]) -> Known {
    columns.iter().map(|c| (c.name.clone(), c.ty.clone())).collect()
}

/// Gives each column without a type the type of its default expression. The expressions may read
/// each other's columns.
fn infer_types(
    written: &[ast::ColumnDef],
    columns: &mut [ColumnDef],
    mut untyped: Vec<usize>,
    function_context: &dyn FunctionContext,
) -> Result<()> {
    while !untyped.is_empty() {
        let known = known_of(columns);
        let (mut later, mut failed) = (Vec::new(), None);
        for &i in &untyped {
            let Some(expr) = written[i].default.as_ref().and_then(|d| d.expr.as_ref()) else {
                let message = format!("Column {} has neither type nor default", columns[i].name);
                let code = codes::EMPTY_LIST_OF_COLUMNS_PASSED;
                return Err(Error::new(code, message).at(written[i].position));
            };
            let waits = |e: &Expr| columns_of(e).iter().any(|id| untyped.contains(id));
            match entasis_analyze::bind_expression(expr, &known, function_context) {
                Ok(bound) if !waits(&bound) => {
                    let ty = bound.ty().clone();
                    let wraps = written[i].nullable == Some(true) && ty.can_be_nullable();
                    columns[i].ty = if wraps { DataType::nullable(ty) } else { ty };
                }
                Ok(_) => later.push(i),
                Err(error) => {
                    failed.get_or_insert(error);
                    later.push(i);
                }
            }
        }
        if later.len() == untyped.len() {
            return Err(failed.unwrap_or_else(|| cycle(&columns[later[0]])));
        }
        untyped = later;
    }
    Ok(())
}

/// Positions of the columns that an expression reads.
fn columns_of(expr: &Expr) -> Vec<usize> {
    let mut ids: Vec<ColumnId> = Vec::new();
    expr.columns(&mut ids);
    ids.into_iter().map(|id| id.0 as usize).collect()
}

#[cold]
pub(super) fn cycle(column: &ColumnDef) -> Error {
    let message = format!("Cyclic default expressions: that of column {} reads it", column.name);
    Error::new(codes::CYCLIC_ALIASES, message)
}

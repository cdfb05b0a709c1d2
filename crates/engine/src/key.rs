//! From CREATE TABLE's columns and key clauses to typed definitions.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_expr::{ColumnId, Expr};
use entasis_function::Facts;
use entasis_sql::{ast, format_expr, format_type};
use entasis_table::{ColumnDef, DefaultKind, Schema};
use entasis_types::DataType;

/// The schema that a list of column definitions means.
pub fn schema(elements: &ast::TableElements, facts: &dyn Facts) -> Result<Arc<Schema>> {
    let mut columns: Vec<ColumnDef> = Vec::with_capacity(elements.columns.len());
    for column in &elements.columns {
        let name = column.name.as_str();
        if columns.iter().any(|c| &*c.name == name) {
            let message = format!("Column {name} is defined twice");
            return Err(Error::new(codes::DUPLICATE_COLUMN, message).at(column.position));
        }
        columns.push(declared(column)?);
    }
    bind_defaults(&elements.columns, &mut columns, facts)?;
    Ok(Schema::new(columns))
}

fn declared(column: &ast::ColumnDef) -> Result<ColumnDef> {
    let ty = match &column.data_type {
        Some(name) => DataType::parse(&format_type(name)).map_err(|e| e.at(name.position))?,
        None => DataType::Nothing, // taken from the default expression
    };
    let ty = if column.nullable == Some(true) { DataType::nullable(ty) } else { ty };
    if column.ttl.is_some() {
        return Err(Error::not_implemented("TTL of a column").at(column.position));
    }
    let mut def = ColumnDef::new(column.name.as_str(), ty);
    if let Some(codecs) = &column.codec {
        let texts: Vec<String> = codecs.iter().map(function_text).collect();
        def.codec = Some(texts.join(", ").into());
    }
    if let Some(comment) = &column.comment {
        def.comment = comment.as_str().into();
    }
    if let Some(default) = &column.default {
        let kind = match default.kind {
            ast::DefaultKind::Default => DefaultKind::Default,
            ast::DefaultKind::Materialized => DefaultKind::Materialized,
            ast::DefaultKind::Alias => DefaultKind::Alias,
            ast::DefaultKind::Ephemeral => {
                return Err(Error::not_implemented("EPHEMERAL column").at(column.position));
            }
        };
        if kind == DefaultKind::Alias {
            return Err(Error::not_implemented("ALIAS column").at(column.position));
        }
        let text = default.expr.as_ref().map(format_expr).unwrap_or_default();
        def.default = Some((kind, text.into()));
    }
    Ok(def)
}

fn function_text(function: &ast::Function) -> String {
    if function.args.is_empty() {
        return function.name.clone();
    }
    let args: Vec<String> = function.args.iter().map(format_expr).collect();
    format!("{}({})", function.name, args.join(", "))
}

fn bind_defaults(
    written: &[ast::ColumnDef],
    columns: &mut [ColumnDef],
    facts: &dyn Facts,
) -> Result<()> {
    let known: Vec<(Arc<str>, DataType)> =
        columns.iter().map(|c| (c.name.clone(), c.ty.clone())).collect();
    for (column, def) in written.iter().zip(columns) {
        if let Some(expr) = column.default.as_ref().and_then(|d| d.expr.as_ref()) {
            let bound = entasis_analyze::bind_expression(expr, &known, facts)?;
            if column.data_type.is_none() {
                def.ty = bound.ty().clone();
            }
            def.default_expr = Some(entasis_analyze::bind::cast(bound, &def.ty, facts)?);
        } else if column.data_type.is_none() {
            let message = format!("Column {} has neither type nor default", def.name);
            return Err(
                Error::new(codes::EMPTY_LIST_OF_COLUMNS_PASSED, message).at(column.position)
            );
        }
    }
    Ok(())
}

/// Key expressions over the schema's columns, by position.
pub fn bind(exprs: &[&ast::Expr], schema: &Schema, facts: &dyn Facts) -> Result<Vec<Expr>> {
    let known: Vec<(Arc<str>, DataType)> =
        schema.columns.iter().map(|c| (c.name.clone(), c.ty.clone())).collect();
    let mut keys = Vec::new();
    for expr in exprs {
        keys.extend(entasis_analyze::bind_key(expr, &known, facts)?);
    }
    for key in &keys {
        if key.ty().is_nullable() {
            let message = "Sorting key contains nullable columns, which is not allowed: \
                           use ifNull() or assumeNotNull() in the key";
            return Err(Error::new(codes::ILLEGAL_COLUMN, message));
        }
    }
    Ok(keys)
}

/// The default of a column that an INSERT does not give: its expression over other columns, or the
/// type's default value. `given` maps schema positions to the expressions that are inserted.
pub fn default_of(column: &ColumnDef, given: &dyn Fn(ColumnId) -> Option<Expr>) -> Expr {
    match &column.default_expr {
        Some(expr) => entasis_analyze::tree::substitute(expr, &|id| given(id)),
        None => Expr::literal(column.ty.default_value(), column.ty.clone()),
    }
}

//! The table function `values`, with a structure and without one, and `viewExplain`.

use entasis_base::{Error, Result, codes};
use entasis_expr::Expr;
use entasis_sql::ast::{self, ExprKind};
use entasis_types::{DataType, Value, common_type};

use crate::literal::{adapt, exact_number};
use crate::{Analyzer, bind};

impl<'a> Analyzer<'a> {
    /// Resolves the arguments of `values`, and puts a structure before the rows. If none is
    /// written, the columns are called `c1`, `c2`, ... and have the common types of the rows'
    /// values.
    pub(crate) fn values_arguments(
        &mut self,
        args: &'a [ast::Expr],
        standard: bool,
    ) -> Result<Vec<Value>> {
        let mut rows = Vec::with_capacity(args.len());
        for arg in args {
            rows.push(self.constant(arg)?.ok_or_else(|| {
                let message = "Arguments of table function values must be constants";
                Error::new(codes::BAD_ARGUMENTS, message).at(arg.position)
            })?);
        }
        if rows.is_empty() {
            let message = "Table function 'values' requires at least 1 argument: a row";
            return Err(Error::new(codes::TOO_FEW_ARGUMENTS_FOR_FUNCTION, message));
        }
        if !standard && rows.len() > 1 && is_structure(&rows[0].0) {
            return self.rows_of_structure(rows);
        }
        let types = columns_of(&rows)?;
        let structure =
            types.iter().enumerate().map(|(i, ty)| format!("c{} {ty}", i + 1)).collect::<Vec<_>>();
        let mut out = vec![Value::from(structure.join(", ").as_str())];
        out.extend(rows.into_iter().map(|(value, ty)| match (value, ty) {
            (Value::Tuple(items), DataType::Tuple(_)) => {
                let items = items.iter().zip(&types).map(|(v, ty)| adapt(v, ty));
                Value::Tuple(items.collect::<Vec<_>>().into())
            }
            (value, _) => adapt(&value, &types[0]),
        }));
        Ok(out)
    }

    /// The structure and the rows behind it, with their values converted to the columns' types.
    fn rows_of_structure(&self, rows: Vec<(Value, DataType)>) -> Result<Vec<Value>> {
        let text = rows[0].0.as_bytes().map(String::from_utf8_lossy).unwrap_or_default();
        let DataType::Tuple(columns) = DataType::parse(&format!("Tuple({text})"))? else {
            return Err(Error::logical("a structure is no tuple"));
        };
        let row = |(i, (value, ty)): (usize, (Value, DataType))| match (&value, &ty) {
            _ if i == 0 => Ok(value),
            (Value::Tuple(items), DataType::Tuple(types)) if columns.types.len() > 1 => {
                let cells = items.iter().zip(&types.types).enumerate();
                // The table itself checks the number of values.
                let cells = cells.map(|(k, (item, from))| match columns.types.get(k) {
                    Some(to) => self.cell(item, from, to),
                    None => Ok(item.clone()),
                });
                Ok(Value::Tuple(cells.collect::<Result<Vec<_>>>()?.into()))
            }
            _ if columns.types.len() == 1 => self.cell(&value, &ty, &columns.types[0]),
            _ => Ok(value),
        };
        rows.into_iter().enumerate().map(row).collect()
    }

    /// A value of the type `from` as one of a column of the type `to`. Numbers have to keep their
    /// value, and text is read as the column's type.
    fn cell(&self, value: &Value, from: &DataType, to: &DataType) -> Result<Value> {
        match (value, from, to) {
            (value, from, to) if from == to => return Ok(value.clone()),
            (Value::Null, _, to) if !to.has_null() => {
                let message = format!("Cannot convert NULL to {to}");
                return Err(Error::new(codes::TYPE_MISMATCH, message));
            }
            (Value::Array(items), DataType::Array(from), DataType::Array(to)) => {
                let items = items.iter().map(|item| self.cell(item, from, to));
                return Ok(Value::Array(items.collect::<Result<Vec<_>>>()?.into()));
            }
            (Value::Tuple(items), DataType::Tuple(from), DataType::Tuple(to))
                if from.types.len() == to.types.len() =>
            {
                let cells = items.iter().zip(from.types.iter().zip(&to.types));
                let cells = cells.map(|(item, (from, to))| self.cell(item, from, to));
                return Ok(Value::Tuple(cells.collect::<Result<Vec<_>>>()?.into()));
            }
            _ => {}
        }
        let (plain_from, plain) = (from.without_nullable(), to.without_nullable());
        let is_number = |ty: &DataType| ty.is_any_number() && *ty != DataType::Bool;
        if is_number(plain_from)
            && is_number(plain)
            && !plain.is_float()
            && !value.is_null()
            && exact_number(value, plain).is_none()
        {
            let message = format!("Cannot convert a value from {from}: {plain} does not hold it");
            return Err(Error::new(codes::ARGUMENT_OUT_OF_BOUND, message));
        }
        let cast = bind::cast_literal(Expr::literal(value.clone(), from.clone()), to, self.context);
        match (cast, value.as_bytes()) {
            (Ok(Expr::Literal { value, .. }), _) => Ok(value),
            (Ok(_), _) => Err(Error::logical("a constant was not folded")),
            (Err(_), Some(text)) if is_number(plain) => {
                let text = String::from_utf8_lossy(text);
                let message = format!("Cannot convert string '{text}' to type {to}");
                Err(Error::new(codes::TYPE_MISMATCH, message))
            }
            (Err(e), _) => Err(e),
        }
    }

    /// The EXPLAIN that `viewExplain` stands for. Its arguments are the whole text, or the kind,
    /// the options and the query.
    pub(crate) fn explained(&mut self, function: &'a ast::Function) -> Result<String> {
        let text = |arg: &ast::Expr| arg.as_literal().and_then(|l| l.as_str()).map(str::to_string);
        if let [only] = &function.args[..]
            && let Some(text) = text(only)
        {
            return Ok(text);
        }
        if let [kind, options, query] = &function.args[..]
            && let (Some(kind), Some(options)) = (text(kind), text(options))
            && let ExprKind::Subquery(query) = &query.kind
        {
            let query = entasis_sql::format_query(query, entasis_sql::FormatOptions::default());
            return Ok(format!("{kind} {options} {query}"));
        }
        let message = "Table function viewExplain takes the kind of EXPLAIN, its options and a \
                       query: viewExplain('EXPLAIN', 'header = 1', (SELECT 1))";
        Err(Error::new(codes::BAD_ARGUMENTS, message))
    }
}

/// Whether the text before the rows is a list of columns, that is, at least `name Type`.
fn is_structure(value: &Value) -> bool {
    let Some(text) = value.as_bytes().and_then(|bytes| std::str::from_utf8(bytes).ok()) else {
        return false;
    };
    let Ok(columns) = entasis_sql::parse_type(&format!("Tuple({text})")) else { return false };
    let named = |arg: &ast::TypeArg| matches!(arg, ast::TypeArg::Named(..));
    columns.args.is_some_and(|args| !args.is_empty() && args.iter().all(named))
}

/// The types of the columns that the rows form.
fn columns_of(rows: &[(Value, DataType)]) -> Result<Vec<DataType>> {
    let row = |ty: &DataType| match ty {
        DataType::Tuple(tuple) => tuple.types.clone(),
        other => vec![other.clone()],
    };
    let types: Vec<Vec<DataType>> = rows.iter().map(|(_, ty)| row(ty)).collect();
    let width = types[0].len();
    if types.iter().any(|row| row.len() != width) {
        let message = "Cannot determine a common structure for values function arguments: the \
                       amount of columns is different for different arguments";
        return Err(Error::new(codes::CANNOT_EXTRACT_TABLE_STRUCTURE, message));
    }
    (0..width)
        .map(|i| common_type(&types.iter().map(|row| row[i].clone()).collect::<Vec<_>>()))
        .collect()
}

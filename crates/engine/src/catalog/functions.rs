//! Functions that users have defined by CREATE FUNCTION: a name that stands for a lambda. The
//! commit log keeps the statement of each, and the map in memory follows it.

use std::collections::BTreeMap;
use std::sync::Arc;

use entasis_base::sync;
use entasis_base::{Error, Position, Result, codes, message};
use entasis_function::registry;
use entasis_mergetree::{Op, Store};
use entasis_sql::ast::{self, ExprKind, StatementKind};
use entasis_sql::{FormatOptions, format_statement};

use super::EngineCatalog;

/// The kind of these objects in the store.
const KIND: &str = "function";

/// A function that a user has defined.
#[derive(Debug)]
pub(crate) struct SqlFunction {
    /// What its calls stand for.
    pub lambda: Arc<ast::Lambda>,
    /// Its CREATE FUNCTION.
    pub text: String,
}

/// All functions that users have defined, by name.
pub(crate) type SqlFunctions = BTreeMap<String, Arc<SqlFunction>>;

impl SqlFunction {
    fn new(create: &ast::CreateFunction) -> Result<Self> {
        let ExprKind::Lambda(lambda) = &create.body.kind else {
            let message = "CREATE FUNCTION needs a lambda: write AS (x, y) -> x + y";
            return Err(Error::new(codes::BAD_ARGUMENTS, message).at(create.body.position));
        };
        for (i, param) in lambda.params.iter().enumerate() {
            if lambda.params[..i].contains(param) {
                let message =
                    format!("Identifier {} already used as function parameter", param.as_str());
                return Err(Error::new(codes::BAD_ARGUMENTS, message).at(param.position));
            }
        }
        let mut body = lambda.body.clone();
        let named = std::cell::Cell::new(false);
        let find = |name: &str| {
            named.set(named.get() || name == create.name.as_str());
            None
        };
        entasis_sql::expand_in_expr(&mut body, &find);
        if named.get() {
            let message = format!("Function {} cannot call itself", create.name.as_str());
            return Err(Error::new(codes::CANNOT_CREATE_RECURSIVE_FUNCTION, message));
        }
        let text = formatted(ast::CreateFunction {
            or_replace: false,
            if_not_exists: false,
            ..create.clone()
        });
        Ok(Self { lambda: Arc::new((**lambda).clone()), text })
    }
}

/// Reads the text of a stored function.
pub(crate) fn parse(text: &str) -> Result<SqlFunction> {
    match entasis_sql::parse_statement(text)?.kind {
        StatementKind::CreateFunction(create) => SqlFunction::new(&create),
        _ => Err(Error::new(codes::CORRUPTED_DATA, "It is no CREATE FUNCTION")),
    }
}

/// The record that puts a function into the store.
pub(super) fn put_op(name: &str, function: &SqlFunction) -> Op {
    let (kind, definition) = (KIND.to_string(), function.text.clone());
    Op::PutObject { kind, name: name.to_string(), definition }
}

fn formatted(create: ast::CreateFunction) -> String {
    let statement = ast::Statement {
        kind: StatementKind::CreateFunction(Box::new(create)),
        output: ast::Output::default(),
        position: Position::default(),
    };
    format_statement(&statement, FormatOptions { one_line: true, ..FormatOptions::default() })
}

/// The functions that the store knows. One that cannot be read is left out, with a message.
pub(super) fn stored(store: &Store) -> SqlFunctions {
    let mut functions = SqlFunctions::new();
    for (name, text) in store.objects(KIND) {
        match parse(&text) {
            Ok(function) => drop(functions.insert(name, Arc::new(function))),
            Err(error) => message!(Error, "Catalog", "Cannot read function {}: {}", name, error),
        }
    }
    functions
}

impl EngineCatalog {
    /// The functions that users have defined.
    pub(crate) fn sql_functions(&self) -> Arc<SqlFunctions> {
        Arc::clone(&sync::read(&self.functions))
    }

    /// CREATE FUNCTION.
    pub(crate) fn create_function(&self, create: &ast::CreateFunction) -> Result<()> {
        let name = create.name.as_str();
        let exists = |what: &str| {
            let message = format!("{what} '{name}' already exists");
            Error::new(codes::FUNCTION_ALREADY_EXISTS, message).at(create.name.position)
        };
        if registry::find_scalar(name).is_some() {
            return Err(exists("The function"));
        }
        if registry::is_aggregate_name(name) {
            return Err(exists("The aggregate function"));
        }
        let function = Arc::new(SqlFunction::new(create)?);
        let _held = self.lock_changes();
        if self.sql_functions().contains_key(name) && !create.or_replace {
            let error = exists("The user-defined function");
            return if create.if_not_exists { Ok(()) } else { Err(error) };
        }
        self.store.execute_all(vec![put_op(name, &function)])?;
        Arc::make_mut(&mut sync::write(&self.functions)).insert(name.to_string(), function);
        Ok(())
    }

    /// DROP FUNCTION.
    pub(crate) fn drop_function(&self, name: &str, if_exists: bool) -> Result<()> {
        if registry::find_scalar(name).is_some() || registry::is_aggregate_name(name) {
            let message = format!("Cannot drop system function '{name}'");
            return Err(Error::new(codes::CANNOT_DROP_FUNCTION, message));
        }
        let _held = self.lock_changes();
        if !self.sql_functions().contains_key(name) {
            let message = format!("User-defined function '{name}' doesn't exist");
            let unknown = Error::new(codes::UNKNOWN_FUNCTION, message);
            return if if_exists { Ok(()) } else { Err(unknown) };
        }
        let (kind, name) = (KIND.to_string(), name.to_string());
        self.store.execute_all(vec![Op::RemoveObject { kind, name: name.clone() }])?;
        Arc::make_mut(&mut sync::write(&self.functions)).remove(&name);
        Ok(())
    }
}

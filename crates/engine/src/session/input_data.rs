//! `INSERT INTO t SELECT ... FROM input('structure') FORMAT name`: the data behind the statement as
//! a table of its SELECT, which reads it once.

use std::io::{Cursor, Read};
use std::sync::Arc;

use entasis_base::sync::lock;
use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, InsertSource};
use entasis_table_api::Table;
use entasis_tables::input::InputTable;
use entasis_tables::values::parse_structure;
use entasis_types::Value;

use super::Input;
use crate::{QueryOptions, Session, Settings};

/// The data of the INSERT that runs.
pub(crate) enum InputData {
    /// Nobody has asked for it yet: the format, and the bytes.
    Unread(String, Input),
    /// The table that reads it, and its structure.
    Table(Arc<dyn Table>, Vec<u8>),
}

impl Session {
    /// Keeps the data of an INSERT with a SELECT for the function `input`.
    pub(crate) fn keep_input(
        &self,
        insert: &ast::Insert,
        output: &ast::Output,
        data: Option<&[u8]>,
        options: &mut QueryOptions,
    ) {
        let (InsertSource::Select(_), Some(format)) = (&insert.source, &output.format) else {
            return;
        };
        let text = Cursor::new(data.unwrap_or_default().to_vec());
        let reader: Input = match options.input.take() {
            Some(more) => Box::new(text.chain(more)),
            None => Box::new(text),
        };
        *lock(&self.input_data) = Some(InputData::Unread(format.as_str().to_string(), reader));
    }

    /// The table of `input(structure)`.
    pub(crate) fn input_table(
        &self,
        args: &[Value],
        settings: &Settings,
    ) -> Result<Arc<dyn Table>> {
        let [Value::String(structure)] = args else {
            let message = "Table function input takes one argument, the structure of the data: \
                           input('a UInt8, b String')";
            return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
        };
        let schema = parse_structure(&String::from_utf8_lossy(structure))?;
        let mut kept = lock(&self.input_data);
        match kept.take() {
            Some(InputData::Unread(format, reader)) => {
                let header = schema.header();
                let options = self.format_options(settings);
                let input = entasis_format::input(&format, &header, reader, &options)?;
                let table: Arc<dyn Table> =
                    InputTable::new(&format, &header, input, Vec::new(), None)?;
                *kept = Some(InputData::Table(Arc::clone(&table), structure.to_vec()));
                Ok(table)
            }
            Some(InputData::Table(table, known)) if known[..] == structure[..] => {
                *kept = Some(InputData::Table(Arc::clone(&table), known));
                Ok(table)
            }
            Some(InputData::Table(..)) => Err(misused("it can be used once in a statement")),
            None => Err(misused("write INSERT INTO t SELECT ... FROM input('...') FORMAT name")),
        }
    }
}

#[cold]
fn misused(how: &str) -> Error {
    let message = format!("Table function input reads the data of an INSERT with a SELECT: {how}");
    Error::new(codes::INVALID_USAGE_OF_INPUT, message)
}

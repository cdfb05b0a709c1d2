//! `format(name[, structure], data)`: rows in some format, written in the query.

use std::io::Cursor;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_format::FormatOptions;
use entasis_table_api::{Schema, Snapshot, Table};
use entasis_types::Value;

use crate::functions::TableFunctionContext;
use crate::input::InputTable;
use crate::values;

struct FormatTable {
    name: &'static str,
    schema: Arc<Schema>,
    data: Vec<u8>,
    options: FormatOptions,
}

/// The table for the arguments of `format`.
pub fn format(args: &[Value], function_context: &TableFunctionContext) -> Result<Arc<dyn Table>> {
    let texts: Option<Vec<&[u8]>> = args.iter().map(Value::as_bytes).collect();
    let (name, structure, data) = match texts.as_deref() {
        Some([name, data]) => (*name, None, *data),
        Some([name, structure, data]) => (*name, Some(*structure), *data),
        _ => {
            let message = "Table function format takes 2 or 3 arguments: the name of a format, the \
                           structure (if it is known), and the data, as strings";
            return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
        }
    };
    let name = entasis_format::find(&String::from_utf8_lossy(name))?.name;
    let options = (function_context.format)();
    let schema = match structure.filter(|structure| *structure != b"auto") {
        Some(structure) => values::parse_structure(&String::from_utf8_lossy(structure))?,
        None => Schema::of_fields(&entasis_format::infer_schema(name, data, true, &options)?),
    };
    Ok(Arc::new(FormatTable { name, schema, data: data.to_vec(), options }))
}

impl Table for FormatTable {
    fn engine(&self) -> &'static str {
        "Values"
    }

    fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.schema)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let header = self.schema.header();
        let data = Box::new(Cursor::new(self.data.clone()));
        let input = entasis_format::input(self.name, &header, data, &self.options)?;
        InputTable::new(self.name, &header, input, Vec::new(), None)?.snapshot()
    }
}

//! `url(address, format, structure, compression, headers(...))` and `ENGINE = URL`: rows in some
//! format at addresses of the web. What is read there is read like a file; an INSERT is one POST,
//! which is sent when all its rows are there.

use std::sync::{Arc, Mutex};

use entasis_base::{Error, Result, codes};
use entasis_column::Header;
use entasis_table_api::Table;
use entasis_types::Value;

use super::place::{Addresses, Place};
use super::{FileTable, Wanted, text_of};
use crate::functions::TableFunctionContext;
use crate::values;
use crate::web::Web;

/// The arguments of `url`, or of the engine URL.
#[derive(Debug, Default)]
pub struct UrlArguments {
    /// The address; it may be a pattern.
    pub url: String,
    /// The name of the format; it is found out if there is none.
    pub format: Option<String>,
    /// The compression; it is found out from the address if there is none.
    pub compression: Option<String>,
    /// The columns; they are found out if there are none.
    pub structure: Option<Header>,
    /// Further headers of the requests.
    pub headers: Vec<(String, String)>,
}

impl UrlArguments {
    /// Fails if an address may not be used. Requests look again.
    pub fn check(&self, web: &dyn Web) -> Result<()> {
        for url in crate::web::addresses(&self.url)? {
            for url in crate::web::alternatives(&url)? {
                web.check(&url)?;
            }
        }
        Ok(())
    }

    /// The table that the arguments stand for.
    pub fn table(self, function_context: &TableFunctionContext) -> Result<Arc<dyn Table>> {
        let web = Arc::clone(&function_context.web);
        let mut options = (function_context.web_options)();
        options.headers = self.headers;
        let is_pattern = self.url.contains('{');
        let place = Place::Web(Addresses { web, options, is_pattern, sizes: Mutex::default() });
        let wanted = Wanted {
            path: self.url,
            format: self.format.as_deref(),
            structure: self.structure,
            compression: self.compression.as_deref(),
        };
        Ok(Arc::new(FileTable::new("URL", place, wanted, function_context)?))
    }
}

/// The table for the arguments of `url`.
pub fn url(args: &[Value], function_context: &TableFunctionContext) -> Result<Arc<dyn Table>> {
    let (mut texts, mut headers) = (Vec::new(), Vec::new());
    for arg in args {
        match arg {
            Value::Array(pairs) => headers.extend(pairs.iter().filter_map(pair)),
            arg => texts.push(text_of(arg).ok_or_else(signature)?),
        }
    }
    if !(1..=4).contains(&texts.len()) {
        return Err(signature());
    }
    let given = |i: usize| texts.get(i).filter(|text| *text != "auto").cloned();
    let structure = given(2).map(|text| values::parse_structure(&text)).transpose()?;
    let arguments = UrlArguments {
        url: texts[0].clone(),
        format: given(1),
        compression: given(3),
        structure: structure.map(|schema| schema.header()),
        headers,
    };
    arguments.check(&*function_context.web)?;
    arguments.table(function_context)
}

/// Name and value of a header.
fn pair(value: &Value) -> Option<(String, String)> {
    let Value::Tuple(pair) = value else { return None };
    Some((text_of(pair.first()?)?, text_of(pair.get(1)?)?))
}

#[cold]
fn signature() -> Error {
    let message = "The signature of table function url shall be the following:\n - uri\n - uri, \
                   format\n - uri, format, structure\n - uri, format, structure, \
                   compression_method\nAll signatures supports optional headers (specified as \
                   `headers('name'='value', 'name2'='value2')`).";
    Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message)
}

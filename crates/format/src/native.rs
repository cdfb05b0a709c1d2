//! Native: blocks of columns, as the reference writes them over HTTP: the numbers of columns and
//! rows, then for each column its name, its type and all its values.

mod read;
mod write;

#[cfg(test)]
mod tests;

use crate::registry::FormatDef;

pub(crate) const FORMATS: &[FormatDef] = &[FormatDef {
    extensions: &["native"],
    write: Some(write::writer),
    read: Some(read::reader),
    infer: Some(read::infer),
    names_among_values: true,
    ..FormatDef::new("Native")
}];

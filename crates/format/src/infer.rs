//! Guessing names and types from the first rows of a text file.

use entasis_base::{Error, Result};
use entasis_column::Header;

use crate::FormatOptions;

pub(crate) fn tsv<const IS_RAW: bool, const LINES: u8>(
    _sample: &[u8],
    _complete: bool,
    _options: &FormatOptions,
) -> Result<Header> {
    Err(Error::not_implemented("Schema inference"))
}

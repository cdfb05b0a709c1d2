//! Parquet: footer, schema, and row groups as morsels.

use std::sync::Arc;

use entasis_base::{Error, Result};
use entasis_column::Header;

use crate::{FormatOptions, InputFormat, ReadAt};

/// An open Parquet file: its footer, parsed. Cheap to share; row groups are read independently.
pub struct ParquetFile {
    header: Header,
}

impl ParquetFile {
    /// Reads the footer.
    pub fn open(file: Arc<dyn ReadAt>) -> Result<Self> {
        let _ = file;
        Err(Error::not_implemented("Parquet"))
    }

    /// All columns with the types that the file gives.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Number of row groups.
    pub fn row_groups(&self) -> usize {
        0
    }

    /// Rows in row group `i`.
    pub fn rows(&self, i: usize) -> u64 {
        let _ = i;
        0
    }

    /// The columns of `wanted` by name, with the FILE's types: what the readers' chunks hold. The
    /// caller casts to the wanted types. A wanted column that the file does not have is an error.
    pub fn file_header(&self, wanted: &Header) -> Result<Header> {
        let _ = wanted;
        Ok(self.header.clone())
    }

    /// A reader of row group `i` for the columns of `wanted`, in its order: chunks of
    /// [`Self::file_header`]. Only these columns' bytes are read.
    pub fn read_row_group(
        &self,
        i: usize,
        wanted: &Header,
        options: &FormatOptions,
    ) -> Result<Box<dyn InputFormat>> {
        let _ = (i, wanted, options);
        Err(Error::not_implemented("Parquet"))
    }
}

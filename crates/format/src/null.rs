//! Null: discards all rows, to measure queries without their output.

use entasis_base::Result;
use entasis_column::{Chunk, Header};

use crate::registry::FormatDef;
use crate::{FormatOptions, OutputFormat};

pub(crate) const FORMATS: &[FormatDef] =
    &[FormatDef { write: Some(writer), ..FormatDef::new("Null") }];

struct NullWriter;

fn writer(_header: &Header, _options: &FormatOptions) -> Result<Box<dyn OutputFormat>> {
    Ok(Box::new(NullWriter))
}

impl OutputFormat for NullWriter {
    fn start(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn write(&mut self, _chunk: &Chunk, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

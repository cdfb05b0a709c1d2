//! Converts standard input between formats, for comparing with the oracle by hand:
//! `convert TSV PrettyCompact 'a Int32, b String' < in > out`.
#![allow(clippy::unwrap_used)]

use std::io::Write;

use entasis_column::{Field, Header};
use entasis_format::{FormatOptions, input, output};
use entasis_types::DataType;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let ty = DataType::parse(&format!("Tuple({})", args[3])).unwrap();
    let DataType::Tuple(tuple) = ty else { return };
    let names = tuple.names.clone().unwrap();
    let fields = names.iter().zip(&tuple.types).map(|(n, t)| Field::new(&**n, t.clone())).collect();
    let header = Header::new(fields);
    let options = FormatOptions::default();
    let mut reader = input(&args[1], &header, Box::new(std::io::stdin()), &options).unwrap();
    let mut writer = output(&args[2], &header, &options).unwrap();
    let mut out = Vec::new();
    writer.start(&mut out).unwrap();
    while let Some(chunk) = reader.next(8192).unwrap() {
        writer.write(&chunk, &mut out).unwrap();
    }
    writer.finish(&mut out).unwrap();
    std::io::stdout().write_all(&out).unwrap();
}

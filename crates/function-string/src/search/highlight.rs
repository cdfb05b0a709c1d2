//! `highlight`: puts tags around the places where terms occur in a text.

use aho_corasick::{AhoCorasick, MatchKind};
use entasis_base::{Error, Result, codes};
use entasis_function::{Arg, BoundKernel, FunctionDef};
use entasis_function_kernel::text::map_text;
use entasis_types::{DataType, Value};

use super::tokenizer::bad;

fn illegal(message: String) -> Error {
    Error::new(codes::ILLEGAL_TYPE_OF_ARGUMENT, message)
}

fn known(arg: &Arg, index: usize) -> Result<&Value> {
    arg.constant.as_ref().ok_or_else(|| {
        let message = format!("Argument at index {index} for function highlight must be constant");
        Error::new(codes::ILLEGAL_COLUMN, message)
    })
}

fn tag(args: &[Arg], index: usize, default: &str) -> Result<Vec<u8>> {
    let Some(arg) = args.get(index) else { return Ok(default.into()) };
    if !arg.ty.is_string() {
        let (ty, place) = (&arg.ty, index + 1);
        return Err(illegal(format!(
            "Illegal type {ty} of argument {place} of function highlight, expected const String"
        )));
    }
    Ok(known(arg, index)?.as_bytes().unwrap_or_default().to_vec())
}

fn bind(args: &[Arg]) -> Result<BoundKernel> {
    if args.len() == 3 {
        let message = "Function highlight requires 2 or 4 arguments, got 3";
        return Err(Error::new(codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, message));
    }
    if !args[0].ty.is_string() {
        let ty = &args[0].ty;
        return Err(illegal(format!(
            "Illegal type {ty} of first argument of function highlight, expected String or \
             FixedString"
        )));
    }
    if !matches!(&args[1].ty, DataType::Array(element) if **element == DataType::String) {
        let ty = &args[1].ty;
        return Err(illegal(format!(
            "Illegal type {ty} of second argument of function highlight, expected const \
             Array(String)"
        )));
    }
    let Value::Array(terms) = known(&args[1], 1)? else {
        return Err(Error::logical("not an array"));
    };
    let terms = terms.iter().filter_map(Value::as_bytes).filter(|term| !term.is_empty());
    let mut builder = AhoCorasick::builder();
    builder.ascii_case_insensitive(true).match_kind(MatchKind::Standard);
    let machine = builder.build(terms).map_err(|e| bad(e.to_string()))?;
    let (open, close) = (tag(args, 2, "<em>")?, tag(args, 3, "</em>")?);
    let is_padded = matches!(args[0].ty, DataType::FixedString(_));
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let mut hits = Vec::new();
        map_text(&args[0], rows, |s, out| {
            let is_zero = |byte: &u8| is_padded && *byte == 0;
            let s = &s[..s.iter().rposition(|byte| !is_zero(byte)).map_or(0, |at| at + 1)];
            hits.clear();
            hits.extend(machine.find_overlapping_iter(s).map(|hit| (hit.start(), hit.end())));
            hits.sort_unstable();
            let mut from = 0;
            let mut left = hits.as_slice();
            while let Some((&(start, mut end), rest)) = left.split_first() {
                left = rest;
                while let Some((&next, rest)) = left.split_first().filter(|(next, _)| next.0 <= end)
                {
                    (end, left) = (end.max(next.1), rest);
                }
                out.extend_from_slice(&s[from..start]);
                out.extend_from_slice(&open);
                out.extend_from_slice(&s[start..end]);
                out.extend_from_slice(&close);
                from = end;
            }
            out.extend_from_slice(&s[from..]);
        })
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[FunctionDef {
    name: "highlight",
    description: "Puts tags around the places where one of the terms occurs, without regard to the \
                  case of ASCII letters. The tags are <em> and </em>, unless others are given.",
    examples: &[("highlight('The quick fox', ['Quick'], '<b>', '</b>')", "The <b>quick</b> fox")],
    arity: (2, 4),
    bind: |args, _| bind(args),
    ..FunctionDef::DEFAULT
}];

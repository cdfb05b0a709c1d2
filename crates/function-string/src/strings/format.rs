//! `format`: inserts arguments as text into a pattern.

use entasis_base::{Error, Result, codes};
use entasis_column::StringsBuilder;
use entasis_types::DataType;

use super::concat::{apply, casts};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::text::{Pieces, Text, constant_string, finish};

/// Text, and the argument that follows it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Piece {
    text: Vec<u8>,
    argument: Option<usize>,
}

#[cold]
fn bad(message: impl Into<String>) -> Error {
    Error::new(codes::BAD_ARGUMENTS, message.into())
}

/// Reads `{}`, `{1}`, `{{` and `}}`. Places are numbered or not, but not both in one pattern.
fn parse(pattern: &[u8], arguments: usize) -> Result<Vec<Piece>> {
    let mut pieces = vec![Piece::default()];
    let (mut at, mut next, mut numbered) = (0, 0, None);
    while let Some(&byte) = pattern.get(at) {
        at += 1;
        let doubled = pattern.get(at) == Some(&byte);
        if !matches!(byte, b'{' | b'}') || doubled {
            at += usize::from(matches!(byte, b'{' | b'}'));
            if let Some(piece) = pieces.last_mut() {
                piece.text.push(byte);
            }
            continue;
        }
        if byte == b'}' {
            let place = at - 1;
            let message = format!("Closed curly brace without open one at position {place}");
            return Err(bad(message));
        }
        let Some(len) = memchr::memchr(b'}', &pattern[at..]) else {
            return Err(bad("Last open curly brace is not closed"));
        };
        let digits = &pattern[at..at + len];
        let place = at;
        at += len + 1;
        if *numbered.get_or_insert(!digits.is_empty()) == digits.is_empty() {
            let message = "Cannot switch from automatic field numbering to manual field \
                           specification";
            return Err(bad(message));
        }
        let argument = if digits.is_empty() {
            next += 1;
            next - 1
        } else {
            number(digits, place, arguments)?
        };
        if argument >= arguments {
            return Err(bad("Not enough arguments to fill the placeholders in the format string"));
        }
        if let Some(piece) = pieces.last_mut() {
            piece.argument = Some(argument);
        }
        pieces.push(Piece::default());
    }
    Ok(pieces)
}

fn number(digits: &[u8], place: usize, arguments: usize) -> Result<usize> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return Err(bad(format!("Not a number in curly braces at position {place}")));
    }
    let number = String::from_utf8_lossy(digits).parse().unwrap_or(usize::MAX);
    if number < arguments {
        return Ok(number);
    }
    let most = arguments.saturating_sub(1);
    Err(bad(format!("Too big number for arguments, must be at most {most}")))
}

fn bind(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let pattern = constant_string("format", &args[0], "Argument at index 0")?;
    let pieces = parse(pattern, args.len() - 1)?;
    let casts = casts(&args[1..], context)?;
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let args = apply(&casts, &args[1..])?;
        let texts = args.iter().map(Text::of).collect::<Result<Vec<_>>>()?;
        let fixed: usize = pieces.iter().map(|p| p.text.len()).sum();
        let bytes: usize = texts.iter().map(|t| t.bytes(rows)).sum();
        let mut out = StringsBuilder::with_capacity(rows, bytes + fixed * rows);
        let mut parts = Vec::new();
        for piece in &pieces {
            if !piece.text.is_empty() {
                parts.push(Pieces::constant(&piece.text));
            }
            parts.extend(piece.argument.map(|argument| Pieces::of(texts[argument])));
        }
        for i in 0..rows {
            for part in &parts {
                part.append(i, &mut out.data);
                out.pace();
            }
            out.close();
        }
        finish(out)
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[FunctionDef {
    name: "format",
    description: "The pattern with the arguments in place of `{}`, or of `{0}`, `{1}` and so on.",
    examples: &[
        ("format('{} and {}', 'a', 1)", "a and 1"),
        ("format('{1}{0} {{}}', 'a', 'b')", "ba {}"),
    ],
    arity: (2, usize::MAX),
    bind,
    ..FunctionDef::DEFAULT
}];

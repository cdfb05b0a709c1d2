//! Soundex: a letter and three digits that English words with the same sound share.

use entasis_types::DataType;

use entasis_function::FunctionDef;
use entasis_function_kernel::text::{expect_string, map_text};

/// The digit of a letter; 0 for those that part equal digits.
fn digit(letter: u8) -> u8 {
    match letter {
        b'B' | b'F' | b'P' | b'V' => 1,
        b'C' | b'G' | b'J' | b'K' | b'Q' | b'S' | b'X' | b'Z' => 2,
        b'D' | b'T' => 3,
        b'L' => 4,
        b'M' | b'N' => 5,
        b'R' => 6,
        _ => 0,
    }
}

fn code(text: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    let mut last = 0;
    let letters = text.iter().filter(|b| b.is_ascii_alphabetic());
    for letter in letters.map(u8::to_ascii_uppercase) {
        let own = digit(letter);
        if out.len() == start {
            out.push(letter);
            last = own;
        } else {
            if own != 0 && own != last {
                out.push(b'0' + own);
            }
            last = own;
        }
        if out.len() == start + 4 {
            return;
        }
    }
    out.resize(start + 4, b'0');
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[FunctionDef {
    name: "soundex",
    case_insensitive: true,
    description: "The Soundex code of an English word: a letter and three digits.",
    examples: &[("soundex('Robert')", "R163"), ("soundex('Ashcraft')", "A226")],
    arity: (1, 1),
    bind: |args, _| {
        expect_string("soundex", &args[0])?;
        Ok(entasis_function::BoundKernel::new(DataType::String, |args, rows| {
            map_text(&args[0], rows, code)
        }))
    },
    ..FunctionDef::DEFAULT
}];

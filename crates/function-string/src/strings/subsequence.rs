//! Whether all characters of one text occur in another in the same order, possibly with others
//! between them.

use entasis_base::Result;
use entasis_column::Mask;

use entasis_function::{Arg, BoundKernel, FunctionDef, Properties};
use entasis_function_kernel::text::{Text, expect_string};

fn bind(name: &str, args: &[Arg], fold_case: fn(&[u8]) -> Vec<u8>) -> Result<BoundKernel> {
    args.iter().try_for_each(|a| expect_string(name, a))?;
    Ok(BoundKernel::predicate(move |args, rows| {
        let (text, wanted) = (Text::of(&args[0])?, Text::of(&args[1])?);
        Ok(Mask::from_fn(rows, |i| {
            let (text, wanted) = (fold_case(text.get(i)), fold_case(wanted.get(i)));
            let mut left = text.iter();
            // Bytes will do: no character's bytes are part of others' in the wrong order.
            wanted.iter().all(|byte| left.any(|other| other == byte))
        }))
    }))
}

fn lower(text: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(text).to_lowercase().into_bytes()
}

const TWO: FunctionDef =
    FunctionDef { properties: Properties::NEVER_FOLDED, arity: (2, 2), ..FunctionDef::DEFAULT };

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "hasSubsequence",
        description: "Whether all bytes of the second string occur in the first in this order, \
                      possibly with others between them.",
        examples: &[("hasSubsequence('garbage', 'arg')", "1")],
        bind: |a, _| bind("hasSubsequence", a, <[u8]>::to_vec),
        ..TWO
    },
    FunctionDef {
        name: "hasSubsequenceCaseInsensitive",
        description: "Like hasSubsequence, ignoring case.",
        examples: &[("hasSubsequenceCaseInsensitive('GARBAGE', 'arg')", "1")],
        bind: |a, _| bind("hasSubsequenceCaseInsensitive", a, <[u8]>::to_ascii_lowercase),
        ..TWO
    },
    FunctionDef {
        name: "hasSubsequenceUTF8",
        description: "Like hasSubsequence, for UTF-8.",
        examples: &[("hasSubsequenceUTF8('привет', 'пвт')", "1")],
        bind: |a, _| bind("hasSubsequenceUTF8", a, <[u8]>::to_vec),
        ..TWO
    },
    FunctionDef {
        name: "hasSubsequenceCaseInsensitiveUTF8",
        description: "Like hasSubsequence, for UTF-8 and ignoring case.",
        examples: &[("hasSubsequenceCaseInsensitiveUTF8('ПРИВЕТ', 'пвт')", "1")],
        bind: |a, _| bind("hasSubsequenceCaseInsensitiveUTF8", a, lower),
        ..TWO
    },
];

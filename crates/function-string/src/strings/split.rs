//! Splits strings into arrays of strings by separators of several kinds, and joins arrays to
//! strings.

use entasis_base::{Error, Result, codes};
use entasis_column::{Column, StringsBuilder};
use entasis_types::{DataType, Value};
use memchr::memmem::Finder;

use crate::regexp::Pattern;
use entasis_function::cast::{self, Session};
use entasis_function::{Arg, BoundKernel, FunctionContext, FunctionDef};
use entasis_function_kernel::kernel::illegal_type;
use entasis_function_kernel::text::{self, Text, char_len, constant_string, expect_string, finish};

/// Pieces growing: strings and, per row, how many.
pub struct Pieces {
    /// The pieces of all rows.
    pub strings: StringsBuilder,
    ends: Vec<u32>,
}

impl Pieces {
    /// For so many rows of so many bytes together.
    pub fn new(rows: usize, bytes: usize) -> Self {
        let mut ends = Vec::with_capacity(rows + 1);
        ends.push(0);
        Self { strings: StringsBuilder::with_capacity(rows * 4, bytes), ends }
    }

    /// Appends a piece to the current row.
    #[inline]
    pub fn push(&mut self, piece: &[u8]) {
        self.strings.push(piece);
    }

    /// Ends the row.
    #[inline]
    pub fn close(&mut self) {
        self.ends.push(self.strings.len() as u32);
    }

    /// Array(String).
    pub fn finish(self) -> Result<Column> {
        Ok(Column::array(self.ends.into(), finish(self.strings)?))
    }
}

/// How many pieces at most: 0 means no bound. Rest left out, or kept in the last piece.
#[derive(Clone, Copy)]
struct Most {
    count: usize,
    keep_rest: bool,
}

impl Most {
    fn read(name: &str, arg: Option<&Arg>, context: &dyn FunctionContext) -> Result<Self> {
        let setting = context.setting("splitby_max_substrings_includes_remaining_string");
        let keep_rest = setting.and_then(|v| v.as_u64()) == Some(1);
        let Some(arg) = arg else { return Ok(Self { count: usize::MAX, keep_rest }) };
        if !arg.ty.is_native_integer() {
            return Err(illegal_type(name, &arg.ty));
        }
        let Some(value) = &arg.constant else {
            let message = format!("Third argument of function {name} must be a constant");
            return Err(Error::new(codes::ILLEGAL_COLUMN, message));
        };
        let count = value.as_i64().filter(|&n| n > 0).map_or(usize::MAX, |n| n as usize);
        Ok(Self { count, keep_rest })
    }
}

/// Cuts `s` wherever `next` finds a separator (start and end, from a position on).
#[inline(always)]
fn cut(
    s: &[u8],
    most: Most,
    out: &mut Pieces,
    mut next: impl FnMut(&[u8], usize) -> Option<(usize, usize)>,
) {
    let (mut from, mut count) = (0, 0);
    loop {
        if count + 1 == most.count && most.keep_rest {
            break;
        }
        if count == most.count {
            return;
        }
        let Some((start, end)) = next(s, from) else { break };
        out.push(&s[from..start]);
        count += 1;
        from = end;
    }
    if count < most.count {
        out.push(&s[from..]);
    }
}

type Splitter = Box<dyn Fn(&[u8], &mut Pieces) + Send + Sync>;

fn each_row(text: &Column, rows: usize, split: impl Fn(&[u8], &mut Pieces)) -> Result<Column> {
    let text = Text::of(text)?;
    let mut out = Pieces::new(rows, text.bytes(rows));
    for i in 0..rows {
        split(text.get(i), &mut out);
        out.close();
    }
    out.finish()
}

fn array_of_strings() -> DataType {
    DataType::array(DataType::String)
}

fn split_by_char(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let separator = constant_string("splitByChar", &args[0], "First argument")?;
    let &[byte] = separator else {
        return Err(Error::new(
            codes::BAD_ARGUMENTS,
            "Illegal separator for function splitByChar. Must be exactly one byte",
        ));
    };
    expect_string("splitByChar", &args[1])?;
    let most = Most::read("splitByChar", args.get(2), context)?;
    if most.count == usize::MAX {
        return Ok(BoundKernel::new(array_of_strings(), move |args, rows| {
            each_row(&args[1], rows, |s, out| {
                let mut from = 0;
                for at in memchr::memchr_iter(byte, s) {
                    out.push(&s[from..at]);
                    from = at + 1;
                }
                out.push(&s[from..]);
            })
        }));
    }
    Ok(BoundKernel::new(array_of_strings(), move |args, rows| {
        each_row(&args[1], rows, |s, out| {
            cut(s, most, out, |s, from| {
                memchr::memchr(byte, &s[from..]).map(|at| (from + at, from + at + 1))
            });
        })
    }))
}

/// Every character a piece.
fn characters(s: &[u8], most: Most, out: &mut Pieces) {
    let (mut at, mut count) = (0, 0);
    while at < s.len() && count < most.count {
        let mut end = (at + char_len(s[at])).min(s.len());
        count += 1;
        if count == most.count && most.keep_rest {
            end = s.len();
        }
        out.push(&s[at..end]);
        at = end;
    }
}

fn split_by_string(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let separator = constant_string("splitByString", &args[0], "First argument")?;
    expect_string("splitByString", &args[1])?;
    let most = Most::read("splitByString", args.get(2), context)?;
    let splitter: Splitter = if separator.is_empty() {
        Box::new(move |s, out| characters(s, most, out))
    } else {
        let finder = Finder::new(separator).into_owned();
        Box::new(move |s, out| {
            let len = finder.needle().len();
            cut(s, most, out, |s, from| {
                finder.find(&s[from..]).map(|at| (from + at, from + at + len))
            });
        })
    };
    Ok(BoundKernel::new(array_of_strings(), move |args, rows| each_row(&args[1], rows, &splitter)))
}

fn split_by_regexp(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let pattern = constant_string("splitByRegexp", &args[0], "First argument")?;
    expect_string("splitByRegexp", &args[1])?;
    let most = Most::read("splitByRegexp", args.get(2), context)?;
    if pattern.is_empty() {
        return Ok(BoundKernel::new(array_of_strings(), move |args, rows| {
            each_row(&args[1], rows, |s, out| characters(s, most, out))
        }));
    }
    let pattern = Pattern::compile(pattern)?;
    Ok(BoundKernel::new(array_of_strings(), move |args, rows| {
        let text = Text::of(&args[1])?;
        let mut out = Pieces::new(rows, text.bytes(rows));
        let mut matcher = pattern.matcher();
        for i in 0..rows {
            cut(text.get(i), most, &mut out, |s, from| {
                // An empty match separates nothing.
                matcher.find(s, from).filter(|m| m.1 > m.0)
            });
            out.close();
        }
        out.finish()
    }))
}

/// Maximal runs of bytes that satisfy `inside`.
fn runs(
    name: &'static str,
    args: &[Arg],
    context: &dyn FunctionContext,
    inside: impl Fn(u8) -> bool + Copy + Send + Sync + 'static,
) -> Result<BoundKernel> {
    expect_string(name, &args[0])?;
    let most = Most::read(name, args.get(1), context)?;
    Ok(BoundKernel::new(array_of_strings(), move |args, rows| {
        each_row(&args[0], rows, |s, out| {
            let (mut at, mut count) = (0, 0);
            while count < most.count {
                let Some(start) = s[at..].iter().position(|&b| inside(b)) else { return };
                let start = at + start;
                let len = s[start..].iter().position(|&b| !inside(b)).unwrap_or(s.len() - start);
                count += 1;
                at = if count == most.count && most.keep_rest { s.len() } else { start + len };
                out.push(&s[start..at]);
            }
        })
    }))
}

fn is_space(b: u8) -> bool {
    matches!(b, b' ' | 9..=13)
}

fn array_string_concat(args: &[Arg], context: &dyn FunctionContext) -> Result<BoundKernel> {
    let name = "arrayStringConcat";
    let DataType::Array(element) = &args[0].ty else {
        return Err(illegal_type(name, &args[0].ty));
    };
    if let Some(separator) = args.get(1) {
        constant_string(name, separator, "Second argument")?;
    }
    let separator = args
        .get(1)
        .and_then(|a| a.constant.as_ref())
        .and_then(|v| if let Value::String(s) = v { Some(s.to_vec()) } else { None })
        .unwrap_or_default();
    let plain = element.without_nullable();
    let cast = if plain.is_string() {
        None
    } else {
        let to = match **element {
            DataType::Nullable(_) => DataType::nullable(DataType::String),
            _ => DataType::String,
        };
        Some(cast::bind(element, &to, Session::of(context))?)
    };
    Ok(BoundKernel::new(DataType::String, move |args, rows| {
        let Column::Array(array) = &args[0].full() else {
            return Err(Error::logical("not an array"));
        };
        let (offsets, values) = array.flat();
        let values = cast.as_ref().map_or_else(|| Ok(values.clone()), |cast| cast(&values))?.full();
        let (validity, plain) = values.split_nullable();
        let words = Text::of(plain)?;
        let mut out =
            StringsBuilder::with_capacity(rows, words.bytes(1) + separator.len() * plain.len());
        let (words, separator) = (text::Pieces::of(words), text::Pieces::constant(&separator));
        for range in offsets.windows(2) {
            let mut first = true;
            for k in range[0] as usize..range[1] as usize {
                if validity.is_some_and(|v| !v.get(k)) {
                    continue;
                }
                if !first {
                    separator.append(0, &mut out.data);
                }
                first = false;
                words.append(k, &mut out.data);
                out.pace();
            }
            out.close();
        }
        finish(out)
    }))
}

/// The table of this family.
pub const FUNCTIONS: &[FunctionDef] = &[
    FunctionDef {
        name: "splitByChar",
        description: "Splits a string at every occurrence of a character; max_substrings limits \
                      the number of pieces.",
        examples: &[("splitByChar(',', 'a,b,,c')", "['a','b','','c']")],
        arity: (2, 3),
        bind: split_by_char,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "splitByString",
        description: "Splits a string at every occurrence of another; an empty separator splits it \
                      into characters.",
        examples: &[
            ("splitByString(', ', 'a, b')", "['a','b']"),
            ("splitByString('', 'ab')", "['a','b']"),
        ],
        arity: (2, 3),
        bind: split_by_string,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "splitByRegexp",
        description: "Splits a string at every match of a regular expression.",
        examples: &[("splitByRegexp('[0-9]+', 'a12bc3d')", "['a','bc','d']")],
        arity: (2, 3),
        bind: split_by_regexp,
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "splitByWhitespace",
        description: "Splits a string into words at white space.",
        examples: &[("splitByWhitespace('  a  b ')", "['a','b']")],
        arity: (1, 2),
        bind: |args, context| runs("splitByWhitespace", args, context, |b| !is_space(b)),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "splitByNonAlpha",
        description: "Splits a string into words at white space and punctuation.",
        examples: &[("splitByNonAlpha('a,b 1!c')", "['a','b','1','c']")],
        arity: (1, 2),
        bind: |args, context| {
            let inside = |b: u8| !is_space(b) && !b.is_ascii_punctuation();
            runs("splitByNonAlpha", args, context, inside)
        },
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "alphaTokens",
        aliases: &["splitByAlpha"],
        description: "The words of a string, as runs of ASCII letters.",
        examples: &[("alphaTokens('ab12c,d')", "['ab','c','d']")],
        arity: (1, 2),
        bind: |args, context| runs("alphaTokens", args, context, |b| b.is_ascii_alphabetic()),
        ..FunctionDef::DEFAULT
    },
    FunctionDef {
        name: "arrayStringConcat",
        description: "The elements as one text, with a separator between them.",
        examples: &[("arrayStringConcat(['a', 'b'], '-')", "a-b")],
        arity: (1, 2),
        bind: array_string_concat,
        ..FunctionDef::DEFAULT
    },
];

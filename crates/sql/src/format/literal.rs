//! Constants as text.

use crate::ast::Literal;

/// `'text'` with the escapes the dialect reads.
pub fn format_string(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 2);
    push_string(&mut out, bytes);
    out
}

/// A constant as text that parses back to it.
pub fn format_literal(value: &Literal) -> String {
    let mut out = String::new();
    push_literal(&mut out, value, false);
    out
}

pub(super) fn push_string(out: &mut String, bytes: &[u8]) {
    out.push('\'');
    push_escaped(out, bytes, b'\'');
    out.push('\'');
}

/// Escapes text for use inside `quote`. Bytes that are not UTF-8 become `\xHH`.
pub(super) fn push_escaped(out: &mut String, bytes: &[u8], quote: u8) {
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\t' => out.push_str("\\t"),
                '\r' => out.push_str("\\r"),
                '\0' => out.push_str("\\0"),
                '\x08' => out.push_str("\\b"),
                '\x0C' => out.push_str("\\f"),
                c if c == quote as char => {
                    out.push('\\');
                    out.push(c);
                }
                c => out.push(c),
            }
        }
        for b in chunk.invalid() {
            out.push_str(&format!("\\x{b:02X}"));
        }
    }
}

/// `nested` is set inside an array or a tuple of a column name, where booleans are written as
/// numbers.
pub(super) fn push_literal(out: &mut String, value: &Literal, names: bool) {
    push_nested(out, value, names, false);
}

fn push_nested(out: &mut String, value: &Literal, names: bool, inner: bool) {
    match value {
        Literal::Null => out.push_str("NULL"),
        Literal::Bool(b) if names && inner => out.push(if *b { '1' } else { '0' }),
        Literal::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Literal::UInt(v) => out.push_str(&v.to_string()),
        Literal::Int(v) => out.push_str(&v.to_string()),
        Literal::Float(v) => push_float(out, *v),
        Literal::String(bytes) => push_string(out, bytes),
        Literal::Array(items) => push_items(out, '[', items, ']', names),
        Literal::Tuple(items) => push_items(out, '(', items, ')', names),
    }
}

fn push_items(out: &mut String, open: char, items: &[Literal], close: char, names: bool) {
    out.push(open);
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        push_nested(out, item, names, true);
    }
    out.push(close);
}

/// The fewest digits that identify the number. A point marks a whole number as a float, and
/// exponents are used from 1e21 on and below 1e-6.
fn push_float(out: &mut String, value: f64) {
    if value.is_nan() {
        out.push_str("nan");
    } else if value.is_infinite() {
        out.push_str(if value > 0.0 { "inf" } else { "-inf" });
    } else if value != 0.0 && !(1e-6..1e21).contains(&value.abs()) {
        out.push_str(&format!("{value:e}"));
    } else {
        let text = format!("{value}");
        out.push_str(&text);
        if !text.contains('.') {
            out.push('.');
        }
    }
}

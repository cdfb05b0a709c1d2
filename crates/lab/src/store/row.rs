//! Fields of a row that came as JSON, and literals for the statement that asks for it.

use serde_json::Value;

/// A text; empty if there is none.
pub(crate) fn text(row: &Value, name: &str) -> String {
    row[name].as_str().unwrap_or_default().to_owned()
}

/// A number; 0 if there is none.
pub(crate) fn number(row: &Value, name: &str) -> f64 {
    optional(row, name).unwrap_or(0.0)
}

/// A number, which may come in quotes as those of 64 bits do.
pub(crate) fn optional(row: &Value, name: &str) -> Option<f64> {
    let value = &row[name];
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

/// A whole number, which may come in quotes; 0 if there is none.
pub(crate) fn whole(row: &Value, name: &str) -> u64 {
    let value = &row[name];
    value.as_u64().or_else(|| value.as_str()?.parse().ok()).unwrap_or(0)
}

/// A text as a literal of SQL.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

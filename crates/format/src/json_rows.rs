//! JSONEachRow and JSONCompactEachRow as input.

use crate::registry::FormatDef;

pub(crate) const EACH_ROW: FormatDef = FormatDef::new("JSONEachRow");
pub(crate) const COMPACT_EACH_ROW: FormatDef = FormatDef::new("JSONCompactEachRow");

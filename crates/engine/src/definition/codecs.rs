//! CODEC: refuses lists of codecs that are probably mistakes. Tables that have them can be opened.

use entasis_base::{Error, Result};
use entasis_function::FunctionContext;
use entasis_mergetree::{AllowedCodecs, check_codec, parse_codec};
use entasis_table_api::Schema;

use super::features::Features;

/// Fails for a codec of encryption if the engine writes files of its own, for which codecs have no
/// meaning: the values would lie there in plain text.
pub(crate) fn check_encryption(schema: &Schema, features: &Features, engine: &str) -> Result<()> {
    if features.parts || !features.own_data {
        return Ok(());
    }
    for column in &schema.columns {
        let Some(codec) = &column.codec else { continue };
        if !parse_codec(codec, &column.ty)?.1.ciphers.is_empty() {
            let what = format!(
                "Encryption of a column of a {engine} table (column {}; use a MergeTree table)",
                column.name
            );
            return Err(Error::not_implemented(what));
        }
    }
    Ok(())
}

/// Checks the codecs of a new table, or those that an ALTER changes.
pub(crate) fn check(
    schema: &Schema,
    old: Option<&Schema>,
    function_context: &dyn FunctionContext,
) -> Result<()> {
    let is_set = |name: &str| function_context.setting(name).and_then(|v| v.as_u64()) == Some(1);
    let allowed = AllowedCodecs {
        suspicious: is_set("allow_suspicious_codecs"),
        alp: is_set("enable_alp_codec"),
    };
    for column in &schema.columns {
        let Some(codec) = &column.codec else { continue };
        let known = old.and_then(|old| old.position(&column.name).map(|at| &old.columns[at]));
        let is_old = known.is_some_and(|k| k.codec == column.codec && k.ty == column.ty);
        if !is_old {
            check_codec(codec, &column.ty, allowed)?;
        }
    }
    Ok(())
}

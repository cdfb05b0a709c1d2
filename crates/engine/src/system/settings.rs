//! `system.settings`: every setting with the session's value.

use std::sync::Arc;

use entasis_base::Result;
use entasis_table::Table;
use entasis_types::Value;

use super::listed::{ColumnOf, Listed};
use crate::settings::{READONLY, SettingRow, Settings};

struct Row {
    setting: SettingRow,
    readonly: bool,
}

const COLUMNS: &[ColumnOf<Row>] = &[
    ("name", "String", Some(|r| r.setting.name.into())),
    ("value", "String", Some(|r| r.setting.value.as_str().into())),
    ("changed", "UInt8", Some(|r| Value::UInt(u64::from(r.setting.changed)))),
    ("description", "String", Some(|r| r.setting.description.into())),
    ("min", "Nullable(String)", Some(|_| Value::Null)),
    ("max", "Nullable(String)", Some(|_| Value::Null)),
    ("disallowed_values", "Array(String)", None),
    ("readonly", "UInt8", Some(|r| Value::UInt(u64::from(r.readonly)))),
    ("type", "String", Some(|r| r.setting.kind.name().into())),
    ("default", "String", Some(|r| r.setting.default.into())),
    ("alias_for", "String", None),
    ("is_obsolete", "UInt8", None),
    ("tier", "String", Some(|_| "Production".into())),
];

/// The table as a session with these settings sees it, where a statement may by default use so many
/// bytes.
pub(crate) fn table(settings: &Settings, memory: u64) -> Result<Arc<dyn Table>> {
    let settings = settings.clone();
    Listed::create("SystemSettings", COLUMNS, move || {
        let readonly = settings.u64(READONLY) == 1;
        let row = |mut setting: SettingRow| {
            if setting.name == "max_memory_usage" && !setting.changed {
                // What holds, rather than the 0 that stands for it.
                setting.value = memory.to_string();
            }
            Row { setting, readonly }
        };
        Ok(settings.all().into_iter().map(row).collect())
    })
}

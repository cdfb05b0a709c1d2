//! `system.settings` and `system.merge_tree_settings`: every setting, with the session's value and
//! its effect here. `system.settings_changes` is empty, since no defaults have changed.

use std::sync::Arc;

use entasis_table_api::Table;
use entasis_types::Value;

use super::system_table::{ColumnOf, SystemTable};
use crate::settings::table::Known;
use crate::settings::{Constraint, READONLY, SettingRow, Settings, merge_tree};

struct Row {
    setting: SettingRow,
    readonly: bool,
    constraint: Option<Constraint>,
}

/// A bound of the setting as text.
fn bound(row: &Row, of: fn(&Constraint) -> &Option<Value>) -> Value {
    let bound = row.constraint.as_ref().and_then(|constraint| of(constraint).as_ref());
    bound.map_or(Value::Null, |value| row.setting.known.kind.text(value).as_str().into())
}

const TIER: &str = "Enum8('Production' = 0, 'Obsolete' = 4, 'Experimental' = 8, 'Beta' = 12, \
                    'PrivatePreview' = 16)";

/// The number of a tier in [`TIER`].
fn tier(known: &Known) -> Value {
    Value::Int(match known.tier {
        "Obsolete" => 4,
        "Experimental" => 8,
        "Beta" => 12,
        "PrivatePreview" => 16,
        _ => 0,
    })
}

fn flag(value: bool) -> Value {
    Value::UInt(u64::from(value))
}

const COLUMNS: &[ColumnOf<Row>] = &[
    ("name", "String", Some(|r| r.setting.known.name.into())),
    ("value", "String", Some(|r| r.setting.value.as_str().into())),
    ("changed", "UInt8", Some(|r| flag(r.setting.changed))),
    ("description", "String", Some(|r| r.setting.known.description().as_str().into())),
    ("min", "Nullable(String)", Some(|r| bound(r, |c| &c.min))),
    ("max", "Nullable(String)", Some(|r| bound(r, |c| &c.max))),
    ("disallowed_values", "Array(String)", None),
    ("readonly", "UInt8", Some(|r| flag(r.readonly))),
    ("type", "String", Some(|r| r.setting.known.type_name.into())),
    ("default", "String", Some(|r| r.setting.known.default_text().as_str().into())),
    ("alias_for", "String", Some(|r| r.setting.known.alias_for.into())),
    ("is_obsolete", "UInt8", Some(|r| flag(r.setting.known.tier == "Obsolete"))),
    ("tier", TIER, Some(|r| tier(r.setting.known))),
    ("effect", "String", Some(|r| r.setting.known.effect.name().into())),
];

/// The table `system.settings` for a session with these settings; `memory` is the number of bytes
/// that a statement may use by default.
pub(crate) fn table(settings: &Settings, memory: u64) -> Arc<dyn Table> {
    let settings = settings.clone();
    SystemTable::create("SystemSettings", COLUMNS, move || {
        let level = settings.u64(READONLY);
        let readonly = |name: &str| level == 1 || level == 2 && name == "readonly";
        let row = |mut setting: SettingRow| {
            if setting.known.name == "max_memory_usage" && !setting.changed {
                // Shows the limit that applies in place of the default 0.
                setting.value = memory.to_string();
            }
            let name = setting.known.name;
            let constraint = settings.constraint(name).cloned();
            let is_constant = constraint.as_ref().is_some_and(|c| c.readonly);
            Row { readonly: readonly(name) || is_constant, setting, constraint }
        };
        Ok(settings.all().into_iter().map(row).collect())
    })
}

const OF_TABLES: &[ColumnOf<&'static Known>] = &[
    ("name", "String", Some(|k| k.name.into())),
    ("value", "String", Some(|k| k.default_text().as_str().into())),
    ("default", "String", Some(|k| k.default_text().as_str().into())),
    ("changed", "UInt8", None),
    ("description", "String", Some(|k| merge_tree::description(k).as_str().into())),
    ("min", "Nullable(String)", Some(|_| Value::Null)),
    ("max", "Nullable(String)", Some(|_| Value::Null)),
    ("disallowed_values", "Array(String)", None),
    ("readonly", "UInt8", Some(|k| flag(merge_tree::READ_ONLY.contains(&k.name)))),
    ("type", "String", Some(|k| k.type_name.into())),
    ("is_obsolete", "UInt8", Some(|k| flag(k.tier == "Obsolete"))),
    ("tier", TIER, Some(|k| tier(k))),
    ("effect", "String", Some(|k| k.effect.name().into())),
];

/// The table `system.merge_tree_settings`: settings of MergeTree tables, with their defaults.
pub(crate) fn of_merge_tree() -> Arc<dyn Table> {
    SystemTable::create("SystemMergeTreeSettings", OF_TABLES, || Ok(merge_tree::all()))
}

/// The table `system.replicated_merge_tree_settings`: the settings are the same.
pub(crate) fn of_replicated_merge_tree() -> Arc<dyn Table> {
    SystemTable::create("SystemReplicatedMergeTreeSettings", OF_TABLES, || Ok(merge_tree::all()))
}

const CHANGES: &[ColumnOf<()>] = &[
    ("type", "Enum8('Session' = 0, 'MergeTree' = 1)", None),
    ("version", "String", None),
    (
        "changes",
        "Array(Tuple(name String, previous_value String, new_value String, reason String, \
         compatibility_mode String))",
        None,
    ),
];

/// The table `system.settings_changes`: changes of defaults between versions, of which there are
/// none.
pub(crate) fn changes() -> Arc<dyn Table> {
    SystemTable::create("SystemSettingsChanges", CHANGES, || Ok(Vec::new()))
}

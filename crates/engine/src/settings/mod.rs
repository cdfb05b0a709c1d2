//! The settings: which there are, their values, and how they are changed.
//!
//! `list` has the settings that work, each with a constant to look it up by place. `table` knows
//! all settings of the reference and what each does here: it works, it has no effect because
//! ignoring it cannot change an answer, it is obsolete, or it is refused because ignoring it would
//! change answers. `kind` converts texts to values. MergeTree tables have settings of their own
//! (`merge_tree`).

pub(crate) mod analyze;
mod compatibility;
mod constraints;
pub(crate) mod dictionaries;
pub(crate) mod formats;
pub(crate) mod function_context;
pub mod kind;
mod list;
pub mod merge_tree;
pub mod rollups;
pub mod table;
pub(crate) mod value;
pub(crate) mod web;

use std::borrow::Cow;
use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_types::{DataType, Value};

use table::Known;

pub use constraints::Constraint;
pub use list::*;

/// A setting with its value, for lists of settings.
#[derive(Clone, Debug)]
pub struct SettingRow {
    /// The setting's definition.
    pub known: &'static Known,
    /// Its value as text.
    pub value: String,
    /// Whether it was set, even to its default.
    pub changed: bool,
}

/// A setting, as its place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting(usize);

/// Values of all settings. They are cheap to clone until they are changed.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Values of the changed settings, with their places.
    changed: Arc<Vec<(usize, Value)>>,
    /// Defaults of the version that `compatibility` names, with the settings' places.
    compatible: Arc<Vec<(usize, Value)>>,
    /// Bounds of the values that users may set, with the settings' places.
    constraints: Arc<Vec<(usize, Constraint)>>,
}

impl Settings {
    fn get(&self, place: usize) -> &Value {
        let mut values = self.changed.iter().chain(&*self.compatible);
        let found = values.find(|(i, _)| *i == place);
        found.map_or_else(|| &table::at(place).default, |(_, value)| value)
    }

    /// The value as a whole number.
    pub fn u64(&self, setting: Setting) -> u64 {
        match self.get(setting.0) {
            Value::Float(v) => *v as u64,
            value => value.as_u64().unwrap_or(0),
        }
    }

    /// The value as a whole number that may be negative.
    pub fn i64(&self, setting: Setting) -> i64 {
        self.get(setting.0).as_i64().unwrap_or(0)
    }

    /// The value as a flag.
    pub fn flag(&self, setting: Setting) -> bool {
        self.u64(setting) != 0
    }

    /// The value as a floating point number.
    pub fn f64(&self, setting: Setting) -> f64 {
        self.get(setting.0).as_f64().unwrap_or(0.0)
    }

    /// The value as a text; borrowed, unless it is no UTF-8.
    pub fn text(&self, setting: Setting) -> Cow<'_, str> {
        String::from_utf8_lossy(self.get(setting.0).as_bytes().unwrap_or_default())
    }

    /// Whether no setting has been changed.
    pub fn is_default(&self) -> bool {
        self.changed.is_empty()
    }

    /// Whether a setting has been set, even to its default.
    pub fn is_changed(&self, setting: Setting) -> bool {
        self.changed.iter().any(|(i, _)| *i == setting.0)
    }

    /// Names and values of the changed settings.
    pub fn changed(&self) -> Vec<(&'static str, String)> {
        let row = |(i, value): &(usize, Value)| {
            let known = table::at(*i);
            (known.name, known.kind.text(value))
        };
        self.changed.iter().map(row).collect()
    }

    /// The value of a setting by name, as expressions see it; `None` for an unknown name.
    pub fn by_name(&self, name: &str) -> Option<Value> {
        let (known, place) = table::find(name)?;
        Some(known.kind.seen(self.get(place)))
    }

    /// The type of a setting's value in an expression; `None` for an unknown name.
    pub fn type_of(&self, name: &str) -> Option<DataType> {
        let (known, place) = table::find(name)?;
        Some(known.kind.data_type(&known.kind.seen(self.get(place))))
    }

    /// Changes a setting for a user; `None` resets it to its default. Fails if `readonly` or the
    /// bounds forbid the change: `readonly` = 1 forbids all changes, 2 only that of `readonly`
    /// itself.
    pub fn change(&mut self, name: &str, value: Option<&Value>) -> Result<()> {
        let level = self.u64(READONLY);
        if level == 1 || level == 2 && name == "readonly" {
            let same = |(known, place): (&Known, usize)| {
                let value = value.and_then(|v| known.kind.convert(v).ok());
                value.as_ref() == Some(self.get(place))
            };
            if !table::find(name).is_some_and(same) {
                let message = format!("Cannot modify '{name}' setting in readonly mode");
                return Err(Error::new(codes::READONLY, message));
            }
        }
        self.check_constraint(name, value)?;
        match value {
            Some(value) => self.set(name, value),
            None => self.reset(name),
        }
    }

    /// Sets a setting by name from a literal (a number, or text as in a URL). Fails with
    /// UNKNOWN_SETTING, which suggests similar names; with another error if the value is not of the
    /// setting's type; and with NOT_IMPLEMENTED for a value that would change answers but is not
    /// implemented.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        let (known, place) = table::find(name).ok_or_else(|| table::unknown(name))?;
        let value = known.kind.convert(value).map_err(|e| e.context(of_setting(name)))?;
        table::at(place).check(&value)?;
        if place == COMPATIBILITY.0 {
            self.take_defaults(&value)?;
        }
        let changed = Arc::make_mut(&mut self.changed);
        changed.retain(|(at, _)| *at != place);
        changed.push((place, value));
        Ok(())
    }

    /// Sets a setting that is written without a value to 1. Fails if it is not a flag.
    pub fn switch_on(&mut self, name: &str) -> Result<()> {
        if let Some((known, _)) = table::find(name)
            && known.type_name != "Bool"
        {
            let message = format!(
                "Setting '{name}' has type {}, so it cannot be set without a value. Write \
                 '{name} = <value>'",
                known.type_name
            );
            return Err(Error::new(codes::TYPE_MISMATCH, message));
        }
        self.change(name, Some(&Value::UInt(1)))
    }

    /// [`Settings::set`] with the value as text, as in a file or a URL.
    pub fn set_text(&mut self, name: &str, value: &str) -> Result<()> {
        self.set(name, &Value::from(value))
    }

    /// Resets a setting to its default.
    pub fn reset(&mut self, name: &str) -> Result<()> {
        let (_, place) = table::find(name).ok_or_else(|| table::unknown(name))?;
        if self.changed.iter().any(|(i, _)| *i == place) {
            Arc::make_mut(&mut self.changed).retain(|(i, _)| *i != place);
        }
        if place == COMPATIBILITY.0 {
            self.compatible = Arc::default();
        }
        Ok(())
    }

    /// All settings, sorted by name.
    pub fn all(&self) -> Vec<SettingRow> {
        let row = |known: &'static Known| {
            let place = table::find(known.name).map_or(0, |(_, place)| place);
            SettingRow {
                known,
                value: known.kind.text(self.get(place)),
                changed: self.changed.iter().any(|(at, _)| *at == place),
            }
        };
        let mut rows: Vec<_> = table::all().iter().map(row).collect();
        rows.sort_by_key(|r| r.known.name);
        rows
    }
}

fn of_setting(name: &str) -> String {
    format!("Setting {name}")
}

/// The names in a list as settings have it: `a, b` or `` `a`, `b` ``.
pub(crate) fn names(list: &str) -> Vec<String> {
    let name = |name: &str| name.trim().trim_matches('`').to_owned();
    list.split(',').map(name).filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_names_agree() {
        assert_eq!(table::at(MAX_THREADS.0).name, "max_threads");
        assert_eq!(table::at(LOG_COMMENT.0).name, "log_comment");
        for (i, def) in SETTINGS.iter().enumerate() {
            assert_eq!(table::all()[i].name, def.name);
        }
    }

    #[test]
    fn unknown_names_get_a_hint() {
        let error = Settings::default().set("max_threds", &Value::UInt(1)).unwrap_err();
        assert_eq!(error.code(), codes::UNKNOWN_SETTING);
        assert!(error.message().contains("'max_threads'"), "{error}");
    }

    #[test]
    fn values_are_checked_and_reset() {
        let mut settings = Settings::default();
        assert!(settings.set("max_threads", &Value::from("x")).is_err());
        settings.set("max_threads", &Value::from("3")).unwrap();
        settings.set("optimize_read_in_order", &Value::UInt(0)).unwrap();
        assert_eq!(settings.u64(MAX_THREADS), 3);
        assert_eq!(settings.changed().len(), 2);
        settings.reset("max_threads").unwrap();
        assert_eq!(settings.u64(MAX_THREADS), 0);
    }

    #[test]
    fn aliases_act_as_their_targets() {
        let mut settings = Settings::default();
        settings.set("os_thread_priority", &Value::UInt(5)).unwrap();
        assert_eq!(settings.by_name("os_threads_nice_value_query"), Some(Value::Int(5)));
        let rows = settings.all();
        let changed: Vec<_> = rows.iter().filter(|r| r.changed).map(|r| r.known.name).collect();
        assert_eq!(changed, ["os_thread_priority", "os_threads_nice_value_query"]);
        settings.reset("os_threads_nice_value_query").unwrap();
        assert!(settings.is_default());
    }

    #[test]
    fn what_would_change_answers_is_refused() {
        let mut settings = Settings::default();
        settings.set("dialect", &Value::from("clickhouse")).unwrap();
        let error = settings.set("dialect", &Value::from("kusto")).unwrap_err();
        assert_eq!(error.code(), codes::NOT_IMPLEMENTED);
        assert!(error.message().contains("'clickhouse'"), "{error}");
    }

    #[test]
    fn only_flags_stand_alone() {
        let mut settings = Settings::default();
        settings.switch_on("extremes").unwrap();
        assert!(settings.flag(EXTREMES));
        let error = settings.switch_on("max_threads").unwrap_err();
        assert_eq!(error.code(), codes::TYPE_MISMATCH);
    }
}

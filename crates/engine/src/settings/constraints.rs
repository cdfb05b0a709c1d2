//! Bounds that a server's configuration sets for the settings of its users.
//!
//! They apply to every change that a user asks for: SET, SETTINGS of a statement, parameters of a
//! URL. They do not apply to values that the configuration itself sets.

use std::sync::Arc;

use entasis_base::{Error, Result, codes};
use entasis_types::Value;

use super::Settings;
use super::table::{self, Known};

/// The bounds of one setting.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constraint {
    /// The least value that is allowed; `None` for no bound.
    pub min: Option<Value>,
    /// The greatest value that is allowed; `None` for no bound. For a setting called `max_...`, 0
    /// means no limit, so it is not allowed either.
    pub max: Option<Value>,
    /// Whether the value may not be changed at all.
    pub readonly: bool,
}

impl Settings {
    /// Sets the bounds of a setting, written as in a configuration. Fails for an unknown setting,
    /// and for a bound that is not a value of the setting.
    pub fn constrain(
        &mut self,
        name: &str,
        min: Option<&str>,
        max: Option<&str>,
        readonly: bool,
    ) -> Result<()> {
        let (known, place) = table::find(name).ok_or_else(|| table::unknown(name))?;
        let bound = |text: &str| known.kind.parse(text).map_err(|e| e.context(name.to_string()));
        let (min, max) = (min.map(bound).transpose()?, max.map(bound).transpose()?);
        let constraints = Arc::make_mut(&mut self.constraints);
        constraints.retain(|(at, _)| *at != place);
        constraints.push((place, Constraint { min, max, readonly }));
        Ok(())
    }

    /// The bounds of the setting with this name; `None` if it has none.
    pub fn constraint(&self, name: &str) -> Option<&Constraint> {
        let (_, place) = table::find(name)?;
        self.constraints.iter().find(|(at, _)| *at == place).map(|(_, constraint)| constraint)
    }

    /// Fails with SETTING_CONSTRAINT_VIOLATION if a user may not give a setting this value; `None`
    /// stands for its default.
    pub(super) fn check_constraint(&self, name: &str, value: Option<&Value>) -> Result<()> {
        let Some(constraint) = self.constraint(name) else { return Ok(()) };
        let Some((known, place)) = table::find(name) else { return Ok(()) };
        let value = match value {
            Some(value) => known.kind.convert(value)?,
            None => known.default.clone(),
        };
        if value == *self.get(place) {
            return Ok(());
        }
        match constraint.violated_by(known, &value) {
            None => Ok(()),
            Some(problem) => {
                let message = format!("Setting {name} {problem} (users' constraints)");
                Err(Error::new(codes::SETTING_CONSTRAINT_VIOLATION, message))
            }
        }
    }
}

impl Constraint {
    /// Why a value is not allowed; `None` if it is.
    fn violated_by(&self, known: &Known, value: &Value) -> Option<String> {
        if self.readonly {
            return Some("should not be changed".to_string());
        }
        let is_less = |a: &Value, b: &Value| a.as_f64() < b.as_f64();
        let is_unlimited = known.name.starts_with("max_") && value.as_f64() == Some(0.0);
        if let Some(min) = self.min.as_ref().filter(|min| is_less(value, min)) {
            return Some(format!("shouldn't be less than {}", known.kind.text(min)));
        }
        let beyond = |max: &&Value| is_less(max, value) || is_unlimited;
        let max = self.max.as_ref().filter(beyond)?;
        Some(format!("shouldn't be greater than {}", known.kind.text(max)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_stay_within_the_bounds() {
        let mut settings = Settings::default();
        settings.set_text("max_memory_usage", "1000").unwrap();
        settings.constrain("max_memory_usage", None, Some("10K"), false).unwrap();
        settings.constrain("max_threads", Some("2"), None, false).unwrap();
        settings.constrain("log_queries", None, None, true).unwrap();
        let mut change = |name: &str, value: &str| {
            settings.change(name, Some(&Value::from(value))).map_err(|e| e.code())
        };
        let violated = Err(codes::SETTING_CONSTRAINT_VIOLATION);
        assert_eq!(change("max_memory_usage", "10000"), Ok(()));
        assert_eq!(change("max_memory_usage", "10001"), violated);
        assert_eq!(change("max_memory_usage", "0"), violated);
        assert_eq!(change("max_threads", "1"), violated);
        assert_eq!(change("max_threads", "2"), Ok(()));
        assert_eq!(change("log_queries", "1"), Ok(()));
        assert_eq!(change("log_queries", "0"), violated);
        // The default is 0, which means no limit.
        assert_eq!(settings.change("max_memory_usage", None).map_err(|e| e.code()), violated);
    }

    #[test]
    fn bounds_are_values_of_known_settings() {
        let mut settings = Settings::default();
        assert!(settings.constrain("max_thread", None, Some("1"), false).is_err());
        assert!(settings.constrain("max_threads", None, Some("x"), false).is_err());
    }
}

//! SET, and the SETTINGS of a statement: from texts to settings.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast;
use entasis_types::Value;

use crate::{Session, Settings};

impl Session {
    pub(crate) fn set_all(&mut self, changes: &[ast::SettingChange]) -> Result<()> {
        for change in changes {
            if let Some(name) = change.name.strip_prefix("param_") {
                self.set_parameter(name, change)?;
                continue;
            }
            match &change.value {
                Some(value) => self.set(&change.name, &setting_value(change, value)?)?,
                None => self.settings.change(&change.name, None)?,
            }
        }
        Ok(())
    }

    /// `SET param_name = value`: the value that `{name:Type}` has in later statements, as text.
    fn set_parameter(&mut self, name: &str, change: &ast::SettingChange) -> Result<()> {
        self.parameters.retain(|(known, _)| known != name);
        let Some(value) = &change.value else { return Ok(()) };
        let text = match setting_value(change, value)? {
            Value::String(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            _ => entasis_sql::format_expr(value),
        };
        self.parameters.push((name.to_string(), text));
        Ok(())
    }

    /// The session's settings with a statement's own changes.
    pub(crate) fn settings_with(&self, changes: &[ast::SettingChange]) -> Result<Settings> {
        let mut settings = self.settings.clone();
        for change in changes {
            match &change.value {
                Some(value) => {
                    settings.change(&change.name, Some(&setting_value(change, value)?))?;
                }
                None => settings.change(&change.name, None)?,
            }
        }
        Ok(settings)
    }
}

fn setting_value(change: &ast::SettingChange, value: &ast::Expr) -> Result<Value> {
    match &value.kind {
        ast::ExprKind::Literal(literal) => Ok(crate::ddl::literal_value(literal)),
        ast::ExprKind::Identifier(parts) if parts.len() == 1 => Ok(Value::from(parts[0].as_str())),
        _ => {
            let message = format!("The value of setting {} must be a literal", change.name);
            Err(Error::new(codes::BAD_ARGUMENTS, message).at(value.position))
        }
    }
}

/// The error of a `{name:Identifier}` without a value.
#[cold]
pub(crate) fn parameter_not_set(parameter: &ast::Ident) -> Error {
    let message = format!(
        "Substitution `{0}` is not set: give it a value with SET param_{0} = '...', \
         --param_{0}=... or param_{0} in the URL",
        parameter.name
    );
    Error::new(codes::UNKNOWN_QUERY_PARAMETER, message).at(parameter.position)
}

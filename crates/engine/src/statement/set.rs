//! SET, and the SETTINGS of statements, in whatever clause they are written.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, CreateSource, Statement, StatementKind};
use entasis_types::Value;

use crate::settings::merge_tree::OfEngine;
use crate::settings::value::{apply, setting_value};
use crate::statement::query::settings_of;
use crate::{Session, Settings, engines, settings};

impl Session {
    pub(crate) fn set_all(&mut self, changes: &[ast::SettingChange]) -> Result<()> {
        // If one change fails, no setting is changed.
        let (parameters, settings): (Vec<_>, Vec<_>) =
            changes.iter().cloned().partition(|change| change.name.starts_with("param_"));
        let settings = self.settings_with(&settings)?;
        for change in &parameters {
            self.set_parameter(change.name.trim_start_matches("param_"), change)?;
        }
        self.take(settings);
        Ok(())
    }

    /// `SET param_name = value`: keeps the text that replaces `{name:Type}` in later statements.
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

    /// The session's settings, changed by a statement's own settings.
    pub(crate) fn settings_with(&self, changes: &[ast::SettingChange]) -> Result<Settings> {
        let mut settings = self.settings.clone();
        changes.iter().try_for_each(|change| apply(&mut settings, change))?;
        Ok(settings)
    }

    /// Runs `work` with the session's settings changed by a statement's own, and restores the
    /// session's settings afterwards.
    pub(crate) fn with_settings<T>(
        &mut self,
        changes: &[ast::SettingChange],
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if changes.is_empty() {
            return work(self);
        }
        let own = self.settings_with(changes)?;
        let before = std::mem::replace(&mut self.settings, own);
        let done = catch_unwind(AssertUnwindSafe(|| work(self)));
        self.settings = before;
        done.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// How long a statement waits for a running one with the same id, which it stops; `None` if it
    /// stops none.
    pub(crate) fn replaces(&self, statement: &Statement) -> Result<Option<Duration>> {
        // What is wrong with the clause is an error of the statement once it is in the list.
        let mut changes = brought_by(statement).unwrap_or_default();
        if let StatementKind::Query(query) = &statement.kind {
            changes.extend_from_slice(settings_of(query));
            changes.extend_from_slice(&statement.output.settings);
        }
        changes.retain(|change| change.name.starts_with("replace_running_query"));
        let of = |settings: &Settings| {
            let wait = Duration::from_millis(settings.u64(settings::REPLACE_RUNNING_WAIT));
            settings.flag(settings::REPLACE_RUNNING).then_some(wait)
        };
        if changes.is_empty() {
            return Ok(of(&self.settings));
        }
        self.settings_with(&changes).map(|settings| of(&settings))
    }
}

/// The settings of a statement, unless they are applied where its query is planned.
pub(crate) fn brought_by(statement: &Statement) -> Result<Vec<ast::SettingChange>> {
    let mut changes = Vec::new();
    match &statement.kind {
        // These statements apply their settings themselves.
        StatementKind::Query(_) | StatementKind::Compare(_) => return Ok(changes),
        StatementKind::Set(_) | StatementKind::Use(_) | StatementKind::System(_)
            if !statement.output.settings.is_empty() =>
        {
            let message = "SET, USE and SYSTEM take no SETTINGS clause: write SET before";
            return Err(Error::new(codes::SYNTAX_ERROR, message));
        }
        StatementKind::CreateDatabase(create) => changes.extend_from_slice(&create.settings),
        StatementKind::CreateTable(create) => {
            let engine = create.storage.engine.as_ref();
            let settings = engine.map_or(OfEngine::MergeTree, |e| engines::settings_of(&e.name));
            let of_statement = |s: &&ast::SettingChange| settings.is_of_statement(&s.name);
            changes.extend(create.storage.settings.iter().filter(of_statement).cloned());
            if let Some(CreateSource::Select(query)) = &create.source {
                changes.extend_from_slice(settings_of(query));
            }
        }
        StatementKind::Explain(explain) => {
            if let StatementKind::Query(query) = &explain.statement.kind {
                changes.extend_from_slice(settings_of(query));
            }
            changes.extend_from_slice(&explain.statement.output.settings);
        }
        _ => {}
    }
    changes.extend_from_slice(&statement.output.settings);
    Ok(changes)
}

/// The error for a `{name:Identifier}` without a value.
#[cold]
pub(crate) fn parameter_not_set(parameter: &ast::Ident) -> Error {
    let message = format!(
        "Substitution `{0}` is not set: give it a value with SET param_{0} = '...', \
         --param_{0}=... or param_{0} in the URL",
        parameter.name
    );
    Error::new(codes::UNKNOWN_QUERY_PARAMETER, message).at(parameter.position)
}

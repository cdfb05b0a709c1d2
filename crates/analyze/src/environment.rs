//! SETTINGS of a SELECT inside a query. They apply to this SELECT and its subqueries, as far as
//! they change the meaning of the query. The caller applies those of the outermost SELECT.

use entasis_base::Result;
use entasis_function::FunctionContext;
use entasis_sql::ast::SettingChange;

use crate::limits::Limits;
use crate::{AnalyzeSettings, Analyzer};

/// What an analysis depends on besides the text.
pub struct Environment {
    /// Settings that change what a query means.
    pub settings: AnalyzeSettings,
    /// The facts that functions may ask for, such as the time zone; `None` if they stay the same.
    pub context: Option<Box<dyn FunctionContext>>,
}

/// How many nodes of a query an environment counts for.
const NODES: u64 = 64;

impl<'a> Analyzer<'a> {
    /// The bounds of the current SELECT, if SETTINGS inside the query may have changed them.
    pub(crate) fn own_limits(&self) -> Option<Limits> {
        (!self.changes.is_empty()).then_some(self.settings.limits)
    }

    /// Runs `work` for the SELECT of the current scope, under the settings that this SELECT brings.
    pub(crate) fn under<T>(
        &mut self,
        changes: &'a [SettingChange],
        work: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        if changes.is_empty() || self.scopes.len() == 1 {
            return work(self);
        }
        let outer = (self.settings, self.context, self.changes.len());
        self.changes.extend(changes);
        if let Some(mut new) = self.catalog.environment(&self.changes, self.context)? {
            new.settings.parameters.clone_from(&self.settings.parameters);
            self.grow(NODES)?;
            let new = self.environments.keep(new, |_, _| false);
            self.settings = &new.settings;
            self.context = new.context.as_deref().unwrap_or(self.context);
        }
        let result = work(self);
        (self.settings, self.context) = (outer.0, outer.1);
        self.changes.truncate(outer.2);
        result
    }
}

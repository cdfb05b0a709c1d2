//! SETTINGS of a SELECT inside a query. They apply to this SELECT and its subqueries, as far as
//! they change the meaning of the query. The caller applies those of the outermost SELECT.

use entasis_base::Result;
use entasis_function::FunctionContext;
use entasis_sql::ast::SettingChange;

use crate::{AnalyzeSettings, Analyzer};

/// What an analysis depends on besides the text.
pub struct Environment {
    /// Settings that change what a query means.
    pub settings: AnalyzeSettings,
    /// The facts that functions may ask for, such as the time zone.
    pub context: Box<dyn FunctionContext>,
}

/// How many nodes of a query an environment counts for.
const NODES: u64 = 64;

impl<'a> Analyzer<'a> {
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
        if let Some(new) = self.catalog.environment(&self.changes, self.context)? {
            self.grow(NODES)?;
            let new = self.environments.keep(new, |_, _| false);
            (self.settings, self.context) = (&new.settings, &*new.context);
        }
        let result = work(self);
        (self.settings, self.context) = (outer.0, outer.1);
        self.changes.truncate(outer.2);
        result
    }
}

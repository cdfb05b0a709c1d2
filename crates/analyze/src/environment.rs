//! SETTINGS of a SELECT within a query: they hold for it and for what stands inside of it, as far
//! as they change what a query means. Those of the outermost SELECT are the caller's to apply.

use entasis_base::Result;
use entasis_function::FunctionContext;
use entasis_sql::ast::SettingChange;

use crate::{AnalyzeSettings, Analyzer};

/// What an analysis depends on beside the text.
pub struct Environment {
    /// Settings that change what a query means.
    pub settings: AnalyzeSettings,
    /// What functions may know.
    pub context: Box<dyn FunctionContext>,
}

/// An environment counts for as much as so many nodes of a query.
const NODES: u64 = 64;

impl<'a> Analyzer<'a> {
    /// Does the work of the SELECT of the current scope under the settings that it brings.
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

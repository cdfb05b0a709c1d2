//! MODIFY SETTING and RESET SETTING of a table.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast;

use super::draft::Draft;
use super::unsupported;
use crate::settings::merge_tree::{OfEngine, READ_ONLY};
use crate::settings::table::OF_MERGE_TREE;

impl Draft<'_> {
    /// MODIFY SETTING. [`crate::engines::check`] checks names and values.
    pub(super) fn modify_settings(&mut self, changes: &[ast::SettingChange]) -> Result<()> {
        let of_engine = self.entry.features().settings;
        if !matches!(of_engine, OfEngine::MergeTree | OfEngine::Memory) {
            return Err(unsupported("MODIFY_SETTING", self.entry.table.engine()));
        }
        self.refuse_old_style("ALTER MODIFY SETTING")?;
        for change in changes {
            self.refuse_read_only(&change.name)?;
            if of_engine.is_of_statement(&change.name) {
                let message = format!("Unknown setting '{}'", change.name);
                return Err(Error::new(codes::UNKNOWN_SETTING, message));
            }
            let settings = &mut self.create.storage.settings;
            let place = settings.iter().position(|known| known.name == change.name);
            match (place, &change.value) {
                (Some(place), Some(_)) => settings[place] = change.clone(),
                (Some(place), None) => drop(settings.remove(place)),
                (None, Some(_)) => settings.push(change.clone()),
                (None, None) => {}
            }
        }
        self.change_storage();
        Ok(())
    }

    /// RESET SETTING.
    pub(super) fn reset_settings(&mut self, names: &[String]) -> Result<()> {
        let engine = self.entry.table.engine();
        match self.entry.features().settings {
            OfEngine::MergeTree => {}
            OfEngine::Memory => return Err(unsupported("RESET_SETTING", engine)),
            OfEngine::Nothing | OfEngine::Anything | OfEngine::Named(_) => {
                let message = "Cannot alter settings, because table engine doesn't support \
                               settings changes";
                return Err(Error::new(codes::BAD_ARGUMENTS, message));
            }
        }
        for name in names {
            self.refuse_read_only(name)?;
            if !OF_MERGE_TREE.has(name) {
                let message = format!(
                    "Cannot reset setting '{name}' because it doesn't exist for MergeTree engines family"
                );
                return Err(Error::new(codes::BAD_ARGUMENTS, message));
            }
            self.create.storage.settings.retain(|known| known.name != *name);
        }
        self.change_storage();
        Ok(())
    }

    fn refuse_read_only(&self, name: &str) -> Result<()> {
        if !READ_ONLY.contains(&name) {
            return Ok(());
        }
        let engine = self.entry.table.engine();
        let message = format!("Setting '{name}' is readonly for storage '{engine}'");
        Err(Error::new(codes::READONLY_SETTING, message))
    }
}

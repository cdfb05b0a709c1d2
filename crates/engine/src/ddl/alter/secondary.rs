//! ADD and DROP of constraints, indices, projections and statistics: what a definition has beside
//! its columns and keys.

use entasis_analyze::names::{add_hint, near};
use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, ColumnPlace, StatisticsVerb};

use super::draft::Draft;
use crate::definition::{implicit_indices, projections};
use crate::engines::projections as engine_projections;
use crate::settings::merge_tree::OfTable;

impl Draft<'_> {
    /// ADD CONSTRAINT. Existing rows are not checked. The expression is bound with the columns that
    /// there are after all commands.
    pub(super) fn add_constraint(
        &mut self,
        constraint: &ast::ConstraintDef,
        if_not_exists: bool,
    ) -> Result<()> {
        let constraints = &mut self.create.elements.constraints;
        if constraints.iter().any(|known| known.name == constraint.name) {
            let name = constraint.name.as_str();
            let message =
                format!("Cannot add constraint {name}: constraint with this name already exists");
            let exists = Error::new(codes::ILLEGAL_COLUMN, message);
            return if if_not_exists { Ok(()) } else { Err(exists) };
        }
        constraints.push(constraint.clone());
        self.is_changed = true;
        Ok(())
    }

    /// DROP CONSTRAINT.
    pub(super) fn drop_constraint(&mut self, name: &str, if_exists: bool) -> Result<()> {
        let constraints = &mut self.create.elements.constraints;
        let Some(place) = constraints.iter().position(|known| known.name.as_str() == name) else {
            let mut message =
                format!("Wrong constraint name. Cannot find constraint `{name}` to drop");
            add_hint(&mut message, &near(name, constraints.iter().map(|c| c.name.as_str())));
            let unknown = Error::new(codes::BAD_ARGUMENTS, message);
            return if if_exists { Ok(()) } else { Err(unknown) };
        };
        constraints.remove(place);
        self.is_changed = true;
        Ok(())
    }

    /// ADD INDEX.
    pub(super) fn add_index(
        &mut self,
        index: &ast::IndexDef,
        place: Option<&ColumnPlace>,
        if_not_exists: bool,
    ) -> Result<()> {
        let name = index.name.as_str();
        implicit_indices::check_name(name, &self.old.settings)?;
        let indices = &mut self.create.elements.indices;
        if indices.iter().any(|known| known.name == index.name) {
            let message = format!("Cannot add index {name}: index with this name already exists");
            let exists = Error::new(codes::ILLEGAL_COLUMN, message);
            return if if_not_exists { Ok(()) } else { Err(exists) };
        }
        let at = match place {
            None => indices.len(),
            Some(ColumnPlace::First) => 0,
            Some(ColumnPlace::After(other)) => {
                let found = indices.iter().position(|known| known.name == *other);
                found.ok_or_else(|| self.no_index(other.as_str(), "insert after"))? + 1
            }
        };
        self.create.elements.indices.insert(at, index.clone());
        self.change_storage();
        Ok(())
    }

    /// DROP INDEX.
    pub(super) fn drop_index(&mut self, name: &str, if_exists: bool) -> Result<()> {
        let indices = &mut self.create.elements.indices;
        let Some(place) = indices.iter().position(|known| known.name.as_str() == name) else {
            return if if_exists { Ok(()) } else { Err(self.no_index(name, "drop")) };
        };
        indices.remove(place);
        self.change_storage();
        Ok(())
    }

    #[cold]
    fn no_index(&self, name: &str, purpose: &str) -> Error {
        let mut message = format!("Wrong index name. Cannot find index `{name}` to {purpose}");
        let names = self.create.elements.indices.iter().map(|index| index.name.as_str());
        add_hint(&mut message, &near(name, names));
        Error::new(codes::BAD_ARGUMENTS, message)
    }

    /// ADD PROJECTION. As in the reference, AFTER one that does not exist means at the end.
    pub(super) fn add_projection(
        &mut self,
        projection: &ast::ProjectionDef,
        place: Option<&ColumnPlace>,
        if_not_exists: bool,
    ) -> Result<()> {
        let settings = OfTable::new(&self.create.storage.settings)?;
        if self.old.keys_are_folded() && engine_projections::refuses(&settings) {
            let message = format!(
                "ADD PROJECTION is not supported in {} with deduplicate_merge_projection_mode = \
                 throw: leave the projection out",
                self.entry.table.engine()
            );
            return Err(Error::new(codes::SUPPORT_IS_DISABLED, message));
        }
        let known = &mut self.create.elements.projections;
        if known.iter().any(|known| known.name == projection.name) {
            let exists = projections::exists(&projection.name);
            return if if_not_exists { Ok(()) } else { Err(exists) };
        }
        let at = match place {
            None => known.len(),
            Some(ColumnPlace::First) => 0,
            Some(ColumnPlace::After(other)) => {
                let found = known.iter().position(|known| known.name == *other);
                found.map_or(known.len(), |found| found + 1)
            }
        };
        known.insert(at, projection.clone());
        self.change_storage();
        Ok(())
    }

    /// DROP PROJECTION.
    pub(super) fn drop_projection(&mut self, name: &str, if_exists: bool) -> Result<()> {
        let known = &mut self.create.elements.projections;
        let Some(place) = known.iter().position(|known| known.name.as_str() == name) else {
            let mut message = format!("There is no projection {name} in table");
            add_hint(&mut message, &near(name, known.iter().map(|p| p.name.as_str())));
            let unknown = Error::new(codes::NO_SUCH_PROJECTION_IN_TABLE, message);
            return if if_exists { Ok(()) } else { Err(unknown) };
        };
        known.remove(place);
        self.change_storage();
        Ok(())
    }

    /// ADD, DROP, MODIFY, CLEAR and MATERIALIZE of statistics. The last two have nothing to do.
    pub(super) fn statistics(&mut self, command: &ast::AlterStatistics) -> Result<()> {
        for name in &command.columns {
            self.statistics_of(name.as_str(), command)?;
        }
        Ok(())
    }

    fn statistics_of(&mut self, name: &str, command: &ast::AlterStatistics) -> Result<()> {
        let wrong = |message: String| Error::new(codes::ILLEGAL_STATISTICS, message);
        let place = self.place_of(name);
        let column = place.map(|place| &mut self.create.elements.columns[place]);
        match (command.verb, column) {
            (StatisticsVerb::Add, Some(column)) => {
                let kinds = column.statistics.get_or_insert_default();
                for kind in &command.kinds {
                    if !kinds.iter().any(|known| known.name.eq_ignore_ascii_case(&kind.name)) {
                        kinds.push(kind.clone());
                    } else if !command.conditional {
                        let kind = &kind.name;
                        return Err(wrong(format!(
                            "Statistics type name {kind} has existed in column {name}"
                        )));
                    }
                }
            }
            (StatisticsVerb::Modify, Some(column)) => {
                column.statistics = Some(command.kinds.clone());
            }
            (StatisticsVerb::Drop | StatisticsVerb::Clear, column) => {
                let has = column.as_ref().is_some_and(|column| column.statistics.is_some());
                if !has && !command.conditional {
                    return Err(wrong(format!(
                        "Wrong statistics name. Cannot find statistics `{name}` to drop"
                    )));
                }
                if let (StatisticsVerb::Drop, Some(column)) = (command.verb, column) {
                    column.statistics = None;
                }
            }
            (StatisticsVerb::Materialize, Some(_)) => return Ok(()),
            (StatisticsVerb::Materialize, None) => {
                return Err(wrong(format!("Unknown statistics column: {name}")));
            }
            (verb, None) => {
                let verb = verb.name().to_ascii_lowercase();
                return Err(wrong(format!(
                    "Cannot {verb} statistics for column {name}: this column is not found"
                )));
            }
        }
        self.is_changed = true;
        Ok(())
    }
}

//! MODIFY COLUMN: type, default, codec, comment, place, and the removal of each.

use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, ColumnDef, ColumnPlace, DefaultKind};
use entasis_sql::{format_type, parse_type};
use entasis_types::DataType;

use super::columns::{check_written, place_after, renamed_and_modified};
use super::draft::Draft;
use crate::definition::columns::check_types;

/// The beginning of the error for a column that does not exist, and what it was wanted for.
const MODIFY: (&str, &str) = ("Wrong column", "modify");

/// Whether a MODIFY COLUMN changes nothing but the comment, which every engine allows.
pub(in crate::ddl) fn is_comment(column: &ColumnDef) -> bool {
    column.comment.is_some()
        && column.data_type.is_none()
        && column.default.is_none()
        && column.codec.is_none()
        && column.statistics.is_none()
        && column.ttl.is_none()
        && column.settings.is_empty()
}

impl Draft<'_> {
    /// MODIFY COLUMN and ALTER COLUMN ... TYPE. What is not written stays as it is.
    pub(super) fn modify_column(
        &mut self,
        written: &ColumnDef,
        place: Option<&ColumnPlace>,
        if_exists: bool,
    ) -> Result<()> {
        check_written(written, "MODIFY COLUMN")?;
        let name = written.name.as_str();
        if self.renamed.contains(name) && self.place_of(name).is_some() {
            return Err(renamed_and_modified(name));
        }
        check_types([written], self.function_context)?;
        let Some(column) = self.change_column(name, if_exists, MODIFY)? else { return Ok(()) };
        let is_alias =
            |c: &ColumnDef| c.default.as_ref().is_some_and(|d| d.kind == DefaultKind::Alias);
        let becomes_alias =
            if written.default.is_some() { is_alias(written) } else { is_alias(column) };
        if becomes_alias && (written.codec.is_some() || column.codec.is_some()) {
            let message = "Cannot specify codec for column type ALIAS";
            return Err(Error::new(codes::BAD_ARGUMENTS, message).at(written.position));
        }
        if let Some(default) = &written.default {
            column.default = Some(default.clone());
        }
        if let Some(new) = &written.data_type {
            let mut ty = DataType::parse(&format_type(new)).map_err(|e| e.at(new.position))?;
            if written.nullable == Some(true) {
                ty = DataType::nullable(ty);
            }
            refuse_lost_nulls(column, &ty)?;
            column.data_type = Some(parse_type(&ty.to_string())?);
        }
        if let Some(comment) = &written.comment {
            column.comment = Some(comment.clone()).filter(|comment| !comment.is_empty());
        }
        column.codec = written.codec.clone().or(column.codec.take());
        column.statistics = written.statistics.clone().or(column.statistics.take());
        column.ttl = written.ttl.clone().or(column.ttl.take());
        written.settings.iter().try_for_each(|setting| check_setting(&setting.name))?;
        if !written.settings.is_empty() {
            column.settings.clone_from(&written.settings);
        }
        self.modified.insert(name.to_owned());
        place.map_or(Ok(()), |place| self.move_column(name, place))
    }

    /// MODIFY COLUMN ... FIRST, AFTER.
    fn move_column(&mut self, name: &str, place: &ColumnPlace) -> Result<()> {
        let Some(from) = self.place_of(name) else { return Ok(()) };
        if let ColumnPlace::After(other) = place {
            place_after(self.columns(), other)?;
            if other.as_str() == name {
                return Ok(());
            }
        }
        let column = self.create.elements.columns.remove(from);
        let origin = self.origins.remove(from);
        let to = match place {
            ColumnPlace::First => 0,
            ColumnPlace::After(other) => place_after(self.columns(), other)?,
        };
        self.create.elements.columns.insert(to, column);
        self.origins.insert(to, origin);
        Ok(())
    }

    /// MODIFY COLUMN ... REMOVE.
    pub(super) fn remove_property(
        &mut self,
        name: &str,
        property: &str,
        if_exists: bool,
    ) -> Result<()> {
        let Some(column) = self.change_column(name, if_exists, MODIFY)? else { return Ok(()) };
        let is_there = match property {
            "COMMENT" => column.comment.take().is_some_and(|comment| !comment.is_empty()),
            "CODEC" => column.codec.take().is_some(),
            "TTL" => column.ttl.take().is_some(),
            "SETTINGS" => {
                column.settings.clear();
                true
            }
            _ => remove_default(column, property)?,
        };
        if is_there {
            return Ok(());
        }
        let message = format!("Column `{name}` doesn't have {property}, cannot remove it");
        Err(Error::new(codes::BAD_ARGUMENTS, message))
    }

    /// MODIFY COLUMN ... MODIFY SETTING.
    pub(super) fn modify_column_settings(
        &mut self,
        name: &str,
        settings: &[ast::SettingChange],
        if_exists: bool,
    ) -> Result<()> {
        match self.change_column(name, if_exists, MODIFY)? {
            Some(column) => set(&mut column.settings, settings),
            None => Ok(()),
        }
    }

    /// MODIFY COLUMN ... RESET SETTING.
    pub(super) fn reset_column_settings(
        &mut self,
        name: &str,
        settings: &[String],
        if_exists: bool,
    ) -> Result<()> {
        if let Some(column) = self.change_column(name, if_exists, MODIFY)? {
            column.settings.retain(|setting| !settings.contains(&setting.name));
        }
        Ok(())
    }
}

/// Removes the default of a column if it is of this kind. Answers whether there was one.
fn remove_default(column: &mut ColumnDef, kind: &str) -> Result<bool> {
    let Some(default) = &column.default else { return Ok(false) };
    let actual = match default.kind {
        DefaultKind::Default => "DEFAULT",
        DefaultKind::Materialized => "MATERIALIZED",
        DefaultKind::Alias => "ALIAS",
        DefaultKind::Ephemeral => "EPHEMERAL",
    };
    if actual != kind {
        let name = column.name.as_str();
        let message = format!(
            "Cannot remove {kind} from column `{name}`, because column default type is {actual}. \
             Use REMOVE {actual} to delete it"
        );
        return Err(Error::new(codes::BAD_ARGUMENTS, message));
    }
    column.default = None;
    Ok(true)
}

/// Fails if NULLs of a column would be lost without a DEFAULT that replaces them.
fn refuse_lost_nulls(column: &ColumnDef, new: &DataType) -> Result<()> {
    let Some(old) = &column.data_type else { return Ok(()) };
    let old = DataType::parse(&format_type(old))?;
    let holds_null = |ty: &DataType| ty.without_low_cardinality().is_nullable();
    if !holds_null(&old) || holds_null(new) || column.default.is_some() {
        return Ok(());
    }
    let name = column.name.as_str();
    let message = format!(
        "Cannot convert column '{name}' from nullable type {old} to non-nullable type {new}. Please \
         specify `DEFAULT` expression in ALTER MODIFY COLUMN statement"
    );
    Err(Error::new(codes::BAD_ARGUMENTS, message))
}

/// Sets settings of a column.
fn set(settings: &mut Vec<ast::SettingChange>, changes: &[ast::SettingChange]) -> Result<()> {
    for change in changes {
        check_setting(&change.name)?;
        match settings.iter_mut().find(|known| known.name == change.name) {
            Some(known) => known.clone_from(change),
            None => settings.push(change.clone()),
        }
    }
    Ok(())
}

/// The settings that a column can have. They concern the files of the reference, and are kept.
const SETTINGS: [&str; 2] = ["max_compress_block_size", "min_compress_block_size"];

fn check_setting(name: &str) -> Result<()> {
    if SETTINGS.contains(&name) {
        return Ok(());
    }
    let message = format!(
        "Setting {name} is unknown or not supported at column level, supported settings: {}",
        SETTINGS.join(", ")
    );
    Err(Error::new(codes::UNKNOWN_SETTING, message))
}

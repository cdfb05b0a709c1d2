//! What an ALTER must not do to the columns on which stored rows depend: keys, by which rows are
//! sorted and distributed; the columns that a merging engine's arguments name; projections.

use entasis_analyze::tree;
use entasis_base::{Error, Result, codes};
use entasis_sql::ast::{self, AlterCommand};
use entasis_sql::{format_type, is_of_column, names_in, names_in_projection};
use entasis_types::DataType;

use super::columns::reads;
use super::draft::Draft;
use crate::definition::{TableDefinition, projections};

/// Compares the draft with the old definition.
pub(super) fn check(draft: &Draft<'_>, commands: &[AlterCommand]) -> Result<()> {
    let old = draft.old;
    let keys = KeyColumns::of(old);
    let named = named_by_engine(old);
    for command in commands {
        check_command(command, &keys, &named)?;
    }
    check_projections(draft)?;
    for (column, origin) in draft.columns().iter().zip(&draft.origins) {
        let Some(origin) = origin else { continue };
        let Some((from, to)) = retyped(old, origin, column)? else { continue };
        keys.check_type(origin, &from, &to)?;
        check_named_type(&named, origin, (&from, &to))?;
    }
    check_order(draft)
}

fn forbidden(message: String) -> Error {
    Error::new(codes::ALTER_OF_COLUMN_IS_FORBIDDEN, message)
}

/// The old and the new type of a column, if they differ.
fn retyped(
    old: &TableDefinition,
    origin: &str,
    column: &ast::ColumnDef,
) -> Result<Option<(DataType, DataType)>> {
    let Some(position) = old.schema.position(origin) else { return Ok(None) };
    let from = old.schema.columns[position].ty.clone();
    let Some(written) = &column.data_type else { return Ok(None) };
    let to = DataType::parse(&format_type(written))?;
    Ok((from != to).then_some((from, to)))
}

/// Refuses to drop, clear or rename a column that stored rows depend on.
fn check_command(command: &AlterCommand, keys: &KeyColumns, named: &[Named]) -> Result<()> {
    let (what, name) = match command {
        AlterCommand::DropColumn { name, .. } => ("DROP", name),
        AlterCommand::ClearColumn { name, .. } => ("CLEAR", name),
        AlterCommand::RenameColumn { from, .. } => ("RENAME", from),
        AlterCommand::ModifyColumn { column, .. } => {
            return match named.iter().find(|n| n.column == column.name.name) {
                Some(Named { role: role @ "is_deleted", column: name })
                    if column.data_type.is_none() =>
                {
                    let message = format!("Trying to modify settings for column {role} ({name})");
                    Err(forbidden(message))
                }
                _ => Ok(()),
            };
        }
        _ => return Ok(()),
    };
    let name = name.as_str();
    if let Some(key) = keys.all().find(|key| is_of_column(key, name)) {
        return Err(forbidden(format!(
            "Trying to ALTER {what} key {key} column which is a part of key expression"
        )));
    }
    if let Some(Named { role, column }) = named.iter().find(|named| named.column == name)
        && !(what == "CLEAR" && *role == SUMMED)
    {
        let what = if what == "CLEAR" { "DROP" } else { what };
        return Err(forbidden(format!("Trying to ALTER {what} {role} ({column}) column")));
    }
    Ok(())
}

/// The columns that the keys read.
struct KeyColumns {
    /// Columns that are expressions of the sorting key.
    sorting: Vec<String>,
    /// Columns that are the partition key, or elements of it.
    partition: Vec<String>,
    /// Columns within larger expressions of a key.
    computed: Vec<String>,
}

impl KeyColumns {
    fn of(definition: &TableDefinition) -> Self {
        let mut keys = Self { sorting: Vec::new(), partition: Vec::new(), computed: Vec::new() };
        for item in definition.order_by.iter().flatten() {
            keys.add(&item.expr, |keys| &mut keys.sorting);
        }
        for expr in definition.primary_key.iter().flatten() {
            keys.add(expr, |keys| &mut keys.sorting);
        }
        if let Some(partition) = &definition.partition_by {
            let elements = tree::written_tuple(partition);
            for expr in elements.unwrap_or(std::slice::from_ref(partition)) {
                keys.add(expr, |keys| &mut keys.partition);
            }
        }
        if let Some(sampling) = &definition.sample_by {
            names_in(sampling, &mut |name| keys.computed.push(name.to_owned()));
        }
        let columns = definition.elements.columns.iter().map(|column| column.name.as_str());
        let columns: Vec<&str> = columns.collect();
        // A part of a column counts as the column.
        let whole = |name: &String| columns.iter().copied().find(|c| is_of_column(name, c));
        for list in [&mut keys.sorting, &mut keys.partition, &mut keys.computed] {
            *list = list.iter().filter_map(whole).map(str::to_owned).collect();
        }
        keys
    }

    fn add(&mut self, expr: &ast::Expr, plain: fn(&mut Self) -> &mut Vec<String>) {
        let list = if expr.as_identifier().is_some() { plain(self) } else { &mut self.computed };
        names_in(expr, &mut |name| list.push(name.to_owned()));
    }

    fn all(&self) -> impl Iterator<Item = &String> {
        self.sorting.iter().chain(&self.partition).chain(&self.computed)
    }

    /// Fails if a new type could change the order of rows or their partitions.
    fn check_type(&self, name: &str, from: &DataType, to: &DataType) -> Result<()> {
        let is_in = |list: &[String]| list.iter().any(|key| key == name);
        if is_in(&self.computed) {
            return Err(forbidden(format!("ALTER of key column {name} is forbidden")));
        }
        if is_safe(from, to) {
            return Ok(());
        }
        for (list, key, what) in [
            (&self.partition, "partition key", "partition key"),
            (&self.sorting, "key", "primary key"),
        ] {
            if is_in(list) {
                return Err(forbidden(format!(
                    "ALTER of {key} column {name} from type {from} to type {to} is not safe because \
                     it can change the representation of {what}"
                )));
            }
        }
        Ok(())
    }
}

/// Whether values of a key have the same order and the same representation in both types.
fn is_safe(from: &DataType, to: &DataType) -> bool {
    let (from, to) = (plain(from), plain(to));
    if from == to {
        return true;
    }
    match (from, to) {
        (DataType::Enum(from), DataType::Enum(to)) => {
            from.wide == to.wide && from.values.iter().all(|value| to.values.contains(value))
        }
        (DataType::Enum(from), DataType::Int8) => !from.wide,
        (DataType::Enum(from), DataType::Int16) => from.wide,
        (DataType::DateTime(_), DataType::DateTime(_) | DataType::UInt32)
        | (DataType::UInt32, DataType::DateTime(_))
        | (DataType::Date, DataType::UInt16)
        | (DataType::UInt16, DataType::Date)
        | (DataType::Bool, DataType::UInt8)
        | (DataType::UInt8, DataType::Bool) => true,
        (DataType::DateTime64(from, _), DataType::DateTime64(to, _)) => from == to,
        _ => false,
    }
}

/// The type without LowCardinality, which only changes how values are stored.
fn plain(ty: &DataType) -> &DataType {
    match ty {
        DataType::LowCardinality(inner) => inner,
        other => other,
    }
}

/// A column that an argument of a merging engine names.
struct Named {
    role: &'static str,
    column: String,
}

/// The role of the columns that merges add up, which may be cleared.
const SUMMED: &str = "columns to sum";

fn named_by_engine(definition: &TableDefinition) -> Vec<Named> {
    let roles: &[&str] = match definition.engine.name.as_str() {
        "ReplacingMergeTree" => &["version", "is_deleted"],
        "CollapsingMergeTree" => &["sign"],
        "VersionedCollapsingMergeTree" => &["sign", "version"],
        "SummingMergeTree" | "CoalescingMergeTree" => &[SUMMED],
        _ => return Vec::new(),
    };
    let mut named = Vec::new();
    for (arg, role) in definition.engine.args.iter().flatten().zip(roles) {
        names_in(arg, &mut |name| named.push(Named { role, column: name.to_owned() }));
    }
    named
}

/// Fails for a type of a version column that has another order, or that is none for its role.
fn check_named_type(named: &[Named], name: &str, (from, to): (&DataType, &DataType)) -> Result<()> {
    let Some(Named { role, .. }) = named.iter().find(|named| named.column == name) else {
        return Ok(());
    };
    match *role {
        "is_deleted" => Err(forbidden(format!(
            "Cannot alter is_deleted column ({name}) to type {to}, because it must have type UInt8"
        ))),
        "version" => {
            if !(to.is_any_integer() || to.is_date_or_time()) {
                return Err(forbidden(format!(
                    "Cannot alter version column {name} to type {to} because version column must be \
                     of an integer type or of type Date or DateTime"
                )));
            }
            let why = match (is_unsigned(from), is_unsigned(to)) {
                (from, to) if from != to || from.is_none() => {
                    "new type will change sort order of version column"
                }
                _ if from.fixed_width() > to.fixed_width() => {
                    "new type is smaller than current in the number of bytes"
                }
                _ => return Ok(()),
            };
            Err(forbidden(format!(
                "Cannot alter version column {name} from type {from} to type {to} because {why}. \
                 The only possible conversion is expansion of the number of bytes of the current \
                 type"
            )))
        }
        _ => Ok(()),
    }
}

fn is_unsigned(ty: &DataType) -> Option<bool> {
    ty.is_any_integer().then(|| ty.is_unsigned())
}

/// Fails if a projection reads a column that is not there any more, or that has another type.
fn check_projections(draft: &Draft<'_>) -> Result<()> {
    for projection in &draft.create.elements.projections {
        if !draft.old.elements.projections.contains(projection) {
            continue;
        }
        let name = projection.name.as_str();
        let breaks = format!("Cannot apply ALTER because it breaks projection {name}");
        if let Some(column) = projections::unknown_column(projection, draft.columns()) {
            let message = format!("{breaks}: Unknown expression identifier `{column}`");
            return Err(Error::new(codes::UNKNOWN_IDENTIFIER, message));
        }
        for (column, origin) in draft.columns().iter().zip(&draft.origins) {
            let Some(origin) = origin else { continue };
            if retyped(draft.old, origin, column)?.is_none() {
                continue;
            }
            let mut is_read = false;
            names_in_projection(&projection.query, &mut |name| {
                is_read |= is_of_column(name, column.name.as_str());
            });
            if is_read {
                return Err(forbidden(format!("{breaks}: Cannot ALTER column {origin}")));
            }
        }
    }
    Ok(())
}

/// Fails if stored rows may not be in the order of the new sorting key: what is added to it can
/// only be the same value in all of them.
fn check_order(draft: &Draft<'_>) -> Result<()> {
    if draft.old.is_old_style {
        // The key stands among the arguments of the engine, which no ALTER changes.
        return Ok(());
    }
    let old: Vec<&ast::Expr> = draft.old.order_by.iter().flatten().map(|k| &k.expr).collect();
    let new = draft.create.storage.order_by.iter().flatten().map(|k| &k.expr);
    let mut kept = 0;
    for expr in new {
        if old.get(kept).is_some_and(|old| **old == *expr) {
            kept += 1;
            continue;
        }
        for (column, origin) in draft.columns().iter().zip(&draft.origins) {
            let name = column.name.as_str();
            if !reads(expr, name) {
                continue;
            }
            let message = if origin.is_some() || draft.cleared.contains(name) {
                format!(
                    "Existing column {name} is used in the expression that was added to the sorting \
                     key. You can add expressions that use only the newly added columns"
                )
            } else if column.default.is_some() {
                format!(
                    "Newly added column {name} has a default expression, so adding expressions that \
                     use it to the sorting key is forbidden"
                )
            } else {
                continue;
            };
            return Err(Error::new(codes::BAD_ARGUMENTS, message));
        }
    }
    if kept < old.len() && draft.old.keys_are_folded() {
        // Merges rely on parts that do not contain a key twice.
        let engine = draft.entry.table.engine();
        return Err(Error::not_implemented(format!("A shorter sorting key of a {engine}")));
    }
    Ok(())
}

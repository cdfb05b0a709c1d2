//! The contents of the commit log: operations on databases, tables and parts, and their encoding.

use entasis_base::varint::write_varint;
use entasis_base::{Error, Result, codes};

use crate::bytes::{Input, corrupted, put_bytes, put_section};
use crate::column_ids::ColumnIds;

/// The identity of a table within its store. Ids are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableId(pub u64);

/// What the log records of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartSummary {
    /// Name of the segment file within the table's directory.
    pub file: String,
    /// Number of rows.
    pub rows: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Checksum of the file's footer.
    pub checksum: u64,
    /// Partition id in the reference's notation: `202101`, `all`.
    pub partition: String,
    /// The partition key's value as text.
    pub partition_value: String,
    /// Block number of the first insert whose rows the part holds.
    pub min_block: u64,
    /// Block number of the last such insert.
    pub max_block: u64,
    /// How often its rows were merged.
    pub level: u32,
    /// Creation time, in seconds since 1970.
    pub created: u64,
    /// Number of granules.
    pub granules: u64,
}

impl PartSummary {
    /// The part's name, such as `all_1_1_0`: partition, first and last block, level.
    pub fn name(&self) -> String {
        format!("{}_{}_{}_{}", self.partition, self.min_block, self.max_block, self.level)
    }
}

/// A table's definition as its engine wrote it; the storage does not interpret it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionText {
    /// Version of the language that the text is written in.
    pub version: u32,
    /// The text.
    pub text: String,
}

impl From<&str> for DefinitionText {
    /// A text in the first version of the language.
    fn from(text: &str) -> Self {
        Self { version: 1, text: text.to_owned() }
    }
}

/// What the log records of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRecord {
    /// The identity, which is also the name of the table's directory.
    pub id: TableId,
    /// The database that the table belongs to.
    pub database: String,
    /// The table's name within the database.
    pub name: String,
    /// Version of the language that the definition is written in.
    pub version: u32,
    /// The definition as formatted text; the storage does not interpret it.
    pub definition: String,
}

/// One change. A record of the log is a list of changes, which are applied all or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Creates a database.
    CreateDatabase {
        /// Name of the new database.
        name: String,
        /// The definition as formatted text.
        definition: String,
    },
    /// Drops a database, which must be empty.
    DropDatabase {
        /// Name of the database to drop.
        name: String,
    },
    /// Creates a table.
    CreateTable(TableRecord),
    /// Drops a table with its parts.
    DropTable {
        /// The table to drop.
        id: TableId,
    },
    /// Renames a table or moves it to another database.
    RenameTable {
        /// The table to rename.
        id: TableId,
        /// The database after the change.
        database: String,
        /// The name after the change.
        name: String,
    },
    /// Replaces the definition of a table.
    AlterTable {
        /// The table to alter.
        id: TableId,
        /// Version of the language that the definition is written in.
        version: u32,
        /// The new definition as formatted text.
        definition: String,
    },
    /// Makes a part visible.
    AddPart {
        /// The table that the part belongs to.
        table: TableId,
        /// The summary of the new part.
        part: PartSummary,
    },
    /// Removes a part from the visible ones.
    RemovePart {
        /// The table that the part belongs to.
        table: TableId,
        /// Name of the part's file.
        file: String,
    },
    /// Raises the counters of a table to at least these values (in checkpoints).
    Counters {
        /// The table that the counters belong to.
        table: TableId,
        /// Block number of the next insert.
        next_block: u64,
        /// Number of the next segment file.
        next_segment: u64,
    },
    /// Reserves all table ids below this one (also written by checkpoints).
    NextTable(TableId),
    /// Remembers an INSERT, so that it is not stored again.
    RememberInsert {
        /// The table that the INSERT wrote to.
        table: TableId,
        /// The token that identifies the INSERT.
        token: String,
        /// How many of the latest INSERTs the table remembers.
        window: u64,
    },
    /// Forgets the INSERTs into a table.
    ForgetInserts {
        /// The table that was truncated.
        table: TableId,
    },
    /// Sets the ids of the stored columns of a table's definition.
    Columns {
        /// The table that the columns belong to.
        table: TableId,
        /// The ids, with the version of the schema.
        columns: ColumnIds,
    },
}

impl Op {
    fn tag(&self) -> u64 {
        match self {
            Self::CreateDatabase { .. } => 1,
            Self::DropDatabase { .. } => 2,
            Self::CreateTable(_) => 3,
            Self::DropTable { .. } => 4,
            Self::RenameTable { .. } => 5,
            Self::AlterTable { .. } => 6,
            Self::AddPart { .. } => 7,
            Self::RemovePart { .. } => 8,
            Self::Counters { .. } => 9,
            Self::NextTable(_) => 10,
            Self::RememberInsert { .. } => 11,
            Self::ForgetInserts { .. } => 12,
            Self::Columns { .. } => 13,
        }
    }

    fn payload(&self, out: &mut Vec<u8>) {
        match self {
            Self::CreateDatabase { name, definition } => {
                put_bytes(out, name.as_bytes());
                put_bytes(out, definition.as_bytes());
            }
            Self::DropDatabase { name } => put_bytes(out, name.as_bytes()),
            Self::CreateTable(table) => {
                write_varint(out, table.id.0);
                put_bytes(out, table.database.as_bytes());
                put_bytes(out, table.name.as_bytes());
                write_varint(out, u64::from(table.version));
                put_bytes(out, table.definition.as_bytes());
            }
            Self::DropTable { id } | Self::NextTable(id) | Self::ForgetInserts { table: id } => {
                write_varint(out, id.0);
            }
            Self::RenameTable { id, database, name } => {
                write_varint(out, id.0);
                put_bytes(out, database.as_bytes());
                put_bytes(out, name.as_bytes());
            }
            Self::AlterTable { id, version, definition } => {
                write_varint(out, id.0);
                write_varint(out, u64::from(*version));
                put_bytes(out, definition.as_bytes());
            }
            Self::AddPart { table, part } => {
                write_varint(out, table.0);
                put_part(out, part);
            }
            Self::RemovePart { table, file } => {
                write_varint(out, table.0);
                put_bytes(out, file.as_bytes());
            }
            Self::Counters { table, next_block, next_segment } => {
                write_varint(out, table.0);
                write_varint(out, *next_block);
                write_varint(out, *next_segment);
            }
            Self::RememberInsert { table, token, window } => {
                write_varint(out, table.0);
                put_bytes(out, token.as_bytes());
                write_varint(out, *window);
            }
            Self::Columns { table, columns } => {
                write_varint(out, table.0);
                columns.write(out);
            }
        }
    }

    fn read(tag: u64, payload: &[u8]) -> Result<Self> {
        let mut input = Input(payload);
        let id = |input: &mut Input| Ok::<_, Error>(TableId(input.varint()?));
        let text = |input: &mut Input| Ok::<_, Error>(input.text()?.to_owned());
        Ok(match tag {
            1 => Self::CreateDatabase { name: text(&mut input)?, definition: text(&mut input)? },
            2 => Self::DropDatabase { name: text(&mut input)? },
            3 => Self::CreateTable(TableRecord {
                id: id(&mut input)?,
                database: text(&mut input)?,
                name: text(&mut input)?,
                version: input.varint()? as u32,
                definition: text(&mut input)?,
            }),
            4 => Self::DropTable { id: id(&mut input)? },
            5 => Self::RenameTable {
                id: id(&mut input)?,
                database: text(&mut input)?,
                name: text(&mut input)?,
            },
            6 => Self::AlterTable {
                id: id(&mut input)?,
                version: input.varint()? as u32,
                definition: text(&mut input)?,
            },
            7 => Self::AddPart { table: id(&mut input)?, part: take_part(&mut input)? },
            8 => Self::RemovePart { table: id(&mut input)?, file: text(&mut input)? },
            9 => Self::Counters {
                table: id(&mut input)?,
                next_block: input.varint()?,
                next_segment: input.varint()?,
            },
            10 => Self::NextTable(id(&mut input)?),
            11 => Self::RememberInsert {
                table: id(&mut input)?,
                token: text(&mut input)?,
                window: input.varint()?,
            },
            12 => Self::ForgetInserts { table: id(&mut input)? },
            13 => {
                let table = id(&mut input)?;
                Self::Columns { table, columns: ColumnIds::read(&mut input)? }
            }
            other => {
                return Err(Error::new(
                    codes::CORRUPTED_DATA,
                    format!(
                        "The commit log holds an operation {other} that this build does not know: \
                         it was written by a newer version"
                    ),
                ));
            }
        })
    }
}

fn put_part(out: &mut Vec<u8>, part: &PartSummary) {
    put_bytes(out, part.file.as_bytes());
    write_varint(out, part.rows);
    write_varint(out, part.bytes);
    out.extend_from_slice(&part.checksum.to_le_bytes());
    put_bytes(out, part.partition.as_bytes());
    put_bytes(out, part.partition_value.as_bytes());
    write_varint(out, part.min_block);
    write_varint(out, part.max_block);
    write_varint(out, u64::from(part.level));
    write_varint(out, part.created);
    write_varint(out, part.granules);
}

fn take_part(input: &mut Input) -> Result<PartSummary> {
    Ok(PartSummary {
        file: input.text()?.to_owned(),
        rows: input.varint()?,
        bytes: input.varint()?,
        checksum: input.u64()?,
        partition: input.text()?.to_owned(),
        partition_value: input.text()?.to_owned(),
        min_block: input.varint()?,
        max_block: input.varint()?,
        level: input.varint()? as u32,
        created: input.varint()?,
        granules: input.varint()?,
    })
}

/// The payload of a record: one section per operation.
pub(crate) fn encode_ops(ops: &[Op]) -> Vec<u8> {
    let (mut out, mut payload) = (Vec::new(), Vec::new());
    for op in ops {
        payload.clear();
        op.payload(&mut payload);
        put_section(&mut out, op.tag(), &payload);
    }
    out
}

pub(crate) fn decode_ops(payload: &[u8]) -> Result<Vec<Op>> {
    let mut sections = Input(payload);
    let mut out = Vec::new();
    while let Some((tag, payload)) = sections.section()? {
        out.push(Op::read(tag, payload)?);
    }
    if out.is_empty() {
        return Err(corrupted("an empty record"));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_operations_round_trip() {
        let id = TableId(7);
        let text = String::from("Größe");
        let part = PartSummary {
            file: "seg-3.ets".into(),
            rows: 1 << 40,
            bytes: 99,
            checksum: u64::MAX - 1,
            partition: "202101".into(),
            partition_value: "202101".into(),
            min_block: 3,
            max_block: 9,
            level: 2,
            created: 1_600_000_000,
            granules: 12,
        };
        assert_eq!(part.name(), "202101_3_9_2");
        let table = TableRecord {
            id,
            database: "d".into(),
            name: "t".into(),
            version: 1,
            definition: "CREATE TABLE".into(),
        };
        let ops = vec![
            Op::CreateDatabase { name: text.clone(), definition: text.clone() },
            Op::DropDatabase { name: text.clone() },
            Op::CreateTable(table),
            Op::DropTable { id },
            Op::RenameTable { id, database: text.clone(), name: text.clone() },
            Op::AlterTable { id, version: 3, definition: text.clone() },
            Op::AddPart { table: id, part },
            Op::RemovePart { table: id, file: text.clone() },
            Op::RememberInsert { table: id, token: text, window: 1000 },
            Op::ForgetInserts { table: id },
            Op::Columns { table: id, columns: ColumnIds::first(["a", "Größe"]).next_version() },
            Op::Counters { table: id, next_block: 4, next_segment: 5 },
            Op::NextTable(id),
        ];
        let bytes = encode_ops(&ops);
        assert_eq!(decode_ops(&bytes).unwrap(), ops);
        for cut in 1..bytes.len() {
            // A cut between two sections gives a shorter list; any other cut gives an error.
            if let Ok(some) = decode_ops(&bytes[..cut]) {
                assert_eq!(some[..], ops[..some.len()]);
            }
        }
        assert!(decode_ops(&[99, 0]).is_err());
    }
}

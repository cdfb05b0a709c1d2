//! The encoding of the commit log's operations: a section per operation, whose tag says which it
//! is.

use entasis_base::varint::write_varint;
use entasis_base::{Error, Result, codes};

use super::companion::{put_companions, put_contents, take_companions, take_contents};
use super::overlay::{MutationRecord, put_overlays, take_overlays};
use super::record::{Content, Op, PartSummary, TableId, TableRecord};
use crate::bytes::{Input, corrupted, put_bytes, put_section};
use crate::column_ids::ColumnIds;

impl Op {
    fn tag(&self) -> u64 {
        match self {
            Self::CreateDatabase { .. } => 1,
            Self::DropDatabase { .. } => 2,
            Self::CreateTable(_) => 3,
            Self::DropTable { .. } => 4,
            Self::RenameTable { .. } => 5,
            Self::AlterTable { .. } => 6,
            Self::AddPart { part, .. } if part.is_in_memory() => 35,
            Self::AddPart { .. } => 7,
            Self::RemovePart { .. } => 8,
            Self::Counters { .. } => 9,
            Self::NextTable(_) => 10,
            Self::RememberInsert { .. } => 11,
            Self::ForgetInserts { .. } => 12,
            Self::Columns { .. } => 13,
            Self::ChangePart { .. } => 20,
            Self::Mutated { .. } => 21,
            Self::ForgetMutation { .. } => 22,
            Self::DetachPart { .. } => 23,
            Self::AttachPart { .. } => 24,
            Self::DropDetachedPart { .. } => 25,
            Self::PutObject { .. } => 26,
            Self::RemoveObject { .. } => 27,
            Self::AlterDatabase { .. } => 28,
            Self::WritePart { .. } => 36,
        }
    }

    fn payload(&self, out: &mut Vec<u8>) {
        match self {
            Self::CreateDatabase { name, definition }
            | Self::AlterDatabase { name, definition } => {
                put_bytes(out, name.as_bytes());
                put_bytes(out, definition.as_bytes());
            }
            Self::PutObject { kind, name, definition } => {
                put_bytes(out, kind.as_bytes());
                put_bytes(out, name.as_bytes());
                put_bytes(out, definition.as_bytes());
            }
            Self::RemoveObject { kind, name } => {
                put_bytes(out, kind.as_bytes());
                put_bytes(out, name.as_bytes());
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
            _ => self.part_payload(out),
        }
    }

    /// The payload of an operation on parts, or of a mutation.
    fn part_payload(&self, out: &mut Vec<u8>) {
        match self {
            Self::AddPart { table, part } => {
                write_varint(out, table.0);
                put_part(out, part);
                if let Some(content) = &part.content {
                    put_bytes(out, &content.0);
                }
            }
            Self::RemovePart { table, file }
            | Self::WritePart { table, file }
            | Self::DetachPart { table, file }
            | Self::DropDetachedPart { table, file } => {
                write_varint(out, table.0);
                put_bytes(out, file.as_bytes());
            }
            Self::ChangePart { table, part } | Self::AttachPart { table, part } => {
                write_varint(out, table.0);
                put_part(out, part);
                write_varint(out, part.mutation);
                put_overlays(out, &part.overlays);
            }
            Self::Mutated { table, mutation } => {
                write_varint(out, table.0);
                mutation.write(out);
            }
            Self::ForgetMutation { table, number } => {
                write_varint(out, table.0);
                write_varint(out, *number);
            }
            _ => {}
        }
    }

    /// The part that the operation adds, changes or attaches.
    fn part(&self) -> Option<&PartSummary> {
        match self {
            Self::AddPart { part, .. }
            | Self::ChangePart { part, .. }
            | Self::AttachPart { part, .. } => Some(part),
            _ => None,
        }
    }

    fn part_mut(&mut self) -> Option<&mut PartSummary> {
        match self {
            Self::AddPart { part, .. }
            | Self::ChangePart { part, .. }
            | Self::AttachPart { part, .. } => Some(part),
            _ => None,
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
            other => return Self::read_newer(other, &mut input),
        })
    }

    /// Reads an operation that older builds do not know.
    fn read_newer(tag: u64, input: &mut Input) -> Result<Self> {
        let id = |input: &mut Input| Ok::<_, Error>(TableId(input.varint()?));
        let text = |input: &mut Input| Ok::<_, Error>(input.text()?.to_owned());
        Ok(match tag {
            20 => {
                let table = id(input)?;
                Self::ChangePart { table, part: take_changed_part(input)? }
            }
            21 => {
                let table = id(input)?;
                Self::Mutated { table, mutation: MutationRecord::read(input)? }
            }
            22 => Self::ForgetMutation { table: id(input)?, number: input.varint()? },
            23 => Self::DetachPart { table: id(input)?, file: text(input)? },
            24 => {
                let table = id(input)?;
                Self::AttachPart { table, part: take_changed_part(input)? }
            }
            25 => Self::DropDetachedPart { table: id(input)?, file: text(input)? },
            26 => {
                Self::PutObject { kind: text(input)?, name: text(input)?, definition: text(input)? }
            }
            27 => Self::RemoveObject { kind: text(input)?, name: text(input)? },
            28 => Self::AlterDatabase { name: text(input)?, definition: text(input)? },
            35 => {
                let (table, part) = (id(input)?, take_part(input)?);
                let content = Some(Content(input.bytes()?.into()));
                Self::AddPart { table, part: PartSummary { content, ..part } }
            }
            36 => Self::WritePart { table: id(input)?, file: text(input)? },
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
        mutation: 0,
        overlays: Vec::new(),
        content: None,
        companions: Vec::new(),
    })
}

/// Reads a part with its overlays.
fn take_changed_part(input: &mut Input) -> Result<PartSummary> {
    let part = take_part(input)?;
    let mutation = input.varint()?;
    let overlays = take_overlays(input)?;
    Ok(PartSummary { mutation, overlays, ..part })
}

/// The tag of a section that belongs to the operation before it, which adds, changes or attaches a
/// part: the companions of the part.
const COMPANIONS: u64 = 29;
/// The tag of a section behind that one: the contents of companions that have no file.
const CONTENTS: u64 = 37;

/// The payload of a record: one section per operation, and one for the companions of a part.
pub(crate) fn encode_ops(ops: &[Op]) -> Vec<u8> {
    let (mut out, mut payload) = (Vec::new(), Vec::new());
    for op in ops {
        payload.clear();
        op.payload(&mut payload);
        put_section(&mut out, op.tag(), &payload);
        if let Some(part) = op.part().filter(|part| !part.companions.is_empty()) {
            payload.clear();
            put_companions(&mut payload, &part.companions);
            put_section(&mut out, COMPANIONS, &payload);
            payload.clear();
            if matches!(op, Op::AddPart { .. }) && put_contents(&mut payload, &part.companions) {
                put_section(&mut out, CONTENTS, &payload);
            }
        }
    }
    out
}

pub(crate) fn decode_ops(payload: &[u8]) -> Result<Vec<Op>> {
    let mut sections = Input(payload);
    let mut out = Vec::new();
    while let Some((tag, payload)) = sections.section()? {
        if [COMPANIONS, CONTENTS].contains(&tag) {
            let part = out.last_mut().and_then(Op::part_mut);
            let part = part.ok_or_else(|| corrupted("companions without a part"))?;
            match tag {
                COMPANIONS => part.companions = take_companions(payload)?,
                _ => take_contents(payload, &mut part.companions)?,
            }
            continue;
        }
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
    use crate::log::record::{Companion, CompanionKind, Overlay, OverlayKind};

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
            mutation: 0,
            overlays: Vec::new(),
            content: None,
            companions: Vec::new(),
        };
        let content = Some(Content([1, 2, 3].into()));
        let in_memory = PartSummary { content, ..part.clone() };
        assert_eq!(part.name(), "202101_3_9_2");
        let overlay =
            |file: &str, kind| Overlay { file: file.into(), rows: 7, bytes: 8, checksum: 9, kind };
        let changed = PartSummary {
            mutation: 11,
            overlays: vec![
                overlay("seg-4.ets", OverlayKind::Columns),
                overlay("seg-5.ets", OverlayKind::Mask { live: 5, shown: 6 }),
                overlay("seg-6.ets", OverlayKind::Patch),
            ],
            ..part.clone()
        };
        let companion = |file: &str, kind| Companion {
            file: file.into(),
            rows: 1,
            bytes: 2,
            checksum: 3,
            kind,
            name: "i".into(),
            definition: text.clone(),
            content: None,
        };
        let own = Companion {
            content: Some(Content([4, 5].into())),
            ..companion("comp-9.ets", CompanionKind::Index)
        };
        let indexed_in_memory = PartSummary {
            companions: vec![companion("comp-6.ets", CompanionKind::Index), own],
            ..in_memory.clone()
        };
        let companions = vec![
            companion("comp-7.ets", CompanionKind::Index),
            companion("comp-8.ets", CompanionKind::Projection),
        ];
        let with_companions = PartSummary { companions, ..changed.clone() };
        assert_eq!((with_companions.total_bytes(), changed.total_bytes()), (127, 123));
        assert_eq!(changed.name(), "202101_3_9_2_11");
        assert_eq!((changed.live_rows(), changed.shown_rows(), part.live_rows()), (5, 6, 1 << 40));
        let mutation = MutationRecord {
            number: 11,
            commands: vec!["(DELETE WHERE a)".into(), "(UPDATE b = 1 WHERE a)".into()],
            created: 5,
            finished: 6,
        };
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
            Op::AddPart { table: id, part: in_memory },
            Op::AddPart { table: id, part: indexed_in_memory },
            Op::WritePart { table: id, file: text.clone() },
            Op::RemovePart { table: id, file: text.clone() },
            Op::RememberInsert { table: id, token: text.clone(), window: 1000 },
            Op::PutObject { kind: text.clone(), name: text.clone(), definition: text.clone() },
            Op::RemoveObject { kind: text.clone(), name: text.clone() },
            Op::AlterDatabase { name: text.clone(), definition: text.clone() },
            Op::ForgetInserts { table: id },
            Op::Columns { table: id, columns: ColumnIds::first(["a", "Größe"]).next_version() },
            Op::ChangePart { table: id, part: changed.clone() },
            Op::DetachPart { table: id, file: text.clone() },
            Op::AttachPart { table: id, part: changed },
            Op::DropDetachedPart { table: id, file: text.clone() },
            Op::Mutated { table: id, mutation },
            Op::ForgetMutation { table: id, number: 11 },
            Op::ChangePart { table: id, part: with_companions.clone() },
            Op::AttachPart { table: id, part: with_companions.clone() },
            Op::AddPart {
                table: id,
                part: PartSummary { mutation: 0, overlays: Vec::new(), ..with_companions },
            },
            Op::Counters { table: id, next_block: 4, next_segment: 5 },
            Op::NextTable(id),
        ];
        let bytes = encode_ops(&ops);
        assert_eq!(decode_ops(&bytes).unwrap(), ops);
        for cut in 1..bytes.len() {
            // A cut between two sections gives a shorter list; any other cut gives an error. The
            // last part may be cut off from its companions.
            if let Ok(mut some) = decode_ops(&bytes[..cut]) {
                let mut all = ops[..some.len()].to_vec();
                for ops in [&mut some, &mut all] {
                    if let Some(part) = ops.last_mut().and_then(Op::part_mut) {
                        part.companions.clear();
                    }
                }
                assert_eq!(some, all);
            }
        }
        assert!(decode_ops(&[99, 0]).is_err());
    }
}

//! Table engines of this crate: what `ENGINE = name` makes.

use std::sync::Arc;

use entasis_table::{Schema, Table};

use crate::memory::Memory;
use crate::null::Null;

/// An engine without arguments.
pub struct EngineDef {
    /// Name as the reference spells it.
    pub name: &'static str,
    /// One sentence for the manual.
    pub description: &'static str,
    /// Makes an empty table.
    pub create: fn(Arc<Schema>) -> Arc<dyn Table>,
}

/// Every engine here.
pub const ENGINES: &[EngineDef] = &[
    EngineDef {
        name: "Memory",
        description: "Rows in memory, gone with the process.",
        create: |schema| Memory::new(schema),
    },
    EngineDef {
        name: "Null",
        description: "Takes every row and keeps none.",
        create: |schema| Null::new(schema),
    },
];

//! Compares the memory that threads count with the allocator's own statistics, over all SQL cases.
//!
//! Each file runs beside a table in memory, as on a server, because the allocator's own structures
//! (28 KB for each thread's cache, which it counts as allocated) are more than what a single file
//! leaves behind. At the end both figures are read at the same moment: the bytes that threads have
//! allocated and not freed, and the bytes that the allocator has handed out without what its caches
//! hold back.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::binary::Scratch;
use crate::corpus;

const ASK: &str = "SELECT 'reconcile', toInt64(sumIf(value, metric = 'MemoryCounted')), \
                   toInt64(sumIf(value, metric = 'jemalloc.allocated') \
                   - sumIf(value, metric = 'jemalloc.tcache')) \
                   FROM system.asynchronous_metrics FORMAT TSV;";

const HELD: &str =
    "CREATE TABLE held_in_memory ENGINE = Memory AS SELECT number FROM numbers(2000000);";

/// The two figures after each file that runs to its end.
pub fn figures(binary: &Path, folder: &Path) -> Result<Vec<(i64, i64)>, String> {
    let scratch = Scratch::new()?;
    let path = scratch.path().join("case.sql");
    let mut all = Vec::new();
    for file in corpus::discover(folder)? {
        let text =
            std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        // Hints of the whole file stand in its first line.
        let (first, rest) = match text.split_once('\n') {
            Some((first, rest)) if first.starts_with("-- {") => (first, rest),
            _ => ("", &*text),
        };
        let script = format!("{first}\n{HELD}\n{rest}\n;\n{ASK}\n");
        std::fs::write(&path, script).map_err(|e| e.to_string())?;
        let run = Command::new(binary)
            .args(["local", "--test-hints", "--queries-file"])
            .arg(&path)
            .current_dir(scratch.path())
            .stderr(Stdio::null())
            .output();
        let output = run.map_err(|e| e.to_string())?.stdout;
        let pair = |line: &str| {
            let mut fields = line.strip_prefix("reconcile\t")?.split('\t');
            Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
        };
        all.extend(String::from_utf8_lossy(&output).lines().find_map(pair));
    }
    Ok(all)
}

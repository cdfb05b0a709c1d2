//! The engine of this program.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use entasis_base::{Error, Result, codes};
use entasis_engine::{Chunk, Engine, EngineConfig};

use super::{Ask, Session, Took};

/// An engine on a folder.
pub struct InProcess {
    engine: Arc<Engine>,
}

impl InProcess {
    /// Opens the tables of a folder.
    pub fn open(data: &Path) -> Result<Self> {
        std::fs::create_dir_all(data)?;
        let path = data.to_str().ok_or_else(|| {
            let message = format!("{}: expected a name in UTF-8", data.display());
            Error::new(codes::BAD_ARGUMENTS, message)
        })?;
        Ok(Self { engine: Engine::open(EngineConfig::local(Some(path))?)? })
    }

    /// Runs a statement and hands its chunks on.
    fn execute(&self, ask: &Ask<'_>, mut each: impl FnMut(&Chunk)) -> Result<Took> {
        let mut session = self.engine.session();
        if !ask.database.is_empty() {
            session.use_database(ask.database)?;
        }
        session.set_text("max_execution_time", &ask.limit.as_secs_f64().max(0.001).to_string())?;
        for (name, value) in ask.settings {
            session.set_text(name, value)?;
        }
        let started = Instant::now();
        let mut result = session.execute(ask.text)?;
        while let Some(chunk) = result.next_chunk()? {
            each(&chunk);
        }
        let seconds = started.elapsed().as_secs_f64();
        Ok(Took { client: seconds, server: Some(seconds) })
    }
}

impl Session for InProcess {
    fn run(&mut self, ask: &Ask<'_>) -> Result<Took> {
        self.execute(ask, |_| {})
    }

    fn text(&mut self, ask: &Ask<'_>) -> Result<String> {
        let mut text = String::new();
        self.execute(ask, |chunk| {
            for row in 0..chunk.rows {
                for column in &chunk.columns {
                    let value = column.value(row);
                    match value.as_bytes() {
                        Some(bytes) => text.push_str(&String::from_utf8_lossy(bytes)),
                        None => text.push_str(&format!("{value:?}")),
                    }
                    text.push('\t');
                }
                text.push('\n');
            }
        })?;
        Ok(text)
    }

    fn has_system_tables(&self) -> bool {
        false
    }
}

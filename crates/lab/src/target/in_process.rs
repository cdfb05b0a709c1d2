//! The engine of this program.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use entasis_base::{Error, Result, codes};
use entasis_engine::{Engine, EngineConfig, QueryResult, Session as EngineSession};

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

    /// Begins a statement, with its settings.
    fn begin(&self, ask: &Ask<'_>) -> Result<(EngineSession, QueryResult)> {
        let mut session = self.engine.session();
        if !ask.database.is_empty() {
            session.use_database(ask.database)?;
        }
        session.set_text("max_execution_time", &ask.limit.as_secs_f64().max(0.001).to_string())?;
        for (name, value) in ask.settings {
            session.set_text(name, value)?;
        }
        let result = session.execute(ask.text)?;
        Ok((session, result))
    }
}

impl Session for InProcess {
    fn run(&mut self, ask: &Ask<'_>) -> Result<Took> {
        let started = Instant::now();
        let (_session, mut result) = self.begin(ask)?;
        while result.next_chunk()?.is_some() {}
        let seconds = started.elapsed().as_secs_f64();
        Ok(Took { client: seconds, server: Some(seconds) })
    }

    /// As a server would write them: answers of both kinds of sides are compared.
    fn text(&mut self, ask: &Ask<'_>) -> Result<String> {
        let (session, mut result) = self.begin(ask)?;
        if result.header.is_empty() {
            return Ok(String::new());
        }
        let name = result.format.clone().unwrap_or_else(|| "TabSeparated".to_owned());
        let options = session.output_options(&result);
        let mut format = entasis_format::output(&name, &result.header, &options)?;
        let mut bytes = Vec::new();
        result.write(|| format.start(&mut bytes))?;
        while let Some(chunk) = result.next_chunk()? {
            result.write(|| format.write(&chunk, &mut bytes))?;
        }
        result.write(|| format.finish(&mut bytes))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn has_system_tables(&self) -> bool {
        false
    }
}

//! The engine of this program. Both sides may be engines of one process: each has a folder, and in
//! it logs, of its own; the allocator they share.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use entasis_base::{Error, Result, codes};
use entasis_engine::{
    Engine, EngineConfig, LogsConfig, QueryOptions, QueryResult, Session as EngineSession,
};

use super::{Answer, Ask, Rows, Session, TIME_LIMIT, Took};

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
        let base = EngineConfig::local(Some(path))?;
        // As in servers that are started: tables have the parts of their inserts.
        let config = EngineConfig { logs: Some(logs()), merges: false, ..base };
        Ok(Self { engine: Engine::open(config)? })
    }

    /// Begins a statement, with its settings.
    fn begin(&self, ask: &Ask<'_>) -> Result<(EngineSession, QueryResult)> {
        let mut session = self.engine.session();
        if !ask.database.is_empty() {
            session.use_database(ask.database)?;
        }
        for (name, value) in ask.settings {
            session.set_text(name, value)?;
        }
        session.set_text(TIME_LIMIT, &ask.seconds().to_string())?;
        let options = QueryOptions { query_id: ask.id.to_owned(), ..QueryOptions::default() };
        let result = session.execute_with(ask.text, options)?;
        Ok((session, result))
    }
}

impl Session for InProcess {
    fn run(&mut self, ask: &Ask<'_>) -> Result<Took> {
        let started = Instant::now();
        let (_session, mut result) = self.begin(ask)?;
        while result.next_chunk()?.is_some() {}
        result.finish(|| Ok(()))?;
        let seconds = started.elapsed().as_secs_f64();
        Ok(Took { client: seconds, server: Some(seconds) })
    }

    fn text(&mut self, ask: &Ask<'_>) -> Result<String> {
        self.bytes(ask).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn answer(&mut self, ask: &Ask<'_>) -> Result<Answer> {
        self.bytes(ask).map(|bytes| Rows::of(&bytes))
    }
}

impl InProcess {
    /// Rows as a server would write them: answers of both kinds of sides are compared.
    fn bytes(&self, ask: &Ask<'_>) -> Result<Vec<u8>> {
        let (session, mut result) = self.begin(ask)?;
        if result.header.is_empty() {
            return Ok(Vec::new());
        }
        let name = result.format.clone().unwrap_or_else(|| "TabSeparated".to_owned());
        let options = session.output_options(&result);
        let mut format = entasis_format::output(&name, &result.header, &options)?;
        let mut bytes = Vec::new();
        result.write(|| format.start(&mut bytes))?;
        while let Some(chunk) = result.next_chunk()? {
            result.write(|| format.write(&chunk, &mut bytes))?;
        }
        result.finish(|| format.finish(&mut bytes))?;
        Ok(bytes)
    }
}

/// Those of the laboratory's servers (`process`): written when asked for, not by the clock.
fn logs() -> LogsConfig {
    LogsConfig {
        only: Some(["query_log", "trace_log"].map(str::to_owned).into()),
        interval: Duration::from_hours(1),
        text_level: None,
        ..LogsConfig::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask<'a>(text: &'a str, id: &'a str) -> Ask<'a> {
        Ask { text, database: "", settings: &[], id, limit: Duration::from_mins(1) }
    }

    #[test]
    fn sides_of_one_process_have_logs_of_their_own() {
        let folder = std::env::temp_dir().join(format!("entasis-sides-{}", std::process::id()));
        let ids = ["run.old", "run.new"];
        let mut sides = ids.map(|id| InProcess::open(&folder.join(id)).unwrap());
        for (side, id) in sides.iter_mut().zip(ids) {
            let took = side.run(&ask("SELECT sum(number) FROM numbers(1000)", id)).unwrap();
            assert!(took.client > 0.0);
        }
        let logged = "SELECT query_id FROM system.query_log \
             WHERE startsWith(query_id, 'run.') AND type = 'QueryFinish'";
        for (side, id) in sides.iter_mut().zip(ids) {
            for command in ["SYSTEM STOP MERGES", "SYSTEM JEMALLOC PURGE", "SYSTEM FLUSH LOGS"] {
                side.run(&ask(command, "")).unwrap();
            }
            assert_eq!(side.text(&ask(logged, "")).unwrap(), format!("{id}\n"));
        }
        drop(sides);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

//! The engine inside this program. Both sides may be engines of one process: each has its own
//! folder with its own logs, and both share the allocator.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use entasis_base::{Error, Result, codes};
use entasis_engine::{
    Engine, EngineConfig, LogsConfig, QueryOptions, QueryResult, Session as EngineSession,
};

use crate::cost_injection;

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
        let config = EngineConfig {
            logs: Some(logs()),
            merges: false,
            hook: Some(cost_injection::of_comment),
            ..base
        };
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
        let mut text = Vec::new();
        self.pieces(ask, &mut |piece| text.extend_from_slice(piece))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    fn answer(&mut self, ask: &Ask<'_>) -> Result<Answer> {
        let mut rows = Rows::default();
        self.pieces(ask, &mut |piece| rows.push(piece))?;
        Ok(rows.finish())
    }
}

impl InProcess {
    /// Rows as a server would write them, piece by piece: answers of both kinds of sides are
    /// compared.
    fn pieces(&self, ask: &Ask<'_>, each: &mut dyn FnMut(&[u8])) -> Result<()> {
        let (session, mut result) = self.begin(ask)?;
        if result.header.is_empty() {
            return Ok(());
        }
        let name = result.format.clone().unwrap_or_else(|| "TabSeparated".to_owned());
        let options = session.output_options(&result);
        let mut format = entasis_format::output(&name, &result.header, &options)?;
        let mut piece = Vec::new();
        result.write(|| format.start(&mut piece))?;
        while let Some(chunk) = result.next_chunk()? {
            result.write(|| format.write(&chunk, &mut piece))?;
            each(&piece);
            piece.clear();
        }
        for (what, chunk) in result.totals_and_extremes()? {
            result.write(|| format.totals_and_extremes(what, &chunk, &mut piece))?;
        }
        if let Some(rows) = result.rows_before_limit() {
            format.rows_before_limit(rows);
        }
        result.finish(|| format.finish(&mut piece))?;
        each(&piece);
        Ok(())
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
        entasis_functions::register();
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

    #[test]
    fn answers_are_those_of_a_server() {
        let folder = std::env::temp_dir().join(format!("entasis-answers-{}", std::process::id()));
        entasis_functions::register();
        let mut side = InProcess::open(&folder).unwrap();
        // Several chunks.
        let many = "SELECT number, toString(number) FROM numbers(200000)";
        let text = side.text(&ask(many, "")).unwrap();
        let answer = side.answer(&ask(many, "")).unwrap();
        assert_eq!((answer.rows, answer), (200_000, Rows::of(text.as_bytes())));
        // Rows beside the result are part of it.
        let totals = "SELECT number % 2 AS k, count() FROM numbers(10) GROUP BY k WITH TOTALS";
        assert!(side.text(&ask(totals, "")).unwrap().ends_with("0\t10\n"));
        drop(side);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

//! KILL QUERY: a SELECT from `system.processes` finds statements, which are then cancelled.

use std::time::Duration;

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result};
use entasis_column::Chunk;
use entasis_sql::ast::{self, KillMode};

use crate::statement::show::table;
use crate::{QueryOptions, QueryResult, Session};

/// How often KILL ... SYNC checks whether the statement has ended.
const POLL: Duration = Duration::from_millis(2);

impl Session {
    pub(crate) fn kill(
        &self,
        mutation: bool,
        where_clause: &ast::Expr,
        mode: KillMode,
        options: &QueryOptions,
    ) -> Result<QueryResult> {
        if mutation {
            return Err(Error::not_implemented("KILL MUTATION"));
        }
        let own = options.process.as_ref().map_or("", |p| p.query_id.as_str());
        let found = self.matching(where_clause)?;
        let mut rows: [Vec<String>; 4] = Default::default();
        for [query_id, user, query] in found.into_iter().filter(|row| row[0] != own) {
            let status = match mode {
                KillMode::Test => "unknown_status",
                KillMode::Async => self.stop(&query_id, false, options)?,
                KillMode::Sync => self.stop(&query_id, true, options)?,
            };
            for (column, value) in rows.iter_mut().zip([status.into(), query_id, user, query]) {
                column.push(value);
            }
        }
        let [status, query_id, user, query] = rows;
        Ok(table(&[
            ("kill_status", status),
            ("query_id", query_id),
            ("user", user),
            ("query", query),
        ]))
    }

    /// Id, user and text of the statements that satisfy the condition.
    fn matching(&self, where_clause: &ast::Expr) -> Result<Vec<[String; 3]>> {
        let text = "SELECT query_id, user, query FROM system.processes";
        let ast::Query::Select(mut select) = entasis_sql::parse_query(text)? else {
            return Err(Error::logical("a SELECT that is none"));
        };
        select.where_clause = Some(where_clause.clone());
        let query = ast::Query::Select(select);
        let rows = self.select(&query, &[], QueryOptions::default())?.collect()?;
        Ok((0..rows.rows)
            .map(|i| [text_at(&rows, 0, i), text_at(&rows, 1, i), text_at(&rows, 2, i)])
            .collect())
    }

    fn stop(&self, query_id: &str, wait: bool, options: &QueryOptions) -> Result<&'static str> {
        let processes = &self.engine.processes;
        let Some(process) = processes.find(query_id) else { return Ok("finished") };
        process.cancel.cancel();
        events::one(Event::QueriesKilled);
        if !wait {
            return Ok("waiting");
        }
        drop(process);
        while processes.find(query_id).is_some() {
            options.cancel.check()?;
            std::thread::sleep(POLL);
        }
        Ok("finished")
    }
}

fn text_at(rows: &Chunk, column: usize, row: usize) -> String {
    let value = rows.columns[column].value(row);
    String::from_utf8_lossy(value.as_bytes().unwrap_or_default()).into_owned()
}

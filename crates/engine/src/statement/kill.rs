//! KILL QUERY: a SELECT from `system.processes` finds statements, which are then cancelled. KILL
//! MUTATION does the same with `system.mutations`.

use std::time::Duration;

use entasis_base::events::{self, Event};
use entasis_base::{Error, Result};
use entasis_column::Chunk;
use entasis_mergetree::Op;
use entasis_sql::ast::{self, KillMode};

use crate::statement::show::table;
use crate::system::mutations::number_of;
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
            return self.kill_mutations(where_clause, mode);
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
        if rows[0].is_empty() {
            return Ok(QueryResult::nothing());
        }
        let [status, query_id, user, query] = rows;
        Ok(table(&[
            ("kill_status", status),
            ("query_id", query_id),
            ("user", user),
            ("query", query),
        ]))
    }

    /// KILL MUTATION: cancels running mutations, and forgets finished ones.
    fn kill_mutations(&self, where_clause: &ast::Expr, mode: KillMode) -> Result<QueryResult> {
        let columns = "database, table, mutation_id, command";
        let found = self.found::<4>(columns, "system.mutations", where_clause)?;
        let store = self.engine.catalog.store();
        let mut rows: [Vec<String>; 5] = Default::default();
        for row in found {
            let [database, table, id, _] = &row;
            let entry = self.engine.catalog.entry(database, table);
            let of = entry.ok().and_then(|entry| entry.id).zip(number_of(id));
            if let Some((table, number)) = of.filter(|_| mode != KillMode::Test) {
                let running = store.running_mutations();
                match running.iter().find(|m| m.table == table && m.number == number) {
                    Some(mutation) => mutation.kill(),
                    None => store.execute_all(vec![Op::ForgetMutation { table, number }])?,
                }
            }
            let status = if mode == KillMode::Test { "unknown_status" } else { "waiting" };
            for (column, value) in rows.iter_mut().zip([status.to_owned()].into_iter().chain(row)) {
                column.push(value);
            }
        }
        if rows[0].is_empty() {
            return Ok(QueryResult::nothing());
        }
        let [status, database, name, id, command] = rows;
        Ok(table(&[
            ("kill_status", status),
            ("database", database),
            ("table", name),
            ("mutation_id", id),
            ("command", command),
        ]))
    }

    /// Id, user and text of the statements that satisfy the condition.
    fn matching(&self, where_clause: &ast::Expr) -> Result<Vec<[String; 3]>> {
        self.found("query_id, user, query", "system.processes", where_clause)
    }

    /// Columns of the rows of a system table that satisfy the condition, as text.
    fn found<const N: usize>(
        &self,
        columns: &str,
        table: &str,
        where_clause: &ast::Expr,
    ) -> Result<Vec<[String; N]>> {
        let text = format!("SELECT {columns} FROM {table}");
        let ast::Query::Select(mut select) = entasis_sql::parse_query(&text)? else {
            return Err(Error::logical("a SELECT that is none"));
        };
        select.where_clause = Some(where_clause.clone());
        let query = ast::Query::Select(select);
        let rows = self.select(&query, &[], QueryOptions::default())?.collect()?;
        let row = |i: usize| std::array::from_fn(|column| text_at(&rows, column, i));
        Ok((0..rows.rows).map(row).collect())
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

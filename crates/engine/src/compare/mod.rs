//! `COMPARE (query) WITH (query)` and `COMPARE (query) USING SETTINGS ... VERSUS ...`: this server
//! runs both sides in turns, and one row says which is faster, how certain that is, which counters
//! differ, and whether both answer the same.
//!
//! The runs alternate in blocks of ABBA, whose order comes from a seed. `judge` says what they
//! show, and when `auto` can stop. All runs are in one process, so differences that only a restart
//! would show are in neither side's spread (`entasis lab compare` restarts).
//!
//! Each run keeps its side's limits of memory and time, as a SELECT would, and those of the whole
//! statement. A run that exceeds a limit ends the statement, as half a comparison is of no use.

mod judge;

use std::sync::Arc;
use std::time::{Duration, Instant};

use entasis_base::events::Counts;
use entasis_base::{Error, Result, Scope, codes, scope};
use entasis_column::Chunk;
use entasis_pipeline::{Discard, QueryContext};
use entasis_plan::QueryPlan;
use entasis_sql::ast;
use entasis_stats::sample::log_ratio;
use entasis_stats::schedule::{Side, pairs};

use self::judge::{MOST, differences, report, seen_enough};
use crate::logs::log_entry::QueryLogEntry;
use crate::process::end_of;
use crate::session::note;
use crate::settings::value::literal_value;
use crate::statement::extremes::Extremes;
use crate::statement::query::settings_of;
use crate::{QueryOptions, QueryResult, Session, Settings, settings};

/// How COMPARE measures.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Options {
    /// Pairs of runs; `None` (`auto`) makes as many as are needed.
    runs: Option<usize>,
    /// Smallest effect of interest, a log ratio.
    least_effect: f64,
    /// No further pair is run after this time.
    longest: Duration,
    seed: u64,
}

/// How often sides whose answers differ are run again, at most.
const AGAIN: usize = 3;

/// Settings that the two sides cannot have differently: how the statement's threads are observed
/// and what is logged, a limit that all statements of the user share, and a setting of the whole
/// process.
const SHARED: [&str; 18] = [
    "trace_profile_events",
    "trace_profile_events_list",
    "metrics_perf_events_enabled",
    "metrics_perf_events_list",
    "query_profiler_cpu_time_period_ns",
    "query_profiler_real_time_period_ns",
    "memory_profiler_step",
    "memory_profiler_sample_probability",
    "memory_profiler_sample_min_allocation_size",
    "memory_profiler_sample_max_allocation_size",
    "log_queries",
    "log_queries_min_type",
    "log_queries_min_query_duration_ms",
    "log_query_threads",
    "query_metric_log_interval",
    "opentelemetry_start_trace_probability",
    "max_memory_usage_for_user",
    "force_portable_kernels",
];

/// One side, with its measurements.
struct Runs<'a> {
    /// Name of the side in error messages.
    name: &'static str,
    query: &'a ast::Query,
    settings: Settings,
    seconds: Vec<f64>,
    counts: Vec<Counts>,
}

/// Number of rows, and the sum of their hashes, which does not depend on their order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Digest {
    rows: u64,
    hash: u64,
}

/// Digests of a side's rows, of the row of WITH TOTALS, and of the extremes.
type Answer = [Digest; 3];

impl Digest {
    fn add(&mut self, chunk: &Chunk) -> Result<()> {
        scope::check()?;
        let mut text = Vec::new();
        for row in 0..chunk.rows {
            text.clear();
            for column in &chunk.columns {
                use std::io::Write;
                write!(text, "{:?}\t", column.value(row))?;
            }
            self.hash = self.hash.wrapping_add(entasis_simd::hash::hash_bytes(&text));
        }
        self.rows += chunk.rows as u64;
        Ok(())
    }
}

impl Session {
    /// Runs both sides and answers one row. `output` are the settings of the statement as a whole.
    pub(crate) fn compare(
        &self,
        of: &ast::Compare,
        output: &[ast::SettingChange],
        options: &QueryOptions,
    ) -> Result<QueryResult> {
        let settings = self.settings_with(output)?;
        self.limit(&settings, options)?;
        note(options, QueryLogEntry::start);
        let how = Options::read(&of.options)?;
        let mut sides = self.sides(of, output, &settings)?;
        let equal = self.equal_answers(&sides, options)?;
        let began = Instant::now();
        for pair in pairs(how.seed, 0, 0, how.runs.unwrap_or(MOST)) {
            for side in pair {
                self.run_once(&mut sides[usize::from(side == Side::New)], options)?;
            }
            let done = sides[0].seconds.len();
            let enough =
                how.runs.is_none() && seen_enough(&differences(&sides)?, how.least_effect)?;
            if enough || began.elapsed() > how.longest && done > 1 {
                break;
            }
        }
        let result = report(&sides, equal, &how)?;
        Ok(QueryResult { settings: Some(settings), ..result })
    }

    /// Both sides, each with the settings of the statement, of its query, and its own. If several
    /// name the same setting, the last one wins.
    fn sides<'a>(
        &self,
        of: &'a ast::Compare,
        output: &[ast::SettingChange],
        whole: &Settings,
    ) -> Result<[Runs<'a>; 2]> {
        let side = |name: &'static str, query: &'a ast::Query, own: &[ast::SettingChange]| {
            let settings = self.settings_with(&[output, settings_of(query), own].concat());
            settings
                .and_then(|settings| check_shared(&settings, whole).map(|()| settings))
                .map_err(|error| error.context(name))
                .map(|settings| Runs { name, query, settings, seconds: vec![], counts: vec![] })
        };
        let new = of.new.as_ref().unwrap_or(&of.old);
        Ok([
            side("first query", &of.old, &of.old_settings)?,
            side("second query", new, &of.new_settings)?,
        ])
    }

    /// Does one run of a side within its limits, in a scope of its own, so that memory of other
    /// runs does not count. An error names the side, unless the statement as a whole was ended.
    fn within_limits<T>(
        &self,
        side: &Runs<'_>,
        options: &QueryOptions,
        work: impl FnOnce(&QueryContext) -> Result<T>,
    ) -> Result<T> {
        let context = self.context(&side.settings, options);
        let most = self.memory_limit(&side.settings);
        let memory = context.memory.child("query", most);
        let context = QueryContext { memory, ..context };
        let whole = options.process.as_ref().and_then(|process| process.deadline());
        let end = end_of(Instant::now(), side.settings.f64(settings::MAX_EXECUTION_TIME));
        // A limit of the session is a limit of the whole statement, too, and ends it first, so it
        // is not set again for each run.
        let end = end.filter(|end| whole.is_none_or(|whole| *end < whole));
        let end_by = |at: Option<Instant>| {
            if let (Some(process), Some(_)) = (&options.process, end) {
                self.engine.processes.end_by(process, at);
            }
        };
        end_by(end);
        let mut scope = Scope::new(&context.cancel, &context.memory, &context.events);
        let done = scope.run(|| {
            scope::guard(|| {
                let done = work(&context)?;
                scope::check().map(|()| done)
            })
        });
        end_by(whole);
        let late = end.is_some_and(|end| end <= Instant::now());
        if late {
            // The thread that watches deadlines may not have noticed yet.
            options.cancel.time_out();
        }
        let done = done.and_then(|done| {
            options.cancel.check()?;
            // A SELECT checks its memory again while the answer is written. Here no answer is
            // written.
            context.memory.check_peak()?;
            Ok(done)
        });
        done.map_err(|error| match error.code() {
            codes::QUERY_WAS_CANCELLED => error,
            codes::TIMEOUT_EXCEEDED if !late => error,
            _ => error.context(side.name),
        })
    }

    /// Runs both sides to warm up, and tells whether they answer the same. `None` if they differ,
    /// but one of them does not repeat its own answer: sums of floats depend on the order in which
    /// threads arrive. Such a sum has few values, so the sides are asked several times: a side may
    /// repeat itself by chance.
    fn equal_answers(&self, sides: &[Runs<'_>; 2], options: &QueryOptions) -> Result<Option<bool>> {
        let ask =
            || Ok::<_, Error>([self.answer(&sides[0], options)?, self.answer(&sides[1], options)?]);
        let first = ask()?;
        if first[0] == first[1] {
            return Ok(Some(true));
        }
        for _ in 0..AGAIN {
            if ask()? != first {
                return Ok(None);
            }
        }
        Ok(Some(false))
    }

    /// The digests of what a side answers.
    fn answer(&self, side: &Runs<'_>, options: &QueryOptions) -> Result<Answer> {
        self.within_limits(side, options, |context| {
            let runtime = self.runtime(&side.settings, context)?;
            let plan = self.plan(side.query, &side.settings)?;
            let mut stream = entasis_exec::stream(&plan, context, &runtime)?;
            let wanted = side.settings.flag(settings::EXTREMES);
            let mut extremes = wanted.then(|| Extremes::new(plan.header.len()));
            let [mut rows, mut totals, mut ends] = Answer::default();
            while let Some(chunk) = stream.next().transpose()? {
                rows.add(&chunk)?;
                if let Some(extremes) = &mut extremes {
                    extremes.add(&chunk);
                }
            }
            if let Some(row) = stream.totals()? {
                totals.add(&row)?;
            }
            if let Some(both) = extremes.and_then(Extremes::rows) {
                ends.add(&both)?;
            }
            Ok([rows, totals, ends])
        })
    }

    fn run_once(&self, side: &mut Runs<'_>, options: &QueryOptions) -> Result<()> {
        let of: &Runs<'_> = side;
        let (seconds, counts) = self.within_limits(of, options, |context| {
            let before = context.events.counts();
            let began = Instant::now();
            let mut plan = self.plan(of.query, &of.settings)?;
            let totals = plan.totals.take();
            let runtime = self.runtime(&of.settings, context)?;
            entasis_exec::execute(&plan, context, &runtime, Arc::new(Discard("Result")))?;
            if let Some(root) = totals {
                // The totals are computed from state that the rows have left, as in the answer of a
                // SELECT.
                let plan = QueryPlan { root, subqueries: Vec::new(), ..plan };
                entasis_exec::execute(&plan, context, &runtime, Arc::new(Discard("Totals")))?;
            }
            let seconds = began.elapsed().as_secs_f64();
            Ok((seconds, context.events.counts().since(&before)))
        })?;
        side.seconds.push(seconds);
        side.counts.push(counts);
        Ok(())
    }
}

/// Fails if a side has another value of a setting of [`SHARED`] than the statement, as the run
/// would be measured without it.
fn check_shared(of_side: &Settings, whole: &Settings) -> Result<()> {
    let differs = |name: &&str| of_side.by_name(name) != whole.by_name(name);
    match SHARED.into_iter().find(differs) {
        None => Ok(()),
        Some(name) => {
            let message = format!(
                "COMPARE: setting {name} holds for both sides alike: leave it out there, and SET \
                 it before if you want it"
            );
            Err(Error::new(codes::BAD_ARGUMENTS, message))
        }
    }
}

impl Options {
    fn read(changes: &[ast::SettingChange]) -> Result<Self> {
        let mut how = Self {
            runs: None,
            least_effect: log_ratio(2.0),
            longest: Duration::from_secs(30),
            seed: 0,
        };
        for change in changes {
            let value = match change.value.as_ref().map(|value| &value.kind) {
                Some(ast::ExprKind::Literal(literal)) => literal_value(literal),
                _ => entasis_types::Value::Null,
            };
            let wrong = |expected: &str| {
                let message = format!("COMPARE: {} must be {expected}", change.name);
                Error::new(codes::BAD_ARGUMENTS, message)
            };
            let number = value.as_f64().filter(|v| v.is_finite() && *v > 0.0);
            match &*change.name {
                "runs" if value.as_bytes() == Some(b"auto") => how.runs = None,
                "runs" => {
                    let runs = value.as_u64().filter(|n| (2..=10_000).contains(n));
                    let runs = runs.ok_or_else(|| wrong("'auto' or a number from 2 to 10000"))?;
                    how.runs = Some(runs as usize);
                }
                "min_effect" => {
                    let part = number.filter(|v| *v < 1.0);
                    let part = part.ok_or_else(|| wrong("a part of one, such as 0.02"))?;
                    how.least_effect = log_ratio(part * 100.0);
                }
                "max_seconds" => {
                    let seconds = number.and_then(|v| Duration::try_from_secs_f64(v).ok());
                    how.longest = seconds.ok_or_else(|| wrong("seconds above 0"))?;
                }
                "seed" => how.seed = value.as_u64().ok_or_else(|| wrong("a whole number"))?,
                other => {
                    let message = format!(
                        "COMPARE has no setting `{other}`: there are runs, min_effect, max_seconds, \
                         seed"
                    );
                    return Err(Error::new(codes::UNKNOWN_SETTING, message));
                }
            }
        }
        Ok(how)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_has_shared_settings_as_the_statement_does() {
        let (mut side, mut whole) = (Settings::default(), Settings::default());
        side.set_text("max_memory_usage", "5").unwrap();
        // A setting that is written out with its default value is no difference.
        side.set_text("log_queries", "1").unwrap();
        assert!(check_shared(&side, &whole).is_ok());
        side.set_text("query_profiler_real_time_period_ns", "7").unwrap();
        let error = check_shared(&side, &whole).unwrap_err();
        assert_eq!(error.code(), codes::BAD_ARGUMENTS);
        assert!(error.message().contains("query_profiler_real_time_period_ns"), "{error}");
        whole.set_text("query_profiler_real_time_period_ns", "7").unwrap();
        assert!(check_shared(&side, &whole).is_ok());
        let settings = Settings::default();
        SHARED.iter().for_each(|name| assert!(settings.by_name(name).is_some(), "{name}"));
    }
}

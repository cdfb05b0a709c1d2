//! `COMPARE (query) WITH (query)` and `COMPARE (query) USING SETTINGS ... VERSUS ...`: both sides
//! are run in turns within this server, and one row says which is faster, how sure that is, what
//! else differs, and whether they answer the same.
//!
//! Runs alternate in blocks of ABBA from a seed. With `runs = 'auto'` there are as many as it takes
//! to see the smallest effect of interest: the stop looks at the spread, not at the sign, so
//! looking again and again does not make false alarms likelier. One server is one process: what a
//! restart would change is in neither side's spread (`entasis lab compare` restarts).

use std::sync::Arc;
use std::time::{Duration, Instant};

use entasis_base::events::{Counts, EVENTS};
use entasis_base::{Error, Result, codes, scope};
use entasis_column::{Chunk, Column, Field, Header};
use entasis_pipeline::Discard;
use entasis_sql::ast;
use entasis_stats::location::{hodges_lehmann, median};
use entasis_stats::mde::factor_of_threshold;
use entasis_stats::paired::pair_variance;
use entasis_stats::permutation::sign_flip;
use entasis_stats::rng::Resampling;
use entasis_stats::sample::{Interval, log_ratio, logs};
use entasis_stats::schedule::{Side, pairs};
use entasis_stats::variance::{HODGES_LEHMANN_FACTOR, Moderated};
use entasis_stats::verdict::{Evidence, Rules, decide};
use entasis_types::{DataType, TupleType};

use crate::ddl::literal_value;
use crate::query::settings_of;
use crate::{QueryOptions, QueryResult, Session, Settings};

/// How it is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Options {
    /// Pairs of runs; `None` is as many as it takes.
    runs: Option<usize>,
    /// Smallest effect of interest, a log ratio.
    least_effect: f64,
    /// Longest time of all runs.
    longest: Duration,
    seed: u64,
}

/// A difference is one at this level of the sign-flip test.
const LEVEL: f64 = 0.01;
/// Fewest pairs of runs of `auto`: of n pairs the sign-flip test answers 2 / 2^n at least, so seven
/// never pass [`LEVEL`], however far apart the sides are.
const FEWEST: usize = 8;
/// Most pairs of runs of `auto`.
const MOST: usize = 200;
/// A counter differs if all of one side's runs are beyond all of the other's by this share.
const DIFFERS: f64 = 0.01;

/// One side, with what was measured of it.
struct Runs<'a> {
    query: &'a ast::Query,
    settings: Settings,
    seconds: Vec<f64>,
    counts: Vec<Counts>,
}

/// Rows and the sum of their hashes: the same for any order.
type Answer = (u64, u64);

impl Session {
    /// Runs both sides and answers one row.
    pub(crate) fn compare(&self, of: &ast::Compare, options: &QueryOptions) -> Result<QueryResult> {
        let how = Options::read(&of.options)?;
        let side = |query: &'_ ast::Query, more: &[ast::SettingChange]| -> Result<Settings> {
            let mut changes = settings_of(query).to_vec();
            changes.extend_from_slice(more);
            self.settings_with(&changes)
        };
        let new = of.new.as_ref().unwrap_or(&of.old);
        let (old_settings, new_settings) =
            (side(&of.old, &of.old_settings)?, side(new, &of.new_settings)?);
        let runs = |query, settings| Runs { query, settings, seconds: vec![], counts: vec![] };
        let mut sides = [runs(&of.old, old_settings), runs(new, new_settings)];
        let answers = [self.answer(&sides[0], options)?, self.answer(&sides[1], options)?];
        let began = Instant::now();
        for pair in pairs(how.seed, 0, 0, how.runs.unwrap_or(MOST)) {
            for side in pair {
                self.run_once(&mut sides[usize::from(side == Side::New)], options)?;
            }
            let done = sides[0].seconds.len();
            let enough = how.runs.is_none() && done >= FEWEST && is_precise(&sides, &how)?;
            if enough || began.elapsed() > how.longest && done > 1 {
                break;
            }
        }
        report(&sides, answers[0] == answers[1], &how)
    }

    /// The warm-up of a side: its rows are hashed.
    fn answer(&self, side: &Runs<'_>, options: &QueryOptions) -> Result<Answer> {
        let context = self.context(&side.settings, options);
        let runtime = self.runtime(&side.settings, &context)?;
        let plan = self.plan(side.query, &side.settings)?;
        let mut stream = entasis_exec::stream(&plan, &context, &runtime)?;
        let (mut rows, mut hash) = (0u64, 0u64);
        let mut text = Vec::new();
        while let Some(chunk) = stream.next().transpose()? {
            scope::check()?;
            for row in 0..chunk.rows {
                text.clear();
                for column in &chunk.columns {
                    use std::io::Write;
                    write!(text, "{:?}\t", column.value(row))?;
                }
                hash = hash.wrapping_add(entasis_simd::hash::hash_bytes(&text));
            }
            rows += chunk.rows as u64;
        }
        Ok((rows, hash))
    }

    fn run_once(&self, side: &mut Runs<'_>, options: &QueryOptions) -> Result<()> {
        let before = options.process.as_ref().map(|process| process.events().counts());
        let began = Instant::now();
        let plan = self.plan(side.query, &side.settings)?;
        let context = self.context(&side.settings, options);
        let events = Arc::clone(&context.events);
        let runtime = self.runtime(&side.settings, &context)?;
        entasis_exec::execute(&plan, &context, &runtime, Arc::new(Discard("Result")))?;
        side.seconds.push(began.elapsed().as_secs_f64());
        let after = events.counts();
        side.counts.push(before.map_or_else(|| after.clone(), |before| after.since(&before)));
        Ok(())
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

/// Log ratios of pairs of runs, new over old.
fn differences(sides: &[Runs<'_>; 2]) -> Result<Vec<f64>> {
    let (old, new) = (logs("old side", &sides[0].seconds)?, logs("new side", &sides[1].seconds)?);
    Ok(new.iter().zip(&old).map(|(new, old)| new - old).collect())
}

/// Standard error of the estimate, and its degrees of freedom.
fn standard_error(differences: &[f64]) -> (f64, f64) {
    let (variance, df) = pair_variance(differences).unwrap_or_default();
    ((variance * HODGES_LEHMANN_FACTOR / differences.len() as f64).sqrt(), df)
}

/// The effect that would be found nine times of ten at the 1 % level.
fn detectable(standard_error: f64) -> Result<f64> {
    Ok(factor_of_threshold(2.576, 0.9)? * standard_error)
}

fn is_precise(sides: &[Runs<'_>; 2], how: &Options) -> Result<bool> {
    Ok(detectable(standard_error(&differences(sides)?).0)? <= how.least_effect)
}

/// Counters whose runs are apart, the furthest first: name, old, new.
fn differing(sides: &[Runs<'_>; 2]) -> Result<Vec<(&'static str, f64, f64)>> {
    let mut apart = Vec::new();
    for (at, event) in EVENTS.iter().enumerate() {
        let of = |side: &Runs<'_>| -> Vec<f64> {
            side.counts.iter().map(|counts| counts.all()[at] as f64).collect()
        };
        let (old, new) = (of(&sides[0]), of(&sides[1]));
        let ends = |v: &[f64]| {
            let low = v.iter().copied().fold(f64::INFINITY, f64::min);
            (low, v.iter().copied().fold(0.0, f64::max))
        };
        let ((old_low, old_high), (new_low, new_high)) = (ends(&old), ends(&new));
        let beyond = |high: f64, low: f64| low > high * (1.0 + DIFFERS);
        if beyond(old_high, new_low) || beyond(new_high, old_low) {
            apart.push((event.name, median(&old)?, median(&new)?));
        }
    }
    let far = |(_, old, new): &(&str, f64, f64)| ((new + 1.0) / (old + 1.0)).ln().abs();
    apart.sort_by(|a, b| far(b).total_cmp(&far(a)));
    Ok(apart)
}

fn report(sides: &[Runs<'_>; 2], equal: bool, how: &Options) -> Result<QueryResult> {
    let d = differences(sides)?;
    let (theta, (se, df)) = (hodges_lehmann(&d)?, standard_error(&d));
    let interval: Interval =
        Moderated { variance: se * se * d.len() as f64, df }.interval(theta, d.len(), 0.95)?;
    let p = sign_flip(&d, Resampling::new(how.seed))?.p;
    let evidence = Evidence { theta, standard_error: se, df, adjusted_p: Some(p), bimodal: false };
    let rules = Rules { q: LEVEL, least_effect: how.least_effect, ..Rules::default() };
    let verdict = decide(&evidence, &rules)?.name();
    let (old, new) = (median(&sides[0].seconds)?, median(&sides[1].seconds)?);
    let numbers = [
        ("old_seconds", old),
        ("new_seconds", new),
        ("ratio", theta.exp()),
        ("low", interval.low.exp()),
        ("high", interval.high.exp()),
        ("p_value", p),
        ("detectable", detectable(se)?.exp_m1()),
    ];
    let mut fields = vec![Field::new("verdict", DataType::String)];
    let mut columns = vec![texts([verdict])];
    for (name, value) in numbers {
        fields.push(Field::new(name, DataType::Float64));
        columns.push(vec![value].into());
    }
    fields.push(Field::new("runs", DataType::UInt64));
    columns.push(vec![d.len() as u64].into());
    fields.push(Field::new("equal_answers", DataType::UInt8));
    columns.push(vec![u8::from(equal)].into());
    fields.push(Field::new("differing", DataType::array(counter_type())));
    columns.push(counters(&differing(sides)?));
    Ok(QueryResult::ready(Header::new(fields), vec![Chunk::new(columns, 1)]))
}

fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Column {
    Column::String(texts.into_iter().map(str::as_bytes).collect())
}

/// `Tuple(counter String, old Float64, new Float64)`.
fn counter_type() -> DataType {
    let types = vec![DataType::String, DataType::Float64, DataType::Float64];
    let names = Some(["counter", "old", "new"].map(Into::into).to_vec());
    DataType::Tuple(Arc::new(TupleType { types, names }))
}

fn counters(all: &[(&str, f64, f64)]) -> Column {
    let names = texts(all.iter().map(|(name, _, _)| *name));
    let old: Vec<f64> = all.iter().map(|(_, old, _)| *old).collect();
    let new: Vec<f64> = all.iter().map(|(_, _, new)| *new).collect();
    let tuples = Column::tuple(vec![names, old.into(), new.into()], all.len());
    Column::array(vec![0, all.len() as u32].into(), tuples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_pairs_can_show_a_difference() {
        let least = |pairs: usize| sign_flip(&vec![1.0; pairs], Resampling::new(0)).unwrap().p;
        assert!(least(FEWEST) <= LEVEL, "{}", least(FEWEST));
        assert!(least(FEWEST - 1) > LEVEL, "{}", least(FEWEST - 1));
    }
}

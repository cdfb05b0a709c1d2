//! The profile of a workload: the functions in which it spends its time or memory.

use std::collections::HashMap;

use entasis_base::{Error, Result, codes};
use entasis_stats::schedule::Side;
use serde_json::json;

use super::metric_name;
use crate::compare::Request;
use crate::measure::{self, Deadline, Kind, Pair, RunSpec, Servers, Stacks, Watch};
use crate::store::Store;
use crate::why::symbol::readable;

/// A stored profile.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Names its rows.
    pub id: String,
    /// Hash of the binary.
    pub build: String,
    /// What history files the query under: its test and its text.
    pub key: u64,
    /// What of.
    pub kind: Kind,
    /// Seconds of a run under the profiler, the median.
    pub seconds: f64,
    /// Frames with readable names, root first, and samples.
    pub stacks: Stacks,
}

/// Samples of a function among those of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Samples whose stack has it.
    pub samples: u64,
    /// Samples that it is the leaf of.
    pub own: u64,
    /// All samples.
    pub all: u64,
}

impl Share {
    /// 0 to 1.
    pub fn part(&self) -> f64 {
        if self.all == 0 { 0.0 } else { self.samples as f64 / self.all as f64 }
    }
}

/// Functions that are stored of a profile, those with most samples first.
const STORED: usize = 300;

impl Profile {
    /// A function's share. `function` is the end of a path: `sort::Run::merge` is found in
    /// `entasis_exec::sort::Run::merge::{closure#0}`, and not in `resort::Run::merge`; `sort::Run`
    /// is found in neither.
    pub fn share_of(&self, function: &str) -> Share {
        let mut share = Share::default();
        for (frames, samples) in &self.stacks {
            share.all += samples;
            let own = frames.last().is_some_and(|leaf| holds(leaf, function));
            share.own += if own { *samples } else { 0 };
            share.samples +=
                if frames.iter().any(|frame| holds(frame, function)) { *samples } else { 0 };
        }
        share
    }

    /// All functions, those with most samples first.
    pub fn functions(&self) -> Vec<(&str, Share)> {
        let mut all: HashMap<&str, Share> = HashMap::new();
        let whole: u64 = self.stacks.iter().map(|(_, samples)| samples).sum();
        for (frames, samples) in &self.stacks {
            for (at, frame) in frames.iter().enumerate() {
                // Recursion counts once.
                let first = !frames[..at].contains(frame);
                let share = all.entry(frame).or_insert(Share { all: whole, ..Share::default() });
                share.samples += if first { *samples } else { 0 };
                share.own += if at + 1 == frames.len() { *samples } else { 0 };
            }
        }
        let mut all: Vec<(&str, Share)> = all.into_iter().collect();
        all.sort_by(|a, b| b.1.samples.cmp(&a.1.samples).then(a.0.cmp(b.0)));
        all
    }

    /// Functions by the samples that are theirs, most first, and these in percent of all. A sample
    /// is its innermost function's that does not work for others ([`helps`]).
    pub fn owners(&self) -> Vec<(&str, f64)> {
        let mut all: HashMap<&str, u64> = HashMap::new();
        for (frames, samples) in &self.stacks {
            let owner = frames.iter().rev().find(|frame| !helps(frame)).or(frames.last());
            *all.entry(owner.map_or("", String::as_str)).or_default() += samples;
        }
        let whole: u64 = all.values().sum();
        let mut all: Vec<(&str, u64)> = all.into_iter().collect();
        all.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let percent = |samples: u64| 100.0 * samples as f64 / whole.max(1) as f64;
        all.into_iter().map(|(name, samples)| (name, percent(samples))).collect()
    }

    /// Stores it, as the newest of its workload.
    pub fn save(&self, store: &mut Store, workload: &str, cpu: &str, time: f64) -> Result<()> {
        let row = |(function, share): (&str, Share)| {
            json!({
                "profile_id": self.id, "time": time, "cpu": cpu, "build": self.build,
                "workload": workload, "metric": metric_name(self.kind), "function": function,
                "samples": share.samples, "own": share.own, "all_samples": share.all,
                "stacks": self.stacks.len(),
            })
            .to_string()
        };
        let rows: Vec<String> = self.functions().into_iter().take(STORED).map(row).collect();
        store.insert("profile", "JSONEachRow", &rows)?;
        let newest = json!({
            "workload": workload, "metric": metric_name(self.kind), "time": time,
            "profile_id": self.id, "build": self.build, "query_hash": self.key.to_string(),
        });
        store.insert("profiled", "JSONEachRow", &[newest.to_string()])
    }
}

/// What works for whoever calls it: the standard library, the allocator, and the accounts of what
/// is allocated.
const HELPERS: [&str; 8] = [
    "__rustc::",
    "alloc::",
    "compiler_builtins::",
    "core::",
    "entasis::meter::",
    "entasis_base::scope::",
    "hashbrown::",
    "std::",
];

/// Whether a function works for others, and says nothing of what is done: C's (copies, the
/// allocator, mathematics), the standard library's, and iterators, whose closures are in them.
fn helps(function: &str) -> bool {
    let name = function.trim_start_matches(['<', '&']);
    let helper = HELPERS.iter().any(|of| name.starts_with(of));
    helper || !function.contains("::") || function.contains(" as core::iter::")
}

/// Whether a name is that of the function whose path ends so, or of a closure in it: from border to
/// border, and to its end, as what stands before more of a path is a crate, a module or a type.
fn holds(name: &str, path: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    name.match_indices(path).any(|(at, _)| {
        let before = name[..at].chars().next_back();
        !before.is_some_and(word) && ends(&name[at + path.len()..])
    })
}

/// Whether only types, arguments and closures follow.
fn ends(mut rest: &str) -> bool {
    while !rest.is_empty() && !rest.starts_with('(') {
        let closure = ["::{closure", "::{{closure}"].iter().find_map(|c| rest.strip_prefix(*c));
        let behind = match closure {
            Some(closure) => closure.split_once('}').map(|(_, behind)| behind),
            None => behind_types(rest.strip_prefix("::").unwrap_or(rest)),
        };
        let Some(behind) = behind else { return false };
        rest = behind;
    }
    true
}

/// What follows the types in angle brackets that a text begins with.
fn behind_types(text: &str) -> Option<&str> {
    let text = text.strip_prefix('<')?;
    let (mut depth, mut last) = (1, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            // The arrow of a function's type closes nothing.
            '>' if last != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&text[at + 1..]);
        }
        last = c;
    }
    None
}

/// Runs the request's only query under the profiler, in one pair of processes of its old side, so
/// many seconds in each.
pub fn profile(
    request: &Request,
    kind: Kind,
    seconds: f64,
    watch: &mut dyn Watch,
) -> Result<Profile> {
    let mut only = None;
    profiles(request, kind, seconds, watch, &mut |_, profile| {
        only = Some(profile);
        Ok(())
    })?;
    only.unwrap_or_else(|| Err(Error::new(codes::BAD_ARGUMENTS, "there is no query to profile")))
}

/// Takes what came of a query: its number in the plan, its profile or why there is none.
pub type Each<'a> = &'a mut dyn FnMut(usize, Result<Profile>) -> Result<()>;

/// The same for all queries of the request, one after the other.
pub fn profiles(
    request: &Request,
    kind: Kind,
    seconds: f64,
    watch: &mut dyn Watch,
    each: Each<'_>,
) -> Result<()> {
    let Request { plan, sides, options, work, data, run, .. } = request;
    let end = Deadline::after(request.budget);
    let mut servers = Servers::of(plan, sides);
    let prepared = measure::prepare(plan, data.as_deref(), sides, options, work, end, watch)?;
    servers.made();
    let start = |side: usize| sides[side].start(&prepared.data[side], options);
    let sessions = [start(0)?, start(1)?];
    let settings = [Side::Old, Side::New].map(|side| request.settings_of(side));
    let place = (run.seed, 3, 0);
    let spec = RunSpec::new(plan, settings, place, "", request.limits);
    let mut pair = Pair::new(spec, &prepared, sessions);
    for unit in 0..plan.units.len() {
        if watch.stopped() || !end.fits(seconds) {
            break;
        }
        watch.progress("profile", unit, plan.units.len());
        let test = &plan.test(unit).name;
        let found = match prepared.skipped.iter().find(|skipped| skipped.test == *test) {
            Some(skipped) => Err(bad(format!("{test}: {}", skipped.reason))),
            None => one(&mut pair, request, unit, kind, seconds),
        };
        each(unit, found)?;
    }
    servers.leave(watch);
    Ok(())
}

fn bad(message: impl Into<String>) -> Error {
    Error::new(codes::BAD_ARGUMENTS, message.into())
}

fn one(
    pair: &mut Pair<'_>,
    request: &Request,
    unit: usize,
    kind: Kind,
    seconds: f64,
) -> Result<Profile> {
    let run = &request.run;
    let id =
        if request.plan.units.len() == 1 { run.id.clone() } else { format!("{}-{unit}", run.id) };
    let spec = pair.spec().named(format!("{id}."));
    let (seconds, sides) = pair.under(spec, |pair| {
        let [seconds, _] = pair.profile(unit, seconds, kind)?;
        Ok::<_, Error>((seconds, pair.stacks(&[unit], kind)?))
    })?;
    let mut stacks = Stacks::new();
    for mut side in sides {
        stacks.extend(side.remove(&unit).unwrap_or_default());
    }
    for (frames, _) in &mut stacks {
        frames.iter_mut().for_each(|frame| *frame = readable(frame));
    }
    if stacks.is_empty() {
        let message =
            "the profile has no stack: the workload is too short, or the server keeps none";
        return Err(bad(message));
    }
    let key = request.plan.units[unit].key;
    Ok(Profile { id, build: run.builds[0].clone(), key, kind, seconds, stacks })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(frames: &[&str], samples: u64) -> (Vec<String>, u64) {
        (frames.iter().map(|f| (*f).to_owned()).collect(), samples)
    }

    #[test]
    fn shares_count_a_stack_once() {
        let stacks = vec![
            stack(&["main", "a::sort::Run::merge", "a::sort::Run::merge", "copy"], 3),
            stack(&["main", "a::resort::Run::merges"], 5),
            stack(&["main", "a::sort::Run::merge::{closure#0}"], 2),
        ];
        let (id, build) = (String::new(), String::new());
        let profile = Profile { id, build, key: 0, kind: Kind::Time, seconds: 0.1, stacks };
        assert_eq!(profile.share_of("sort::Run::merge"), Share { samples: 5, own: 2, all: 10 });
        assert_eq!(profile.share_of("nothing").part(), 0.0);
        let functions = profile.functions();
        assert_eq!(functions[0], ("main", Share { samples: 10, own: 0, all: 10 }));
        assert!(functions.contains(&("copy", Share { samples: 3, own: 3, all: 10 })));
        let merge = ("a::sort::Run::merge", Share { samples: 3, own: 0, all: 10 });
        assert!(functions.contains(&merge));
    }

    #[test]
    fn a_crate_is_no_function() {
        let merge = "entasis_exec::sort::Run::merge";
        for name in [
            merge.to_owned(),
            format!("{merge}::{{closure#0}}::{{closure#1}}"),
            format!("{merge}::{{{{closure}}}}"),
            format!("{merge}::<fn(u8) -> u8, b::Key<u8>>::{{closure#0}}"),
            format!("{merge}<b::Key<u8> >"),
            format!("{merge}(int) const"),
        ] {
            for path in ["merge", "Run::merge", merge] {
                assert!(holds(&name, path), "{name} {path}");
            }
            for path in ["entasis_exec", "entasis_exec::sort", "sort::Run", "Run", "merg", "erge"] {
                assert!(!holds(&name, path), "{name} {path}");
            }
        }
        let of_trait = "<entasis_exec::Run<u8> as core::iter::Iterator>::next";
        assert!(holds(of_trait, "next") && holds(of_trait, of_trait));
        for path in ["entasis_exec", "entasis_exec::Run", "entasis_exec::Run<u8>", "Iterator"] {
            assert!(!holds(of_trait, path), "{path}");
        }
        // What a function is given is not what it is.
        let given = "core::iter::map::<a::sort::{closure#0}, [u8]>";
        assert!(!holds(given, "a::sort") && holds(given, "map"));
        assert!(!holds("core::iter::map::<a::sort>", "a::sort"));
    }

    #[test]
    fn helpers_work_for_their_callers() {
        let stacks = vec![
            stack(
                &["main", "a::push", "<a::Buffer<T> as core::iter::FromIterator<T>>::from_iter"],
                3,
            ),
            stack(&["main", "a::push", "<alloc::vec::Vec<T>>::push", "memcpy"], 1),
            stack(&["main", "a::push", "__rustc::__rust_realloc", "realloc"], 1),
            stack(&["main", "a::push", "b::find"], 4),
            stack(&["clone"], 1),
        ];
        let (id, build) = (String::new(), String::new());
        let profile = Profile { id, build, key: 0, kind: Kind::Time, seconds: 0.1, stacks };
        assert_eq!(profile.owners(), [("a::push", 50.0), ("b::find", 40.0), ("clone", 10.0)]);
    }
}

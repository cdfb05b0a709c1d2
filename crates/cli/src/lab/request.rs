//! From a command line to what is compared.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use entasis_base::{Result, codes};
use entasis_lab::compare::{Request, effect};
use entasis_lab::measure::{Amount, Limits, Plan, Tables};
use entasis_lab::spec::{self, TestFile};
use entasis_lab::store::{Host, Place, RunRow, Store};
use entasis_lab::target::{Builder, Options, Setting, Source, Target};
use entasis_lab::verdict::Rules;

use super::choice::Choice;
use super::watch::clock;
use crate::args::Args;
use crate::report::bad_arguments;
use crate::terminal;

/// Folder of the laboratory.
pub fn folder(args: &Args) -> PathBuf {
    PathBuf::from(args.value("dir").unwrap_or("entasis-lab"))
}

/// The store that the options name.
pub fn store(args: &Args) -> Store {
    let place = args.value("store").map(Place::parse);
    Store::new(place.unwrap_or_else(|| Place::Folder(folder(args).join("store"))))
}

/// `90s`, `18m`, `2h`, or seconds.
pub fn budget(args: &Args) -> Result<Option<Duration>> {
    let Some(text) = args.value("budget") else { return Ok(None) };
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 's')) => (&text[..at], 1.0),
        Some((at, 'm')) => (&text[..at], 60.0),
        Some((at, 'h')) => (&text[..at], 3600.0),
        _ => (text, 1.0),
    };
    let number: f64 = digits.parse().unwrap_or(f64::NAN);
    match Duration::try_from_secs_f64(number * unit) {
        Ok(budget) => Ok(Some(budget)),
        Err(_) => Err(bad_arguments(format!("--budget {text}: expected a time such as 18m"))),
    }
}

/// The seed of all order and chance.
pub fn seed(args: &Args) -> Result<u64> {
    match args.value("seed") {
        Some(_) => args.number("seed", 0),
        None => Ok(Host::clock_seed()),
    }
}

/// What the command line asks for. Builds revisions, which takes minutes.
pub fn request(args: &Args, kind: &str, line: &[String]) -> Result<Request> {
    let seed = seed(args)?;
    let plan = plan(args, seed)?;
    request_of(args, kind, line, seed, plan)
}

/// The same for a plan that is known.
pub fn request_of(
    args: &Args,
    kind: &str,
    line: &[String],
    seed: u64,
    plan: Plan,
) -> Result<Request> {
    let sides = [side(args, "left")?, side(args, "right")?];
    let began = Instant::now();
    let (sides, commits) = built(args, sides)?;
    let budget = budget(args)?.map(|all| left(all, began.elapsed()));
    let [old, new] = &sides;
    let differ = (&old.source, &old.settings) != (&new.source, &new.settings);
    let differ = differ || args.has("versus");
    let options = Options { keep_parts: !plan.keeps_merges(), ..options(args) };
    let mut request = Request {
        run: RunRow::new(kind, seed, &sides, commits, line),
        sides,
        plan,
        rules: rules(args)?,
        limits: limits(args)?,
        options,
        settings: args.settings.clone(),
        planted: HashMap::new(),
        planted_what: String::new(),
        prepared: None,
        versus: args.value("versus").map(str::to_owned),
        budget,
        work: folder(args).join("work"),
        data: args.value("data").map(PathBuf::from),
        answers: differ && !args.has("no-answers"),
        profile: profile_seconds(args, 1.0)?,
    };
    if request.plan.units.is_empty() {
        return Err(bad_arguments("No query is left to measure: look at --only and the files"));
    }
    entasis_lab::target::clear(&request.work);
    request.work.push(&request.run.id);
    Ok(request)
}

/// What building leaves of the budget, which is a hard end of all.
fn left(budget: Duration, built: Duration) -> Duration {
    if built > Duration::from_secs(1) {
        let all = clock(budget);
        terminal::complain(&format!("Building took {} of the budget of {all}", clock(built)));
    }
    budget.saturating_sub(built)
}

fn side(args: &Args, name: &'static str) -> Result<Target> {
    // A comparison of settings or texts has the same program on both sides.
    let other = if name == "left" { "right" } else { "left" };
    let text = args.value(name).or_else(|| args.value(other));
    let text =
        text.ok_or_else(|| bad_arguments(format!("Name a side: --{name} BINARY, or git:REV")))?;
    let mut target = Target::parse(text)?;
    let option = if name == "left" { "left-settings" } else { "right-settings" };
    if let Some(list) = args.value(option) {
        target.settings = settings(option, list)?;
        target.label = format!("{} {list}", target.label);
    }
    Ok(target)
}

/// `a=1,b=2`.
pub fn settings(option: &str, list: &str) -> Result<Vec<Setting>> {
    let one = |text: &str| match text.split_once('=') {
        Some((name, value)) => Ok((name.trim().to_owned(), value.trim().to_owned())),
        None => Err(bad_arguments(format!("--{option} {list}: expected name=value,..."))),
    };
    list.split(',').filter(|text| !text.trim().is_empty()).map(one).collect()
}

/// How servers are started.
pub fn options(args: &Args) -> Options {
    Options {
        command: args.value("start").unwrap_or_default().to_owned(),
        cpus: args.value("cpus").unwrap_or_default().to_owned(),
        padding: 0,
        keep_parts: true,
    }
}

/// What builds revisions, as the options say.
pub fn builder(args: &Args) -> Builder {
    let mut builder = Builder::new(&folder(args).join("builds"));
    if let Some(command) = args.value("build") {
        command.clone_into(&mut builder.command);
    }
    if let Some(output) = args.value("build-output") {
        output.clone_into(&mut builder.binary);
    }
    builder
}

/// Builds of each side with functions in other places; none but the plain one without the option.
/// What is built already cannot be linked anew.
fn layouts(args: &Args, sides: &[Target; 2]) -> Result<usize> {
    if !args.has("layouts") {
        return Ok(0);
    }
    if !sides.iter().all(|side| matches!(side.source, Source::Git(_))) {
        let message = "--layouts links revisions anew: both sides must be git:REV";
        return Err(bad_arguments(message));
    }
    match args.number("layouts", 0)? {
        // Pairs of the same builds are one, and fewer than four of a query that nothing is known of
        // are no verdict.
        count @ 4..=64 => Ok(count as usize),
        count => Err(bad_arguments(format!("--layouts {count}: expected 4 to 64"))),
    }
}

/// Revisions become binaries; their commits.
fn built(args: &Args, sides: [Target; 2]) -> Result<([Target; 2], [String; 2])> {
    let (builder, layouts) = (builder(args), layouts(args, &sides)?);
    let mut commits = [String::new(), String::new()];
    let mut done = Vec::new();
    for (at, mut side) in sides.into_iter().enumerate() {
        if let Source::Git(revision) = &side.source {
            terminal::complain(&format!("Building {revision}"));
            let built = builder.build(revision)?;
            // No build of one side is one of the other, of the same revision either.
            side.layouts = builder.layouts(&built, (1..=layouts).map(|seed| 2 * seed + at))?;
            side.source = Source::Binary(built.binary);
            commits[at] = built.commit;
        }
        done.push(side);
    }
    let sides = <[Target; 2]>::try_from(done);
    Ok((sides.map_err(|_| bad_arguments("two sides are needed"))?, commits))
}

/// What is measured.
pub fn plan(args: &Args, seed: u64) -> Result<Plan> {
    let (tests, unread) = match args.value("query") {
        Some(text) => (vec![TestFile::of_query(text)], Vec::new()),
        None => files_of(args, &args.words[1..])?,
    };
    let long = args.has("long");
    let tests: Vec<TestFile> = tests.into_iter().filter(|test| long || !test.is_long()).collect();
    let choice = Choice::of(args)?;
    // What cannot be read may have what was chosen.
    if unread.is_empty() {
        choice.check(&tests)?;
    }
    let mut plan = Plan::new(tests, |test, query| choice.wants(test, query));
    plan.unread = unread;
    set_tables(&mut plan, args)?;
    let most = args.number("max-queries", u64::MAX)?;
    plan.shorten(usize::try_from(most).unwrap_or(usize::MAX), seed);
    Ok(plan)
}

/// What a plan's tables are.
fn set_tables(plan: &mut Plan, args: &Args) -> Result<()> {
    plan.shared_database = args.value("database").map(str::to_owned);
    plan.tables = match (args.has("use-existing-tables"), args.has("keep-created-tables")) {
        (true, _) => Tables::Existing,
        (false, true) => Tables::Kept,
        (false, false) => Tables::Made,
    };
    plan.pull_request = args.value("pr").map(|_| args.number("pr", 0)).transpose()?;
    Ok(())
}

/// The plan of a workload: `TEST NUMBER` of the test files, or SQL.
pub fn workload(args: &Args, text: &str) -> Result<Plan> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let numbered = |word: &&str| word.parse::<usize>().ok();
    let mut plan = match (words.as_slice(), words.get(1).and_then(numbered)) {
        ([test, _], Some(number)) => {
            let (files, _) = files_of(args, &[])?;
            Plan::new(files, |name, query| name == *test && query == number)
        }
        _ => Plan::new(vec![TestFile::of_query(text)], |_, _| true),
    };
    set_tables(&mut plan, args)?;
    if plan.units.len() == 1 {
        return Ok(plan);
    }
    Err(bad_arguments(format!("workload `{text}`: no such query (expected TEST NUMBER, or SQL)")))
}

/// The tests of files and folders, and what is wrong with files that cannot be read.
fn files_of(args: &Args, words: &[String]) -> Result<(Vec<TestFile>, Vec<String>)> {
    // Who goes on with a run may name again what it was given.
    let mut seen = HashSet::new();
    let named = words.iter().filter(|word| seen.insert(*word));
    let mut paths: Vec<PathBuf> = named.map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.push(PathBuf::from("tests/performance"));
    }
    let loaded = spec::load(&paths, &spec::Options { strict: args.has("strict") });
    for problem in &loaded.warnings {
        terminal::complain(&format!("warning: {problem}"));
    }
    let errors: Vec<String> = loaded.errors.iter().map(ToString::to_string).collect();
    for problem in &errors {
        terminal::complain(&format!("error: {problem}"));
    }
    if loaded.files.is_empty() {
        let shown: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
        let message = format!("No test in {}: name files or folders of them", shown.join(", "));
        return Err(entasis_base::Error::new(codes::BAD_ARGUMENTS, message));
    }
    Ok((loaded.files, errors))
}

/// What is decided by.
pub fn rules(args: &Args) -> Result<Rules> {
    let usual = Rules::default();
    let count = |name: &str, usual: usize| -> Result<usize> {
        match args.number(name, usual as u64)? {
            0 => Err(bad_arguments(format!("--{name}: expected 1 or more"))),
            n => Ok(n as usize),
        }
    };
    let least_effect = decimal(args, "min-effect", 0.01)?;
    Ok(Rules {
        pairs: count("pairs", usual.pairs)?,
        each: Amount {
            pairs: count("runs", usual.each.pairs)?,
            seconds: decimal_or_zero(args, "seconds", usual.each.seconds)?,
        },
        first: Amount {
            pairs: count("first-runs", usual.first.pairs)?,
            seconds: decimal_or_zero(args, "first-seconds", usual.first.seconds)?,
        },
        least_effect: effect(least_effect),
        wanted: effect(decimal_or_zero(args, "wanted-effect", 0.05)?),
        first_only: args.has("first-only"),
        ..usual
    })
}

/// Limits of runs.
pub fn limits(args: &Args) -> Result<Limits> {
    let usual = Limits::default();
    Ok(Limits {
        warm_up: decimal(args, "prewarm-max-query-seconds", usual.warm_up)?,
        run: decimal(args, "max-query-seconds", usual.run)?,
        least: decimal(args, "least-run", usual.least)?,
    })
}

/// Seconds of a profile.
pub fn profile_seconds(args: &Args, usual: f64) -> Result<f64> {
    decimal_or_zero(args, "profile-seconds", usual)
}

/// A number that may be 0.
fn decimal_or_zero(args: &Args, name: &'static str, usual: f64) -> Result<f64> {
    if args.value(name) == Some("0") { Ok(0.0) } else { decimal(args, name, usual) }
}

/// A positive number.
fn decimal(args: &Args, name: &'static str, usual: f64) -> Result<f64> {
    let Some(text) = args.value(name) else { return Ok(usual) };
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err(bad_arguments(format!("--{name} {text}: expected a number above 0"))),
    }
}

/// Data folders of a run, gone with it however it ends.
pub struct Work(pub PathBuf);

impl Drop for Work {
    fn drop(&mut self) {
        // What cannot be removed is in nobody's way but the disk's.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The command line of a run that goes on: what was said then, and what is said now over it.
pub fn resumed(before: &[String], now: &[String]) -> Vec<String> {
    let mut line = before.to_vec();
    let mut rest = now.iter().skip(1);
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--resume" => drop(rest.next()),
            word if word.starts_with("--resume=") => {}
            _ => line.push(word.clone()),
        }
    }
    line
}

/// Where a page of a run goes.
pub fn page(args: &Args, run: &str) -> PathBuf {
    match args.value("report") {
        Some(file) => PathBuf::from(file),
        None => folder(args).join("reports").join(format!("{run}.html")),
    }
}

/// Writes a file, making its folder.
pub fn write(path: &Path, text: &str) -> Result<()> {
    let failed = |e| {
        let message = format!("Cannot write {}", path.display());
        entasis_base::Error::new(codes::CANNOT_OPEN_FILE, message).with_cause(e)
    };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, text).map_err(failed)
}

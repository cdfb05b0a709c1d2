//! `entasis demo`: events, a table, queries and their times.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use entasis_base::{Error, Result, codes};
use entasis_engine::{Engine, EngineConfig, QueryOptions, Session};

use crate::args::{self, Known};
use crate::{render, terminal};

const KNOWN: &[Known] = &[
    Known {
        long: "rows",
        short: &[],
        takes_value: true,
        help: "number of events (default: 10000000)",
    },
    Known {
        long: "path",
        short: &[],
        takes_value: true,
        help: "folder of the table (default: demo-data)",
    },
    Known { long: "help", short: &['h'], takes_value: false, help: "this text" },
];

/// What the demo asks, and what the query shows.
const SHOWCASE: &[(&str, &str)] = &[
    ("How many events are there?", "SELECT count() FROM demo.hits"),
    (
        "Visitors, pages and days",
        "SELECT uniq(UserID) AS visitors, uniq(URL) AS pages, min(EventDate), max(EventDate) \
         FROM demo.hits",
    ),
    (
        "The busiest hours of the day",
        "SELECT toHour(EventTime) AS hour, count() AS events \
         FROM demo.hits \
         GROUP BY hour \
         ORDER BY events DESC LIMIT 5",
    ),
    (
        "Phones",
        "SELECT MobilePhoneModel, uniq(UserID) AS users \
         FROM demo.hits \
         WHERE MobilePhoneModel != '' \
         GROUP BY MobilePhoneModel \
         ORDER BY users DESC, MobilePhoneModel LIMIT 5",
    ),
    (
        "What people search for",
        "SELECT SearchPhrase, count() AS c \
         FROM demo.hits \
         WHERE SearchPhrase != '' \
         GROUP BY SearchPhrase \
         ORDER BY c DESC, SearchPhrase LIMIT 5",
    ),
    (
        "The most active visitors",
        "SELECT UserID, count() AS events \
         FROM demo.hits \
         GROUP BY UserID \
         ORDER BY events DESC, UserID LIMIT 5",
    ),
    (
        "Pages with a word in the address",
        "SELECT count(), uniq(UserID) FROM demo.hits WHERE URL LIKE '%search%'",
    ),
    (
        "Where visitors come from",
        "SELECT domain(Referer) AS site, count() AS c, round(avg(length(Referer)), 1) AS length \
         FROM demo.hits \
         WHERE Referer != '' \
         GROUP BY site \
         ORDER BY c DESC, site LIMIT 5",
    ),
    (
        "Sizes of screens, as quantiles",
        "SELECT quantilesExact(0.25, 0.5, 0.75, 0.99)(ResolutionWidth) \
         FROM demo.hits \
         WHERE ResolutionWidth > 0",
    ),
    (
        "One site, one week, day by day",
        "SELECT EventDate, count() AS events, uniq(UserID) AS visitors \
         FROM demo.hits \
         WHERE CounterID = 62 AND EventDate BETWEEN '2013-07-08' AND '2013-07-14' \
         GROUP BY EventDate \
         ORDER BY EventDate",
    ),
    (
        "The first steps of the longest visits",
        "SELECT UserID, length(groupArray(URL)) AS steps, min(EventTime) AS began \
         FROM demo.hits \
         WHERE CounterID = 62 \
         GROUP BY UserID \
         ORDER BY steps DESC, UserID LIMIT 5",
    ),
    (
        "Parts of addresses",
        "SELECT arrayJoin(splitByChar('/', path(URL))) AS step, count() AS c \
         FROM demo.hits \
         WHERE step != '' \
         GROUP BY step \
         ORDER BY c DESC, step LIMIT 5",
    ),
];

/// Runs the command.
pub fn run(line: &[String]) -> Result<ExitCode> {
    let args = args::parse(line, KNOWN)?;
    if args.has("help") {
        terminal::say(&args::help("entasis demo: a table of events and a dozen queries", KNOWN));
        return Ok(ExitCode::SUCCESS);
    }
    let rows = args.number("rows", 10_000_000)?;
    let path = args.value("path").unwrap_or("demo-data");
    std::fs::create_dir_all(path).map_err(|e| {
        Error::new(codes::CANNOT_CREATE_DIRECTORY, format!("Cannot create {path}")).with_cause(e)
    })?;
    let mut session = Engine::open(EngineConfig::local(Some(path))?)?.session();
    load(&mut session, rows)?;
    for (i, (title, query)) in SHOWCASE.iter().enumerate() {
        ask(&mut session, i + 1, title, query)?;
    }
    terminal::say(&format!(
        "The table stays in {path}. Ask it yourself:\n  \
         entasis local --path {path} -q 'SELECT count() FROM demo.hits'"
    ));
    Ok(ExitCode::SUCCESS)
}

fn load(session: &mut Session, rows: u64) -> Result<()> {
    session.execute("CREATE DATABASE IF NOT EXISTS demo")?;
    session.execute(&entasis_engine::demo_table("demo.hits"))?;
    let present = session.execute("SELECT count() FROM demo.hits")?.first_number()?.unwrap_or(0);
    if present == rows {
        terminal::say(&format!("demo.hits is there already: {rows} events"));
        return Ok(());
    }
    if present > 0 {
        session.execute("TRUNCATE TABLE demo.hits")?;
    }
    terminal::say(&format!("Making {rows} events and loading them into demo.hits"));
    let started = Instant::now();
    let options = QueryOptions::default();
    let (progress, done) = (Arc::clone(&options.progress), AtomicBool::new(false));
    let query = format!("INSERT INTO demo.hits SELECT * FROM hits({rows})");
    let outcome = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(&done, rows, started, &|| progress.get().0));
        let outcome = session.execute_with(&query, options);
        done.store(true, Ordering::Relaxed);
        watcher.thread().unpark();
        outcome
    });
    outcome?;
    let seconds = started.elapsed().as_secs_f64();
    let rate = rows as f64 / seconds / 1e6;
    terminal::say(&format!(
        "Made and loaded in {seconds:.1} s ({rate:.2} million events a second)\n"
    ));
    Ok(())
}

/// Shows a progress line on stderr, if it is a terminal, until `done`.
fn watch(done: &AtomicBool, total: u64, started: Instant, read: &dyn Fn() -> u64) {
    const WIDTH: u64 = 40;
    let shows = terminal::stderr_is_terminal();
    while !done.load(Ordering::Relaxed) {
        std::thread::park_timeout(Duration::from_millis(200));
        let now = read().min(total);
        let filled = (now * WIDTH).checked_div(total).unwrap_or(WIDTH) as usize;
        let rate = now as f64 / started.elapsed().as_secs_f64().max(1e-9) / 1e6;
        if shows {
            let bar = "█".repeat(filled) + &"░".repeat(WIDTH as usize - filled);
            let percent = (now * 100).checked_div(total).unwrap_or(100);
            terminal::show(&format!("\r{bar} {percent:>3} %  {rate:.2} M events/s "));
        }
    }
    if shows {
        terminal::show("\r\x1b[K");
    }
}

fn ask(session: &mut Session, number: usize, title: &str, query: &str) -> Result<()> {
    terminal::say(&format!("{number}. {title}\n   {query}"));
    let started = Instant::now();
    let result = session.execute(query).and_then(|result| {
        let mut text = Vec::new();
        render::write(result, session, "PrettyCompact", false, &mut text)?;
        Ok(text)
    });
    let seconds = started.elapsed().as_secs_f64();
    let text = result.map_err(|e| e.context(title))?;
    let text = String::from_utf8(text)
        .map_err(|e| Error::new(codes::INCORRECT_DATA, "Result is not UTF-8").with_cause(e))?;
    terminal::say(&format!("{text}   {:.1} ms\n", seconds * 1000.0));
    Ok(())
}

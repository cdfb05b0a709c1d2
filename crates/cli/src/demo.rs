//! `entasis demo`: events, a table, queries and their times, and the table served with `/play`.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use entasis_base::{Error, Result, codes};
use entasis_engine::{Engine, QueryOptions, Session};
use entasis_server::{Config, Server};

use crate::args::{self, Known};
use crate::progress::{Bar, Reading};
use crate::{human, render, terminal};

const KNOWN: [Known; 4] = [
    Known::value("rows", &[], "number of events (default: 10000000)"),
    Known::value("path", &[], "folder for the table (default: demo-data)"),
    Known::flag(
        "once",
        &[],
        "exit after the queries and do not serve the table (the same as ONCE=1)",
    ),
    Known::flag("help", &['h'], "print this help"),
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
    let args = args::parse(line, &KNOWN)?;
    if args.has("help") {
        terminal::say(&args::help(
            "entasis demo: make a table of events, run a dozen queries, then serve the table",
            &KNOWN,
        ));
        return Ok(ExitCode::SUCCESS);
    }
    let rows = args.number("rows", 10_000_000)?;
    let path = args.value("path").unwrap_or("demo-data");
    std::fs::create_dir_all(path).map_err(|e| {
        Error::new(codes::CANNOT_CREATE_DIRECTORY, format!("Cannot create {path}")).with_cause(e)
    })?;
    let config = Config { path: path.into(), ..Config::default() };
    let engine = entasis_server::open_engine(&config, None)?;
    let mut session = engine.session();
    load(&mut session, rows)?;
    for (i, (title, query)) in SHOWCASE.iter().enumerate() {
        ask(&mut session, i + 1, title, query)?;
    }
    drop(session);
    // As it was called: a newcomer has it in no PATH.
    let entasis = std::env::args().next().unwrap_or_else(|| "entasis".into());
    if args.has("once") || std::env::var("ONCE").is_ok_and(|v| !v.is_empty() && v != "0") {
        terminal::say(&format!(
            "The table stays in {path}. Ask it yourself:\n  \
             {entasis} local --path {path} -d demo\n  \
             {entasis} server --path {path}, then {entasis} client -d demo"
        ));
        return Ok(ExitCode::SUCCESS);
    }
    serve(config, &engine, &entasis)
}

/// Serves the table until Ctrl-C: on the usual port, or on a free one if that is taken.
fn serve(mut config: Config, engine: &Arc<Engine>, entasis: &str) -> Result<ExitCode> {
    let server = Server::bind(&config, Arc::clone(engine)).or_else(|_| {
        config.http_port = 0;
        Server::bind(&config, Arc::clone(engine))
    })?;
    server.stop_on_signals()?;
    let Some(address) = server.addresses().first().copied() else {
        return Err(Error::logical("a server without an address"));
    };
    let port = address.port();
    let port = if port == 8123 { String::new() } else { format!(" --port {port}") };
    terminal::say(&format!(
        "Now serving the table. Ask it yourself:\n  \
         in a browser: http://{address}/play\n  \
         in a shell:   {entasis} client{port} -d demo\n  \
         over HTTP:    curl http://{address}/ -d 'SELECT count() FROM demo.hits'\n\
         Ctrl-C ends the server; the table stays in {}.",
        config.path.display()
    ));
    server.run()?;
    terminal::say("The server has ended.");
    Ok(ExitCode::SUCCESS)
}

fn load(session: &mut Session, rows: u64) -> Result<()> {
    session.execute("CREATE DATABASE IF NOT EXISTS demo")?;
    session.execute(&entasis_hits::create_table("demo.hits"))?;
    let present = session.execute("SELECT count() FROM demo.hits")?.first_number()?.unwrap_or(0);
    if present == rows {
        terminal::say(&format!("demo.hits is there already: {rows} events"));
        return Ok(());
    }
    if present > 0 {
        session.execute("TRUNCATE TABLE demo.hits")?;
    }
    terminal::say(&format!(
        "Making {} events of 105 columns and loading them into demo.hits",
        human::quantity(rows as f64)
    ));
    let started = Instant::now();
    let options = QueryOptions::default();
    let progress = Arc::clone(&options.progress);
    let bar = Bar::start(move || {
        let (read, bytes, total) = progress.get();
        Reading { rows: read, bytes, total, ..Reading::default() }
    });
    let query = format!("INSERT INTO demo.hits SELECT * FROM hits({rows})");
    session.execute_with(&query, options)?;
    drop(bar);
    let seconds = started.elapsed().as_secs_f64();
    let rate = human::quantity(rows as f64 / seconds);
    terminal::say(&format!("Made and loaded in {seconds:.1} s ({rate} events a second)\n"));
    Ok(())
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

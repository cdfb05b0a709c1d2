//! The bench's protocol: one JSON object a line, query in, time and hash out.
//! Described in `benches/hits/README.md`.

use std::io::{BufRead, Write};
use std::time::Instant;

use base64::Engine as _;
use entasis_base::Result;
use entasis_engine::Session;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::render;

/// Answers requests until standard input ends.
pub fn run(session: &mut Session) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let request: Value = serde_json::from_str(&line).unwrap_or(Value::Null);
        let query = request["query"].as_str().unwrap_or_default();
        let answer = match request["plan"].as_u64() {
            Some(times) => plan(session, query, times),
            None => answer(session, query, request["text"].as_bool() == Some(true)),
        };
        writeln!(stdout, "{answer}")?;
        stdout.flush()?;
    }
    Ok(())
}

/// Parses, analyses and plans a statement so many times; `{n}` in it is the number of the time.
fn plan(session: &Session, query: &str, times: u64) -> Value {
    let texts: Vec<String> = (0..times).map(|n| query.replace("{n}", &n.to_string())).collect();
    let started = Instant::now();
    let outcome = texts.iter().try_for_each(|text| session.header(text).map(drop));
    let seconds = started.elapsed().as_secs_f64();
    match outcome {
        Ok(()) => json!({"seconds": seconds}),
        Err(error) => json!({"seconds": seconds, "error": error.to_string()}),
    }
}

fn answer(session: &mut Session, query: &str, with_text: bool) -> Value {
    let started = Instant::now();
    let mut text = Vec::new();
    let outcome = session
        .execute(query)
        .and_then(|result| render::write(result, session, "TSV", false, &mut text));
    let seconds = started.elapsed().as_secs_f64();
    if let Err(error) = outcome {
        let error = error.to_string();
        return json!({"seconds": seconds, "rows": 0, "tsv_sha256": "", "error": error});
    }
    let hash: String = Sha256::digest(&text).iter().map(|b| format!("{b:02x}")).collect();
    let rows = text.iter().filter(|b| **b == b'\n').count();
    let mut answer = json!({"seconds": seconds, "rows": rows, "tsv_sha256": hash});
    if with_text {
        answer["tsv_base64"] = base64::engine::general_purpose::STANDARD.encode(&text).into();
    }
    answer
}

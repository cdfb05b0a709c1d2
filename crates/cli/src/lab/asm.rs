//! `entasis lab asm`: the hot loop of a function in two builds, and a model of its speed.

use std::path::PathBuf;
use std::process::ExitCode;

use entasis_base::{Error, Result};
use entasis_lab::why::asm::{self, Request, Sample};

use super::request;
use crate::args::{self, Args, Known};
use crate::report::bad_arguments;
use crate::terminal;

const KNOWN: [Known; 9] = [
    Known::value("left", &[], "old binary, with symbols, or git:REV"),
    Known::value("right", &[], "new binary, or git:REV"),
    Known::value("dir", &[], "folder of the laboratory, for builds (default: entasis-lab)"),
    Known::value("cpu", &[], "processors by LLVM's names, such as skylake,znver3,neoverse-n1"),
    Known::value("loop", &[], "number of the loop to show, N or LEFT,RIGHT"),
    Known::value("pick", &[], "which of several functions with the same name, N or LEFT,RIGHT"),
    Known::value(
        "left-samples",
        &[],
        "file of samples: NAME+0x1f [WEIGHT] a line (perf script -F sym,symoff)",
    ),
    Known::value("right-samples", &[], "the same for the new binary"),
    Known::flag("help", &[], "print this help"),
];

const HEAD: &str = "\
entasis lab asm FUNCTION --left BINARY --right BINARY: finds FUNCTION (a name, the end of a path or
a symbol) in both binaries, reports whether its machine code is the same, and shows its hottest loop
with the cycles per iteration that llvm-mca predicts. This is a model, not a measurement
(docs/laboratory/why.md). The package `llvm` must be installed.";

/// Runs the command.
pub fn run(line: &[String]) -> Result<ExitCode> {
    let args = args::parse(line, &KNOWN)?;
    if args.has("help") || line.is_empty() {
        terminal::say(&args::help(HEAD, &KNOWN));
        return Ok(ExitCode::SUCCESS);
    }
    if let Some((name, _)) = args.settings.first() {
        return Err(bad_arguments(format!("`entasis lab asm` has no option --{name}")));
    }
    let [function] = &args.words[..] else {
        let count = args.words.len();
        return Err(bad_arguments(format!(
            "entasis lab asm needs one FUNCTION, not {count}; see --help"
        )));
    };
    let request = Request {
        function: function.clone(),
        binaries: [binary(&args, "left")?, binary(&args, "right")?],
        cpus: cpus(&args)?,
        loops: pair(&args, "loop")?,
        picks: pair(&args, "pick")?,
        samples: [samples(&args, "left-samples")?, samples(&args, "right-samples")?],
    };
    let found = asm::compare(&request, &std::env::var_os("PATH").unwrap_or_default())?;
    terminal::say(found.to_string().trim_end());
    Ok(ExitCode::SUCCESS)
}

fn binary(args: &Args, side: &str) -> Result<PathBuf> {
    let needed = || bad_arguments(format!("entasis lab asm needs --{side} BINARY"));
    let text = args.value(side).ok_or_else(needed)?;
    match text.strip_prefix("git:") {
        Some(revision) => Ok(request::builder(args).build(revision)?.binary),
        None => Ok(PathBuf::from(text)),
    }
}

fn cpus(args: &Args) -> Result<Vec<String>> {
    let all: Vec<String> =
        args.values("cpu").flat_map(|list| list.split(',')).map(str::to_owned).collect();
    let name = |cpu: &String| {
        !cpu.is_empty()
            && cpu.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    match all.iter().find(|cpu| !name(cpu)) {
        Some(cpu) => {
            Err(bad_arguments(format!("Option --cpu takes names such as skylake, not `{cpu}`")))
        }
        None => Ok(all),
    }
}

/// `N` for both sides or `LEFT,RIGHT`.
fn pair(args: &Args, option: &str) -> Result<[Option<usize>; 2]> {
    let Some(text) = args.value(option) else { return Ok([None, None]) };
    let number = |text: &str| {
        let refused =
            || bad_arguments(format!("Option --{option} takes N or LEFT,RIGHT, not `{text}`"));
        text.trim().parse().map(Some).map_err(|_| refused())
    };
    match text.split_once(',') {
        Some((left, right)) => Ok([number(left)?, number(right)?]),
        None => number(text).map(|number| [number, number]),
    }
}

fn samples(args: &Args, option: &str) -> Result<Vec<Sample>> {
    let Some(path) = args.value(option) else { return Ok(Vec::new()) };
    let failed = |e| Error::from(e).context(format_args!("Cannot read {path}"));
    let (samples, left_out) = asm::parse_samples(&std::fs::read_to_string(path).map_err(failed)?);
    if left_out > 0 {
        terminal::complain(&format!("{path}: {left_out} lines are no samples and were left out"));
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: &[&str]) -> String {
        let line: Vec<String> = line.iter().map(ToString::to_string).collect();
        run(&line).unwrap_err().message().to_owned()
    }

    #[test]
    fn bad_lines_are_explained() {
        assert!(error(&["--left=a"]).contains("needs one FUNCTION, not 0"));
        assert!(error(&["f", "--left=a"]).contains("needs --right BINARY"));
        let sides = ["f", "--left=/no/a", "--right=/no/b"];
        let with = |more: &str| error(&[&sides[..], &[more]].concat());
        assert!(with("--loop=x").contains("--loop takes N or LEFT,RIGHT, not `x`"));
        assert!(with("--pick=1,").contains("--pick takes"));
        assert!(with("--cpu=a b").contains("not `a b`"));
        assert!(with("--left-samples=/no/such").contains("Cannot read /no/such"));
        assert!(with("--max_threads=1").contains("no option --max_threads"));
    }
}
